package docxfields

import (
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// fill writes the value of its field into the control. A lock is for people: the
// service fills locked controls too.
func (c *control) fill(f fields.Filling, label string) error {
	switch {
	case c.kind != kindCheckbox && c.part.surrounds(c):
		return nil // those in it show the value
	case len(f.Pictures) > 0:
		c.unbind()
		return c.setPictures(f, label)
	case c.kind == kindCheckbox:
		ticked := c.ticks(f)
		c.setChecked(ticked)
		return c.store(boolText(c.bound(), ticked))
	case f.Type == fields.Checkbox && c.holdsText():
		return c.fillBoxes(f)
	case f.Type == fields.Checkbox:
		return c.fillText(strings.Join(f.Selected, ", "), "")
	default:
		return c.fillText(f.Text, f.Value)
	}
}

// fillAll writes the value of its field into the control and its twins.
func (c *control) fillAll(f fields.Filling, label string) error {
	for _, c := range append([]*control{c}, c.twins...) {
		if err := c.fill(f, label); err != nil {
			return err
		}
	}
	return nil
}

// ticks reports whether the value ticks the checkbox. Text ticks it if it is its
// option, or, where it is no choice, says yes.
func (c *control) ticks(f fields.Filling) bool {
	if f.Type.HasOptions() {
		return slices.Contains(f.Selected, c.option)
	}
	return c.option != "" && f.Text == c.option || saysYes(f.Text)
}

// saysYes reports whether the text of a field, or of a custom XML part, ticks a
// checkbox.
func saysYes(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "true", "yes", "x", "on":
		return true
	}
	return false
}

// fillText writes text into a control that is no checkbox. Value is what the item
// of a list stands for.
func (c *control) fillText(text, value string) error {
	text = runs.Clean(text)
	stored := text
	switch c.kind {
	case kindDropDown, kindCombo:
		text, stored = c.choose(text, value)
	case kindDate:
		text, stored = c.setDate(text)
	case kindPicture:
		if text != "" {
			c.dropKind() // a picture control cannot hold text
		}
	}
	c.setText(text)
	return c.store(stored)
}

// choose selects the item of a list and returns what is shown and what is stored.
// A combo box takes any text; a list is left without an item for one.
func (c *sdtControl) choose(text, value string) (shown, stored string) {
	item := c.item(text, value)
	if item == nil || text == "" {
		wml.RemoveAttr(c.kindOf, "lastValue")
		return text, text
	}
	display, value := itemText(item)
	wml.SetAttr(c.kindOf, "lastValue", value)
	return display, value
}

// dropKind makes a rich text control of one that can only hold something else.
func (c *sdtControl) dropKind() {
	if c.kindOf != nil {
		c.kindOf.Remove()
	}
	c.kind, c.kindOf = kindRich, nil
}

// setText lets the control show the text. Nothing changes where it shows its
// placeholder and goes on to do so.
func (c *sdtControl) setText(text string) {
	if text == "" && c.showsPlaceholder() {
		return
	}
	format := c.format()
	host, at := c.clear()
	if host == nil {
		return
	}
	lines := []string{text}
	if c.isBlock(host) && c.kind == kindRich {
		lines = strings.Split(text, "\n")
	}
	if c.kind == kindPlain && strings.Contains(text, "\n") {
		c.takeLines()
	}
	runs.Insert(host, at, format, lines[0])
	for _, line := range lines[1:] {
		host = paragraphAfter(host)
		runs.Insert(host, len(host.Child), format, line)
	}
	c.showContent()
}

// takeLines lets a control of plain text hold several lines. One among other text
// becomes one of rich text, which is the same to its reader: LibreOffice puts the
// lines of plain text in the wrong order there, and so into every PDF. What is
// bound has to stay plain.
func (c *sdtControl) takeLines() {
	if c.level() == levelInline && c.binding() == nil {
		c.dropKind()
		return
	}
	wml.SetAttr(c.kindOf, "multiLine", "1") // a line break is not let stand otherwise
}

