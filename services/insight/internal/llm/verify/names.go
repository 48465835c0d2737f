package verify

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/title"
)

// title returns the text of the quote as a title.
func (r *reader) title(_ prompts.Title, s layout.Span, confidence float64) (finding.Found[insightapi.Title], bool) {
	item, ok := title.Named(r.doc, s)
	return found(item, s, confidence), ok
}

// kind returns the kind of the document, whose words must all be in the quote.
func (r *reader) kind(t prompts.Type, s layout.Span, confidence float64) (finding.Found[insightapi.TypeName], bool) {
	have := map[string]bool{}
	for _, w := range wordsOf(passage.Text(r.doc, s)) {
		have[w.lower] = true
	}
	name := ""
	if len(t.Type) <= maxField {
		for _, w := range wordsOf(t.Type) {
			if !have[w.lower] {
				return finding.Found[insightapi.TypeName]{}, false
			}
			name += w.lower + " "
		}
	}
	item, ok := title.KindNamed(s, name)
	return found(item, s, confidence), ok
}

// signer returns the person whose name is in the quote. The role and the party must be in
// the quote or in the signature block around it; without them the signer has none.
func (r *reader) signer(p prompts.Signer, s layout.Span, confidence float64) (finding.Found[insightapi.Signer], bool) {
	name, ok := phrase(r.doc, s, p.Name)
	if !ok {
		return finding.Found[insightapi.Signer]{}, false
	}
	item, ok := parties.Person(r.doc, name, r.beside(s, p.Role), r.beside(s, p.Party))
	return found(item, name, confidence), ok
}

// beside returns where some words are in a quote or in a signature block that it is part
// of, an empty span if they are in neither.
func (r *reader) beside(s layout.Span, words string) layout.Span {
	if at, ok := phrase(r.doc, s, words); ok {
		return at
	}
	for _, block := range r.doc.Signatures {
		if !block.Overlaps(s) {
			continue
		}
		if at, ok := phrase(r.doc, passage.Cut(r.doc.Text, block.Span), words); ok {
			return at
		}
	}
	return layout.Span{}
}
