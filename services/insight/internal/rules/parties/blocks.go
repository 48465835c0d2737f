package parties

import (
	"slices"
	"sort"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Blocks are the signature blocks of a document, in which fields are looked up. The
// signers are those of Signers, also where nobody asks for these.
type Blocks struct {
	doc *structure.Document
	// parts are in the order of the text.
	parts []signingPart
	// longest is how many bytes the longest part has.
	longest int
	signers []insightapi.Signer
}

// signingPart is a piece of the block of a signer.
type signingPart struct {
	layout.Span
	signer int
}

// NewBlocks returns the signature blocks of d.
func NewBlocks(d *structure.Document) *Blocks {
	b := &Blocks{doc: d}
	eachSigner(d, func(s structure.Signature, f finding.Found[insightapi.Signer]) {
		for _, p := range s.Parts {
			b.parts = append(b.parts, signingPart{p, len(b.signers)})
			b.longest = max(b.longest, p.Len())
		}
		b.signers = append(b.signers, f.Item)
	})
	slices.SortStableFunc(b.parts, func(x, y signingPart) int { return x.Start - y.Start })
	return b
}

// Sign names in a field the signer in whose block s stands. It reports false, and
// leaves the field as it is, where s stands in none.
func (b *Blocks) Sign(f *insightapi.Field, s layout.Span) bool {
	signer, ok := b.signerOf(s)
	if ok {
		f.SignerIndex, f.SignerID = b.signers[signer].SignerIndex, b.signers[signer].SignerID
	}
	return ok
}

// signerOf returns the index of the signer in whose block s stands: in a part of it,
// or right behind the label that a part ends with, as in the empty cell beside
// "Name:". What reaches from one block into another belongs to neither.
func (b *Blocks) signerOf(s layout.Span) (int, bool) {
	if s.Start < 0 || s.End > len(b.doc.Text) || s.Start > s.End {
		return 0, false
	}
	first, ok := b.at(s.Start)
	if !ok {
		return b.labelled(s.Start)
	}
	if s.Len() == 0 {
		return first, true
	}
	last, within := b.at(s.End - 1)
	return first, !within || last == first
}

// maxOverlap is how many parts are looked at that may reach over an offset.
const maxOverlap = 64

// at returns the signer of the part in which an offset lies, or at whose end. Where
// parts overlap it is the one that begins last.
func (b *Blocks) at(offset int) (int, bool) {
	i := sort.Search(len(b.parts), func(i int) bool { return b.parts[i].Start > offset })
	end, found, least := 0, false, max(0, i-maxOverlap)
	for i--; i >= least && b.parts[i].Start+b.longest >= offset; i-- {
		switch p := b.parts[i]; {
		case offset < p.End || offset == p.Start:
			return p.signer, true
		case offset == p.End && !found:
			end, found = p.signer, true
		}
	}
	return end, found
}

// maxBeside is how many bytes are between a label and its blank at most: white space,
// and the line to write on.
const maxBeside = 64

// labelled returns the signer of the part that ends with the label right before an
// offset.
func (b *Blocks) labelled(offset int) (int, bool) {
	before := b.doc.Text[max(0, offset-maxBeside):offset]
	label := strings.TrimRightFunc(before, func(r rune) bool { return space.Is(r) || r == '_' })
	if !strings.HasSuffix(label, ":") || strings.Count(before[len(label):], "\n") > 2 {
		return 0, false
	}
	return b.at(offset - (len(before) - len(label)) - 1)
}
