package docxfields

import (
	"slices"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// replace puts new content in place of a range of the paragraph's text, into the
// run of its first character, and takes away what else is in the range. Offsets
// are those of the text as it was read, also after other ranges were replaced;
// ranges do not overlap. An empty range is where content is put in.
func (p *paragraph) replace(start, end int, made runs.Content) {
	p.replaceMirrors(start, end, made)
	p.split(start)
	p.split(end)
	from := p.firstAt(start)
	to := from
	for to < len(p.pieces) && p.pieces[to].start < end {
		to++
	}
	host, index := p.target(from, start == end)
	for i, e := range made(wml.Nearest(host)) {
		host.InsertChildAt(index+i, e)
	}
	for _, gone := range p.pieces[from:to] {
		if parent := gone.element.Parent(); parent != nil {
			parent.RemoveChild(gone.element)
		}
	}
	p.pieces = slices.Delete(p.pieces, from, to)
}

// firstAt returns the index of the first piece at or behind the offset.
func (p *paragraph) firstAt(offset int) int {
	at, _ := slices.BinarySearchFunc(p.pieces, offset, func(c piece, offset int) int { return c.start - offset })
	return at
}

// split parts the piece that has the offset within it in two.
func (p *paragraph) split(offset int) {
	at := p.firstAt(offset) - 1
	if at < 0 || p.pieces[at].end <= offset || p.pieces[at].element.Tag != "t" {
		return
	}
	c := p.pieces[at]
	text := runs.Text(c.element)
	tail := c.element.Copy()
	c.element.Parent().InsertChildAt(c.element.Index()+1, tail)
	runs.SetText(c.element, text[:offset-c.start])
	runs.SetText(tail, text[offset-c.start:])
	p.pieces[at].end = offset
	p.pieces = slices.Insert(p.pieces, at+1, piece{offset, c.end, tail})
}

// target returns the run, or the branch of an alternative in one, and the place
// among its children, for what comes before the piece at: in the run of that piece,
// or of the one before it where behind says so or there is no other. Where there is
// neither a run is added.
func (p *paragraph) target(at int, behind bool) (host *etree.Element, index int) {
	if at > 0 && (behind || at == len(p.pieces)) {
		if e := p.pieces[at-1].element; runs.In(e) {
			return e.Parent(), e.Index() + 1
		}
	}
	if at < len(p.pieces) {
		if e := p.pieces[at].element; runs.In(e) {
			return e.Parent(), e.Index()
		}
	}
	if run := p.emptyRun(); run != nil {
		return run, len(run.Child)
	}
	run := wml.New(p.element, "r")
	p.element.AddChild(run)
	if mark := wml.Child(wml.Child(p.element, "pPr"), "rPr"); mark != nil {
		run.AddChild(runs.Properties(mark))
	}
	return run, len(run.Child)
}

// emptyRun returns the last run of the paragraph if it has nothing but its
// properties and text that is empty, otherwise nil.
func (p *paragraph) emptyRun() *etree.Element {
	var run *etree.Element
	for _, c := range p.element.ChildElements() {
		if wml.Is(c, "r") {
			run = c
		}
	}
	if run == nil {
		return nil
	}
	for _, c := range run.ChildElements() {
		if !wml.Is(c, "rPr") && !wml.Is(c, "t") {
			return nil
		}
	}
	return run
}

// settle makes what stands at the offset content that was entered: controls
// around it no longer show their placeholders, nor what a custom XML part has.
func (p *paragraph) settle(offset int) {
	for _, layer := range p.layers(offset) {
		settle(layer.elementAt(offset))
	}
}

// settle does what paragraph.settle does for the text that e is.
func settle(e *etree.Element) {
	if style := wml.Child(wml.Child(runs.Of(e), "rPr"), "rStyle"); wml.Val(style) == runs.PlaceholderStyle {
		style.Parent().RemoveChild(style)
	}
	for ; e != nil; e = e.Parent() {
		if !wml.Is(e, "sdt") {
			continue
		}
		properties := wml.Child(e, "sdtPr")
		for _, c := range properties.ChildElements() {
			if wml.Is(c, "showingPlcHdr") || wml.Is(c, "dataBinding") || wml.Named(c, wml.Space2012, "dataBinding") {
				properties.RemoveChild(c)
			}
		}
	}
}
