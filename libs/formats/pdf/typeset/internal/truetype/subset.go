package truetype

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Bounds of a subset. Glyphs that contain glyphs are rarely nested more than twice.
const (
	maxDepth      = 8
	maxGlyph      = 1 << 20
	maxSubset     = 32 << 20
	maxComponents = 256
)

// Glyph is a glyph of a subset.
type Glyph struct {
	// ID is the glyph of the font, unless the glyph is made.
	ID uint16
	// Made means that the glyph consists of the parts, and has an advance of its own, in
	// units of the font. Without parts it is empty.
	Made    bool
	Parts   []Part
	Advance int
}

// Part is a glyph of the font at a place.
type Part struct {
	ID   uint16
	X, Y int
}

// subset is a subset under construction. Glyph i of the result is old[i] of the font.
type subset struct {
	glyf   section
	r      io.ReaderAt
	loca   []byte
	long   bool
	glyphs int

	old   []Glyph
	index map[uint16]uint16
	data  [][]byte
	size  int
}

// Subset returns a font file whose glyph i is glyphs[i]. glyphs[0] should be glyph 0 of the
// font, which is for what is missing. Glyphs that these consist of follow them.
func (f *File) Subset(glyphs []Glyph) ([]byte, error) {
	s, err := f.newSubset()
	if err != nil {
		return nil, err
	}
	for _, g := range glyphs {
		if err := s.add(g); err != nil {
			return nil, err
		}
	}
	for i := 0; i < len(s.old); i++ { //nolint:intrange // adding the components of a glyph makes the loop longer
		read := s.copyGlyph
		if s.old[i].Made {
			read = s.makeGlyph
		}
		if err := read(i); err != nil {
			return nil, err
		}
	}
	if err := s.checkNesting(); err != nil {
		return nil, err
	}
	s.frame()
	return f.write(s)
}

func (f *File) newSubset() (*subset, error) {
	head, err := f.required("head", 54)
	if err != nil {
		return nil, err
	}
	m, err := f.Metrics()
	if err != nil {
		return nil, err
	}
	s := &subset{
		glyf: f.tables["glyf"], r: f.r, glyphs: m.Glyphs,
		long:  binary.BigEndian.Uint16(head[50:]) != 0,
		index: map[uint16]uint16{},
	}
	width := 2
	if s.long {
		width = 4
	}
	s.loca, err = f.required("loca", width*(m.Glyphs+1))
	return s, err
}

// add appends a glyph.
func (s *subset) add(g Glyph) error {
	if int(g.ID) >= s.glyphs {
		return fmt.Errorf("%w: no glyph %d", errDamaged, g.ID)
	}
	if len(s.old) > 0xfffe {
		return fmt.Errorf("%w: too many glyphs", errDamaged)
	}
	if _, ok := s.index[g.ID]; !ok && !g.Made {
		s.index[g.ID] = uint16(len(s.old))
	}
	s.old = append(s.old, g)
	return nil
}

// component returns the number of a glyph that another one consists of. It adds the glyph if
// the subset lacks it.
func (s *subset) component(id uint16) (uint16, error) {
	if _, ok := s.index[id]; !ok {
		if err := s.add(Glyph{ID: id}); err != nil {
			return 0, err
		}
	}
	return s.index[id], nil
}

// bounds returns where the outline of a glyph lies in the table glyf.
func (s *subset) bounds(glyph uint16) (start, end int64) {
	if s.long {
		return int64(binary.BigEndian.Uint32(s.loca[4*int(glyph):])),
			int64(binary.BigEndian.Uint32(s.loca[4*int(glyph)+4:]))
	}
	return 2 * int64(binary.BigEndian.Uint16(s.loca[2*int(glyph):])),
		2 * int64(binary.BigEndian.Uint16(s.loca[2*int(glyph)+2:]))
}

