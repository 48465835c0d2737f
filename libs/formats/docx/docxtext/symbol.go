package docxtext

import (
	"strconv"
	"strings"
	"unicode"
)

// SymbolBox is a checkbox character of a symbol font, and its Unicode equivalent.
type SymbolBox struct {
	Font string
	// Code is the character code in the font.
	Code uint64
	Text string
}

// SymbolBoxes lists the checkbox characters of symbol fonts. For each font and text, the
// most common one comes first.
func SymbolBoxes() []SymbolBox {
	return []SymbolBox{
		{"Wingdings", 0xA8, "☐"}, {"Wingdings", 0x6F, "☐"}, {"Wingdings", 0x71, "☐"}, {"Wingdings", 0x72, "☐"}, {"Wingdings", 0x70, "☐"},
		{"Wingdings", 0xFE, "☒"}, {"Wingdings", 0xFD, "☒"}, {"Wingdings", 0x78, "☒"},
		{"Wingdings 2", 0xA3, "☐"}, {"Wingdings 2", 0x2A, "☐"},
		{"Wingdings 2", 0x52, "☒"}, {"Wingdings 2", 0x51, "☒"}, {"Wingdings 2", 0x53, "☒"}, {"Wingdings 2", 0x54, "☒"},
	}
}

// SymbolArea is the start of the private use area in which w:sym encodes the characters
// of symbol fonts. Files may also give the code without this offset.
const SymbolArea = 0xF000

// symbol returns the visible character of a w:sym, or "" for a symbol without a known
// Unicode equivalent.
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
