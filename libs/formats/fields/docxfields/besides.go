package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// surroundings is the text around the controls of a part, which says what they are
// called where they do not say it themselves.
type surroundings struct {
	labels *detect.Labels
	at     map[*etree.Element]position
}

// position is a range of the text of a paragraph.
type position struct{ paragraph, start, end int }

// surroundings reads the text around the controls of the part. Controls that are
// around others are read as text.
func (p *controls) surroundings() surroundings {
	outer := map[*etree.Element]bool{}
	for _, c := range p.all {
		for e := c.sdt.Parent(); c.id != "" && e != nil && !outer[e]; e = e.Parent() {
			outer[e] = true
		}
	}
	paragraphs := readParagraphs(p.root, func(e *etree.Element) bool { return p.owns(e) && !outer[e] }, p.shared.styles)
	s := surroundings{detect.LabelsOf(seenAll(paragraphs)), map[*etree.Element]position{}}
	for i, paragraph := range paragraphs {
		if len(paragraph.pieces) == 0 {
			s.at[paragraph.element] = position{i, 0, len(paragraph.text)}
		}
		for _, piece := range paragraph.pieces {
			if p.owns(piece.element) {
				s.at[piece.element] = position{i, piece.start, piece.end}
			}
		}
	}
	return s
}

// label returns what the text around the control calls it, "" if it says nothing.
func (s surroundings) label(c *control, t fields.Type) string {
	at, ok := s.at[c.sdt]
	if !ok {
		at, ok = s.at[wml.Child(c.content, "tc")]
	}
	switch {
	case !ok:
		return ""
	case t == fields.Checkbox:
		return s.labels.Question(at.paragraph, at.start)
	default:
		return s.labels.At(at.paragraph, at.start, at.end)
	}
}

// labels tells what controls are called that do not say it themselves. It keeps what
// it has read of the parts.
type labels map[*controls]surroundings

// newLabels returns labels that know nothing yet.
func newLabels() labels { return labels{} }

// of returns what the text in the control or around it calls a control of a field of
// the type, "" if it says nothing. Last reports whether the other controls of the
// field say nothing either.
func (l labels) of(c *control, t fields.Type) (label string, last bool) {
	if c.question != "" {
		return c.question, true
	}
	if c.kind != kindCheckbox && c.part.surrounds(c) {
		return "", false
	}
	if _, ok := l[c.part]; !ok {
		l[c.part] = c.part.surroundings()
	}
	return l[c.part].label(c, t), true
}
