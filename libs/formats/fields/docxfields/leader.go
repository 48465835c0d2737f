package docxfields

import (
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// leaders marks the tabs of the paragraph that are filled with a line, or with
// dots, up to their stops.
func (r *runReader) leaders(l tabstop.Layout) {
	absolute := slices.ContainsFunc(r.p.pieces, func(c piece) bool { return c.element.Tag == "ptab" })
	if !l.Leads() && !absolute {
		return
	}
	pen, text := tabstop.NewPen(l), r.text.String()
	for _, c := range r.p.pieces {
		switch c.element.Tag {
		case "tab":
			r.leader(c, pen.Tab())
		case "ptab":
			leader, _ := wml.Attr(c.element, "leader")
			r.leader(c, tabstop.Stop{Leader: leader})
		case "br", "cr":
			pen.Line()
		default:
			pen.Write(text[c.start:c.end], l.Sized(wml.Child(runs.Of(c.element), "rPr")).Size)
		}
	}
}

// leader marks the tab c, which leads to the stop.
func (r *runReader) leader(c piece, stop tabstop.Stop) {
	look := detect.Led
	switch stop.Leader {
	case "underscore":
		look = detect.Ruled
	case "dot", "hyphen", "middleDot", "heavy":
	default:
		return
	}
	r.p.marks = append(r.p.marks, detect.Mark{Start: c.start, End: c.end, Look: look})
	if r.p.leads == nil {
		r.p.leads = map[int]tabstop.Stop{}
	}
	r.p.leads[c.start] = stop
}

// fillLeader writes a value in place of tabs that a line leads across, in their
// formatting. The line goes with its tabs. Where the text of the line goes on
// behind them the last one stays, without its line, so that what follows keeps its
// place.
func fillLeader(p *paragraph, b *detect.Blank, f fields.Filling, pics pictureSetter) error {
	for q := p; q != nil; q = q.twin {
		made, err := shown(f, pics, b.Label)
		if err != nil {
			return err
		}
		if q.settle(b.Start); b.Start > 0 {
			q.space(b.Start)
		}
		if goesOn(q, b) && q.dropLeader(b.End-1) {
			made = followed(made)
		}
		q.replace(b.Start, b.End, made)
	}
	return nil
}

// goesOn reports whether text follows the tabs in their line.
func goesOn(p *paragraph, b *detect.Blank) bool {
	line, _, _ := strings.Cut(p.text[b.End:], "\n")
	return strings.TrimSpace(line) != ""
}

// followed returns the content with a tab behind it.
func followed(made runs.Content) runs.Content {
	return func(run *etree.Element) []*etree.Element { return append(made(run), wml.New(run, "tab")) }
}

// led reports whether a tab that a line leads across stands at the offset.
func (p *paragraph) led(offset int) bool {
	_, led := p.leads[offset]
	return led
}

// dropLeader takes the line from the stop of the tab at the offset, in the paragraph
// alone. It does not, and reports so, where another tab leads to the stop or there is
// none.
func (p *paragraph) dropLeader(offset int) bool {
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

// ownTabs returns the tab stops that the paragraph itself has, and makes room for
// them where there are none.
func (p *paragraph) ownTabs() *etree.Element {
	properties := wml.Child(p.element, "pPr")
	if properties == nil {
		properties = wml.New(p.element, "pPr")
		p.element.InsertChildAt(0, properties)
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
