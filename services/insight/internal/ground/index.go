package ground

import "unicode/utf8"

// stride is the distance between two entries of an index, in bytes of text.
const stride = 1024

// index holds the number of characters that begin before each multiple of stride bytes, so
// that offsets can be converted without reading all text before them.
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

// runes returns the number of characters of text that begin before offset.
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
