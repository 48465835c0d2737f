package picture

import (
	"context"
	"math/bits"
)

// scan is one pass over the pixels of a JPEG file, or over some of their components or
// coefficients.
type scan struct {
	*jpegReader
	in    bitReader
	parts []scanned
	// from and to are the first and the last coefficient of the scan, in zigzag order.
	// high and low are the successive approximation bit positions before and after the
	// scan.
	from, to  int
	high, low int
	// emptyBlocks counts the following blocks without coefficients in this scan.
	emptyBlocks int
}

// scanned is a component of a scan, with its tables.
type scanned struct {
	*component
	dc, ac *huffman
}

// readScan reads the header of a scan (section B.2.3) and its data.
func (j *jpegReader) readScan(data []byte) error {
	if !j.framed || len(data) < 1 || len(data) != 4+2*int(data[0]) || data[0] < 1 {
		return errScan
	}
	if j.scans++; j.scans > maxScans {
		return refuse(Corrupt, "has more than %d scans", maxScans)
	}
	s := scan{jpegReader: j, in: bitReader{r: j.r}, to: 63}
	blocks := 0
	for selected := data[1 : len(data)-3]; len(selected) > 0; selected = selected[2:] {
		c := j.component(selected[0])
		if c == nil || selected[1]>>4 > 3 || selected[1]&15 > 3 || s.has(c) {
			return errScan
		}
		blocks += c.h * c.v
		s.parts = append(s.parts, scanned{component: c, dc: j.dc[selected[1]>>4], ac: j.ac[selected[1]&15]})
	}
	if len(s.parts) > 1 && blocks > 10 {
		return errScan
	}
	if j.progressive {
		end := data[len(data)-3:]
		s.from, s.to, s.high, s.low = int(end[0]), int(end[1]), int(end[2]>>4), int(end[2]&15)
		if !s.valid() {
			return errScan
		}
	}
	return s.read()
}

// errScan is the error for an invalid scan header.
var errScan = refuse(Corrupt, "is damaged: one of its scans is invalid")

// has reports whether c is already in the scan.
func (s *scan) has(c *component) bool {
	for _, p := range s.parts {
		if p.component == c {
			return true
		}
	}
	return false
}

// valid checks the constraints on a progressive scan (section G.1.1.1).
func (s *scan) valid() bool {
	switch {
	case s.to > 63 || s.from > s.to || s.from == 0 && s.to != 0:
		return false
	case s.from != 0 && len(s.parts) != 1:
		return false
	default:
		return s.low <= 13 && (s.high == 0 || s.high == s.low+1)
	}
}

// read reads the data of the scan. A single component is stored block by block. Several
// are stored in groups called MCUs, which pad the image at its right and lower edges.
func (s *scan) read() error {
	columns, rows := s.columns, s.rows
	if len(s.parts) == 1 {
		columns, rows = s.parts[0].columns, s.parts[0].rows
	}
	for i := range s.parts {
		s.parts[i].begun = s.parts[i].begun || s.from == 0
	}
	left := s.restart
	marker := byte(markerRST0)
	for y := range rows {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		for x := range columns {
			if s.restart > 0 && left == 0 {
				if err := s.readRestart(marker); err != nil {
					return err
				}
				left, marker = s.restart, markerRST0|(marker+1)&7
			}
			left--
			if err := s.readMCU(x, y); err != nil {
				return err
			}
		}
	}
	s.in.align()
	return nil
}

// readRestart reads the restart marker, after which decoding does not depend on earlier
// data.
func (s *scan) readRestart(want byte) error {
	s.in.align()
	s.emptyBlocks = 0
	got, err := nextMarker(s.r)
	if err != nil {
		return err
	}
	if got != want {
		return refuse(Corrupt, "is damaged: parts of its pixels are missing")
	}
	return nil
}

