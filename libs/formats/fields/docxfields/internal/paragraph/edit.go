package paragraph

import (
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Replace puts new content in place of a range of the paragraph's text, into the
// run of its first character, and takes away what else is in the range. Offsets
// are those of the text as it was read, also after other ranges were replaced;
// ranges do not overlap. An empty range is where content is put in.
func (p *Paragraph) Replace(start, end int, made runs.Content) {
	p.replaceMirrors(start, end, made)
	p.Split(start)
	p.Split(end)
	from := p.FirstAt(start)
	to := from
	for to < len(p.Pieces) && p.Pieces[to].Start < end {
		to++
	}
	host, index := p.target(from, start == end)
	for i, e := range made(wml.Nearest(host)) {
		host.InsertChildAt(index+i, e)
	}
	for _, gone := range p.Pieces[from:to] {
		if parent := gone.Element.Parent(); parent != nil {
			parent.RemoveChild(gone.Element)
		}
	}
	p.Pieces = slices.Delete(p.Pieces, from, to)
}

// Split parts the piece that has the offset within it in two.
func (p *Paragraph) Split(offset int) {
	at := p.FirstAt(offset) - 1
	if at < 0 || p.Pieces[at].End <= offset || p.Pieces[at].Element.Tag != "t" {
		return
	}
	c := p.Pieces[at]
	text := runs.Text(c.Element)
	tail := c.Element.Copy()
	c.Element.Parent().InsertChildAt(c.Element.Index()+1, tail)
	runs.SetText(c.Element, text[:offset-c.Start])
	runs.SetText(tail, text[offset-c.Start:])
	p.Pieces[at].End = offset
	p.Pieces = slices.Insert(p.Pieces, at+1, Piece{offset, c.End, tail})
}

// target returns the run, or the branch of an alternative in one, and the place
// among its children, for what comes before the piece at: in the run of that piece,
// or of the one before it where behind says so or there is no other. Where there is
// neither a run is added.
func (p *Paragraph) target(at int, behind bool) (host *etree.Element, index int) {
	if at > 0 && (behind || at == len(p.Pieces)) {
		if e := p.Pieces[at-1].Element; runs.In(e) {
			return e.Parent(), e.Index() + 1
		}
	}
	if at < len(p.Pieces) {
		if e := p.Pieces[at].Element; runs.In(e) {
			return e.Parent(), e.Index()
		}
	}
	if run := p.emptyRun(); run != nil {
		return run, len(run.Child)
	}
	run := wml.New(p.Element, "r")
	p.Element.AddChild(run)
	if mark := wml.Child(wml.Child(p.Element, "pPr"), "rPr"); mark != nil {
		run.AddChild(runs.Properties(mark))
	}
	return run, len(run.Child)
}

// emptyRun returns the last run of the paragraph if it has nothing but its
// properties and text that is empty, otherwise nil.
func (p *Paragraph) emptyRun() *etree.Element {
	var run *etree.Element
	for _, c := range p.Element.ChildElements() {
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

// Settle makes what stands at the offset content that was entered: controls
// around it no longer show their placeholders, nor what a custom XML part has.
func (p *Paragraph) Settle(offset int) {
	for _, layer := range p.layers(offset) {
		settle(layer.ElementAt(offset))
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

// Space puts a space behind the piece that ends at the offset, so that what is
// put in there stands apart from it.
func (p *Paragraph) Space(offset int) {
	for _, layer := range p.layers(offset - 1) {
		layer.Split(offset)
		if at := layer.FirstAt(offset) - 1; at >= 0 && layer.Pieces[at].Element.Tag == "t" {
			e := layer.Pieces[at].Element
			runs.SetText(e, strings.TrimRight(runs.Text(e), " ")+" ")
		}
	}
}
