package htmltext

// maxDepth is the maximum nesting of elements, the same as in browsers.
const maxDepth = 512

// element is an open element.
type element struct {
	name   string
	hidden bool
	list   *list
	// around is the output around a cell, nil for other elements.
	around *lines
	// cells holds the text of the cells of a row.
	cells []string
	// table says whether the element is a table that is read as a table.
	table bool
}

// stack holds the open elements, innermost last: those that matter, and all within hidden
// elements. The time to find one does not depend on the number of open elements, since
// pages may consist of tags only.
type stack struct {
	open []element
	// places holds the indexes in open of the elements by name.
	places map[string][]int
}

func (s *stack) push(e element) {
	s.places[e.name] = append(s.places[e.name], len(s.open))
	s.open = append(s.open, e)
}

// pop removes the innermost element and returns it.
func (s *stack) pop() element {
	last := len(s.open) - 1
	e := s.open[last]
	s.open = s.open[:last]
	s.places[e.name] = s.places[e.name][:len(s.places[e.name])-1]
	return e
}

// find returns the index in open of the innermost element with one of the names. It returns
// -1 if there is none, or an element named in until is within it.
func (s *stack) find(names, until []string) int {
	at := s.last(names)
	if at < 0 || at < s.last(until) {
		return -1
	}
	return at
}

// last returns the index of the innermost element with one of the names, or -1.
func (s *stack) last(names []string) int {
	at := -1
	for _, name := range names {
		if places := s.places[name]; len(places) > 0 {
			at = max(at, places[len(places)-1])
		}
	}
	return at
}

// within reports whether an element with the name is open in the same cell.
func (s *stack) within(name string) bool { return s.find([]string{name}, cells) >= 0 }

// hidden reports whether the current position is hidden.
func (s *stack) hidden() bool {
	return len(s.open) > 0 && s.open[len(s.open)-1].hidden
}
