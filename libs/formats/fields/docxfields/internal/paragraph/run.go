package paragraph

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// runReader reads the runs of one paragraph.
type runReader struct {
	*modelReader
	p    *Paragraph
	text strings.Builder
	// fields holds the open complex fields, the innermost last.
	fields []openField
	// tabs reports whether the paragraph has tabs.
	tabs bool
	// boxes holds elements that may contain further paragraphs: drawings and pictures.
	boxes []boxed
}

// openField is a complex field that has not ended yet.
type openField struct {
	data, run *etree.Element
	// start is where its result begins, or -1 before that.
	start int
}

// paragraph reads the w:p, and then the paragraphs of its text boxes.
func (m *modelReader) paragraph(e *etree.Element, cell *detect.CellPosition) {
	properties := wml.Child(e, "pPr")
	style := wml.Val(wml.Child(properties, "pStyle"))
	r := &runReader{modelReader: m, p: &Paragraph{Element: e, cell: cell, contents: contentsStyle(style)}}
	r.inline(e)
	if r.tabs {
		r.leaders(m.styles.Of(properties))
	}
	r.p.Text = r.text.String()
	m.paragraphs = append(m.paragraphs, r.p)
	for _, box := range r.boxes {
		m.pair(box.shown, box.others, nil)
	}
}

// contentsStyle reports whether a paragraph has one of Word's styles for a table of
// contents, an index or a table of figures. Their IDs do not depend on the language.
func contentsStyle(style string) bool {
	style = strings.ToLower(style)
	return strings.HasPrefix(style, "toc") || strings.HasPrefix(style, "index") || strings.HasPrefix(style, "tableoffigures") ||
		strings.HasPrefix(style, "verzeichnis")
}

// inline reads the runs below e, and wrappers of runs.
func (r *runReader) inline(e *etree.Element) {
	for _, c := range e.ChildElements() {
		switch {
		case r.skip(c):
			r.add(c, runs.Object)
		case !wml.IsElement(c):
			r.foreign(c)
		case c.Tag == "r":
			r.run(c)
		case c.Tag == "del", c.Tag == "moveFrom", c.Tag == "pPr", c.Tag == "sdtPr", c.Tag == "sdtEndPr", c.Tag == "rPr":
		default:
			r.inline(c)
		}
	}
}

// foreign reads elements outside of WordprocessingML: alternatives among runs, and
// formulas.
func (r *runReader) foreign(c *etree.Element) {
	if !wml.Named(c, wml.SpaceCompatibility, "AlternateContent") {
		r.inline(c)
		return
	}
	r.alternatives(c, (*runReader).inline)
}

// run reads a w:r.
func (r *runReader) run(run *etree.Element) {
	start := r.text.Len()
	for _, c := range run.ChildElements() {
		switch {
		case wml.Named(c, wml.SpaceCompatibility, "AlternateContent"):
			r.alternativeInRun(run, c)
		case wml.IsElement(c):
			r.content(run, c)
		}
	}
	r.looks(wml.Child(run, "rPr"), start, r.text.Len())
}

// content reads an element within a run.
func (r *runReader) content(run, c *etree.Element) {
	switch c.Tag {
	case "t":
		r.add(c, runs.Text(c))
	case "tab", "ptab":
		r.tabs = true
		r.add(c, "\t")
	case "br", "cr":
		r.add(c, "\n")
	case "noBreakHyphen":
		r.add(c, "-")
	case "sym":
		r.add(c, runs.SymbolText(c))
	case "drawing", "pict", "object":
		r.add(c, runs.Object)
		r.boxes = append(r.boxes, boxed{shown: []*etree.Element{c}})
	case "instrText":
		r.p.contents = r.p.contents || strings.Contains(runs.Text(c), "PAGEREF")
	case "fldChar":
		r.fieldChar(run, c)
	}
}

// add appends the text of element e.
func (r *runReader) add(e *etree.Element, text string) {
	if text == "" {
		return
	}
	start := r.text.Len()
	r.text.WriteString(text)
	r.p.Pieces = append(r.p.Pieces, Piece{start, r.text.Len(), e})
}

// fieldChar tracks complex fields, and keeps legacy form fields.
func (r *runReader) fieldChar(run, c *etree.Element) {
	kind, _ := wml.Attr(c, "fldCharType")
	n := len(r.fields)
	switch {
	case kind == "begin":
		r.fields = append(r.fields, openField{data: wml.Child(c, "ffData"), run: run, start: -1})
	case n == 0:
	case kind == "separate":
		r.fields[n-1].start = r.text.Len()
	case kind == "end":
		r.endField(r.fields[n-1])
		r.fields = r.fields[:n-1]
	}
}

// endField keeps the field that ends, if it is a form field.
func (r *runReader) endField(f openField) {
	if f.data == nil {
		return
	}
	if f.start < 0 {
		f.start = r.text.Len()
		r.text.WriteString(runs.Object)
	}
	end := r.text.Len()
	r.p.Forms = append(r.p.Forms, Form{Start: f.start, End: end, Data: f.data, Run: f.run})
	r.p.marks = append(r.p.marks, detect.Mark{Start: f.start, End: end, Look: detect.Taken})
}
