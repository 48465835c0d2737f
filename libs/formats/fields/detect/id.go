package detect

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
)

// hashDigits is the number of hexadecimal digits of the hash in an ID.
const hashDigits = 12

// identify gives every blank its ID. The ID depends on the blank's kind, its own text and
// the text of its paragraph, so that edits elsewhere do not change it; equal blanks are
// numbered. In a paragraph without words, the label from the surrounding text counts
// instead.
func (d *document) identify() {
	seen := make(map[string]int, len(d.found))
	contexts := make(map[int]*context)
	for i := range d.found {
		b := &d.found[i]
		c := contexts[b.Paragraph]
		if c == nil {
			text := d.paragraphs[b.Paragraph].Text
			c = &context{sha256.Sum256([]byte(drawn(text))), hasLetter(text)}
			contexts[b.Paragraph] = c
		}
		own := b.Label
		if c.words {
			own = d.paragraphs[b.Paragraph].Text[b.Start:b.End]
		}
		hash := Hash(b.Kind, own, c.hash[:])
		seen[hash]++
		b.ID = ID(hash, seen[hash])
	}
}

// context identifies the paragraph of a blank.
type context struct {
	hash [sha256.Size]byte
	// words reports whether the paragraph contains words.
	words bool
}

// Hash returns the hash in the IDs of blanks with the given kind, own text and paragraph
// context.
func Hash(kind Kind, own string, context []byte) string {
	h := sha256.New()
	h.Write([]byte(string(kind) + "\x00" + drawn(own) + "\x00"))
	h.Write(context)
	return hex.EncodeToString(h.Sum(nil))[:hashDigits]
}

// ID returns the ID of the nth blank with the hash.
func ID(hash string, n int) string {
	return fields.IDPrefix + hash + "-" + strconv.Itoa(n)
}

// collapseSpaces trims s and replaces every run of white space with one space.
func collapseSpaces(s string) string { return strings.Join(strings.Fields(s), " ") }

// drawn normalizes s for hashing: it collapses spaces, shortens fill-in lines of any
// length to one underscore or three dots, and replaces all boxes with empty ones, so that
// ticking a box does not change the ID.
func drawn(s string) string {
	var out strings.Builder
	var last rune
	run := 0
	for _, c := range unticked(collapseSpaces(s)) {
		if strings.ContainsRune(tickedBoxes+emptyBoxes, c) {
			c = '☐'
		}
		if c != last {
			last, run = c, 0
		}
		if run++; c == '_' && run > 1 || c == '.' && run > 3 || c == '…' && run > 1 {
			continue
		}
		out.WriteRune(c)
	}
	return out.String()
}

// unticked returns s with all bracketed boxes empty.
func unticked(s string) string {
	return strings.NewReplacer("[x]", "[]", "[X]", "[]", "[ ]", "[]", "(x)", "()", "(X)", "()", "( )", "()").Replace(s)
}
