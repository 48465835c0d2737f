package parties

import (
	"slices"
	"sort"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Blocks are the signature blocks of a document. They map fields to the signers that
// Signers returns, even if the client did not ask for signers.
type Blocks struct {
	doc *structure.Document
	// parts are in text order.
	parts []signingPart
	// longest is the length of the longest part in bytes.
	longest int
	signers []insightapi.Signer
}

// signingPart is part of a signer's block.
type signingPart struct {
	layout.Span
	signer int
}

// NewBlocks returns the signature blocks of d.
func NewBlocks(d *structure.Document) *Blocks {
	b := &Blocks{doc: d}
	all := signingsOf(d)
	for i, block := range all.blocks {
		for _, p := range block.Parts {
			b.parts = append(b.parts, signingPart{p, all.of[i]})
			b.longest = max(b.longest, p.Len())
		}
	}
	for _, f := range all.signers {
		b.signers = append(b.signers, f.Item)
	}
	slices.SortStableFunc(b.parts, func(x, y signingPart) int { return x.Start - y.Start })
	return b
}

// Sign sets the signer of a field to the one whose block contains s. If no block does, it
// returns false and does not change the field.
func (b *Blocks) Sign(f *insightapi.Field, s layout.Span) bool {
	signer, ok := b.signerOf(s)
	if ok {
		f.SignerIndex, f.SignerID = b.signers[signer].SignerIndex, b.signers[signer].SignerID
	}
	return ok
}

// signerOf returns the index of the signer whose block contains s: s is in a part of the
// block, or right after the label that ends a part, such as the empty cell beside
// "Name:". A span that crosses blocks belongs to none.
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

// maxOverlap is how many parts are checked for overlapping an offset.
const maxOverlap = 64

// at returns the signer of the part that contains an offset or ends at it. If parts
// overlap, the one that starts last wins.
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

// maxBeside is the maximum number of bytes between a label and its blank: white space and
// the line to write on.
const maxBeside = 64

// labelled returns the signer of the part that ends with a label right before offset.
func (b *Blocks) labelled(offset int) (int, bool) {
	before := b.doc.Text[max(0, offset-maxBeside):offset]
	label := strings.TrimRightFunc(before, func(r rune) bool { return space.Is(r) || r == '_' })
	if !strings.HasSuffix(label, ":") || strings.Count(before[len(label):], "\n") > 2 {
		return 0, false
	}
	return b.at(offset - (len(before) - len(label)) - 1)
}
