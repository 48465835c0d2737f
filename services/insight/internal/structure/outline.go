package structure

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/numbering"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// minBody is the minimum length of a paragraph that counts as text below a heading, in
// bytes.
const minBody = 60

// maxHeading is the level of the deepest headings.
const maxHeading = 9

// outliner turns pieces into paragraphs and sections.
type outliner struct {
	text     string
	pieces   []piece
	contents []bool
	// exhibits holds the exhibits by the index of their first piece.
	exhibits map[int]Exhibit
	numbers  numbering.Counter
	// within is the level of the surrounding exhibit, 0 outside of exhibits.
	within     int
	paragraphs []Paragraph
	sections   []Section
}

// outline returns the paragraphs and sections of a document.
func outline(text string, ps []piece, exhibits map[int]Exhibit) ([]Paragraph, []Section) {
	o := &outliner{text: text, pieces: ps, contents: inContents(text, ps), exhibits: exhibits}
	for i := range ps {
		o.add(i)
	}
	o.nest()
	return o.paragraphs, o.sections
}

// add adds the paragraph of a piece, and a section if the piece begins one.
func (o *outliner) add(i int) {
	p := o.pieces[i]
	if p.Len() == 0 {
		return // an empty cell
	}
	par := Paragraph{Span: p.Span, Kind: Body, Section: -1}
	text := o.text[p.Start:p.End]
	switch {
	case p.margin:
		par.Kind = Margin
	case p.role == layout.Note:
		par.Kind = Note
	case p.cell != layout.Cell{}:
		par.Kind = Cell
	case o.contents[i] || filed.MatchString(text) && len(text) <= maxTitle:
	case o.borrowed(i):
		par.Kind = Heading
		par.Level = o.sections[len(o.sections)-1].Level
	case o.isExhibit(i):
		o.exhibit(i, &par)
	default:
		if operative.MatchString(text) {
			o.numbers.Restart(o.within)
		}
		o.number(i, &par, text)
	}
	o.paragraphs = append(o.paragraphs, par)
}

func (o *outliner) isExhibit(i int) bool {
	_, ok := o.exhibits[i]
	return ok
}

// exhibit begins the section of an exhibit.
func (o *outliner) exhibit(i int, par *Paragraph) {
	e := o.exhibits[i]
	o.within = 1
	o.numbers.Restart(1)
	par.Kind, par.Level = Heading, 1
	s := Section{Span: par.Span, Number: e.Label, Title: e.Title, TitleSpan: layout.Span{Start: par.Start, End: par.Start}, Level: 1, Parent: -1}
	if at := strings.LastIndex(o.text[par.Start:par.End], e.Title); e.Title != "" && at >= 0 {
		s.TitleSpan = layout.Span{Start: par.Start + at, End: par.Start + at + len(e.Title)}
	} else {
		s.Title = ""
		o.borrowTitle(i, &s)
	}
	o.sections = append(o.sections, s)
}

// number reads the number and title of a paragraph, and begins a section if they are those
// of a section.
func (o *outliner) number(i int, par *Paragraph, text string) {
	p := o.pieces[i]
	e, numbered := o.enumerator(p, text)
	level := 0
	if numbered {
		level, numbered = o.numbers.Count(e)
	}
	body := 0
	if numbered {
		par.Number, par.Level, par.Kind = e.Text, level, Item
		if p.label == "" {
			body = min(e.End, len(text))
		}
	} else if p.label != "" {
		par.Number, par.Kind = p.label, Item
	}
	title, whole := o.title(i, text[body:], numbered, e)
	if p.style > 0 {
		par.Level = min(p.style, maxHeading) + o.within
		if !numbered || e.Rank() > 0 {
			o.numbers.Restart(par.Level)
		}
	} else if title > 0 && !numbered {
		par.Level = o.numbers.HeadingLevel(whole)
	}
	if whole {
		par.Kind = Heading
	}
	if title == 0 && !whole && p.style == 0 && (!numbered || e.Rank() == 0) {
		return
	}
	s := Section{Span: par.Span, Number: par.Number, Level: max(par.Level, 1), Parent: -1}
	s.TitleSpan = wording.Trimmed(o.text, layout.Span{Start: par.Start + body, End: par.Start + body + title})
	s.Title = wording.OneLine(o.text[s.TitleSpan.Start:s.TitleSpan.End])
	if numbered && strings.TrimSpace(text[body:]) == "" {
		par.Kind = Heading
		o.borrowTitle(i, &s)
	}
	o.sections = append(o.sections, s)
}