// readMCU reads the blocks of the MCU at x and y.
func (s *scan) readMCU(x, y int) error {
	if len(s.parts) == 1 {
		p := &s.parts[0]
		return s.readBlock(p, y*p.stride+x)
	}
	for i := range s.parts {
		p := &s.parts[i]
		for v := range p.v {
			for h := range p.h {
				if err := s.readBlock(p, (y*p.v+v)*p.stride+x*p.h+h); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// readBlock reads the scan's data for the block at an index.
func (s *scan) readBlock(p *scanned, index int) error {
	if !s.progressive {
		if err := s.readDC(p); err != nil {
			return err
		}
		return s.readAC(p, 1, nil)
	}
	switch {
	case s.from == 0 && s.high == 0:
		return s.readDC(p)
	case s.from == 0:
		_, err := s.in.take(1)
		return err
	case s.high == 0:
		return s.readAC(p, s.from, &p.nonZero[index])
	default:
		return s.refineAC(p, &p.nonZero[index])
	}
}

// readDC reads the first coefficient of a block (section F.2.2.1).
func (s *scan) readDC(p *scanned) error {
	size, err := s.in.decode(p.dc)
	if err != nil {
		return err
	}
	if size > 15 {
		return errBits
	}
	_, err = s.in.take(int(size))
	return err
}

// readAC reads the other coefficients of a block from k on (sections F.2.2.2 and
// G.1.2.2), and marks the ones that are not zero in nonZero.
func (s *scan) readAC(p *scanned, k int, nonZero *uint64) error {
	if s.emptyBlocks > 0 {
		s.emptyBlocks--
		return nil
	}
	for ; k <= s.to; k++ {
		value, err := s.in.decode(p.ac)
		if err != nil {
			return err
		}
		zeros, size := int(value>>4), int(value&15)
		if size == 0 && zeros != 15 {
			return s.readEmpty(zeros)
		}
		if k += zeros; k > s.to {
			return errBits
		}
		if size == 0 {
			continue
		}
		if _, err := s.in.take(size); err != nil {
			return err
		}
		if nonZero != nil {
			*nonZero |= 1 << k
		}
	}
	return nil
}

// readEmpty reads the number of following blocks without further coefficients. size is 0
// in files that are not progressive, which have no such runs.
func (s *scan) readEmpty(size int) error {
	if size > 0 && !s.progressive {
		return errBits
	}
	more, err := s.in.take(size)
	s.emptyBlocks = 1<<size + int(more) - 1
	return err
}

// refineAC reads one more bit of each nonzero coefficient of a block, and of the
// coefficients that become nonzero (section G.1.2.3).
func (s *scan) refineAC(p *scanned, nonZero *uint64) error {
	k := s.from
	for s.emptyBlocks == 0 && k <= s.to {
		value, err := s.in.decode(p.ac)
		if err != nil {
			return err
		}
		zeros, size := int(value>>4), int(value&15)
		if size == 0 && zeros != 15 {
			if err := s.readEmpty(zeros); err != nil {
				return err
			}
			s.emptyBlocks++ // this block is subtracted below
			break
		}
		if size > 1 {
			return errBits
		}
		if _, err := s.in.take(size); err != nil { // the sign of the coefficient
			return err
		}
		if k, err = s.refine(*nonZero, k, zeros); err != nil {
			return err
		}
		if k > s.to {
			return errBits
		}
		if size > 0 {
			*nonZero |= 1 << k
		}
		k++
	}
	if s.emptyBlocks == 0 {
		return nil
	}
	s.emptyBlocks--
	rest := *nonZero >> k << k & (1<<(s.to+1) - 1)
	return s.skip(bits.OnesCount64(rest))
}

// refine reads a bit for each nonzero coefficient from k on, up to the zero coefficient
// that follows the given number of zero coefficients, and returns its index.
func (s *scan) refine(nonZero uint64, k, zeros int) (int, error) {
	for ; k <= s.to; k++ {
		if nonZero>>k&1 != 0 {
			if _, err := s.in.take(1); err != nil {
				return 0, err
			}
			continue
		}
		if zeros == 0 {
			break
		}
		zeros--
	}
	return k, nil
}

// skip reads n bits.
func (s *scan) skip(n int) error {
	for n > 0 {
		some := min(n, 16)
		if _, err := s.in.take(some); err != nil {
			return err
		}
		n -= some
	}
	return nil
}
