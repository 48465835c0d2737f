// Package docxtext reads the text of Word documents in reading order, the XML element
// that each piece of text comes from, and the paragraph structure that Word derives:
// headings, numbers and table cells. It knows nothing about form fields or pages.
package docxtext

import (
	"context"
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/layout"
)

// Version identifies the output of Read. It changes when the same file would be read
// differently, so that stored results of earlier versions are not used.
const Version = "1"

const (
	// maxText bounds the text of a document, in bytes.
	maxText = 20 << 20
	// maxPaths bounds the paths of all runs together, in bytes. Elements can be nested so
	// deeply that a single path takes several KiB.
	maxPaths = 128 << 20
	// maxParagraphs bounds the paragraphs of a document, including empty ones.
	maxParagraphs = 300_000
)

// Read returns the text of a document: its body, then headers, footers, footnotes and
// endnotes, each once. Every visible w:t becomes a Run, and every paragraph a Block. Each
// paragraph is followed by "\n", which is not part of its Span.
//
// Tracked deletions, hidden text and field codes are left out. The paragraphs of a text
// box follow the paragraph that it is anchored in. In an mc:AlternateContent, the first
// branch with content is read.
//
// The error is a *docx.Error if the file is at fault, the cause of ctx if ctx ends, or an
// error of the package's reader.
func Read(ctx context.Context, p *docx.Package) (*layout.Document, error) {
	doc, _, err := ReadPlaces(ctx, p, nil)
	return doc, err
}

// ReadPlaces is like Read, and also returns the span of each place in the text.
func ReadPlaces(ctx context.Context, p *docx.Package, places []Place) (*layout.Document, []layout.Span, error) {
	parts, err := p.TextParts()
	if err != nil {
		return nil, nil, err
	}
	w := &writer{wanted: newWanted(places)}
	if w.styles, err = readStyles(p); err != nil {
		return nil, nil, err
	}
	if w.numbering, err = readNumbering(p, w.styles); err != nil {
		return nil, nil, err
	}
	for _, part := range parts {
		if err := w.readPart(ctx, part); err != nil {
			return nil, nil, err
		}
	}
	w.doc.Text = w.text.String()
	return &w.doc, w.wanted.spans(w.doc.Text, places), nil
}

// writer concatenates the paragraphs of all parts.
type writer struct {
	doc       layout.Document
	text      strings.Builder
	styles    *styles
	numbering *numbering
	wanted    *wanted
	spent     spent
}

// readPart reads a part. If a complex field has no end, its field code has none either;
// the part is then read again with field codes treated as text, so that no text is lost.
func (w *writer) readPart(ctx context.Context, part *docx.Part) error {
	s, err := w.readStory(ctx, part, false)
	if err == nil && len(s.fields) > 0 {
		s, err = w.readStory(ctx, part, true)
	}
	if err != nil {
		return err
	}
	w.spent = s.spent
	for _, p := range s.paragraphs {
		w.add(p)
	}
	for _, id := range s.pending {
		w.wanted.found(id, layout.Span{Start: w.text.Len(), End: w.text.Len()})
	}
	return nil
}

// readStory reads the paragraphs of a part.
func (w *writer) readStory(ctx context.Context, part *docx.Part, codes bool) (*story, error) {
	s := &story{part: part.Name, spent: w.spent, codes: codes, markers: markers{wanted: w.wanted.parts[part.Name]}}
	return s, walk(ctx, part, s)
}

// add writes a paragraph, followed by those of its text boxes.
func (w *writer) add(p *paragraph) {
	base := w.text.Len()
	for _, r := range p.runs {
		r.Start, r.End = r.Start+base, r.End+base
		w.doc.Runs = append(w.doc.Runs, r)
	}
	w.text.Write(p.text)
	block := layout.Block{Span: layout.Span{Start: base, End: w.text.Len()}, Role: p.role, Cell: p.cell}
	style := w.styles.of(p)
	block.Heading, block.Style = style.level, style.shown
	block.Label = w.numbering.label(style)
	w.doc.Blocks = append(w.doc.Blocks, block)
	w.text.WriteByte('\n')
	for _, m := range p.marks {
		w.wanted.found(m.id, layout.Span{Start: m.start + base, End: m.end + base})
	}
	for _, box := range p.boxes {
		w.add(box)
	}
}

// spent counts what has been read so far: the bounded quantities, and tables.
type spent struct{ text, paths, paragraphs, tables int }

// bounded returns an error if a bound is exceeded.
func (s *spent) bounded() error {
	switch {
	case s.text > maxText:
		return excess(fmt.Sprintf("has more than %d MiB of text", maxText>>20))
	case s.paths > maxPaths:
		return excess("has too much deeply nested text")
	case s.paragraphs > maxParagraphs:
		return excess(fmt.Sprintf("has more than %d paragraphs", maxParagraphs))
	}
	return nil
}
