package detect

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
)

// hashDigits is how many hexadecimal digits of the hash are in an id.
const hashDigits = 12

// identify gives every blank its id. A blank is known by its kind, its own text
// and that of its paragraph, so that edits elsewhere do not change its id; equal
// ones are numbered. In a paragraph without words the label from around it counts.
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

// context is what the paragraphs of blanks are known by.
type context struct {
	hash [sha256.Size]byte
	// words says that the paragraph has any.
	words bool
}

// Hash returns what ids of blanks are known by: their kind, their own text, and
// what stands for the text of their paragraph.
func Hash(kind Kind, own string, context []byte) string {
	h := sha256.New()
	h.Write([]byte(string(kind) + "\x00" + drawn(own) + "\x00"))
	h.Write(context)
	return hex.EncodeToString(h.Sum(nil))[:hashDigits]
}

// ID returns the id of the nth blank with the hash.
func ID(hash string, n int) string {
	return fields.IDPrefix + hash + "-" + strconv.Itoa(n)
}

// collapseSpaces returns s with every run of white space as one space, and none at
// its ends.
func collapseSpaces(s string) string { return strings.Join(strings.Fields(s), " ") }

// drawn returns s with its spaces collapsed, with lines to write on as one
// underscore or three dots, however long they were drawn, and all boxes as empty
// ones: a blank of boxes is the same when some are ticked.
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

// unticked returns s with the boxes that brackets are as empty ones.
func unticked(s string) string {
	return strings.NewReplacer("[x]", "[]", "[X]", "[]", "[ ]", "[]", "(x)", "()", "(X)", "()", "( )", "()").Replace(s)
}
