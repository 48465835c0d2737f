package pdffields

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// maxLabel bounds labels from the text, in characters; longer text is a sentence.
const maxLabel = 80

// labels finds the labels of widgets in the text around them.
type labels struct {
	lines  []line
	search *detect.Labels
	spots  map[*pdf.Field]spot
}

// spot is the place of a widget in the text.
type spot struct {
	line int
	// start and end are the range of the widget, and next is the start of the next widget
	// in the line, or the end of the line.
	start, end, next int
	// far reports whether the text before the widget is too far away to be its label, and
	// detached whether that after it is too far away to be the option of a button.
	far, detached bool
}

// farLabel is the distance of a label without a colon that is too far away, as a multiple of
// the height of its text.
const farLabel = 9

// labelsOf prepares the lines of a file for the search.
func labelsOf(lines []line) *labels {
	paragraphs := paragraphsOf(lines)
	for i := range lines {
		paragraphs[i].Text = lines[i].withoutValues()
	}
	l := &labels{lines: lines, search: detect.LabelsOf(paragraphs), spots: map[*pdf.Field]spot{}}
	for i := range lines {
		next := len(lines[i].Text)
		for n := len(lines[i].pieces) - 1; n >= 0; n-- {
			if p := lines[i].pieces[n]; p.widget != nil {
				l.spots[p.widget] = spot{i, p.Start, p.End, next, lines[i].far(n), lines[i].detached(n)}
				next = p.Start
			}
		}
	}
	return l
}

// withoutValues returns the text with spaces in place of the words on form fields: the value
// of one field is not the label of the next.
func (l *line) withoutValues() string {
	if !slices.ContainsFunc(l.pieces, func(p piece) bool { return p.onForm }) {
		return l.Text
	}
	text := []byte(l.Text)
	for _, p := range l.pieces {
		for i := p.Start; p.onForm && i < p.End; i++ {
			text[i] = ' '
		}
	}
	return string(text)
}

// far reports whether the text before a piece is far away.
func (l *line) far(n int) bool {
	if n == 0 {
		return false
	}
	before := l.pieces[n-1]
	return l.pieces[n].box.Left-before.box.Right > farLabel*before.size && !strings.HasSuffix(l.Text[:before.End], ":")
}

// detached reports whether the text after a piece is far away.
func (l *line) detached(n int) bool {
	if n+1 == len(l.pieces) {
		return false
	}
	after := l.pieces[n+1]
	return after.box.Left-l.pieces[n].box.Right > 2*after.size
}

// label returns the label of a field: its alternate name or, without one, the short text
// beside or above its first widget, or else its name.
func (f *formField) label(l *labels) string {
	for _, w := range f.widgets {
		if label := oneLine(w.Label); label != "" {
			return label
		}
	}
	first := f.widgets[0]
	button := f.kind == pdf.Checkbox || f.kind == pdf.Radio
	switch {
	case button && len(f.widgets) > 1:
		return cmp.Or(l.question(first), oneLine(first.Name), oneLine(first.Details.Name))
	case button:
		return cmp.Or(l.option(first), l.beside(first), oneLine(first.Name), oneLine(first.Details.Name))
	}
	return cmp.Or(l.beside(first), first.page.textAbove(first.Field), oneLine(first.Name), oneLine(first.Details.Name))
}

// beside returns the label in the line of a widget.
func (l *labels) beside(w widget) string {
	s, ok := l.spots[w.Field]
	if !ok || s.far {
		return ""
	}
	return short(l.search.At(s.line, s.start, s.end))
}

// question returns the question that a group of buttons answers.
func (l *labels) question(w widget) string {
	s, ok := l.spots[w.Field]
	if !ok {
		return ""
	}
	return short(l.search.Question(s.line, s.start))
}

// option returns the text after a button, up to the next one.
func (l *labels) option(w widget) string {
	s, ok := l.spots[w.Field]
	if !ok || s.detached {
		return ""
	}
	return short(l.search.Option(s.line, s.end, s.next))
}

// short returns a label without surrounding punctuation, or "" if it has no letters or is
// too long for a label.
func short(s string) string {
	s = strings.Trim(oneLine(s), " :*.,;")
	if utf8.RuneCountInString(s) > maxLabel || strings.IndexFunc(s, unicode.IsLetter) < 0 {
		return ""
	}
	return s
}

// textAbove returns the short text right above a widget.
func (p *page) textAbove(w *pdf.Field) string {
	b := p.points(w.Box)
	s := survey{page: p}
	row := s.row(b, b.Top-usualRow, b.Top+2)
	if len(row) == 0 || b.Top-row[0].b.Bottom > row[0].height()/2 || row[len(row)-1].b.Right > b.Right+3*usualRow {
		return ""
	}
	var words []string
	for _, w := range row {
		if p.onForm(w.b) { // the value of another field
			return ""
		}
		words = append(words, p.text[w.Start:w.End])
	}
	return short(strings.Join(words, " "))
}
