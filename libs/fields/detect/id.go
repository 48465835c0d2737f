package detect

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/fields"
)

// hashDigits is how many hexadecimal digits of the hash are in an id.
const hashDigits = 12

// identify gives every blank its id. A blank is known by its kind, its label and
// the words of its paragraph, so that edits elsewhere do not change its id; equal
// ones are numbered.
func (d *document) identify() {
	seen := make(map[string]int, len(d.found))
	contexts := make(map[int][sha256.Size]byte)
	for i := range d.found {
		b := &d.found[i]
		context, ok := contexts[b.Paragraph]
		if !ok {
			context = sha256.Sum256([]byte(squeeze(d.paragraphs[b.Paragraph].Text)))
			contexts[b.Paragraph] = context
		}
		hash := Hash(b.Kind, b.Label, context[:])
		seen[hash]++
		b.ID = ID(hash, seen[hash])
	}
}

// Hash returns what ids of blanks are known by.
func Hash(kind Kind, label string, context []byte) string {
	h := sha256.New()
	h.Write([]byte(string(kind) + "\x00" + squeeze(label) + "\x00"))
	h.Write(context)
	return hex.EncodeToString(h.Sum(nil))[:hashDigits]
}

// ID returns the id of the nth blank with the hash.
func ID(hash string, n int) string {
	return fields.IDPrefix + hash + "-" + strconv.Itoa(n)
}

// squeeze returns s with every run of white space as one space, and none at its
// ends.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
