package pattern

// MaxGroups is the maximum number of groups of words that Groups distinguishes.
const MaxGroups = 64

// tree finds words in a text, in one pass over its bytes. It is the automaton of Aho and Corasick,
// "Efficient String Matching" (1975).
type tree struct {
	// classes holds the class of each byte: 0 for those in no word.
	classes [256]uint16
	width   int
	// next holds for each state and class the next state; from finish on, the place of its row, with
	// the mark ended if a word ends there. State 0 is the first.
	next []uint32
}

// ended marks a row in which a word ends.
const ended = 1 << 31

// finish replaces states by the places of their rows.
func (t *tree) finish(ends func(state uint32) bool) {
	for i, state := range t.next {
		t.next[i] = state * uint32(t.width)
		if ends(state) {
			t.next[i] |= ended
		}
	}
}

// grow prepares an empty tree for the words of groups, and adds them. It calls added with each word's
// group and last state, and joined with each state and the state for the longest end of the same text
// that begins a word, nearest to the root first: what ends in that state ends in both.
func (t *tree) grow(groups [][]string, added func(group int, state uint32), joined func(state, end uint32)) {
	t.width = 1
	for _, words := range groups {
		for _, w := range words {
			for _, b := range []byte(w) {
				if t.classes[b] == 0 {
					t.classes[b] = uint16(t.width)
					t.width++
				}
			}
		}
	}
	t.addState()
	for i, words := range groups {
		for _, w := range words {
			added(i, t.add(w))
		}
	}
	t.link(joined)
}

// addState adds a state without transitions.
func (t *tree) addState() uint32 {
	t.next = append(t.next, make([]uint32, t.width)...)
	return uint32(len(t.next)/t.width - 1)
}

// add adds a word, and returns its last state.
func (t *tree) add(word string) uint32 {
	state := uint32(0)
	for _, b := range []byte(word) {
		at := int(state)*t.width + int(t.classes[b])
		if t.next[at] == 0 {
			added := t.addState()
			t.next[at] = added
		}
		state = t.next[at]
	}
	return state
}

// link completes the transitions: each state continues as the longest end of what it has read that
// begins a word.
func (t *tree) link(joined func(state, end uint32)) {
	suffix := make([]uint32, len(t.next)/t.width)
	for queue := []uint32{0}; len(queue) > 0; queue = queue[1:] {
		state := queue[0]
		joined(state, suffix[state])
		for class := range t.width {
			next, other := &t.next[int(state)*t.width+class], t.next[int(suffix[state])*t.width+class]
			switch {
			case *next == 0:
				*next = other
			case state == 0:
				queue = append(queue, *next)
			default:
				suffix[*next] = other
				queue = append(queue, *next)
			}
		}
	}
}

// Groups tells which groups of words occur in a text, in one pass over its bytes. It is immutable.
type Groups struct {
	tree
	// ends holds for each state the groups with a word that ends there.
	ends []uint64
}

// NewGroups returns the Groups for lists of words. A word can be any text. It panics if
// there are more than MaxGroups.
func NewGroups(groups ...[]string) *Groups {
	if len(groups) > MaxGroups {
		panic("pattern: too many groups of words")
	}
	g := &Groups{}
	ends := map[uint32]uint64{}
	g.grow(groups, func(group int, state uint32) { ends[state] |= 1 << group }, func(state, end uint32) { ends[state] |= ends[end] })
	g.ends = make([]uint64, len(g.next)/g.width)
	for state, groups := range ends {
		g.ends[state] = groups
	}
	g.finish(func(state uint32) bool { return g.ends[state] != 0 })
	return g
}

// IgnoreCase returns Groups that find the same words, which must be in lower case, in ASCII letters
// of either case.
func (g *Groups) IgnoreCase() *Groups {
	folded := *g
	for c := byte('A'); c <= 'Z'; c++ {
		folded.classes[c] = g.classes[c|0x20]
	}
	return &folded
}

// In returns the groups with a word in text: bit i stands for group i.
func (g *Groups) In(text string) uint64 {
	next, row, found := g.next, uint32(0), g.ends[0]
	for i := range len(text) {
		at := next[row+uint32(g.classes[text[i]])]
		row = at &^ ended
		if at != row {
			found |= g.ends[row/uint32(g.width)]
		}
	}
	return found
}
