package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// multibyte stands for the class of a character that is not ASCII.
const multibyte = 255

// maxClasses is the maximum number of classes, including the end of the text.
const maxClasses = 250

// classes divides characters into classes that an expression does not distinguish.
type classes struct {
	// bytes holds the class of each ASCII character.
	bytes [256]uint8
	// starts holds the first character of each range of characters of one class, and
	// ranges the class.
	starts []rune
	ranges []uint8
	// samples holds a character of each class. The last is -1, for the end of the text.
	samples []rune
	count   uint32
	// sets holds the distinct sets of characters that instructions match, and members
	// which classes each contains. setOf holds the set of each instruction.
	sets    []*syntax.Inst
	members [][]bool
	setOf   []uint32
}

// newClasses returns the classes for a program, nil if there are too many.
func newClasses(prog *syntax.Prog) *classes {
	c := &classes{setOf: make([]uint32, len(prog.Inst))}
	c.findSets(prog)
	c.findStarts()
	if !c.divide() {
		return nil
	}
	c.samples = append(c.samples, -1)
	c.count = uint32(len(c.samples))
	for b := range c.bytes {
		c.bytes[b] = multibyte
		if b < utf8.RuneSelf {
			c.bytes[b] = uint8(c.of(rune(b)))
		}
	}
	for _, set := range c.sets {
		in := make([]bool, c.count)
		for class, r := range c.samples {
			in[class] = r >= 0 && set.MatchRune(r)
		}
		c.members = append(c.members, in)
	}
	return c
}

// divide puts each range of characters into a class. It reports false if there are too
// many classes.
func (c *classes) divide() bool {
	known := map[string]uint8{}
	for _, r := range c.starts {
		key := c.signature(r)
		class, ok := known[key]
		if !ok {
			if len(known) == maxClasses {
				return false
			}
			class = uint8(len(known))
			known[key] = class
			c.samples = append(c.samples, r)
		}
		c.ranges = append(c.ranges, class)
	}
	return true
}

// findSets finds the distinct sets of characters.
func (c *classes) findSets(prog *syntax.Prog) {
	known := map[string]uint32{}
	for pc := range prog.Inst {
		inst := &prog.Inst[pc]
		if !readsRune(inst) {
			continue
		}
		key := []byte{byte(inst.Arg)}
		for _, r := range inst.Rune {
			key = binary.LittleEndian.AppendUint32(key, uint32(r))
		}
		set, ok := known[string(key)]
		if !ok {
			set = uint32(len(c.sets))
			known[string(key)] = set
			c.sets = append(c.sets, inst)
		}
		c.setOf[pc] = set
	}
}

// readsRune reports whether an instruction reads a character.
func readsRune(inst *syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// findStarts finds the ranges of characters that no set and no boundary divides.
func (c *classes) findStarts() {
	add := func(first, last rune) { c.starts = append(c.starts, first, last+1) }
	c.starts = append(c.starts, 0)
	for _, r := range []rune{'\n', '_'} {
		add(r, r)
	}
	add('0', '9')
	add('A', 'Z')
	add('a', 'z')
	for _, set := range c.sets {
		if len(set.Rune) == 1 {
			add(set.Rune[0], set.Rune[0])
			for r := unicode.SimpleFold(set.Rune[0]); r != set.Rune[0]; r = unicode.SimpleFold(r) {
				add(r, r)
			}
			continue
		}
		for i := 0; i+1 < len(set.Rune); i += 2 {
			add(set.Rune[i], set.Rune[i+1])
		}
	}
	slices.Sort(c.starts)
	c.starts = slices.Compact(c.starts)
	c.starts = slices.DeleteFunc(c.starts, func(r rune) bool { return r > unicode.MaxRune })
}

// signature returns what an expression can know about a character.
func (c *classes) signature(r rune) string {
	key := make([]byte, 2, 2+len(c.sets))
	if syntax.IsWordChar(r) {
		key[0] = 1
	}
	if r == '\n' {
		key[1] = 1
	}
	for _, set := range c.sets {
		in := byte(0)
		if set.MatchRune(r) {
			in = 1
		}
		key = append(key, in)
	}
	return string(key)
}

// of returns the class of a character.
func (c *classes) of(r rune) uint32 {
	return uint32(c.ranges[sort.Search(len(c.starts), func(i int) bool { return c.starts[i] > r })-1])
}

// at returns the class of the character at a place of s, or of its end, and the number of its bytes.
func (c *classes) at(s string, i int) (class uint32, size int) {
	if i == len(s) {
		return c.end(), 1
	}
	if class := c.bytes[s[i]]; class != multibyte {
		return uint32(class), 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return c.of(r), size
}

// end returns the class of the end of the text.
func (c *classes) end() uint32 { return c.count - 1 }
