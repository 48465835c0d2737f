// Package rulestest has helpers for tests of the rules: it builds documents from texts
// and checks the invariants of findings.
package rulestest

import (
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Read returns the structure of a text.
func Read(text string) *structure.Document { return structure.Read(&layout.Document{Text: text}) }

// Quotes returns the quoted text of each item.
func Quotes[T any](d *structure.Document, found []finding.Found[T]) []string {
	var all []string
	for _, f := range found {
		all = append(all, d.Quote(f.Span))
	}
	return all
}

// Sane fails the test unless the items are in text order and each has a span, a reason
// and a confidence.
func Sane[T any](t *testing.T, d *structure.Document, found []finding.Found[T]) {
	t.Helper()
	start := 0
	for _, f := range found {
		if f.Span.Start < start || f.Span.End <= f.Span.Start || f.Span.End > len(d.Text) {
			t.Errorf("span %+v is empty, out of order or out of range: want a start of at least %d and an end of at most %d", f.Span, start, len(d.Text))
		}
		if f.Reasoning == "" || f.Confidence <= 0 || f.Confidence > 1 {
			t.Errorf("%q: got the reason %q and the confidence %v, want a reason and a confidence in (0, 1]", d.Quote(f.Span), f.Reasoning, f.Confidence)
		}
		start = f.Span.Start
	}
}

// Pairs returns the structure of a two-column table of labels and values.
func Pairs(texts ...string) *structure.Document {
	d := &layout.Document{}
	for i, text := range texts {
		d.Blocks = append(d.Blocks, layout.Block{Span: layout.Span{Start: len(d.Text), End: len(d.Text) + len(text)}, Cell: layout.Cell{Table: 1, Row: i / 2, Column: i % 2}})
		d.Text += text + "\n"
	}
	return structure.Read(d)
}
