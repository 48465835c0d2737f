package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
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
func (p *part) surroundings() surroundings {
	outer := map[*etree.Element]bool{}
	for _, c := range p.controls {
		for e := c.sdt.Parent(); c.id != "" && e != nil && !outer[e]; e = e.Parent() {
			outer[e] = true
		}
	}
	paragraphs := readParagraphs(p.tree.Root(), func(e *etree.Element) bool { return p.owned[e] && !outer[e] }, p.doc.styles)
	s := surroundings{detect.LabelsOf(seenAll(paragraphs)), map[*etree.Element]position{}}
	for i, paragraph := range paragraphs {
		if len(paragraph.pieces) == 0 {
			s.at[paragraph.element] = position{i, 0, len(paragraph.text)}
		}
		for _, piece := range paragraph.pieces {
			if p.owned[piece.element] {
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
		at, ok = s.at[child(c.content, "tc")]
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

// labelControls gives the fields whose controls have no label that of the text
// around the first of them.
func (d *Document) labelControls() {
	known := map[*part]surroundings{}
	for i := range d.fields {
		f := &d.fields[i]
		for _, p := range d.places[f.ID] {
			if f.Label != "" || p.control == nil || f.Source != fields.ContentControl {
				break
			}
			if f.Label = p.control.question; f.Label != "" || p.control.kind != kindCheckbox && p.part.surrounds(p.control) {
				continue
			}
			if _, ok := known[p.part]; !ok {
				known[p.part] = p.part.surroundings()
			}
			f.Label = known[p.part].label(p.control, f.Type)
			break
		}
	}
}