// enumerator returns the number of a piece: its label, or the beginning of its text.
func (o *outliner) enumerator(p piece, text string) (numbering.Enumerator, bool) {
	if p.label == "" {
		return numbering.Parse(text)
	}
	e, ok := numbering.Parse(p.label)
	e.Weak = false
	if e.End < len(p.label) {
		return e, false
	}
	return e, ok
}

// title returns the length of the title at the beginning of a piece's text, and whether
// that is the whole text.
func (o *outliner) title(i int, text string, numbered bool, e numbering.Enumerator) (n int, whole bool) {
	p := o.pieces[i]
	if p.style > 0 && len(text) > 0 {
		return styledTitle(text)
	}
	if n, ok := wholeTitle(text, numbered); ok && (numbered || o.standsOut(i, text)) {
		return n, !numbered || e.Rank() > 0 || e.Keyword || !strings.Contains(e.Text, "(")
	}
	if n, ok := runInTitle(text, numbered); ok {
		return n, false
	}
	return 0, false
}

// styledTitle returns the length of the title of a paragraph with a heading style, and
// whether that is the whole text. Many documents use heading styles for whole clauses, for
// the sake of numbering.
func styledTitle(text string) (n int, whole bool) {
	if n, ok := runInTitle(text, true); ok {
		return n, false
	}
	_, title := wholeTitle(text, true)
	if !title && (wording.EndsSentence(text) || len(text) > 2*maxTitle) {
		return 0, false
	}
	return len(strings.TrimRight(text, " .:")), true
}

// borrowed reports whether the last section has taken this piece as its title.
func (o *outliner) borrowed(i int) bool {
	if len(o.sections) == 0 {
		return false
	}
	return o.sections[len(o.sections)-1].TitleSpan == o.pieces[i].Span
}

// borrowTitle takes the next line as the title of a section whose number is on a separate
// line.
func (o *outliner) borrowTitle(i int, s *Section) {
	for next := i + 1; next < len(o.pieces) && next <= i+maxBetween; next++ {
		p := o.pieces[next]
		if p.margin {
			continue
		}
		text := o.text[p.Start:p.End]
		_, numbered := numbering.Parse(text)
		if _, ok := wholeTitle(text, false); ok && !numbered && !o.isExhibit(next) && p.cell == (layout.Cell{}) {
			s.Title, s.TitleSpan = wording.OneLine(text), p.Span
		}
		return
	}
}

// standsOut reports whether a line without a number is a heading: it is in capitals, or is
// centred, or a paragraph of text follows it.
func (o *outliner) standsOut(i int, text string) bool {
	p := o.pieces[i]
	c := wording.CaseOf(text)
	if wording.EndsCompany(text) || isEntry(text) || c.Words == 0 || !p.alone && !p.centred && !c.Capitals() {
		return false
	}
	if c.Capitals() {
		return len(text) > 3
	}
	if strings.HasSuffix(text, ":") && c.Words > 2 || strings.ContainsFunc(text, unicode.IsDigit) {
		return false // "If to the Company:", or a date
	}
	return c.Words <= maxPlainWords && (p.centred || o.textFollows(i))
}

// textFollows reports whether a paragraph of text follows a piece.
func (o *outliner) textFollows(i int) bool {
	for _, p := range o.pieces[i+1:] {
		if p.margin {
			continue
		}
		t := o.text[p.Start:p.End]
		_, whole := wholeTitle(t, false)
		return p.cell == (layout.Cell{}) && len(t) >= minBody && !whole && !wording.StartsLower(t)
	}
	return false
}

// nest sets the ends and parents of the sections, and the innermost section of each
// paragraph.
func (o *outliner) nest() {
	var open []int
	next := 0
	for i := range o.paragraphs {
		p := &o.paragraphs[i]
		for ; next < len(o.sections) && o.sections[next].Start <= p.Start; next++ {
			s := &o.sections[next]
			for len(open) > 0 && o.sections[open[len(open)-1]].Level >= s.Level {
				open = open[:len(open)-1]
			}
			if len(open) > 0 {
				s.Parent = open[len(open)-1]
			}
			open = append(open, next)
		}
		if len(open) > 0 {
			p.Section = open[len(open)-1]
		}
		for _, s := range open {
			o.sections[s].End = max(o.sections[s].End, p.End)
		}
	}
	o.sections = slices.Clip(o.sections)
}
