package detect

import "github.com/rectohq/recto/libs/formats/fields"

// Labels tells what the text around places says of them that are no blanks, as
// the form fields of a file format.
type Labels struct{ document document }

// LabelsOf returns the labels of a document.
func LabelsOf(paragraphs []Paragraph) *Labels {
	return &Labels{document{paragraphs: paragraphs, tables: tablesOf(paragraphs)}}
}

// Value returns what the value in a range of the text of the paragraph i is called,
// "" if nothing says so, and its type.
func (l *Labels) Value(i, start, end int) (string, fields.Type) {
	return l.document.lineLabel(i, span{start, end})
}

// Option returns what a box in a range of the text of the paragraph i is ticked
// for, "" if nothing says so: what follows it, up to the end of the line or to
// next, where another one begins, or the text of the cell beside it.
func (l *Labels) Option(i, end, next int) string {
	text := l.document.paragraphs[i].Text
	if option := optionText(text[end:min(next, len(text))]); hasLetter(option) {
		return option
	}
	return l.document.besideCell(i)
}
