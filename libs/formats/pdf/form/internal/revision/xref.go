package revision

import (
	"bytes"
	"compress/zlib"
	"io"
	"maps"
	"regexp"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

var (
	subsection = regexp.MustCompile(`^\s*(\d{1,8})\s+(\d{1,8})\s*?[\r\n]+\s*`)
	row        = regexp.MustCompile(`^(\d{10}) (\d{5}) ([nf])[ \r\n]{1,3}`)
	trailer    = regexp.MustCompile(`^\s*trailer\s*`)
	body       = regexp.MustCompile(`>>\s*stream(\r\n|\n)`)
)

// table reads a cross-reference table and its trailer.
func (p *parser) table(rest []byte) (types.Dict, error) {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \r\n"), []byte("xref"))
	if !ok {
		return nil, errSections
	}
	free := map[int]int{}
	for {
		if m := trailer.FindIndex(rest[:min(len(rest), 64)]); m != nil {
			return p.hybrid(rest[m[1]:], free)
		}
		m := subsection.FindSubmatch(rest[:min(len(rest), 64)])
		if m == nil {
			return nil, errSections
		}
		first, _ := strconv.Atoi(string(m[1]))
		n, _ := strconv.Atoi(string(m[2]))
		var err error
		if rest, err = p.rows(rest[len(m[0]):], first, n, free); err != nil {
			return nil, err
		}
	}
}

// leastRow is the least size of a row, in bytes.
const leastRow = 19

// rows reads the entries of one subsection.
func (p *parser) rows(rest []byte, first, n int, free map[int]int) ([]byte, error) {
	if n > len(rest)/leastRow || first > maxNumber+1-n {
		return nil, errSections
	}
	if err := p.reserve(n); err != nil {
		return nil, err
	}
	for i := range n {
		m := row.FindSubmatch(rest[:min(len(rest), 21)])
		if m == nil {
			return nil, errSections
		}
		at := len(p.file) - len(rest)
		rest = rest[len(m[0]):]
		if m[3][0] == 'f' {
			free[first+i] = at
			continue
		}
		offset, _ := strconv.ParseInt(string(m[1]), 10, 64)
		if offset == 0 {
			offset = -1
		}
		if err := p.put(first+i, offset); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// hybrid reads the trailer of a table, and the stream that supplements the table. After
// that, the objects that the table calls free are. free holds the places of their rows.
func (p *parser) hybrid(rest []byte, free map[int]int) (types.Dict, error) {
	d, err := dict(rest)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(free, func(n, _ int) bool { _, known := p.at[n]; return known })
	if o, ok := d["XRefStm"].(types.Integer); ok {
		rest := part(p.file, int64(o), len(p.file))
		if !header.Match(rest[:min(len(rest), 64)]) {
			return nil, errSections
		}
		if _, err := p.stream(rest); err != nil {
			return nil, err
		}
	}
	for n, at := range free {
		if _, ok := p.at[n]; ok {
			p.hidden = append(p.hidden, at)
			continue
		}
		if err := p.put(n, -1); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// stream reads a cross-reference stream.
func (p *parser) stream(rest []byte) (types.Dict, error) {
	m := header.FindIndex(rest[:min(len(rest), 64)])
	rest = rest[m[1]:]
	d, err := dict(rest)
	if err != nil {
		return nil, err
	}
	if t, _ := d["Type"].(types.Name); t != "XRef" {
		return nil, errSections
	}
	start := body.FindIndex(rest[:min(len(rest), maxTrailer)])
	length, _ := d["Length"].(types.Integer)
	if start == nil || length < 0 || int(length) > len(rest)-start[1] {
		return nil, errSections
	}
	return d, p.entriesOf(d, rest[start[1]:start[1]+int(length)])
}

// entriesOf reads the entries of a cross-reference stream.
func (p *parser) entriesOf(d types.Dict, content []byte) error {
	w := integers(d["W"])
	if len(w) != 3 || max(w[0], w[1], w[2]) > 8 || min(w[0], w[1], w[2]) < 0 || w[0]+w[1]+w[2] == 0 {
		return errSections
	}
	index := integers(d["Index"])
	if index == nil {
		size, _ := d["Size"].(types.Integer)
		index = []int{0, int(size)}
	}
	total := 0
	for i := 1; i < len(index); i += 2 {
		if err := p.reserve(index[i]); err != nil {
			return err
		}
		total += index[i]
	}
	width := w[0] + w[1] + w[2]
	rows, err := decode(d, content, width*total)
	if err != nil || len(rows) < width*total {
		return errSections
	}
	for ; len(index) >= 2; index = index[2:] {
		for i := range index[1] {
			if err := p.entry(index[0]+i, rows[:width], w); err != nil {
				return err
			}
			rows = rows[width:]
		}
	}
	return nil
}

func (p *parser) entry(number int, row []byte, w []int) error {
	kind := uint64(1)
	if w[0] > 0 {
		kind = bigEndian(row[:w[0]])
	}
	switch kind {
	case 0:
		return p.put(number, -1)
	case 1:
		return p.put(number, int64(bigEndian(row[w[0]:w[0]+w[1]])))
	}
	return p.put(number, 0)
}

func bigEndian(b []byte) uint64 {
	n := uint64(0)
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// integers returns the elements of an array of integers, or nil.
func integers(o types.Object) []int {
	a, _ := o.(types.Array)
	var out []int
	for _, e := range a {
		i, ok := e.(types.Integer)
		if !ok {
			return nil
		}
		out = append(out, int(i))
	}
	return out
}

// decode decompresses the beginning of a cross-reference stream, of at least a number of
// bytes if it has them.
func decode(d types.Dict, raw []byte, most int) ([]byte, error) {
	if d["Filter"] == nil {
		return raw, nil
	}
	filter, parameters := first(d["Filter"]), first(d["DecodeParms"])
	if filter != types.Name("FlateDecode") {
		return nil, errSections
	}
	pd, _ := parameters.(types.Dict)
	predictor, _ := pd["Predictor"].(types.Integer)
	columns, ok := pd["Columns"].(types.Integer)
	if !ok {
		columns = 1
	}
	predicted := predictor >= 10
	if predictor == 2 || predicted && (columns < 1 || columns > maxColumns) {
		return nil, errSections
	}
	if predicted {
		most = (most/int(columns) + 1) * (int(columns) + 1)
	}
	z, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, errSections
	}
	out, err := io.ReadAll(io.LimitReader(z, int64(most)))
	if err != nil || !predicted {
		return out, err
	}
	return unpredict(out, int(columns))
}

// first returns the only element of an array, or the object itself.
func first(o types.Object) types.Object {
	if a, ok := o.(types.Array); ok && len(a) == 1 {
		return a[0]
	}
	return o
}

// maxColumns is the maximum length of a predicted row, in bytes.
const maxColumns = 64

// unpredict undoes the PNG filters of rows of bytes.
func unpredict(b []byte, columns int) ([]byte, error) {
	out := make([]byte, 0, len(b))
	above := make([]byte, columns)
	for ; len(b) > columns; b = b[columns+1:] {
		line := b[1 : columns+1]
		if b[0] > 4 {
			return nil, errSections
		}
		for i := range line {
			var left, corner byte
			if i > 0 {
				left, corner = line[i-1], above[i-1]
			}
			line[i] += predict(b[0], left, above[i], corner)
		}
		out = append(out, line...)
		above = line
	}
	return out, nil
}

// predict returns what a PNG filter expects of a byte, given those to its left, above, and
// to the left of that.
func predict(filter, left, above, corner byte) byte {
	switch filter {
	case 1:
		return left
	case 2:
		return above
	case 3:
		return byte((int(left) + int(above)) / 2)
	case 4:
		return paeth(int(left), int(above), int(corner))
	}
	return 0
}

// paeth returns the one of three bytes that is closest to left + above - corner.
func paeth(left, above, corner int) byte {
	distance := func(n int) int { return max(left+above-corner-n, n-left-above+corner) }
	switch toLeft, up, across := distance(left), distance(above), distance(corner); {
	case toLeft <= up && toLeft <= across:
		return byte(left)
	case up <= across:
		return byte(above)
	}
	return byte(corner)
}
