package questions

import (
	"regexp"
	"strings"

	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// whoIs matches a question about who has a role, such as "who is the landlord".
var whoIs = regexp.MustCompile(`\b(?:who(?:'s| is| are)|names? of|identity of|which (?:company|entity|person|party) is) (?:the )?([a-z][a-z -]{2,40}?)(?: (?:in|of|under|to|for) (?:the|this)\b.*)?\s*\??$`)

// roles returns the parties that the document defines for the role in a question in lower
// case: "Alder Works, Inc." for "who is the landlord". It returns none for other
// questions.
func roles(d *structure.Document, text string) []evidence {
	m := whoIs.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	var all []evidence
	for _, def := range d.Definitions {
		if !strings.EqualFold(def.Term, m[1]) || !parties.IsName(def) {
			continue
		}
		if value := strings.Trim(passage.Text(d, def.Span), " ,"); value != "" {
			all = append(all, evidence{Span: def.Span, value: value, why: "The document calls this “" + def.Term + "”.", confidence: 0.85})
		}
	}
	return all
}
