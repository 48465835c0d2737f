package ground

import "unicode/utf8"

// stride is how many bytes of the text are between two entries of an index.
const stride = 1024

// index holds how many characters begin before each multiple of stride bytes, so
// that a place is found without reading the text up to it.
type index []int

// indexOf returns the index of text.
func indexOf(text string) index {
	idx := make(index, 0, len(text)/stride+1)
	count := 0
	for at := range len(text) {
		if at%stride == 0 {
			idx = append(idx, count)
		}
		if utf8.RuneStart(text[at]) {
			count++
		}
	}
	return idx
}

// runes returns how many characters of text begin before offset.
func (idx index) runes(text string, offset int) int {
	if len(idx) == 0 {
		return 0
	}
	entry := min(offset/stride, len(idx)-1)
	count := idx[entry]
	for at := entry * stride; at < offset; at++ {
		if utf8.RuneStart(text[at]) {
			count++
		}
	}
	return count
}
