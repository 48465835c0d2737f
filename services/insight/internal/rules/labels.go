package rules

import (
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// withLabel returns the text before a span with the label that stands before that,
// in another cell or on the line above, as "label: text".
func withLabel(d *structure.Document, s layout.Span, before string) string {
	if label := labelOf(d, s); label != "" {
		return lower(label) + ": " + before
	}
	return before
}

// labelOf returns the label that stands before a span, on one line, "" for none.
func labelOf(d *structure.Document, s layout.Span) string { return flat(d, d.Label(s)) }
