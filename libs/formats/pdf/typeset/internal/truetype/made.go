package truetype

import (
	"encoding/binary"
	"fmt"
	"math"
)

// MaxParts bounds the parts of a made glyph, and MaxOffset how far they are moved.
const (
	MaxParts  = 32
	MaxOffset = math.MaxInt16
)

// makeGlyph writes glyph i of the subset as a composite glyph. frame adds its bounds.
func (s *subset) makeGlyph(i int) error {
	g := s.old[i]
	if len(g.Parts) > MaxParts || g.Advance < 0 || g.Advance > math.MaxUint16 {
		return fmt.Errorf("cannot make a glyph of %d parts, %d wide", len(g.Parts), g.Advance)
	}
	var data []byte
	last := 0 // offset of the flags of the last component
	for _, part := range g.Parts {
		if max(part.X, part.Y, -part.X, -part.Y) > MaxOffset || int(part.ID) >= s.glyphs {
			return fmt.Errorf("cannot place glyph %d at (%d, %d)", part.ID, part.X, part.Y)
		}
		if start, end := s.bounds(part.ID); start == end {
			continue // white space
		}
		component, err := s.component(part.ID)
		if err != nil {
			return err
		}
		if data == nil {
			data = binary.BigEndian.AppendUint16(nil, math.MaxUint16) // that is, -1
			data = append(data, make([]byte, 8)...)
		}
		last = len(data)
		const flags = wordArguments | argumentsAreX | moreFollow
		for _, v := range []uint16{flags, component, uint16(part.X), uint16(part.Y)} {
			data = binary.BigEndian.AppendUint16(data, v)
		}
	}
	if data != nil {
		data[last+1] &^= moreFollow
	}
	return s.store(data)
}

// frame writes the bounds of made glyphs, which are around those of their components.
func (s *subset) frame() {
	for i, g := range s.old {
		if g.Made && len(s.data[i]) > 0 {
			s.frameGlyph(s.data[i])
		}
	}
}

func (s *subset) frameGlyph(data []byte) {
	low := [2]int{math.MaxInt16, math.MaxInt16}
	high := [2]int{math.MinInt16, math.MinInt16}
	for at := 10; at < len(data); at += componentLength(wordArguments) {
		component := s.data[binary.BigEndian.Uint16(data[at+2:])]
		if len(component) < 10 {
			continue
		}
		for axis := range 2 {
			offset := signed(data[at+4+2*axis:])
			low[axis] = min(low[axis], signed(component[2+2*axis:])+offset)
			high[axis] = max(high[axis], signed(component[6+2*axis:])+offset)
		}
	}
	for axis := range 2 {
		binary.BigEndian.PutUint16(data[2+2*axis:], clamp(low[axis]))
		binary.BigEndian.PutUint16(data[6+2*axis:], clamp(high[axis]))
	}
}

func clamp(v int) uint16 { return uint16(int16(max(math.MinInt16, min(math.MaxInt16, v)))) }

// raise raises the maximums in the table maxp by what made glyphs need.
func (s *subset) raise(maxp []byte) {
	const points, contours, compositePoints, compositeContours, elements, depth = 6, 8, 10, 12, 28, 30
	if len(maxp) < 32 {
		return
	}
	most := 0
	for _, g := range s.old {
		most = max(most, len(g.Parts))
	}
	if most == 0 {
		return
	}
	set := func(at, v int) {
		v = max(v, int(binary.BigEndian.Uint16(maxp[at:])))
		binary.BigEndian.PutUint16(maxp[at:], uint16(min(v, math.MaxUint16)))
	}
	get := func(at int) int { return int(binary.BigEndian.Uint16(maxp[at:])) }
	set(compositePoints, most*max(get(points), get(compositePoints)))
	set(compositeContours, most*max(get(contours), get(compositeContours)))
	set(elements, most)
	set(depth, get(depth)+1)
}