// isBlock reports whether the control holds whole paragraphs, of which host is
// one.
func (c *sdtControl) isBlock(host *etree.Element) bool {
	return wml.Is(host, "p") && c.level() != levelRow
}

// showContent notes that the content is no placeholder.
func (c *sdtControl) showContent() {
	if e := wml.Child(c.pr, "showingPlcHdr"); e != nil {
		e.Remove()
	}
}

// paragraphAfter adds a paragraph behind p with its properties. A section that
// ends with p ends with the new one then.
func paragraphAfter(p *etree.Element) *etree.Element {
	next := wml.New(p, "p")
	p.Parent().InsertChildAt(p.Index()+1, next)
	if properties := wml.Child(p, "pPr"); properties != nil {
		copied := properties.Copy()
		next.AddChild(copied)
		for _, tag := range []string{"pPrChange"} {
			wml.RemoveChild(copied, tag)
		}
		wml.RemoveChild(properties, "sectPr")
	}
	return next
}

// setChecked ticks or clears the checkbox and shows the mark of its state.
func (c *control) setChecked(ticked bool) {
	mark := c.mark(ticked)
	c.setCheckedProperty(ticked)
	if c.captionInside() != "" {
		c.changeMark(mark)
		return
	}
	c.showMark(mark)
}

// setCheckedProperty notes in the properties whether the checkbox is ticked.
func (c *sdtControl) setCheckedProperty(ticked bool) {
	value := "0"
	if ticked {
		value = "1"
	}
	for _, e := range c.kindOf.ChildElements() {
		if e.Tag == "checked" {
			wml.SetAttr(e, "val", value)
			return
		}
	}
	checked := etree.NewElement("checked")
	checked.Space = c.kindOf.Space
	c.kindOf.InsertChildAt(0, checked)
	wml.SetAttr(checked, "val", value)
}

// mark is the character that shows the state of a checkbox.
type mark struct {
	code rune
	font string
}

// mark returns what shows the state: what the control says, or the boxes that
// Word has where it says nothing.
func (c *sdtControl) mark(ticked bool) mark {
	state, m := "uncheckedState", mark{0x2610, "MS Gothic"}
	if ticked {
		state, m.code = "checkedState", 0x2612
	}
	for _, e := range c.kindOf.ChildElements() {
		if e.Tag != state {
			continue
		}
		if n, err := strconv.ParseUint(wml.Val(e), 16, 16); err == nil && n >= ' ' {
			m.code = rune(n)
		}
		if font, _ := wml.Attr(e, "font"); font != "" {
			m.font = font
		}
	}
	return m
}

// addTo shows the mark in a run. The characters of fonts of symbols are none of
// Unicode and have an element of their own.
func (m mark) addTo(run *etree.Element) {
	if runs.IsSymbolFont(m.font) {
		sym := wml.New(run, "sym")
		run.AddChild(sym)
		wml.SetAttr(sym, "font", m.font)
		wml.SetAttr(sym, "char", strings.ToUpper(strconv.FormatInt(int64(m.code|0xF000), 16)))
		return
	}
	runs.Append(run, string(m.code))
	m.setFont(run)
}

// setFont gives the run the font of the mark, as Word writes it.
func (m mark) setFont(run *etree.Element) {
	format := wml.Child(run, "rPr")
	if format == nil {
		format = wml.New(run, "rPr")
		run.InsertChildAt(0, format)
	}
	wml.RemoveChild(format, "rFonts")
	fonts := wml.New(run, "rFonts")
	at := 0
	if style := wml.Child(format, "rStyle"); style != nil {
		at = style.Index() + 1
	}
	format.InsertChildAt(at, fonts)
	for _, key := range []string{"ascii", "eastAsia", "hAnsi"} {
		wml.SetAttr(fonts, key, m.font)
	}
	wml.SetAttr(fonts, "hint", "eastAsia")
}
