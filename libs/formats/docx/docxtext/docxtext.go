// Package docxtext reads what Word documents say: their text in the order of
// reading, the element of XML that each piece of it stands in, and what Word makes
// of their paragraphs: headings, numbers and cells. It knows no fields and no
// pages.
package docxtext

import (
	"context"
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/layout"
)

// Version names what Read makes of a file: it changes when the same file would be
// read otherwise, so that what is kept of earlier readings is not used.
const Version = "1"

const (
	// maxText bounds the text of a document, in bytes.
	maxText = 20 << 20
	// maxPaths bounds the paths of all runs together, in bytes: elements can be
	// nested so that each has one of several KiB.
	maxPaths = 128 << 20
	// maxParagraphs bounds the paragraphs of a document, with empty ones.
	maxParagraphs = 300_000
)

// Read returns the text of a document: its body, then headers, footers, footnotes
// and endnotes, each once. Every w:t that readers see is a Run, every paragraph a
// Block, and ends with "\n", which is no part of its Span.
//
// What tracked changes delete, hidden text and the codes of fields are left out.
// Paragraphs of a text box follow the one that it is anchored in; of alternatives
// the first one is read that says something.
//
// The error is a *docx.Error if the file is at fault, the cause of ctx if that
// ends, and otherwise of the package's reader.
func Read(ctx context.Context, p *docx.Package) (*layout.Document, error) {
	doc, _, err := ReadPlaces(ctx, p, nil)
	return doc, err
}

// ReadPlaces returns what Read does, and where each of the places is in its text.
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

// writer puts the paragraphs of all parts one behind the other.
type writer struct {
	doc       layout.Document
	text      strings.Builder
	styles    *styles
	numbering *numbering
	wanted    *wanted
	spent     spent
}

// readPart reads a part. Where a field has no end its code has none either: then
// nothing is taken for a code, so that no text is lost.
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

// add writes a paragraph, and those of its text boxes.
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

// spent is how much was read so far, of what is bounded, and of tables.
type spent struct{ text, paths, paragraphs, tables int }

// bounded returns an error if there is too much.
func (s *spent) bounded() error {
	switch {
	case s.text > maxText:
		return excess(fmt.Sprintf("has more than %d MiB of text", maxText>>20))
	case s.paths > maxPaths:
		return excess("has too many pieces of text that are nested too deep")
	case s.paragraphs > maxParagraphs:
		return excess(fmt.Sprintf("has more than %d paragraphs", maxParagraphs))
	}
	return nil
}
