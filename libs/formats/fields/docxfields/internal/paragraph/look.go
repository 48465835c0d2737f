package paragraph

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// looks records the look of a run from its own properties.
func (r *runReader) looks(properties *etree.Element, start, end int) {
	if properties == nil || start == end {
		return
	}
	if u := wml.Child(properties, "u"); u != nil && wml.Val(u) != "none" && wml.Val(u) != "" {
		r.p.marks = append(r.p.marks, detect.Mark{Start: start, End: end, Look: detect.Underlined})
	}
	if emphasized(properties) {
		r.p.marks = append(r.p.marks, detect.Mark{Start: start, End: end, Look: detect.Emphasized})
	}
}

// emphasized reports whether a run is highlighted, shaded or colored.
func emphasized(properties *etree.Element) bool {
	if h := wml.Val(wml.Child(properties, "highlight")); h != "" && h != "none" && h != "white" {
		return true
	}
	if fill, _ := wml.Attr(wml.Child(properties, "shd"), "fill"); fill != "" && fill != "auto" && !strings.EqualFold(fill, "ffffff") {
		return true
	}
	switch c := strings.ToLower(wml.Val(wml.Child(properties, "color"))); c {
	case "", "auto", "000000", "ffffff":
		return false
	default:
		return !gray(c)
	}
}

// gray reports whether a color has hardly any hue. Ordinary text is often dark gray.
func gray(color string) bool {
	if len(color) != 6 {
		return true
	}
	r, g, b := channel(color[:2]), channel(color[2:4]), channel(color[4:])
	return max(r, g, b)-min(r, g, b) < 0x30
}

// channel returns the value of two hexadecimal digits.
func channel(s string) int {
	n := 0
	for _, c := range s {
		n = n*16 + max(0, strings.IndexRune("0123456789abcdef", c))
	}
	return n
}
