package form

import (
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// TestTextStrings checks that every text is read as it was written.
func TestTextStrings(t *testing.T) {
	for _, s := range []string{
		"", "Jane", "Jürgen", "Łukasz", "100 €", "a\nb", "\ufeffmarked", "\U0001F600",
		"þÿ", "þÿ4Ů", "ÿþ", "ÿþa", "ï»¿", "ï»¿Name", "þ", "ÿ", "ï»", "ÿþþÿ", "a þÿ",
	} {
		if got := decodeText(octets(textString(s), maxText)); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestDecodeText(t *testing.T) {
	for _, c := range []struct{ name, bytes, want string }{
		{"PDFDocEncoding", "a\x80\xa0\x18\xfc", "a•€˘ü"},
		{"UTF-16BE", "\xfe\xff\x01\x41\x00a", "Ła"},
		{"half of a unit", "\xfe\xff\x01\x41\x00", "Ł"},
		{"half of a pair", "\xfe\xff\xd8\x3d", "\uFFFD"},
		{"UTF-16LE", "\xff\xfe\x41\x01a\x00", "Ła"},
		{"UTF-8", "\xef\xbb\xbf\xc5\x81", "Ł"},
		{"UTF-8 that is cut off", "\xef\xbb\xbf\xc5\x81\xe2\x82", "Ł"},
		{"not UTF-8", "\xef\xbb\xbf\xc5a", "ï»¿Åa"},
		{"language", "\xfe\xff\x00\x1b\x00d\x00e\x00D\x00E\x00\x1b\x00a", "a"},
		{"language in UTF-8", "\xef\xbb\xbf\x1ben-US\x1ba\x1b\x1b", "a\x1b\x1b"},
	} {
		if got := decodeText([]byte(c.bytes)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOctets checks that a long string is read no further than needed, and never in the
// middle of an escape sequence.
func TestOctets(t *testing.T) {
	for _, c := range []struct {
		object types.Object
		most   int
		want   string
	}{
		{types.StringLiteral(`a\(b`), 9, "a(b"},
		{types.StringLiteral(`\101\102\103\104`), 2, "AB"},
		{types.StringLiteral(strings.Repeat(`\\`, 100)), 3, `\\\`},
		{types.StringLiteral("abc" + strings.Repeat(`\\`, 100)), 3, "abc"},
		{types.HexLiteral("616263"), 9, "abc"},
		{types.HexLiteral("616263"), 2, "ab"},
		{types.HexLiteral("61626"), 9, "ab`"},
		{types.HexLiteral("xyz"), 9, ""},
		{types.Integer(7), 9, ""},
		{nil, 9, ""},
	} {
		if got := string(octets(c.object, c.most)); got != c.want {
			t.Errorf("%v: got %q, want %q", c.object, got, c.want)
		}
	}
	long := types.StringLiteral(strings.Repeat("x", 16<<20))
	if got := beginning(string(long), 10); len(got) != 40 {
		t.Errorf("%d characters are read for 10 bytes", len(got))
	}
}
