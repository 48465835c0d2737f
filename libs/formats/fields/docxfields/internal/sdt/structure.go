package sdt

import "github.com/beevik/etree"

// Structure is the state shared by the controls of a part.
type Structure struct {
	// owned holds the sdt elements that are fields.
	owned map[*etree.Element]bool
	// holds records what is at or below each element that filling must consider.
	// Searching for it each time would be too slow for nested controls.
	holds map[*etree.Element]held
}

// NewStructure returns the structure of a part, without controls.
func NewStructure() *Structure {
	return &Structure{map[*etree.Element]bool{}, map[*etree.Element]held{}}
}

// Owns reports whether e is a control that is a field.
func (s *Structure) Owns(e *etree.Element) bool { return s.owned[e] }

// Own records that the control at sdt is a field, which stays when controls around it are
// emptied.
func (s *Structure) Own(sdt *etree.Element) {
	s.owned[sdt] = true
	s.note(sdt, holdsKept)
}

// Keep records that e stays when controls around it are emptied.
func (s *Structure) Keep(e *etree.Element) { s.note(e, holdsKept) }

// Mark records that e delimits a complex field.
func (s *Structure) Mark(e *etree.Element) { s.note(e, holdsMark) }

// held is the set of things at or below an element.
type held int

const (
	// holdsKept stands for a control of a field, or the end of a section.
	holdsKept held = 1 << iota
	// holdsMark stands for a delimiter of a complex field.
	holdsMark
)

// note records h for e and all of its ancestors.
func (s *Structure) note(e *etree.Element, h held) {
	for ; e != nil && s.holds[e]&h == 0; e = e.Parent() {
		s.holds[e] |= h
	}
}

// NoteMarks records the delimiters of complex fields at and below e, where no controls
// are searched for.
func (s *Structure) NoteMarks(e *etree.Element) {
	if e.Tag == "fldChar" || e.Tag == "instrText" {
		s.Mark(e)
	}
	for _, below := range e.ChildElements() {
		s.NoteMarks(below)
	}
}
