package parties

import (
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Sentences that name the parties: "between A and B", or each party with its defined
// term.
var (
	between = regexp.MustCompile(`\b(?i:between|among|amongst|by and with)\b[^;]{0,100}?[\p{Lu}\d“"\[_][^;]{3,800}?\b(?i:and|&)\b`)
	calling = regexp.MustCompile(`(?i)\b(?:hereinafter|hereafter)\b[^;]{0,60}\b(?:called|referred)\b|\(\s*(?:each )?(?:hereinafter )?(?:the )?["“]\pL`)
)

// ownDocument matches a sentence about this document rather than another one.
var ownDocument = regexp.MustCompile(`\b(?:this|the)\s+(?:[\w&'/,-]+\s+){0,8}(?:agreement|contract|lease|deed|license|licence|amendment|addendum|memorandum|letter|plan|note)\b|\bagreement\b`)

// namingReach is how many bytes at the beginning of the document are searched for the
// parties. Later sentences name the parties to other contracts.
const namingReach = 6000

// Named returns the sentence near the beginning that names the parties, or else the one
// that defines what they are called, or else the parties in the signature blocks. An item
// is the name of one party, or "" for a sentence that names them all.
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
				return []finding.Found[string]{{Span: s.Span, Reasoning: "The sentence names the parties to the document.", Confidence: how.confidence}}
			}
		}
	}
	var all []finding.Found[string]
	for _, s := range d.Signatures {
		if party := written(d, s.Party); party != "" {
			all = append(all, finding.Found[string]{Item: party, Span: s.Party, Reasoning: "A signature block names this party.", Confidence: 0.6})
		}
	}
	return all
}
