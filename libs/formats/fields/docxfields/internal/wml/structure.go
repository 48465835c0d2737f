package wml

import (
	"strings"

	"github.com/beevik/etree"
)

// IsProperties reports whether e holds the properties of its parent.
func IsProperties(e *etree.Element) bool {
	return strings.HasSuffix(e.Tag, "Pr") && IsElement(e) || Is(e, "tblGrid")
}

// IsMarker reports whether e marks the beginning or end of a range that may extend beyond
// the control: a bookmark, a comment, a permission or moved text.
func IsMarker(e *etree.Element) bool {
	return (strings.HasPrefix(e.Tag, "bookmark") || strings.HasPrefix(e.Tag, "perm") ||
		strings.HasSuffix(e.Tag, "RangeStart") || strings.HasSuffix(e.Tag, "RangeEnd")) && IsElement(e)
}

// IsDeleted reports whether e contains text that a tracked change deletes or moves
// elsewhere, which only reviewers see.
func IsDeleted(e *etree.Element) bool {
	switch e.Tag {
	case "del", "moveFrom":
		return IsElement(e)
	case "tr":
		return Child(Child(e, "trPr"), "del") != nil
	}
	return false
}

// Above returns the nearest WordprocessingML ancestor of e called tag, or nil if there is
// none in the same story.
func Above(e *etree.Element, tag string) *etree.Element {
	for e = e.Parent(); e != nil && e.Tag != "txbxContent"; e = e.Parent() {
		if Is(e, tag) {
			return e
		}
	}
	return nil
}

// Cells appends the cells of a row, including those within controls.
func Cells(e *etree.Element, found []*etree.Element) []*etree.Element {
	for _, c := range e.ChildElements() {
		if Is(c, "tc") {
			found = append(found, c)
		} else if Is(c, "sdt") || Is(c, "sdtContent") || Is(c, "customXml") {
			found = Cells(c, found)
		}
	}
	return found
}

// Branches returns the first mc:Choice and the mc:Fallback of an mc:AlternateContent, at
// most one of each. If only one of them exists it is returned as choice.
func Branches(e *etree.Element) (choice, fallback []*etree.Element) {
	for _, c := range e.ChildElements() {
		switch {
		case Named(c, SpaceCompatibility, "Choice") && choice == nil:
			choice = []*etree.Element{c}
		case Named(c, SpaceCompatibility, "Fallback"):
			fallback = []*etree.Element{c}
		}
	}
	if choice == nil {
		return fallback, nil
	}
	return choice, fallback
}

// RemoveChild removes the WordprocessingML child called tag from e.
func RemoveChild(e *etree.Element, tag string) {
	if c := Child(e, tag); c != nil {
		c.Remove()
	}
}

// DropByTag removes the children called tag in any namespace. It is for copies, which are
// not in a tree yet, so their namespace is unknown.
func DropByTag(e *etree.Element, tag string) {
	for _, c := range e.ChildElements() {
		if c.Tag == tag && c.Space == e.Space {
			c.Remove()
		}
	}
}
