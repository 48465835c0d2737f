package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/blank"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/control"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// part is a parsed part of the document.
type part struct {
	part     *docx.Part
	tree     *etree.Document
	controls *control.Part
	drawings *drawing.Part
	// changed reports whether the tree must be written.
	changed bool
}

// findPlaces returns the places of the part in reading order.
func (p *part) findPlaces(s *tabstop.Styles) []*place {
	root := p.tree.Root()
	controls := p.controls.Find()
	texts := blank.Find(root, p.controls.IsField, s)
	at := map[*etree.Element][]*place{}
	for _, c := range controls {
		if c.ID != "" {
			at[c.SDT] = append(at[c.SDT], &place{part: p, field: c.Field(), typed: c.Typed(), at: c.SDT, control: c})
		}
	}
	for i := range texts {
		t := &texts[i]
		at[t.At] = append(at[t.At], &place{part: p, field: t.Field, typed: t.Typed, at: t.At, text: t})
	}
	if len(at) == 0 {
		return nil
	}
	found := inOrder(root, at, nil)
	paths := wml.Paths{}
	for _, f := range found {
		f.field.XMLPath = p.part.Name + "#" + paths.Of(f.at)
	}
	return found
}

// inOrder appends the places to found, in the order of their elements below e.
func inOrder(e *etree.Element, at map[*etree.Element][]*place, found []*place) []*place {
	found = append(found, at[e]...)
	for _, token := range e.Child {
		if c, ok := token.(*etree.Element); ok {
			found = inOrder(c, at, found)
		}
	}
	return found
}
