// Package plain reads what it can of a PDF without interpreting it.
package plain

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/pdf"
)

// The parts of a plain PDF: its trailer refers to a cross-reference table of one section, and
// its page tree is one node, whose pages have sizes of their own.
var (
	startPattern = regexp.MustCompile(`startxref\s+([0-9]{1,15})\s+%%EOF\s*$`)
	rootPattern  = regexp.MustCompile(`/Root ([0-9]{1,9}) 0 R`)
	tablePattern = regexp.MustCompile(`^xref\s+0 ([0-9]{1,9})\s*?\n`)
	pagesPattern = regexp.MustCompile(`/Pages ([0-9]{1,9}) 0 R`)
	kidsPattern  = regexp.MustCompile(`^[0-9]+ 0 obj\s*<<[^>]*?/Kids\s*\[([^\]>]*)\]\s*/Count ([0-9]{1,9})\s*>>`)
	boxPattern   = regexp.MustCompile(`/MediaBox\s*\[\s*([-0-9.]{1,20}) ([-0-9.]{1,20}) ([-0-9.]{1,20}) ([-0-9.]{1,20})\s*\]`)
)

const (
	// entrySize is the length of an entry of a cross-reference table.
	entrySize = 20
	// maxPages bounds the pages of a plain PDF.
	maxPages = 100_000
	// objectSize is how much of an object is searched for a key.
	objectSize = 4 << 10
	// referenceSize is an upper bound for the length of a reference to a page.
	referenceSize = 16
	// trailerSize is how much of the end of the file is searched for the trailer.
	trailerSize = 1 << 10
)

var errOther = errors.New("the PDF has no flat page tree with a cross-reference table")

// Pages returns the sizes of the pages of a PDF as LibreOffice and package scan write it, by
// reading a few bytes of it for each page. It needs no process, because it interprets nothing.
// It fails for other PDFs, which pdf.Reader reads.
func Pages(f io.ReaderAt, size int64) ([]pdf.PageSize, error) {
	p := file{f: f, size: size}
	tail := p.read(max(size-trailerSize, 0), trailerSize)
	start, root := startPattern.FindStringSubmatch(tail), rootPattern.FindStringSubmatch(tail)
	if start == nil || root == nil || strings.Contains(tail, "/Prev") || strings.Contains(tail, "/XRefStm") {
		return nil, errOther
	}
	head := p.read(number(start[1]), 40)
	table := tablePattern.FindStringSubmatch(head)
	if table == nil {
		return nil, errOther
	}
	p.table, p.entries = number(start[1])+int64(len(table[0])), number(table[1])
	return p.pages(number(root[1]))
}

// file is a PDF with a cross-reference table.
type file struct {
	f              io.ReaderAt
	size           int64
	table, entries int64 // where the entries begin, and how many there are
}

// number returns the number of some digits, which are too few to overflow.
func number(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// read returns up to n bytes at an offset.
func (p file) read(at, n int64) string {
	b := make([]byte, max(min(n, p.size-at), 0))
	read, _ := p.f.ReadAt(b, max(at, 0)) // a short text is not found
	return string(b[:read])
}

// object returns up to n bytes of an object.
func (p file) object(number, n int64) string {
	if number >= p.entries {
		return ""
	}
	entry := p.read(p.table+number*entrySize, entrySize)
	if len(entry) < entrySize || entry[17] != 'n' {
		return ""
	}
	at, err := strconv.ParseInt(entry[:10], 10, 64)
	if err != nil {
		return ""
	}
	return p.read(at, n)
}

// pages returns the sizes of the pages below the catalog of that number.
func (p file) pages(catalog int64) ([]pdf.PageSize, error) {
	node := pagesPattern.FindStringSubmatch(p.object(catalog, objectSize))
	if node == nil {
		return nil, errOther
	}
	kids := kidsPattern.FindStringSubmatch(p.object(number(node[1]), objectSize+min(p.entries, maxPages)*referenceSize))
	if kids == nil {
		return nil, errOther
	}
	references := strings.Fields(kids[1])
	count := number(kids[2])
	if count < 1 || int64(len(references)) != 3*count || count > maxPages {
		return nil, errOther
	}
	sizes := make([]pdf.PageSize, count)
	for i := range sizes {
		box := boxPattern.FindStringSubmatch(p.page(references[3*i]))
		if box == nil {
			return nil, fmt.Errorf("%w: page %d has no size", errOther, i+1)
		}
		var sides [4]float64
		for j, text := range box[1:] {
			side, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, errOther
			}
			sides[j] = side
		}
		sizes[i] = pdf.PageSize{Width: sides[2] - sides[0], Height: sides[3] - sides[1]}
		if !(sizes[i].Width > 0 && sizes[i].Height > 0) {
			return nil, errOther
		}
	}
	return sizes, nil
}

// page returns the object of a page, or "" if it is another object, or is rotated, cropped or
// scaled.
func (p file) page(reference string) string {
	n, err := strconv.ParseInt(reference, 10, 64)
	if err != nil || n < 0 {
		return ""
	}
	text, _, _ := strings.Cut(p.object(n, objectSize), "endobj")
	if !strings.Contains(text, "/Page") || strings.Contains(text, "/Kids") || strings.Contains(text, "/Rotate") || strings.Contains(text, "/CropBox") || strings.Contains(text, "/UserUnit") {
		return ""
	}
	return text
}
