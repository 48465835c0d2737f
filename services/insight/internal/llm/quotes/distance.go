package quotes

import "slices"

// pattern computes edit distances between some letters and a text, 64 letters at a time.
// Insertions, deletions and substitutions count one each.
type pattern struct {
	letters []rune
	// masks holds, for each letter, where it occurs in the letters: one bit for each.
	masks map[rune][]uint64
	empty []uint64
}

func newPattern(letters []rune) *pattern {
	blocks := (len(letters) + 63) / 64
	p := &pattern{letters: letters, masks: map[rune][]uint64{}, empty: make([]uint64, blocks)}
	for i, r := range letters {
		m := p.masks[r]
		if m == nil {
			m = make([]uint64, blocks)
			p.masks[r] = m
		}
		m[i/64] |= 1 << (i % 64)
	}
	return p
}

// reversed returns the pattern of the letters in reverse order.
func (p *pattern) reversed() *pattern { return newPattern(reverse(p.letters)) }

func reverse(letters []rune) []rune {
	out := slices.Clone(letters)
	slices.Reverse(out)
	return out
}

// steps returns the number of steps to compare a text with n letters.
func (p *pattern) steps(n int) int { return 4 * n * len(p.empty) }

// closest returns the least distance of the pattern to a range of the text, and where the
// first such range ends. The range begins at the beginning of the text if fixed, and
// anywhere otherwise. Its last letters, as many as same, must be those of the pattern. The
// distance is that of an empty range if there is none.
func (p *pattern) closest(text []rune, fixed bool, same int) (distance, end int) {
	distance = len(p.letters)
	last := p.letters[len(p.letters)-same:]
	p.columns(text, fixed, func(column, d int) {
		if d < distance && column+1 >= same && slices.Equal(text[column+1-same:column+1], last) {
			distance, end = d, column+1
		}
	})
	return distance, end
}

// from returns the distance of the pattern to the whole text.
func (p *pattern) from(text []rune) (distance int) {
	distance = len(p.letters)
	p.columns(text, true, func(_, d int) { distance = d })
	return distance
}

// columns calls each with the distance of the pattern to a range of the text that ends
// with the column, for all columns. For fixed see closest.
func (p *pattern) columns(text []rune, fixed bool, each func(column, distance int)) {
	blocks := make([]block, len(p.empty))
	for i := range blocks {
		blocks[i] = block{up: ^uint64(0)}
	}
	distance, first := len(p.letters), 0
	if fixed {
		first = 1
	}
	last := uint64(1) << ((len(p.letters) - 1) % 64)
	for column, r := range text {
		eq := p.masks[r]
		if eq == nil {
			eq = p.empty
		}
		carry := first
		for i := range blocks {
			top := uint64(1) << 63
			if i == len(blocks)-1 {
				top = last
			}
			carry = blocks[i].next(eq[i], carry, top)
		}
		distance += carry
		each(column, distance)
	}
}

// block holds the vertical differences of 64 rows of the matrix of distances: where the
// next row is one more (up), and one less (down).
type block struct{ up, down uint64 }

// next moves the block to the next column. eq tells which letters are equal to that of the
// column, carry is the horizontal difference above the block, and the result that in the
// row of the top bit.
func (b *block) next(eq uint64, carry int, top uint64) int {
	x := eq | b.down
	if carry < 0 {
		eq |= 1
	}
	h := (((eq & b.up) + b.up) ^ b.up) | eq
	more, less := b.down|^(h|b.up), b.up&h
	out := 0
	if more&top != 0 {
		out = 1
	} else if less&top != 0 {
		out = -1
	}
	more, less = more<<1, less<<1
	if carry > 0 {
		more |= 1
	} else if carry < 0 {
		less |= 1
	}
	b.up, b.down = less|^(x|more), more&x
	return out
}
