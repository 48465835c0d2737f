package docxfields

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// symbolCode returns the font of a w:sym and the number of its character there.
// It reports false if that is none.
func symbolCode(e *etree.Element) (font string, code uint64, ok bool) {
	font, _ = wml.Attr(e, "font")
	char, _ := wml.Attr(e, "char")
	code, err := strconv.ParseUint(char, 16, 16)
	return font, code &^ docxtext.SymbolArea, err == nil
}

// symbolText returns what a reader sees in a w:sym: boxes as characters that are
// boxes, other signs as an object.
func symbolText(e *etree.Element) string {
	font, code, ok := symbolCode(e)
	for _, s := range docxtext.SymbolBoxes() {
		if ok && strings.EqualFold(font, s.Font) && code == s.Code {
			return s.Text
		}
	}
	return object
}

// symbol returns the character of a w:sym: that of a box, or else the one of the
// font; "" for none.
func symbol(e *etree.Element) string {
	if s := symbolText(e); s != object {
		return s
	}
	char, _ := wml.Attr(e, "char")
	n, err := strconv.ParseUint(char, 16, 16)
	if err != nil {
		return ""
	}
	return string(rune(n))
}

// setSymbol changes a dingbat to the box of its font that is ticked or empty.
func setSymbol(e *etree.Element, ticked bool) {
	font, _, _ := symbolCode(e)
	for _, s := range docxtext.SymbolBoxes() {
		if strings.EqualFold(s.Font, font) && s.Text == boxText("☐", ticked) {
			wml.SetAttr(e, "char", fmt.Sprintf("%04X", docxtext.SymbolArea|s.Code))
			return
		}
	}
}
