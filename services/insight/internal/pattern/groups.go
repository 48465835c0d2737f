package pattern

// MaxGroups is the maximum number of groups of words that Groups distinguishes.
const MaxGroups = 64

// tree finds words in a text, in one pass over its bytes. It is the automaton of Aho and Corasick,
// "Efficient String Matching" (1975), and is immutable.
type tree struct {
	// classes holds the class of each byte: 0 for those in no word.
	classes [256]uint16
	width   int
	// next holds a row for each state, and in it for each class the offset of the row of the next
	// state, marked with ended if a word ends there. The first state has the first row.
	next []uint32
}

// ended marks the row of a state in which a word ends.
const ended = 1 << 31

// newTree returns the tree for groups of words. groupsAt holds for each state the groups with a word
// that ends there.
func newTree(groups [][]string) (t tree, groupsAt [][]int) {
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
	groupsAt = make([][]int, 1)
	for i, words := range groups {
		for _, w := range words {
			state := t.add(w)
			groupsAt = append(groupsAt, make([][]int, len(t.next)/t.width-len(groupsAt))...)
			groupsAt[state] = append(groupsAt[state], i)
		}
	}
	t.link(groupsAt)
	for i, state := range t.next {
		t.next[i] = state * uint32(t.width)
		if groupsAt[state] != nil {
			t.next[i] |= ended
		}
	}
	return t, groupsAt
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

// link completes the transitions: each state continues as the longest suffix of what it has read that
// begins a word. Words that end in the state of that suffix end in the state, too.
func (t *tree) link(groupsAt [][]int) {
	suffix := make([]uint32, len(groupsAt))
	for queue := []uint32{0}; len(queue) > 0; queue = queue[1:] {
		state := queue[0]
		if state != 0 {
			groupsAt[state] = append(groupsAt[state], groupsAt[suffix[state]]...)
		}
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
	// found holds for each state the groups with a word that ends there.
	found []uint64
}

// NewGroups returns the Groups for lists of words. A word can be any text. It panics if
// there are more than MaxGroups.
func NewGroups(groups ...[]string) *Groups {
	if len(groups) > MaxGroups {
		panic("pattern: too many groups of words")
	}
	t, groupsAt := newTree(groups)
	found := make([]uint64, len(groupsAt))
	for state, list := range groupsAt {
		for _, group := range list {
			found[state] |= 1 << group
		}
	}
	return &Groups{t, found}
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
	next, row, found := g.next, uint32(0), g.found[0]
	for i := range len(text) {
		at := next[row+uint32(g.classes[text[i]])]
		row = at &^ ended
		if at != row {
			found |= g.found[row/uint32(g.width)]
		}
	}
	return found
}
