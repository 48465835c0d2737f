package docxfields

import "github.com/beevik/etree"

// format returns a copy of the run properties that a value gets, nil for none.
// They are those of the first run of the content, if that is no placeholder;
// those that the control has for its text; or those of a placeholder without what
// makes it look like one.
func (c *sdtControl) format() *etree.Element {
	own := child(c.pr, "rPr")
	run := c.firstRun(c.content)
	placeholder := c.showsPlaceholder()
	var format *etree.Element
	switch {
	case run != nil && !placeholder:
		format = child(run, "rPr")
	case own != nil:
		format = own
	case run != nil:
		format = child(run, "rPr")
	default:
		format = c.markFormat()
	}
	if format == nil {
		return nil
	}
	var dropped []string
	if style := val(child(format, "rStyle")); style == placeholderStyle || placeholder && style == val(child(child(run, "rPr"), "rStyle")) {
		dropped = append(dropped, "rStyle")
	}
	format = runProperties(format)
	if placeholder && own == nil {
		dropped = append(dropped, "rStyle", "color", "highlight", "shd", "vanish", "webHidden")
	}
	for _, tag := range dropped {
		dropByTag(format, tag)
	}
	return format
}

// dropByTag removes the children called tag. A copy stands in no tree yet, so that
// its namespace is not known.
func dropByTag(e *etree.Element, tag string) {
	for _, c := range e.ChildElements() {
		if c.Tag == tag && c.Space == e.Space {
			c.Remove()
		}
	}
}

// firstRun returns the first run below e that is not deleted, nor in a control of
// another field.
func (c *sdtControl) firstRun(e *etree.Element) *etree.Element {
	for _, below := range e.ChildElements() {
		switch {
		case word(below, "r"):
			if !hasChild(below, "commentReference", "fldChar", "instrText") {
				return below
			}
			continue
		case c.in.owned[below], word(below, "del"), word(below, "moveFrom"), isProperties(below):
			continue
		}
		if run := c.firstRun(below); run != nil {
			return run
		}
	}
	return nil
}

// markFormat returns the properties of the mark of the paragraph that a value goes
// into, which a text that is typed there gets.
func (c *sdtControl) markFormat() *etree.Element {
	p := c.firstParagraph(c.content, true)
	if p == nil {
		return nil
	}
	return child(child(p, "pPr"), "rPr")
}