// copyGlyph copies the outline of glyph i of the subset.
func (s *subset) copyGlyph(i int) error {
	id := s.old[i].ID
	start, end := s.bounds(id)
	if start > end || end > s.glyf.length || end-start > maxGlyph {
		return fmt.Errorf("%w: outline of glyph %d is outside the table", errDamaged, id)
	}
	data := make([]byte, end-start)
	if len(data) > 0 {
		if _, err := s.r.ReadAt(data, s.glyf.offset+start); err != nil {
			return fmt.Errorf("read glyph %d: %w", id, err)
		}
	}
	if len(data) >= 10 && signed(data) < 0 {
		if err := s.renumber(data, i); err != nil {
			return err
		}
	}
	return s.store(data)
}

// store stores the outline of the next glyph.
func (s *subset) store(data []byte) error {
	s.size += len(data)
	if s.size > maxSubset {
		return fmt.Errorf("%w: the subset is too large", errDamaged)
	}
	s.data = append(s.data, data)
	return nil
}

// Flags of a component of a composite glyph.
const (
	wordArguments = 1 << 0
	argumentsAreX = 1 << 1 // and Y, rather than points to be aligned
	hasScale      = 1 << 3
	moreFollow    = 1 << 5
	hasXYScale    = 1 << 6
	hasMatrix     = 1 << 7
)

// renumber replaces the glyphs that a composite glyph refers to by those of the subset.
func (s *subset) renumber(data []byte, i int) error {
	at := 10
	for range maxComponents {
		if at+4 > len(data) {
			return fmt.Errorf("%w: glyph %d is cut off", errDamaged, s.old[i].ID)
		}
		flags := binary.BigEndian.Uint16(data[at:])
		component, err := s.component(binary.BigEndian.Uint16(data[at+2:]))
		if err != nil {
			return err
		}
		binary.BigEndian.PutUint16(data[at+2:], component)
		if flags&moreFollow == 0 {
			return nil
		}
		at += componentLength(flags)
	}
	return fmt.Errorf("%w: glyph %d has too many components", errDamaged, s.old[i].ID)
}

func componentLength(flags uint16) int {
	length := 6
	if flags&wordArguments != 0 {
		length = 8
	}
	switch {
	case flags&hasScale != 0:
		length += 2
	case flags&hasXYScale != 0:
		length += 4
	case flags&hasMatrix != 0:
		length += 8
	}
	return length
}

// write puts the tables of the subset together.
func (f *File) write(s *subset) ([]byte, error) {
	tables := map[string][]byte{}
	for _, tag := range []string{"head", "hhea", "maxp", "cvt ", "fpgm", "prep"} {
		data, err := f.Table(tag)
		if err != nil {
			return nil, err
		}
		if len(data) > 0 {
			tables[tag] = data
		}
	}
	h, err := f.horizontal(s.glyphs)
	if err != nil {
		return nil, err
	}
	tables["hmtx"] = s.hmtx(h)
	tables["glyf"], tables["loca"] = s.outlines()
	binary.BigEndian.PutUint32(tables["head"][8:], 0) // the checksum of the file
	binary.BigEndian.PutUint16(tables["head"][50:], 1)
	binary.BigEndian.PutUint16(tables["hhea"][34:], uint16(len(s.old)))
	binary.BigEndian.PutUint16(tables["maxp"][4:], uint16(len(s.old)))
	s.raise(tables["maxp"])
	return assemble(tables), nil
}

func (s *subset) hmtx(h *horizontal) []byte {
	out := make([]byte, 0, 4*len(s.old))
	for i, g := range s.old {
		advance, bearing := h.glyph(int(g.ID))
		if g.Made {
			advance, bearing = uint16(g.Advance), 0
			if len(s.data[i]) > 0 {
				bearing = int16(signed(s.data[i][2:]))
			}
		}
		out = binary.BigEndian.AppendUint16(out, advance)
		out = binary.BigEndian.AppendUint16(out, uint16(bearing))
	}
	return out
}

// outlines returns the tables glyf and loca, the latter with offsets of four bytes.
func (s *subset) outlines() (glyf, loca []byte) {
	for _, data := range s.data {
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		glyf = append(glyf, data...)
		glyf = append(glyf, make([]byte, -len(glyf)&3)...)
	}
	return glyf, binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
}
