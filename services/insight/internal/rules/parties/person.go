package parties

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
)

// Person returns the person named at a span as a signer, without index and id. title and
// party are where their capacity is written, empty for unknown; the signature block with
// this name, if there is one, takes precedence. It returns false if the text at the span
// does not look like a person's name.
func Person(d *structure.Document, name, title, party layout.Span) (insightapi.Signer, bool) {
	item := insightapi.Signer{SignerFullName: written(d, name)}
	item.FirstName, item.LastName = splitName(item.SignerFullName)
	as := written(d, title)
	if block, ok := blockNaming(d, name); ok {
		as = cmp.Or(titleOf(d, block), as)
		if block.Party.Len() > 0 {
			party = block.Party
		}
		if email := written(d, block.Email); strings.Contains(email, "@") {
			item.Email = &email
		}
	}
	item.SignerRole = role(as, written(d, party))
	return item, signature.Personal(withoutParticles(item.SignerFullName))
}

// withoutParticles returns a name without the particles, which are not capitalized.
func withoutParticles(name string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(name), func(w string) bool { return particles[w] }), " ")
}

// blockNaming returns the signature block whose name is at a span.
func blockNaming(d *structure.Document, name layout.Span) (structure.Signature, bool) {
	for _, s := range d.Signatures {
		if s.Name.Len() > 0 && s.Name.Overlaps(name) {
			return s, true
		}
	}
	return structure.Signature{}, false
}
