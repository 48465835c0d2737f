package control

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/paragraph"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Labels finds labels for controls that define none. It caches the text of the parts.
type Labels map[*Part]surroundings

// NewLabels returns an empty cache.
func NewLabels() Labels { return Labels{} }

// Of returns a label from the text in or around a control whose field has type t, or ""
// if there is none. last reports whether the field's other controls need not be tried.
func (l Labels) Of(c *Control, t fields.Type) (label string, last bool) {
	if c.question != "" {
		return c.question, true
	}
	if c.Kind != sdt.Checkbox && c.part.surrounds(c) {
		return "", false
	}
	if _, ok := l[c.part]; !ok {
		l[c.part] = c.part.surroundings()
	}
	return l[c.part].label(c, t), true
}

// surroundings is the text around the controls of a part, in which their labels are
// found.
type surroundings struct {
	labels *detect.Labels
	at     map[*etree.Element]position
}

// position is a range of the text of a paragraph.
type position struct{ paragraph, start, end int }

// surroundings reads the text around the controls of the part. Controls that contain
// other controls are read as text.
func (p *Part) surroundings() surroundings {
	outer := map[*etree.Element]bool{}
	for _, c := range p.all {
		for e := c.SDT.Parent(); c.ID != "" && e != nil && !outer[e]; e = e.Parent() {
			outer[e] = true
		}
	}
	paragraphs := paragraph.Read(p.root, func(e *etree.Element) bool { return p.structure.Owns(e) && !outer[e] }, p.document.styles)
	s := surroundings{detect.LabelsOf(paragraph.Detectable(paragraphs)), map[*etree.Element]position{}}
	for i, around := range paragraphs {
		if len(around.Pieces) == 0 {
			s.at[around.Element] = position{i, 0, len(around.Text)}
		}
		for _, piece := range around.Pieces {
			if p.structure.Owns(piece.Element) {
				s.at[piece.Element] = position{i, piece.Start, piece.End}
			}
		}
	}
	return s
}

// label returns the label of the control in the text around it, or "" if there is none.
func (s surroundings) label(c *Control, t fields.Type) string {
	at, ok := s.at[c.SDT]
	if !ok {
		at, ok = s.at[wml.Child(c.Content, "tc")]
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
