package paragraph

import (
	"slices"
	"strconv"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// leaders marks the tabs of the paragraph that have a line or dots as leader.
func (r *runReader) leaders(l tabstop.Layout) {
	absolute := slices.ContainsFunc(r.p.Pieces, func(c Piece) bool { return c.Element.Tag == "ptab" })
	if !l.Leads() && !absolute {
		return
	}
	pen, text := tabstop.NewPen(l), r.text.String()
	for _, c := range r.p.Pieces {
		switch c.Element.Tag {
		case "tab":
			r.leader(c, pen.Tab())
		case "ptab":
			leader, _ := wml.Attr(c.Element, "leader")
			r.leader(c, tabstop.Stop{Leader: leader})
		case "br", "cr":
			pen.Line()
		default:
			pen.Write(text[c.Start:c.End], l.Sized(wml.Child(runs.Of(c.Element), "rPr")).Size)
		}
	}
}

// leader marks tab c, whose tab stop is stop.
func (r *runReader) leader(c Piece, stop tabstop.Stop) {
	look := detect.Led
	switch stop.Leader {
	case "underscore":
		look = detect.Ruled
	case "dot", "hyphen", "middleDot", "heavy":
	default:
		return
	}
	r.p.marks = append(r.p.marks, detect.Mark{Start: c.Start, End: c.End, Look: look})
	if r.p.leads == nil {
		r.p.leads = map[int]tabstop.Stop{}
	}
	r.p.leads[c.Start] = stop
}

// Led reports whether the tab at the offset has a line as leader.
func (p *Paragraph) Led(offset int) bool {
	_, led := p.leads[offset]
	return led
}

// DropLeader removes the leader of the tab at the offset, for this paragraph only. It
// changes nothing and returns false if the tab has no stop or another tab uses the same
// stop.
func (p *Paragraph) DropLeader(offset int) bool {
	stop, used := p.leads[offset], 0
	for _, s := range p.leads {
		if s == stop {
			used++
		}
	}
	if stop.Pos == 0 || used != 1 {
		return false
	}
	tabs := p.ownTabs()
	at := len(tabs.Child)
	for _, e := range tabs.ChildElements() {
		v, _ := wml.Attr(e, "pos")
		switch pos := wml.Count(v); {
		case pos == stop.Pos && wml.Val(e) != "clear":
			wml.RemoveAttr(e, "leader")
			return true
		case pos > stop.Pos:
			at = min(at, e.Index())
		}
	}
	e := wml.New(tabs, "tab")
	tabs.InsertChildAt(at, e)
	wml.SetAttr(e, "val", stop.Align)
	wml.SetAttr(e, "pos", strconv.Itoa(stop.Pos))
	return true
}

// ownTabs returns the w:tabs of the paragraph itself, and creates it if necessary.
func (p *Paragraph) ownTabs() *etree.Element {
	properties := wml.Child(p.Element, "pPr")
	if properties == nil {
		properties = wml.New(p.Element, "pPr")
		p.Element.InsertChildAt(0, properties)
	}
	if tabs := wml.Child(properties, "tabs"); tabs != nil {
		return tabs
	}
	at := 0
	for _, e := range properties.ChildElements() {
		switch e.Tag {
		case "pStyle", "keepNext", "keepLines", "pageBreakBefore", "framePr", "widowControl", "numPr", "suppressLineNumbers", "pBdr", "shd":
			at = e.Index() + 1
		}
	}
	tabs := wml.New(properties, "tabs")
	properties.InsertChildAt(at, tabs)
	return tabs
}
