package paragraph

import (
	"unicode/utf8"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// boxed holds elements that may contain further paragraphs, and the elements that replace
// them in programs that do not understand them.
type boxed struct{ shown, others []*etree.Element }

// pair reads the paragraphs below the shown elements, and makes the paragraphs below the
// others their twins.
func (m *modelReader) pair(shown, others []*etree.Element, cell *detect.CellPosition) {
	from := len(m.paragraphs)
	for _, e := range shown {
		m.blocks(e, cell)
	}
	if len(others) == 0 {
		return
	}
	other := &modelReader{skip: m.skip, styles: m.styles}
	for _, e := range others {
		other.blocks(e, cell)
	}
	chosen := m.paragraphs[from:]
	if len(chosen) == 0 {
		m.paragraphs = append(m.paragraphs, other.paragraphs...)
		return
	}
	for i := range min(len(chosen), len(other.paragraphs)) {
		if chosen[i].Text == other.paragraphs[i].Text {
			last := chosen[i]
			for last.Twin != nil {
				last = last.Twin
			}
			last.Twin = other.paragraphs[i]
		}
	}
}

// alternatives reads an mc:AlternateContent among runs or within a run. It reads each
// branch with read.
func (r *runReader) alternatives(e *etree.Element, read func(r *runReader, branch *etree.Element)) {
	choice, fallback := wml.Branches(e)
	if len(choice) == 0 {
		return
	}
	start, boxes := r.text.Len(), len(r.boxes)
	read(r, choice[0])
	if len(fallback) == 0 {
		return
	}
	other := &runReader{modelReader: r.modelReader, p: &Paragraph{Element: r.p.Element}}
	read(other, fallback[0])
	r.mirror(start, other)
	box := boxed{}
	for _, b := range r.boxes[boxes:] {
		box.shown = append(box.shown, b.shown...)
	}
	for _, b := range other.boxes {
		box.others = append(box.others, b.shown...)
	}
	r.boxes = append(r.boxes[:boxes], box)
}

// mirror keeps the other branch of the text from start on, if both have the same text.
func (r *runReader) mirror(start int, other *runReader) {
	text := other.text.String()
	if text == "" || r.text.String()[start:] != text {
		return
	}
	for i := range other.p.Pieces {
		other.p.Pieces[i].Start += start
		other.p.Pieces[i].End += start
	}
	r.p.mirrors = append(r.p.mirrors, mirror{start, start + len(text), other.p})
	for _, m := range other.p.mirrors {
		for i := range m.branch.Pieces {
			m.branch.Pieces[i].Start += start
			m.branch.Pieces[i].End += start
		}
		r.p.mirrors = append(r.p.mirrors, mirror{m.start + start, m.end + start, m.branch})
	}
	other.p.mirrors = nil
}

// alternativeInRun reads an mc:AlternateContent within a run: a character for which newer
// fonts have a color version, text, or a drawing.
func (r *runReader) alternativeInRun(run, e *etree.Element) {
	choice, fallback := wml.Branches(e)
	if len(choice) == 1 && len(fallback) == 1 && wml.ChildByTag(choice[0], "symEx") != nil {
		text := runs.Read(fallback[0], 2)
		if utf8.RuneCountInString(text) != 1 {
			text = runs.Object
		}
		r.add(e, text)
		return
	}
	if len(choice) == 1 && wml.Child(choice[0], "t") == nil {
		r.add(e, runs.Object)
		r.boxes = append(r.boxes, boxed{choice, fallback})
		return
	}
	r.alternatives(e, func(r *runReader, branch *etree.Element) {
		for _, c := range branch.ChildElements() {
			if wml.IsElement(c) {
				r.content(run, c)
			}
		}
	})
}

// nothingShown is a runs.Content without elements.
func nothingShown(*etree.Element) []*etree.Element { return nil }

// replaceMirrors applies Replace to the other branches.
func (p *Paragraph) replaceMirrors(start, end int, made runs.Content) {
	for _, m := range p.mirrors {
		switch {
		case start == end && m.start < start && start <= m.end, m.start <= start && start < m.end:
			m.branch.Replace(start, min(end, m.end), made)
		case start < m.start && m.start < end:
			m.branch.Replace(m.start, min(end, m.end), nothingShown)
		}
	}
}
