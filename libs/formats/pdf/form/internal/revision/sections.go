package revision

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Bounds of cross-reference sections. A file may have minEntries of them, and one more for each
// of its bytes up to maxEntries: compressed, many entries take few bytes, but objects do not.
const (
	maxSections = 1000
	minEntries  = 10_000
	maxEntries  = 2_000_000
	maxTrailer  = 64 << 10
	// maxNumber is the highest number of an object that Acrobat reads.
	maxNumber = 8_388_607
)

// Sections are the cross-reference sections of an undamaged file.
type Sections struct {
	// Start is the offset of the last section. Stream reports whether it is a stream.
	Start  int64
	Stream bool
	// Size is one more than the highest number of an object.
	Size int
	// Encrypted reports whether the trailer has an encryption dictionary.
	Encrypted bool
	// at holds the offset of each object: 0 if it is in an object stream, -1 if it is free.
	at map[int]int64
	// starts holds the offsets of the sections, from the newest to the oldest.
	starts []int64
	// hidden holds the places of the rows of tables that call an object free although the
	// stream of a hybrid file knows its place.
	hidden []int
}

// Unhide returns a file in which pdfcpu finds all objects. In a hybrid file, the table calls
// objects free whose places only the stream knows, and pdfcpu believes the table. The copy
// gives these rows the offset 0, so that pdfcpu ignores them. Nothing moves.
func (s *Sections) Unhide(file []byte) []byte {
	if len(s.hidden) == 0 {
		return file
	}
	file = bytes.Clone(file)
	for _, at := range s.hidden {
		copy(file[at:], "0000000000 00000 n")
	}
	return file
}

var errSections = errors.New("the cross-reference sections are damaged")

// ErrTooMany means that the cross-reference sections have more entries than a file of its
// size has objects, or allow for more objects than readers do. Reading the file would take
// much memory.
var ErrTooMany = errors.New("the cross-reference sections have too many entries")

// Entries returns the maximum number of entries for a file of a size in bytes.
func Entries(size int) int { return min(maxEntries, minEntries+size) }

// Parse reads the cross-reference sections of a file, without repairing anything. An error
// means that nothing can be appended to the file, because readers would not find it.
func Parse(file []byte) (*Sections, error) {
	start, ok := startOffset(file)
	if !ok || !bytes.HasPrefix(file, []byte("%PDF-")) {
		return nil, errSections
	}
	s := &Sections{Start: start, at: map[int]int64{}}
	p := &parser{Sections: s, file: file, seen: map[int64]bool{}, free: Entries(len(file))}
	for offset, n := start, 0; offset >= 0; n++ {
		s.starts = append(s.starts, offset)
		d, stream, err := p.section(offset)
		if err != nil {
			return nil, err
		}
		size, _ := d["Size"].(types.Integer)
		if size > maxNumber+1 {
			return nil, ErrTooMany
		}
		if n >= maxSections {
			return nil, errSections
		}
		if n == 0 {
			s.Stream = stream
			s.Encrypted = d["Encrypt"] != nil
			s.Size = max(s.Size, int(size))
		}
		if offset, err = p.previous(d); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Has reports whether the file has the object at the place that its cross-reference
// sections say.
func (s *Sections) Has(file []byte, number int) bool {
	offset, ok := s.at[number]
	if !ok || offset <= 0 {
		return ok && offset == 0
	}
	m := header.FindSubmatch(part(file, offset, 64))
	return m != nil && string(m[1]) == strconv.Itoa(number)
}

// Revision returns the number of the appended revision that contains an object. It is 0 for
// an object of the original file, and for one in an object stream, whose place is unknown.
func (s *Sections) Revision(number int) int {
	original := s.starts[len(s.starts)-1] // a linearized file has another section before it
	n := 0
	for _, start := range s.starts {
		if start >= original && s.at[number] > start {
			n++
		}
	}
	return n
}

var (
	header  = regexp.MustCompile(`^\s*0*(\d{1,10})\s+\d{1,5}\s+obj\b`)
	startAt = regexp.MustCompile(`startxref\s+(\d{1,15})\s+%%EOF`)
)

// startOffset returns the offset of the last section.
func startOffset(file []byte) (int64, bool) {
	tail := file[max(0, len(file)-2048):]
	all := startAt.FindAllSubmatch(tail, -1)
	if len(all) == 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(all[len(all)-1][1]), 10, 64)
	return n, err == nil && n > 0 && n < int64(len(file))
}

// part returns up to n bytes of the file from offset on.
func part(file []byte, offset int64, n int) []byte {
	if offset < 0 || offset >= int64(len(file)) {
		return nil
	}
	file = file[offset:]
	return file[:min(n, len(file))]
}

// parser reads sections from the newest to the oldest.
type parser struct {
	*Sections
	file []byte
	seen map[int64]bool
	// free is how many entries may still be read.
	free int
}

// previous returns the offset of the section before, or -1.
func (p *parser) previous(d types.Dict) (int64, error) {
	o, ok := d["Prev"]
	if !ok {
		return -1, nil
	}
	n, ok := o.(types.Integer)
	if !ok || n < 0 {
		return 0, errSections
	}
	return int64(n), nil
}

// section reads the section at an offset and returns its trailer.
func (p *parser) section(offset int64) (d types.Dict, stream bool, err error) {
	if p.seen[offset] {
		return nil, false, errSections
	}
	p.seen[offset] = true
	rest := part(p.file, offset, len(p.file))
	if header.Match(rest[:min(len(rest), 64)]) {
		d, err = p.stream(rest)
		return d, true, err
	}
	d, err = p.table(rest)
	return d, false, err
}

// reserve must be called before entries are read.
func (p *parser) reserve(entries int) error {
	if entries < 0 {
		return errSections
	}
	if entries > p.free {
		return ErrTooMany
	}
	p.free -= entries
	return nil
}

// put records an entry unless a newer section has one.
func (p *parser) put(number int, offset int64) error {
	if number < 0 || number > maxNumber {
		return errSections
	}
	if _, ok := p.at[number]; !ok {
		p.at[number] = offset
		p.Size = max(p.Size, number+1)
	}
	return nil
}

// dict parses the dictionary at the beginning of text.
func dict(text []byte) (types.Dict, error) {
	s := string(text[:min(len(text), maxTrailer)])
	o, err := model.ParseObjectContext(context.Background(), &s, 0, maxDepth)
	if err != nil {
		return nil, errSections
	}
	d, ok := o.(types.Dict)
	if !ok {
		return nil, errSections
	}
	return d, nil
}
