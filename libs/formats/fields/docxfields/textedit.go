package docxfields

import (
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// placeholderStyle is the style of the characters of placeholders, as Word names
// it in every language.
const placeholderStyle = "PlaceholderText"

// content makes the elements that go into a run.
type content func(run *etree.Element) []*etree.Element

// replace puts new content in place of a range of the paragraph's text, into the
// run of its first character, and takes away what else is in the range. Offsets
// are those of the text as it was read, also after other ranges were replaced;
// ranges do not overlap. An empty range is where content is put in.
func (p *paragraph) replace(start, end int, made content) {
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
	text := characters(c.element)
	tail := c.element.Copy()
	c.element.Parent().InsertChildAt(c.element.Index()+1, tail)
	setCharacters(c.element, text[:offset-c.start])
	setCharacters(tail, text[offset-c.start:])
	p.pieces[at].end = offset
	p.pieces = slices.Insert(p.pieces, at+1, piece{offset, c.end, tail})
}

// target returns the run, or the branch of an alternative in one, and the place
// among its children, for what comes before the piece at: in the run of that piece,
// or of the one before it where behind says so or there is no other. Where there is
// neither a run is added.
func (p *paragraph) target(at int, behind bool) (host *etree.Element, index int) {
	if at > 0 && (behind || at == len(p.pieces)) {
		if e := p.pieces[at-1].element; inRun(e) {
			return e.Parent(), e.Index() + 1
		}
	}
	if at < len(p.pieces) {
		if e := p.pieces[at].element; inRun(e) {
			return e.Parent(), e.Index()
		}
	}
	if run := p.emptyRun(); run != nil {
		return run, len(run.Child)
	}
	run := wml.New(p.element, "r")
	p.element.AddChild(run)
	if mark := wml.Child(wml.Child(p.element, "pPr"), "rPr"); mark != nil {
		run.AddChild(runProperties(mark))
	}
	return run, len(run.Child)
}

// inRun reports whether e is in a run, maybe in an alternative in it.
func inRun(e *etree.Element) bool { return wml.Is(runOf(e), "r") }

// runOf returns the run that e is in, or another element if it is in none.
func runOf(e *etree.Element) *etree.Element {
	e = e.Parent()
	for e != nil && (wml.Named(e, wml.SpaceCompatibility, "Choice") || wml.Named(e, wml.SpaceCompatibility, "Fallback") || wml.Named(e, wml.SpaceCompatibility, "AlternateContent")) {
		e = e.Parent()
	}
	return e
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
	if style := wml.Child(wml.Child(runOf(e), "rPr"), "rStyle"); wml.Val(style) == placeholderStyle {
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

// runProperties returns a copy of the properties of a run, or of a paragraph's
// mark, for a new run: it was not inserted, deleted or changed as that one was.
func runProperties(of *etree.Element) *etree.Element {
	properties := of.Copy()
	for _, tag := range []string{"ins", "del", "moveFrom", "moveTo", "rPrChange"} {
		wml.DropByTag(properties, tag)
	}
	return properties
}

// setCharacters makes text the only content of the w:t, white space and all.
func setCharacters(t *etree.Element, text string) {
	t.Child = nil
	t.SetText(text)
	t.CreateAttr("xml:space", "preserve")
}

// written returns the content that shows the text: lines are parted by w:br,
// tabs are w:tab. Characters that XML cannot have are left out.
func written(text string) content {
	text = cleanText(text)
	return func(run *etree.Element) []*etree.Element { return textElements(run, text) }
}

// textElements returns what shows the text in a run, as Word writes it: lines and
// tabs are elements.
func textElements(run *etree.Element, text string) []*etree.Element {
	var made []*etree.Element
	for text != "" {
		at := strings.IndexAny(text, "\n\t")
		if at < 0 {
			at = len(text)
		}
		if at > 0 {
			t := wml.New(run, "t")
			setCharacters(t, text[:at])
			made = append(made, t)
		}
		if at == len(text) {
			break
		}
		tag := "br"
		if text[at] == '\t' {
			tag = "tab"
		}
		made = append(made, wml.New(run, tag))
		text = text[at+1:]
	}
	return made
}
