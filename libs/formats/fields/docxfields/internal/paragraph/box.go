package paragraph

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Tick ticks the boxes of the selected options and clears the others.
func (p *Paragraph) Tick(boxes []detect.Box, selected []string) {
	for _, b := range boxes {
		if ticked := slices.Contains(selected, b.Option); ticked != b.Ticked {
			for q := p; q != nil; q = q.Twin {
				q.setBox(b, ticked)
			}
		}
	}
}

// setBox ticks or clears one box, keeping its style.
func (p *Paragraph) setBox(b detect.Box, ticked bool) {
	symbol := false
	for _, layer := range p.layers(b.Start) {
		if e := layer.ElementAt(b.Start); wml.Is(e, "sym") {
			if c := layer.ControlAround(b.Start, sdt.Checkbox); c != nil {
				c.NoteChecked(ticked)
			}
			setSymbol(e, ticked)
			symbol = true
		}
	}
	if symbol {
		return
	}
	text := boxText(p.Text[b.Start:b.End], ticked)
	for _, layer := range p.layers(b.Start) {
		if c := layer.ControlAround(b.Start, sdt.Checkbox); c != nil {
			c.NoteChecked(ticked)
			if m := c.Mark(ticked); !runs.IsSymbolFont(m.Font) {
				text = string(m.Code)
			}
		}
	}
	p.Settle(b.Start)
	p.Replace(b.Start, b.End, runs.Written(text))
}

// boxText returns the ticked or empty form of a box with the text old.
func boxText(old string, ticked bool) string {
	sign := " "
	if ticked {
		sign = "X"
	}
	switch old[0] {
	case '[':
		return "[" + sign + "]"
	case '(': // parentheses keep their width, so that the text beside them stays in place
		room := max(utf8.RuneCountInString(old)-len("()")-len(sign), 0)
		return "(" + strings.Repeat(" ", room/2) + sign + strings.Repeat(" ", room-room/2) + ")"
	}
	if ticked {
		return "☒"
	}
	return "☐"
}

// setSymbol changes a symbol to the ticked or empty box of its font.
func setSymbol(e *etree.Element, ticked bool) {
	font, _, _ := runs.SymbolCode(e)
	for _, s := range docxtext.SymbolBoxes() {
		if strings.EqualFold(s.Font, font) && s.Text == boxText("☐", ticked) {
			wml.SetAttr(e, "char", fmt.Sprintf("%04X", docxtext.SymbolArea|s.Code))
			return
		}
	}
}
