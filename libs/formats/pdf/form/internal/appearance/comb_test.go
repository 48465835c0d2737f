package appearance

import (
	"math"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

func TestComb(t *testing.T) {
	base := Look{Width: 100, Height: 20, BorderWidth: 1, Border: red, Comb: true, MaxLength: 10}
	cases := []struct {
		change   func(*Look)
		text     string
		cells    string // those with ink
		dividers bool
	}{
		{func(*Look) {}, "H1H", "###.......", true},
		{func(*Look) {}, "H H", "#.#.......", true},
		{func(l *Look) { l.Align = 1 }, "HHHH", "...####...", true},
		{func(l *Look) { l.Align = 2 }, "HHHH", "......####", true},
		{func(l *Look) { l.FontSize = 40 }, "WWWW", "####......", true},
		{func(*Look) {}, "שלום", "......####", true},
		{func(*Look) {}, "e\u0301é", "##........", true},
		{func(*Look) {}, "HHHHHHHHHH", "##########", true},
		{func(*Look) {}, "HHHHHHHHHHH", "##########", true},
		{func(l *Look) { l.BorderStyle = 'D' }, "HH", "##........", true},
		{func(l *Look) { l.BorderStyle = 'U' }, "HH", "##........", false},
		{func(l *Look) { l.Border = nil }, "HH", "##........", false},
		{func(l *Look) { l.BorderWidth = 0 }, "", "..........", false},
	}
	s := newSheet(340, 170)
	var rects []rect
	for i, c := range cases {
		rects = append(rects, s.addText(t, 10+float64(i%3)*110, 10+float64(i/3)*30, base.with(c.change), c.text))
	}
	for _, shot := range s.render(t) {
		shot.nothingOutside(t, rects...)
		for i, c := range cases {
			cells := ""
			for k := range 10 {
				extent, share := shot.ink(rect{rects[i].x + float64(k)*10 + 1, rects[i].y + 3, 8, 14}, dark)
				if share == 0 {
					cells += "."
					continue
				}
				cells += "#"
				if len(c.text) != 11 && math.Abs(extent.center().x-4) > 0.8 {
					t.Errorf("%s %d: the character of cell %d is at %v", shot.name, i, k, extent)
				}
			}
			_, dividers := shot.ink(rect{rects[i].x + 19, rects[i].y + 3, 2, 14}, dark3(red))
			if cells != c.cells || (dividers > 0) != c.dividers {
				t.Errorf("%s %d: got %s, dividers %.2f, want %s, %v", shot.name, i, cells, dividers, c.cells, c.dividers)
			}
		}
	}
}

// TestNoComb checks when text has no cells.
func TestNoComb(t *testing.T) {
	base := Look{Width: 100, Height: 20, BorderWidth: 1, Border: red, Comb: true, MaxLength: 10}
	for name, change := range map[string]func(*Look){
		"no maximum":   func(l *Look) { l.MaxLength = 0 },
		"negative":     func(l *Look) { l.MaxLength = -1 },
		"narrow cells": func(l *Look) { l.MaxLength = 101 },
		"many cells":   func(l *Look) { l.Width, l.MaxLength = 1e5, 1001 },
		"multiline":    func(l *Look) { l.Multiline = true },
		"password":     func(l *Look) { l.Password = true },
	} {
		stream, err := newSheet(1, 1).Text(base.with(change), "ab")
		if err != nil {
			t.Fatal(err)
		}
		if content := string(stream.Content); strings.Count(content, "BT") != 1 || strings.Contains(content, " l\n") {
			t.Errorf("%s: got %s", name, content)
		}
	}
}

func TestReorder(t *testing.T) {
	for text, want := range map[string]string{"": "", "ABC": "CBA", "AB12": "12BA", "A12B": "B12A", "A 1": " 1A", "1": "1"} {
		var cells []typeset.Line
		for _, r := range text {
			cells = append(cells, typeset.Line{Width: float64(r), RightToLeft: r >= 'A'})
		}
		reorder(cells)
		got := ""
		for _, c := range cells {
			got += string(rune(c.Width))
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
