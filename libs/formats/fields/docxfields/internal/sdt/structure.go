package sdt

import "github.com/beevik/etree"

// Structure is what the controls of a part have to know of each other.
type Structure struct {
	// owned are the sdt elements that are fields.
	owned map[*etree.Element]bool
	// holds tells what is at or below elements that a filled control has to know
	// of: to look for it each time would take too long where controls are nested.
	holds map[*etree.Element]held
}

// NewStructure returns the structure of a part without controls.
func NewStructure() *Structure {
	return &Structure{map[*etree.Element]bool{}, map[*etree.Element]held{}}
}

// Owns reports whether e is a control that is a field.
func (s *Structure) Owns(e *etree.Element) bool { return s.owned[e] }

// Own notes that the control at sdt is a field, which stays where others are emptied.
func (s *Structure) Own(sdt *etree.Element) {
	s.owned[sdt] = true
	s.note(sdt, holdsKept)
}

// Keep notes that e stays where controls are emptied.
func (s *Structure) Keep(e *etree.Element) { s.note(e, holdsKept) }

// Mark notes that e is a mark of a complex field.
func (s *Structure) Mark(e *etree.Element) { s.note(e, holdsMark) }

// held is what is at or below an element: several of these.
type held int

const (
	// holdsKept is a control of a field, or the end of a section.
	holdsKept held = 1 << iota
	// holdsMark is a mark of a complex field.
	holdsMark
)

// note notes what e is, for it and all that it is in.
func (s *Structure) note(e *etree.Element, h held) {
	for ; e != nil && s.holds[e]&h == 0; e = e.Parent() {
		s.holds[e] |= h
	}
}

// NoteMarks notes the marks of complex fields at and below e, in which no controls
// are looked for.
func (s *Structure) NoteMarks(e *etree.Element) {
	if e.Tag == "fldChar" || e.Tag == "instrText" {
		s.Mark(e)
	}
	for _, below := range e.ChildElements() {
		s.NoteMarks(below)
	}
}
