package runs

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// SymbolCode returns the font and the character code of a w:sym. It reports false if the
// code is invalid.
func SymbolCode(e *etree.Element) (font string, code uint64, ok bool) {
	font, _ = wml.Attr(e, "font")
	char, _ := wml.Attr(e, "char")
	code, err := strconv.ParseUint(char, 16, 16)
	return font, code &^ docxtext.SymbolArea, err == nil
}

// SymbolText returns the visible text of a w:sym: a box character for a box, and Object
// for other symbols.
func SymbolText(e *etree.Element) string {
	font, code, ok := SymbolCode(e)
	for _, s := range docxtext.SymbolBoxes() {
		if ok && strings.EqualFold(font, s.Font) && code == s.Code {
			return s.Text
		}
	}
	return Object
}

// symbol returns the character of a w:sym: a box character for a box, or else the
// private-use character of the font; "" if there is none.
func symbol(e *etree.Element) string {
	if s := SymbolText(e); s != Object {
		return s
	}
	char, _ := wml.Attr(e, "char")
	n, err := strconv.ParseUint(char, 16, 16)
	if err != nil {
		return ""
	}
	return string(rune(n))
}

// IsSymbolFont reports whether the font's characters are symbols that are not encoded in
// Unicode.
func IsSymbolFont(font string) bool {
	font = strings.ToLower(font)
	return strings.HasPrefix(font, "wingdings") || font == "webdings" || font == "symbol"
}
