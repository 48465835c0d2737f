package passage

import (
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// WithLabel returns before, the text before a span, with the span's label in front of it:
// "label: text". The label is in another cell or on the line above.
func WithLabel(d *structure.Document, s layout.Span, before string) string {
	if label := LabelOf(d, s); label != "" {
		return Lower(label) + ": " + before
	}
	return before
}

// LabelOf returns the label of a span on one line, "" for none.
func LabelOf(d *structure.Document, s layout.Span) string { return Text(d, d.Label(s)) }

// SentenceCase returns s with its first letter in upper case.
func SentenceCase(s string) string {
	for i, r := range s {
		return string(unicode.ToUpper(r)) + s[i+len(string(r)):]
	}
	return s
}

// emptyWords are words that do not help to name an amount or a date.
var emptyWords = map[string]bool{
	"a": true, "an": true, "and": true, "any": true, "at": true, "be": true, "by": true, "each": true, "for": true, "from": true, "in": true, "is": true,
	"its": true, "of": true, "on": true, "or": true, "such": true, "that": true, "the": true, "their": true, "this": true, "to": true, "with": true, "as": true,
	"shall": true, "will": true, "pay": true, "all": true, "per": true, "which": true, "said": true, "no": true, "other": true, "s": true, "paid": true, "not": true, "whose": true, "if": true,
	"following": true, "receive": true, "receives": true, "commence": true, "remit": true, "immediately": true, "when": true, "may": true, "percent": true, "cent": true,
	"exceed": true, "than": true, "must": true, "was": true, "were": true, "are": true, "has": true, "have": true, "these": true, "those": true, "our": true, "your": true,
}

// IsEmpty reports whether a lower-case word does not help to name an amount or a date.
func IsEmpty(word string) bool { return emptyWords[word] }
