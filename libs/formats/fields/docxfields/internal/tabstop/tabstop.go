// Package tabstop tells where the tabs of a paragraph lead to, by its tab stops and
// those of its style, and what they are filled with.
package tabstop

import (
	"maps"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Layout is where the text of a paragraph stands, as far as its tabs depend on it.
// Lengths are in twentieths of a point.
type Layout struct {
	// stops are the tab stops by their positions. They are never changed.
	stops map[int]Stop
	// left is where lines begin, and first where the first one does.
	left, first int
	// Size is that of the font, in half-points.
	Size int
}

// Stop is where a tab leads to, and how.
type Stop struct {
	Pos int
	// Align is how what follows the tab stands at the stop: "left", "right",
	// "center" and so on.
	Align string
	// Leader is what the tab is filled with, "" for nothing.
	Leader string
}

// Lengths of Word where a document has none, in twentieths of a point.
const (
	defaultStop = 720
	defaultLine = 9360
	defaultSize = 20
)

// with returns the layout with what the properties of a paragraph change.
func (l Layout) with(properties *etree.Element) Layout {
	if properties == nil {
		return l
	}
	if indent := wml.Child(properties, "ind"); indent != nil {
		from := l.first - l.left
		l.left = lengthOf(indent, l.left, "left", "start")
		l.first = l.left + from
		if first, ok := wml.Attr(indent, "firstLine"); ok {
			l.first = l.left + wml.Count(first)
		}
		if hanging, ok := wml.Attr(indent, "hanging"); ok {
			l.first = l.left - wml.Count(hanging)
		}
	}
	if tabs := wml.Child(properties, "tabs"); tabs != nil {
		l.stops = maps.Clone(l.stops)
		if l.stops == nil {
			l.stops = map[int]Stop{}
		}
		for _, e := range tabs.ChildElements() {
			l.setStop(e)
		}
	}
	return l
}

// maxStops is how many tab stops a paragraph has at most: Word has no more.
const maxStops = 64

// setStop adds the stop of a w:tab, or removes the one that it clears.
func (l Layout) setStop(e *etree.Element) {
	v, _ := wml.Attr(e, "pos")
	s := Stop{Pos: wml.Count(v), Align: wml.Val(e)}
	switch s.Leader, _ = wml.Attr(e, "leader"); {
	case !wml.Is(e, "tab") || s.Align == "bar":
	case s.Align == "clear":
		delete(l.stops, s.Pos)
	case len(l.stops) < maxStops:
		if s.Leader == "none" {
			s.Leader = ""
		}
		l.stops[s.Pos] = s
	}
}

// Sized returns the layout with the size of the font in the properties of a run.
func (l Layout) Sized(properties *etree.Element) Layout {
	if n := wml.Count(wml.Val(wml.Child(properties, "sz"))); n > 0 {
		l.Size = n
	}
	return l
}

// lengthOf returns the first of the attributes that e has, otherwise what was
// known.
func lengthOf(e *etree.Element, known int, keys ...string) int {
	for _, key := range keys {
		if v, ok := wml.Attr(e, key); ok {
			return wml.Count(v)
		}
	}
	return known
}

// Leads reports whether a tab of the layout can be filled with anything.
func (l Layout) Leads() bool {
	for _, s := range l.stops {
		if s.Leader != "" {
			return true
		}
	}
	return false
}
