package typeset

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/rectohq/recto/libs/formats/pdf/typeset/internal/truetype"
)

// Embedded is a subset font, for a Type 0 font with a CIDFontType2 descendant, encoding
// Identity-H and an identity CIDToGIDMap.
type Embedded struct {
	// Name is the name in resources. BaseFont is the PostScript name with a subset tag.
	Name, BaseFont string
	// Program is the TrueType file, for FontFile2.
	Program []byte
	// Widths holds the advance of each CID, in thousandths of the font size.
	Widths []int
	// ToUnicode is the content of the CMap stream.
	ToUnicode []byte
	// Ascent, Descent, CapHeight and BBox are in thousandths of the font size.
	Ascent, Descent, CapHeight int
	BBox                       [4]int
	// ItalicAngle is in degrees, counterclockwise from the vertical.
	ItalicAngle float64
	// Flags are those of the font descriptor: ISO 32000-1, table 123.
	Flags int
}

// Flags of a font descriptor.
const (
	fixedPitch = 1 << 0
	symbolic   = 1 << 2
	italic     = 1 << 6
)

// Fonts returns all fonts used so far, in the order of their first use.
func (w *Writer) Fonts() ([]Embedded, error) {
	var all []Embedded
	for _, u := range w.used {
		e, err := u.embed()
		if err != nil {
			return nil, err
		}
		all = append(all, *e)
	}
	return all, nil
}

func (u *usedFont) embed() (*Embedded, error) {
	m := u.font.metrics
	e := &Embedded{
		Name:        u.name,
		BaseFont:    u.tag() + "+" + u.font.name,
		ToUnicode:   toUnicode(u.text),
		Ascent:      m.Thousandths(m.Ascent),
		Descent:     m.Thousandths(m.Descent),
		CapHeight:   m.Thousandths(m.CapHeight),
		ItalicAngle: m.ItalicAngle,
		Flags:       symbolic,
	}
	for i, v := range m.BBox {
		e.BBox[i] = m.Thousandths(v)
	}
	if m.FixedPitch {
		e.Flags |= fixedPitch
	}
	if m.ItalicAngle != 0 {
		e.Flags |= italic
	}
	for _, g := range u.shapes {
		e.Widths = append(e.Widths, u.width(g))
	}
	return e, u.font.open(func(file *truetype.File) (err error) {
		e.Program, err = file.Subset(u.shapes)
		return err
	})
}

// tag returns six letters that differ between different subsets of a font.
func (u *usedFont) tag() string {
	h := sha256.New()
	h.Write([]byte(u.font.name))
	for i, g := range u.shapes {
		fmt.Fprintln(h, g.ID, g.Made, g.Parts, u.text[i])
	}
	sum := binary.BigEndian.Uint64(h.Sum(nil))
	tag := make([]byte, 6)
	for i := range tag {
		tag[i] = 'A' + byte(sum%26)
		sum /= 26
	}
	return string(tag)
}

// toUnicode returns a CMap from the CIDs to their text. CIDs without text are left out.
func toUnicode(text []string) []byte {
	var lines []string
	for cid, s := range text {
		if s != "" {
			lines = append(lines, fmt.Sprintf("<%04X> <%s>\n", cid, utf16Hex(s)))
		}
	}
	var b strings.Builder
	b.WriteString("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n" +
		"/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n")
	const longest = 100 // lines of a section
	for len(lines) > 0 {
		n := min(longest, len(lines))
		fmt.Fprintf(&b, "%d beginbfchar\n%sendbfchar\n", n, strings.Join(lines[:n], ""))
		lines = lines[n:]
	}
	b.WriteString("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n")
	return []byte(b.String())
}

// utf16Hex returns UTF-16 with the high byte first, in hexadecimal digits.
func utf16Hex(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", unit)
	}
	return b.String()
}
