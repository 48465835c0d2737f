// Package tabstop determines the tab stops and leaders of the tabs in a paragraph, from
// the paragraph's own properties and its style.
package tabstop

import (
	"maps"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Layout holds the properties of a paragraph that affect its tabs. Lengths are in
// twentieths of a point.
type Layout struct {
	// stops maps positions to tab stops. The map is never changed.
	stops map[int]Stop
	// left is where lines begin, and first where the first line begins.
	left, first int
	// Size is the font size in half-points.
	Size int
}

// Stop is a tab stop.
type Stop struct {
	Pos int
	// Align is the alignment of the text after the tab: "left", "right", "center" and so
	// on.
	Align string
	// Leader is the leader character's name, or "" for none.
	Leader string
}

// Word's defaults for a document that sets none, in twentieths of a point.
const (
	defaultStop = 720
	defaultLine = 9360
	defaultSize = 20
)

// with returns the layout with the changes that paragraph properties make.
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

// maxStops is the maximum number of tab stops of a paragraph in Word.
const maxStops = 64

// setStop adds the tab stop of a w:tab, or removes the stop that it clears.
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

// Sized returns the layout with the font size in the properties of a run.
func (l Layout) Sized(properties *etree.Element) Layout {
	if n := wml.Count(wml.Val(wml.Child(properties, "sz"))); n > 0 {
		l.Size = n
	}
	return l
}

// lengthOf returns the first of the attributes that e has, or else known.
func lengthOf(e *etree.Element, known int, keys ...string) int {
	for _, key := range keys {
		if v, ok := wml.Attr(e, key); ok {
			return wml.Count(v)
		}
	}
	return known
}

// Leads reports whether any tab of the layout can have a leader.
func (l Layout) Leads() bool {
	for _, s := range l.stops {
		if s.Leader != "" {
			return true
		}
	}
	return false
}
