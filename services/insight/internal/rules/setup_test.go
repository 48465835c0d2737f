package rules_test

import (
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// read returns the structure of a text.
func read(text string) *structure.Document { return structure.Read(&layout.Document{Text: text}) }

// quotes returns the texts that items rest on.
func quotes[T any](d *structure.Document, found []rules.Found[T]) []string {
	var all []string
	for _, f := range found {
		all = append(all, d.Quote(f.Span))
	}
	return all
}

// sane fails the test unless items are in the order of the text, and each has a
// span, a reason and a confidence.
func sane[T any](t *testing.T, d *structure.Document, found []rules.Found[T]) {
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
