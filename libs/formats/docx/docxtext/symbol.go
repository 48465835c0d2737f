package docxtext

import (
	"strconv"
	"strings"
	"unicode"
)

// SymbolBox is a box among the dingbats of a font, and the character that it is.
type SymbolBox struct {
	Font string
	// Code is its number in the font.
	Code uint64
	Text string
}

// SymbolBoxes lists the dingbats that are boxes. The first of a font and a text is
// the usual one.
func SymbolBoxes() []SymbolBox {
	return []SymbolBox{
		{"Wingdings", 0xA8, "☐"}, {"Wingdings", 0x6F, "☐"}, {"Wingdings", 0x71, "☐"}, {"Wingdings", 0x72, "☐"}, {"Wingdings", 0x70, "☐"},
		{"Wingdings", 0xFE, "☒"}, {"Wingdings", 0xFD, "☒"}, {"Wingdings", 0x78, "☒"},
		{"Wingdings 2", 0xA3, "☐"}, {"Wingdings 2", 0x2A, "☐"},
		{"Wingdings 2", 0x52, "☒"}, {"Wingdings 2", 0x51, "☒"}, {"Wingdings 2", 0x53, "☒"}, {"Wingdings 2", 0x54, "☒"},
	}
}

// SymbolArea is the area for private use in which w:sym has the characters of
// fonts that are none of Unicode; they may be given without it.
const SymbolArea = 0xF000

// symbol returns the character that a reader sees in a w:sym, "" for a dingbat
// that Unicode is not known to have.
func symbol(font, char string) string {
	code, err := strconv.ParseUint(char, 16, 16)
	if err != nil {
		return ""
	}
	for _, s := range SymbolBoxes() {
		if strings.EqualFold(font, s.Font) && code&^SymbolArea == s.Code {
			return s.Text
		}
	}
	dingbats := strings.HasPrefix(strings.ToLower(font), "wingdings") || strings.EqualFold(font, "Webdings") || strings.EqualFold(font, "Symbol")
	if r := rune(code); !dingbats && unicode.IsPrint(r) {
		return string(r)
	}
	return ""
}
