package parties

import (
	"regexp"

	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// How sentences name the parties: between these, or each with what it is called.
var (
	between = regexp.MustCompile(`\b(?i:between|among|amongst|by and with)\b[^;]{0,100}?[\p{Lu}\d“"\[_][^;]{3,800}?\b(?i:and|&)\b`)
	calling = regexp.MustCompile(`(?i)\b(?:hereinafter|hereafter)\b[^;]{0,60}\b(?:called|referred)\b|\(\s*(?:each )?(?:hereinafter )?(?:the )?["“]\pL`)
)

// ownDocument tells that it is this document of which a sentence speaks.
var ownDocument = regexp.MustCompile(`\b(?:this|the)\s+(?:[\w&'/,-]+\s+){0,8}(?:agreement|contract|lease|deed|license|licence|amendment|addendum|memorandum|letter|plan|note)\b|\bagreement\b`)

// namingReach is how much of the document's beginning says who its parties are, in
// bytes: sentences behind it speak of parties to other contracts.
const namingReach = 6000

// Named returns the sentence at the beginning that says between whom the
// document is, or else what its parties are called, or for whom is signed. An item is
// the name of one party, "" for a sentence that has those of all.
func Named(d *structure.Document) []finding.Found[string] {
	for _, how := range []struct {
		named      *regexp.Regexp
		confidence float64
	}{{between, 0.88}, {calling, 0.55}} {
		for _, s := range d.Sentences {
			if s.Start > namingReach {
				break
			}
			text := passage.Text(d, s.Span)
			if len(text) > 40 && ownDocument.MatchString(passage.Lower(text)) && how.named.MatchString(text) {
				return []finding.Found[string]{{Span: s.Span, Reasoning: "The sentence says between whom the document is.", Confidence: how.confidence}}
			}
		}
	}
	var all []finding.Found[string]
	for _, s := range d.Signatures {
		if party := written(d, s.Party); party != "" {
			all = append(all, finding.Found[string]{Item: party, Span: s.Party, Reasoning: "It is for this party that the document is signed.", Confidence: 0.6})
		}
	}
	return all
}
