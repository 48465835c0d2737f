package htmltext

// maxDepth is how deep elements may be nested, as in browsers.
const maxDepth = 512

// element is one that is open.
type element struct {
	name   string
	hidden bool
	list   *list
	// around is what the text of a cell will be a part of, nil if it is no cell.
	around *lines
	// cells are those of a row.
	cells []string
	// table is whether it is a table that is read as such.
	table bool
}

// stack is the elements that are open, the innermost last: those that matter, and
// all within what is not shown. It finds one in the same time however many are
// open, since pages may be nothing but tags.
type stack struct {
	open []element
	// places are the indexes in open of the elements of a name.
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

// find returns the index in open of the innermost element with one of the names, -1
// if there is none or one of until is within it.
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

// within reports whether an element of the name is open in the same cell.
func (s *stack) within(name string) bool { return s.find([]string{name}, cells) >= 0 }

// hidden reports whether what is read is not shown.
func (s *stack) hidden() bool {
	return len(s.open) > 0 && s.open[len(s.open)-1].hidden
}
