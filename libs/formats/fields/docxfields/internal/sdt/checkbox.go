package sdt

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// IsCheckbox reports whether e is a checkbox content control.
func IsCheckbox(e *etree.Element) bool {
	if !wml.Is(e, "sdt") {
		return false
	}
	pr := wml.Child(e, "sdtPr")
	if pr == nil {
		return false
	}
	for _, p := range pr.ChildElements() {
		if wml.Named(p, wml.Space2010, "checkbox") || wml.Is(p, "checkbox") {
			return true
		}
	}
	return false
}

// Checked reports whether a checkbox control is ticked.
func (c *Control) Checked() bool {
	for _, e := range c.kindOf.ChildElements() {
		if e.Tag == "checked" {
			return wml.IsOn(e)
		}
	}
	return false
}

// NoteChecked records the state of the checkbox in the properties.
func (c *Control) NoteChecked(ticked bool) {
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

// Mark is the character that shows the state of a checkbox.
type Mark struct {
	Code rune
	Font string
}

// Mark returns the character for the state: the one that the control defines, or else
// Word's default.
func (c *Control) Mark(ticked bool) Mark {
	state, m := "uncheckedState", Mark{0x2610, "MS Gothic"}
	if ticked {
		state, m.Code = "checkedState", 0x2612
	}
	for _, e := range c.kindOf.ChildElements() {
		if e.Tag != state {
			continue
		}
		if n, err := strconv.ParseUint(wml.Val(e), 16, 16); err == nil && n >= ' ' {
			m.Code = rune(n)
		}
		if font, _ := wml.Attr(e, "font"); font != "" {
			m.Font = font
		}
	}
	return m
}

// Box returns Word's default character for a state.
func Box(ticked bool) Mark {
	m := Mark{0x2610, "MS Gothic"}
	if ticked {
		m.Code = 0x2612
	}
	return m
}

// AddTo adds the mark to a run. Characters of symbol fonts are not Unicode and need a
// w:sym.
func (m Mark) AddTo(run *etree.Element) {
	if runs.IsSymbolFont(m.Font) {
		sym := wml.New(run, "sym")
		run.AddChild(sym)
		wml.SetAttr(sym, "font", m.Font)
		wml.SetAttr(sym, "char", strings.ToUpper(strconv.FormatInt(int64(m.Code|0xF000), 16)))
		return
	}
	runs.Append(run, string(m.Code))
	m.setFont(run)
}

// setFont sets the font of the run to that of the mark, as Word does.
func (m Mark) setFont(run *etree.Element) {
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
		wml.SetAttr(fonts, key, m.Font)
	}
	wml.SetAttr(fonts, "hint", "eastAsia")
}

// ShowMark makes the mark the only content of the control.
func (c *Control) ShowMark(m Mark) {
	format := c.Format()
	host, at := c.Clear()
	if host == nil {
		return
	}
	m.AddTo(runs.Insert(host, at, format, ""))
	c.ShowContent()
}

// MarkBefore inserts the mark before the text of the control.
func (c *Control) MarkBefore(m Mark) {
	first := c.firstRun(c.Content)
	if first == nil {
		c.ShowMark(m)
		return
	}
	format := wml.Child(first, "rPr")
	at := first.Index()
	runs.Insert(first.Parent(), at, format, " ")
	m.AddTo(runs.Insert(first.Parent(), at, format, ""))
}
