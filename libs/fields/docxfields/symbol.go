package docxfields

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// symbolBox is a box among the dingbats of a font, and the character that it is.
type symbolBox struct {
	font string
	code uint64
	text string
}

// symbolBoxes are the dingbats that are boxes. The first of a font and a text is
// what boxes are changed to.
var symbolBoxes = []symbolBox{
	{"Wingdings", 0xA8, "☐"}, {"Wingdings", 0x6F, "☐"}, {"Wingdings", 0x71, "☐"}, {"Wingdings", 0x72, "☐"}, {"Wingdings", 0x70, "☐"},
	{"Wingdings", 0xFE, "☒"}, {"Wingdings", 0xFD, "☒"}, {"Wingdings", 0x78, "☒"},
	{"Wingdings 2", 0xA3, "☐"}, {"Wingdings 2", 0x2A, "☐"},
	{"Wingdings 2", 0x52, "☒"}, {"Wingdings 2", 0x51, "☒"}, {"Wingdings 2", 0x53, "☒"}, {"Wingdings 2", 0x54, "☒"},
}

// symbolArea is the area for private use in which w:sym has the characters of
// fonts that are none of Unicode; they may be given without it.
const symbolArea = 0xF000

// symbolCode returns the font of a w:sym and the number of its character there.
// It reports false if that is none.
func symbolCode(e *etree.Element) (font string, code uint64, ok bool) {
	font, _ = attribute(e, "font")
	char, _ := attribute(e, "char")
	code, err := strconv.ParseUint(char, 16, 16)
	return font, code &^ symbolArea, err == nil
}

// symbolText returns what a reader sees in a w:sym: boxes as characters that are
// boxes, other signs as an object.
func symbolText(e *etree.Element) string {
	font, code, ok := symbolCode(e)
	for _, s := range symbolBoxes {
		if ok && strings.EqualFold(font, s.font) && code == s.code {
			return s.text
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
	char, _ := attribute(e, "char")
	n, err := strconv.ParseUint(char, 16, 16)
	if err != nil {
		return ""
	}
	return string(rune(n))
}

// setSymbol changes a dingbat to the box of its font that is ticked or empty.
func setSymbol(e *etree.Element, ticked bool) {
	font, _, _ := symbolCode(e)
	for _, s := range symbolBoxes {
		if strings.EqualFold(s.font, font) && s.text == boxText("☐", ticked) {
			setAttribute(e, "char", fmt.Sprintf("%04X", symbolArea|s.code))
			return
		}
	}
}
