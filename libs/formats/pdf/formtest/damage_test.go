package formtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// damage is a way to damage a file.
type damage func(*rand.Rand, []byte) []byte

// damages are the ways to damage a file. The file that they get may be changed.
var damages = []damage{flip, flip, truncate, remove, number, number, huge, redirect, redirect, redirect, entry, nest, chain}

// damaged returns a copy of a file with up to four damages.
func damaged(random *rand.Rand, file []byte) []byte {
	b := slices.Clone(file)
	for range 1 + random.IntN(4) {
		b = damages[random.IntN(len(damages))](random, b)
	}
	return b
}

// flip changes some bytes.
func flip(random *rand.Rand, b []byte) []byte {
	for range 1 + random.IntN(20) {
		b[random.IntN(len(b))] ^= byte(1 + random.IntN(255))
	}
	return b
}

// truncate cuts off the end.
func truncate(random *rand.Rand, b []byte) []byte {
	return b[:len(b)-random.IntN(len(b)/2)]
}

// remove cuts out a part.
func remove(random *rand.Rand, b []byte) []byte {
	from := random.IntN(len(b))
	return slices.Delete(b, from, min(len(b), from+1+random.IntN(200)))
}

var (
	digits     = regexp.MustCompile(`[0-9]+`)
	references = regexp.MustCompile(`[0-9]+ 0 R`)
	structural = regexp.MustCompile(`/(Parent|Kids|Prev|Count|Length|Fields|Annots|AP|Rect|MediaBox|Root|Size|W|N|First|BBox|Matrix|FT|Opt|DA|V|P|Pages|Contents|Filter)\b`)
)

// pick returns one of the matches, or nil if there are none.
func pick(random *rand.Rand, pattern *regexp.Regexp, b []byte) []int {
	all := pattern.FindAllIndex(b, -1)
	if len(all) == 0 {
		return nil
	}
	return all[random.IntN(len(all))]
}

// number replaces a number by another one of the same length, so that offsets still hold.
func number(random *rand.Rand, b []byte) []byte {
	if at := pick(random, digits, b); at != nil {
		for i := at[0]; i < at[1]; i++ {
			b[i] = byte('0' + random.IntN(10))
		}
	}
	return b
}

// huge replaces a number by an extreme one.
func huge(random *rand.Rand, b []byte) []byte {
	extremes := []string{"-1", "0", "2147483647", "4294967296", "99999999999999999999", "1e38", "1.5", "null", "(x)"}
	if at := pick(random, digits, b); at != nil {
		return slices.Replace(b, at[0], at[1], []byte(extremes[random.IntN(len(extremes))])...)
	}
	return b
}

// redirect replaces a reference by another one, which makes loops in trees.
func redirect(random *rand.Rand, b []byte) []byte {
	at, other := pick(random, references, b), pick(random, references, b)
	if at == nil {
		return b
	}
	return slices.Replace(b, at[0], at[1], bytes.Clone(b[other[0]:other[1]])...)
}

// entry renames an entry of a dictionary.
func entry(random *rand.Rand, b []byte) []byte {
	if at := pick(random, structural, b); at != nil {
		b[at[0]+1] ^= 0x20 // the case of the first letter
	}
	return b
}

// nest puts nested objects where a value begins.
func nest(random *rand.Rand, b []byte) []byte {
	at := pick(random, structural, b)
	if at == nil {
		return b
	}
	return slices.Insert(b, at[1], []byte(strings.Repeat([]string{"[", "<<", "<</A", "("}[random.IntN(4)], 1<<(4+random.IntN(14))))...)
}

// chain appends a trailer whose previous cross-reference section is itself, or an arbitrary
// place.
func chain(random *rand.Rand, b []byte) []byte {
	at := len(b)
	prev := []int{at, at, random.IntN(at), -1}[random.IntN(4)]
	return fmt.Appendf(b, "xref\n0 1\n0000000000 65535 f \ntrailer\n<</Size %d/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", 1+random.IntN(100), prev, at)
}
