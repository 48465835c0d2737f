package truetype

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf16"
)

// Metrics are the properties of a whole font. Lengths are in units of the font. The font size
// has UnitsPerEm of them.
type Metrics struct {
	UnitsPerEm int
	// Ascent is above the baseline, Descent is below and usually negative. LineGap is
	// the extra space between lines.
	Ascent, Descent, LineGap int
	CapHeight                int
	BBox                     [4]int
	// ItalicAngle is in degrees, counter-clockwise, so that it is negative for italics.
	ItalicAngle float64
	FixedPitch  bool
	// Glyphs is the number of glyphs.
	Glyphs int
	// Embeddable reports whether the license bits permit embedding a subset.
	Embeddable bool
}

// Metrics reads the tables that describe the font as a whole.
func (f *File) Metrics() (*Metrics, error) {
	head, err := f.required("head", 54)
	if err != nil {
		return nil, err
	}
	hhea, err := f.required("hhea", 36)
	if err != nil {
		return nil, err
	}
	maxp, err := f.required("maxp", 6)
	if err != nil {
		return nil, err
	}
	m := &Metrics{
		UnitsPerEm: int(binary.BigEndian.Uint16(head[18:])),
		Ascent:     signed(hhea[4:]),
		Descent:    signed(hhea[6:]),
		LineGap:    signed(hhea[8:]),
		BBox:       [4]int{signed(head[36:]), signed(head[38:]), signed(head[40:]), signed(head[42:])},
		Glyphs:     int(binary.BigEndian.Uint16(maxp[4:])),
		Embeddable: true,
	}
	if m.UnitsPerEm < 16 || m.UnitsPerEm > 16384 {
		return nil, fmt.Errorf("%w: %d units per em", errDamaged, m.UnitsPerEm)
	}
	m.CapHeight = m.Ascent * 7 / 10
	return m, f.optionalMetrics(m)
}

// optionalMetrics adds what the tables OS/2 and post say, if the font has them.
func (f *File) optionalMetrics(m *Metrics) error {
	os2, err := f.Table("OS/2")
	if err != nil {
		return err
	}
	if len(os2) >= 10 {
		m.Embeddable = embeddable(binary.BigEndian.Uint16(os2[8:]))
	}
	if len(os2) >= 90 && binary.BigEndian.Uint16(os2) >= 2 {
		if height := signed(os2[88:]); height > 0 {
			m.CapHeight = height
		}
	}
	s := f.tables["post"]
	if s.length < 16 {
		return nil
	}
	var post [16]byte // glyph names follow, which may be long
	if _, err := f.r.ReadAt(post[:], s.offset); err != nil {
		return fmt.Errorf("read table %q: %w", "post", err)
	}
	m.ItalicAngle = float64(int32(binary.BigEndian.Uint32(post[4:]))) / 65536
	m.FixedPitch = binary.BigEndian.Uint32(post[12:]) != 0
	return nil
}

// embeddable interprets fsType. Bits 0 to 3 are the level of the license; only level 2 forbids
// embedding. Bit 8 forbids subsets and bit 9 permits bitmaps only.
func embeddable(fsType uint16) bool {
	return fsType&0xf != 2 && fsType&0x300 == 0
}

// Advances returns the advance of each glyph, in units of the font.
func (f *File) Advances() ([]uint16, error) {
	m, err := f.Metrics()
	if err != nil {
		return nil, err
	}
	h, err := f.horizontal(m.Glyphs)
	if err != nil {
		return nil, err
	}
	advances := make([]uint16, m.Glyphs)
	for i := range advances {
		advances[i], _ = h.glyph(i)
	}
	return advances, nil
}

// horizontal is the table hmtx. Its last glyphs share an advance.
type horizontal struct {
	data []byte
	long int
}

func (f *File) horizontal(glyphs int) (*horizontal, error) {
	hhea, err := f.required("hhea", 36)
	if err != nil {
		return nil, err
	}
	long := int(binary.BigEndian.Uint16(hhea[34:]))
	if long == 0 || long > glyphs {
		return nil, fmt.Errorf("%w: %d advances for %d glyphs", errDamaged, long, glyphs)
	}
	data, err := f.required("hmtx", 4*long)
	return &horizontal{data, long}, err
}

// glyph returns the advance and the left side bearing. Fonts that lack the bearings of the
// last glyphs are common enough, so these are 0.
func (h *horizontal) glyph(i int) (advance uint16, bearing int16) {
	if i < h.long {
		return binary.BigEndian.Uint16(h.data[4*i:]), int16(binary.BigEndian.Uint16(h.data[4*i+2:]))
	}
	advance = binary.BigEndian.Uint16(h.data[4*(h.long-1):])
	if at := 4*h.long + 2*(i-h.long); at+2 <= len(h.data) {
		bearing = int16(binary.BigEndian.Uint16(h.data[at:]))
	}
	return advance, bearing
}

// PostScriptName returns the font's PostScript name, cut to characters that PDF names take
// without escapes, or "Font".
func (f *File) PostScriptName() string {
	table, err := f.required("name", 6)
	if err != nil {
		return "Font"
	}
	count := int(binary.BigEndian.Uint16(table[2:]))
	text := int(binary.BigEndian.Uint16(table[4:]))
	for i := range count {
		at := 6 + 12*i
		if at+12 > len(table) {
			break
		}
		if name := postScriptName(table[at:at+12], table[min(text, len(table)):]); name != "" {
			return name
		}
	}
	return "Font"
}

func postScriptName(record, text []byte) string {
	const postScript = 6
	if binary.BigEndian.Uint16(record[6:]) != postScript {
		return ""
	}
	length := int(binary.BigEndian.Uint16(record[8:]))
	offset := int(binary.BigEndian.Uint16(record[10:]))
	if offset+length > len(text) {
		return ""
	}
	return cleanName(decodeName(text[offset:offset+length], binary.BigEndian.Uint16(record)))
}

// decodeName reads UTF-16, except on platform 1, which has one byte for a character.
func decodeName(b []byte, platform uint16) string {
	if platform == 1 {
		return string(b)
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

func cleanName(s string) string {
	const longest = 63 // of the specification
	name := make([]byte, 0, len(s))
	for _, r := range s {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if letter || r == '-' || r == '_' {
			name = append(name, byte(r))
		}
	}
	return string(name[:min(len(name), longest)])
}

func signed(b []byte) int { return int(int16(binary.BigEndian.Uint16(b))) }

// Thousandths converts a length from units of the font to thousandths of the font size.
func (m *Metrics) Thousandths(units int) int {
	return int(math.Round(float64(units) * 1000 / float64(m.UnitsPerEm)))
}
