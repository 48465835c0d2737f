package paragraph

import (
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Replace replaces a range of the paragraph's text with new content, which goes into the
// run of the range's first character. Offsets refer to the text as originally read, even
// after other replacements; ranges must not overlap. An empty range inserts content.
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

// Split splits the piece that contains the offset in two.
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

// target returns the run (or the branch of an alternative within a run) and the child
// index for content before the piece with index at: in the run of that piece, or in the
// run of the previous piece if behind is set or there is no next piece. If there is no
// such run, target adds one.
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

// emptyRun returns the last run of the paragraph if it contains only properties and text
// elements, or else nil.
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

// Settle makes the text at the offset entered content: content controls around it no
// longer show their placeholders, and are no longer bound to a custom XML part.
func (p *Paragraph) Settle(offset int) {
	for _, layer := range p.layers(offset) {
		settle(layer.ElementAt(offset))
	}
}

// settle implements Settle for the text in element e.
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

// Space inserts a space after the piece that ends at the offset, to separate it from
// inserted content.
func (p *Paragraph) Space(offset int) {
	for _, layer := range p.layers(offset - 1) {
		layer.Split(offset)
		if at := layer.FirstAt(offset) - 1; at >= 0 && layer.Pieces[at].Element.Tag == "t" {
			e := layer.Pieces[at].Element
			runs.SetText(e, strings.TrimRight(runs.Text(e), " ")+" ")
		}
	}
}
