package truetype

import (
	"encoding/binary"
	"fmt"
)

// checkNesting refuses glyphs that contain themselves or are nested too deeply.
func (s *subset) checkNesting() error {
	heights := make([]int, len(s.data)) // 0 is unknown, -1 in progress
	for i := range s.data {
		if _, err := s.height(i, heights, maxDepth); err != nil {
			return err
		}
	}
	return nil
}

// height returns how deeply glyph i is nested; 1 is a glyph without components.
func (s *subset) height(i int, heights []int, left int) (int, error) {
	if heights[i] > 0 {
		return heights[i], nil
	}
	if heights[i] < 0 || left == 0 {
		return 0, fmt.Errorf("%w: glyph %d is nested too deeply", errDamaged, s.old[i].ID)
	}
	heights[i] = -1
	highest := 0
	for _, component := range components(s.data[i]) {
		h, err := s.height(int(component), heights, left-1)
		if err != nil {
			return 0, err
		}
		highest = max(highest, h)
	}
	heights[i] = highest + 1
	return heights[i], nil
}

// components returns the glyphs that an outline consists of. The outline has been checked.
func components(data []byte) []uint16 {
	if len(data) < 10 || signed(data) >= 0 {
		return nil
	}
	var all []uint16
	for at := 10; ; {
		flags := binary.BigEndian.Uint16(data[at:])
		all = append(all, binary.BigEndian.Uint16(data[at+2:]))
		if flags&moreFollow == 0 {
			return all
		}
		at += componentLength(flags)
	}
}
