package detect

import "github.com/rectohq/recto/libs/formats/fields"

// Labels finds labels in the text around places that are not blanks, such as the form
// fields of a file format.
type Labels struct{ document document }

// LabelsOf returns the labels of a document.
func LabelsOf(paragraphs []Paragraph) *Labels {
	return &Labels{document{paragraphs: paragraphs, tables: tablesOf(paragraphs)}}
}

// Value returns the label, or "", and the type of a value in a range of the text of
// paragraph i.
func (l *Labels) Value(i, start, end int) (string, fields.Type) {
	return l.document.lineLabel(i, span{start, end})
}

// Option returns the text that belongs to a box in paragraph i that ends at end, or "" if
// there is none: the text after it, up to the end of the line or to next, where the next
// box begins, or else the text of an adjacent cell.
func (l *Labels) Option(i, end, next int) string {
	text := l.document.paragraphs[i].Text
	if option := optionText(text[end:min(next, len(text))]); hasLetter(option) {
		return option
	}
	return l.document.besideCell(i)
}

// AsksForValue reports whether a label names something that people fill in, such as "Title"
// or "Name of tenant". The name of a person or a company does not.
func AsksForValue(label string) bool { return known(label) }
