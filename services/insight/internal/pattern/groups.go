package pattern

// MaxGroups is the maximum number of groups of words that Groups distinguishes.
const MaxGroups = 64

// Groups tells which groups of words occur in a text, in one pass over its bytes. It is the
// automaton of Aho and Corasick, "Efficient String Matching" (1975), and is immutable.
type Groups struct {
	// classes holds the class of each byte: 0 for those in no word.
	classes [256]uint16
	width   int
	// next holds for each state and class the next state, and ends the groups with a word
	// that ends in a state.
	next []uint32
	ends []uint64
}

// NewGroups returns the Groups for lists of words. A word can be any text. It panics if
// there are more than MaxGroups.
func NewGroups(groups ...[]string) *Groups {
	if len(groups) > MaxGroups {
		panic("pattern: too many groups of words")
	}
	g := &Groups{width: 1}
	for _, words := range groups {
		for _, w := range words {
			for _, b := range []byte(w) {
				if g.classes[b] == 0 {
					g.classes[b] = uint16(g.width)
					g.width++
				}
			}
		}
	}
	g.addState()
	for i, words := range groups {
		for _, w := range words {
			g.add(w, 1<<i)
		}
	}
	g.link()
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

// addState adds a state without transitions.
func (g *Groups) addState() uint32 {
	g.next = append(g.next, make([]uint32, g.width)...)
	g.ends = append(g.ends, 0)
	return uint32(len(g.ends) - 1)
}

// add adds a word to the tree of words.
func (g *Groups) add(word string, group uint64) {
	state := uint32(0)
	for _, b := range []byte(word) {
		at := int(state)*g.width + int(g.classes[b])
		if g.next[at] == 0 {
			added := g.addState()
			g.next[at] = added
		}
		state = g.next[at]
	}
	g.ends[state] |= group
}

// link completes the transitions of the tree: each state continues as the longest end of
// what it has read that begins a word.
func (g *Groups) link() {
	suffix := make([]uint32, len(g.ends))
	for queue := []uint32{0}; len(queue) > 0; queue = queue[1:] {
		state := queue[0]
		g.ends[state] |= g.ends[suffix[state]]
		for class := range g.width {
			next, other := &g.next[int(state)*g.width+class], g.next[int(suffix[state])*g.width+class]
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

// In returns the groups with a word in text: bit i stands for group i.
func (g *Groups) In(text string) uint64 {
	state, found := uint32(0), g.ends[0]
	for i := range len(text) {
		state = g.next[int(state)*g.width+int(g.classes[text[i]])]
		found |= g.ends[state]
	}
	return found
}
