package docx

import "unicode/utf8"

// utf8Checker checks that text is UTF-8. The text arrives in blocks, and a block may end
// in the middle of a character.
type utf8Checker struct {
	// begun holds the bytes of a character that continues in the next block.
	begun  [utf8.UTFMax]byte
	length int
}

// check reports whether the text up to the end of b is UTF-8, or a prefix of it.
func (c *utf8Checker) check(b []byte) bool {
	for c.length > 0 && len(b) > 0 {
		c.begun[c.length] = b[0]
		c.length, b = c.length+1, b[1:]
		if r := c.begun[:c.length]; utf8.FullRune(r) {
			if !utf8.Valid(r) {
				return false
			}
			c.length = 0
		}
	}
	whole := len(b) - unfinished(b)
	if whole < len(b) {
		c.length = copy(c.begun[:], b[whole:])
	}
	return utf8.Valid(b[:whole])
}

// pending reports whether the text ends in the middle of a character.
func (c *utf8Checker) pending() bool { return c.length > 0 }

// unfinished returns how many bytes at the end of b begin a character that b does not
// complete.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}
