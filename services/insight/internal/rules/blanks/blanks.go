// Package blanks finds the places that a text leaves to be filled in. It is for files
// without fields of their own.
package blanks

import (
	"slices"
	"sort"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Find returns the fillable blanks of a text in reading order. Use it for documents whose
// files have no fields of their own.
func Find(d *structure.Document) []finding.Found[insightapi.Field] {
	paragraphs := make([]detect.Paragraph, len(d.Paragraphs))
	for i, p := range d.Paragraphs {
		paragraphs[i] = detect.Paragraph{Text: d.Quote(p.Span)}
	}
	lines, blocks := signatureLines(d), parties.NewBlocks(d)
	var found []finding.Found[insightapi.Field]
	for _, b := range detect.Find(paragraphs) {
		if len(found) >= finding.MaxItems {
			break
		}
		f := field(d, b)
		if signedOn(lines, f.Span) && (b.Type == fields.Text || b.Type == fields.Name) {
			f.Item.FieldType = fields.Signature.InsightName()
		}
		blocks.Sign(&f.Item, f.Span)
		found = append(found, f)
	}
	return found
}

// signatureLines returns the lines to sign on, in text order.
func signatureLines(d *structure.Document) []layout.Span {
	var lines []layout.Span
	for _, s := range d.Signatures {
		if s.Line.Len() > 0 {
			lines = append(lines, s.Line)
		}
	}
	slices.SortStableFunc(lines, func(a, b layout.Span) int { return a.Start - b.Start })
	return lines
}

// signedOn reports whether a blank is on one of the lines, which must not overlap.
func signedOn(lines []layout.Span, blank layout.Span) bool {
	i := sort.Search(len(lines), func(i int) bool { return lines[i].End > blank.Start })
	return i < len(lines) && lines[i].Overlaps(blank)
}

// field returns a blank as a field. Its span is where the value goes or, if that is
// empty, the label before it.
func field(d *structure.Document, b detect.Blank) finding.Found[insightapi.Field] {
	p := d.Paragraphs[b.Paragraph]
	span := layout.Span{Start: p.Start + b.Start, End: p.Start + b.End}
	if n := len(b.Options); n > 0 {
		span = layout.Span{Start: p.Start + b.Options[0].Start, End: p.Start + b.Options[n-1].End}
	}
	if strings.TrimSpace(d.Quote(span)) == "" {
		span.Start = labelStart(d.Text, p.Start, span.Start)
	}
	item := insightapi.Field{FieldID: b.ID, FieldType: b.Type.InsightName(), FieldValue: ticked(b)}
	if b.Label != "" {
		item.FieldLabel = &b.Label
	}
	return finding.Found[insightapi.Field]{Item: item, Span: span, Reasoning: "The text has a blank to fill in here.", Confidence: 0.8}
}

// labelStart returns the start of the label that ends before end: the start of its line,
// or the end of the field before it.
func labelStart(text string, from, end int) int {
	label := strings.TrimRight(text[from:end], " \t\u00a0")
	if cut := strings.LastIndexAny(strings.TrimSuffix(label, ":"), "\n\t:"); cut >= 0 {
		return from + cut + 1
	}
	return from
}

// ticked returns the options that are ticked, separated by ", ".
func ticked(b detect.Blank) string {
	var options []string
	for _, o := range b.Options {
		if o.Ticked {
			options = append(options, o.Option)
		}
	}
	return strings.Join(options, ", ")
}
