package drawing

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// spaceShape is the namespace of VML, the drawing format of older versions of Word.
const spaceShape = "urn:schemas-microsoft-com:vml"

// shapeBox returns the size of the first shape below a w:pict that has one. known is
// false if there is none.
func shapeBox(pict *etree.Element) (box Extent, known bool) {
	for _, e := range pict.ChildElements() {
		if e.NamespaceURI() != spaceShape || e.Tag == "shapetype" {
			continue
		}
		style := e.SelectAttrValue("style", "")
		box = Extent{styleLength(style, "width"), styleLength(style, "height")}
		if box.cx > 0 && box.cy > 0 {
			return box, true
		}
		if box, known = shapeBox(e); known {
			return box, true
		}
	}
	return DefaultBox(), false
}

// styleLength returns the length of a property in a VML style, which has the syntax of
// CSS. It returns 0 if there is none that is valid for a drawing.
func styleLength(style, property string) int64 {
	for declaration := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(declaration, ":")
		if !strings.EqualFold(strings.TrimSpace(name), property) {
			continue
		}
		value = strings.ToLower(strings.TrimSpace(value))
		digits := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz% ")
		n, err := strconv.ParseFloat(digits, 64)
		size := n * unitSize(strings.TrimSpace(value[len(digits):]))
		if err != nil || !(size >= 1 && size <= maxExtent) {
			return 0
		}
		return int64(size)
	}
	return 0
}

// unitSize returns a unit of length in English Metric Units, or 0 if it is unknown. A
// number without a unit is in pixels.
func unitSize(unit string) float64 {
	switch unit {
	case "pt":
		return inch / 72.0
	case "in":
		return inch
	case "cm":
		return inch / 2.54
	case "mm":
		return inch / 25.4
	case "pc", "pi":
		return inch / 6.0
	case "px", "":
		return inch / 96.0
	}
	return 0
}
