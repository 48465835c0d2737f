// Package rulestest helps the tests of the rules: documents out of texts, and what all
// findings have to keep to.
package rulestest

import (
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Read returns the structure of a text.
func Read(text string) *structure.Document { return structure.Read(&layout.Document{Text: text}) }

// Quotes returns the texts that items rest on.
func Quotes[T any](d *structure.Document, found []finding.Found[T]) []string {
	var all []string
	for _, f := range found {
		all = append(all, d.Quote(f.Span))
	}
	return all
}

// Sane fails the test unless items are in the order of the text, and each has a
// span, a reason and a confidence.
func Sane[T any](t *testing.T, d *structure.Document, found []finding.Found[T]) {
	t.Helper()
	start := 0
	for _, f := range found {
		if f.Span.Start < start || f.Span.End <= f.Span.Start || f.Span.End > len(d.Text) {
			t.Errorf("the span %+v is empty, or before %d", f.Span, start)
		}
		if f.Reasoning == "" || f.Confidence <= 0 || f.Confidence > 1 {
			t.Errorf("%q has the reason %q and the confidence %v", d.Quote(f.Span), f.Reasoning, f.Confidence)
		}
		start = f.Span.Start
	}
}

// Pairs returns the structure of a table of labels and values.
func Pairs(texts ...string) *structure.Document {
	d := &layout.Document{}
	for i, text := range texts {
		d.Blocks = append(d.Blocks, layout.Block{Span: layout.Span{Start: len(d.Text), End: len(d.Text) + len(text)}, Cell: layout.Cell{Table: 1, Row: i / 2, Column: i % 2}})
		d.Text += text + "\n"
	}
	return structure.Read(d)
}
