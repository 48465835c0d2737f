package drawing

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// KeepAnchor makes a new drawing float like the old one, if that one floats.
func KeepAnchor(d, old *etree.Element) {
	var anchor *etree.Element
	for _, e := range old.ChildElements() {
		if e.Tag == "anchor" {
			anchor = e.Copy()
		}
	}
	if anchor == nil {
		return
	}
	inline := d.ChildElements()[0]
	for _, e := range anchor.ChildElements() {
		if e.Tag == "effectExtent" {
			e.Remove()
		}
	}
	for _, e := range anchor.ChildElements() {
		switch e.Tag {
		case "extent":
			at := e.Index()
			replaceChild(anchor, e, inline)
			anchor.InsertChildAt(at+1, wml.ChildByTag(inline, "effectExtent"))
		case "docPr", "cNvGraphicFramePr", "graphic":
			replaceChild(anchor, e, inline)
		}
	}
	anchor.Space = inline.Space
	anchor.CreateAttr("xmlns:wp", inline.SelectAttrValue("xmlns:wp", ""))
	d.RemoveChild(inline)
	d.AddChild(anchor)
}

// replaceChild replaces old with the child of from that has the same tag.
func replaceChild(parent, old, from *etree.Element) {
	at := old.Index()
	parent.RemoveChild(old)
	parent.InsertChildAt(at, wml.ChildByTag(from, old.Tag))
}
