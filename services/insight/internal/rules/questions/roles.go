package questions

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
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
			all = append(all, evidence{Span: sentenceOf(d, def.Span), value: value, why: "The document calls this “" + def.Term + "”.", confidence: 0.85})
		}
	}
	return all
}

// Patterns for the texts before definitions, on one line.
var (
	// described matches where a name ends and a description of the party begins.
	described = regexp.MustCompile(`,?\s+(?:\(|(?:an?|with|having|whose|organi[sz]ed|incorporated|duly|located|of \d|acting|registered|company)\b).*|,\s+(?:An?|With|Having)\s.*`)
	leading   = regexp.MustCompile(`^(?i:by and between|between|among|and)\s+`)
	// unnamed matches a text that is no name.
	unnamed = regexp.MustCompile(`^[^\p{Lu}\d]|(?i)\b(?:agreement|contract|lease|parties|party|persons?|hereby|whereas|effective)\b|\[`)
)

// maxNames is the maximum number of parties in an answer.
const maxNames = 8

// namesIn returns the names of the parties that a sentence defines terms for: "A, B and
// C". It returns "" if there are not at least two, or one is unclear.
func namesIn(d *structure.Document, s layout.Span) string {
	var names []string
	for _, def := range d.Definitions {
		if !s.Overlaps(def.Span) || !parties.IsName(def) || notParty.MatchString(def.Term) {
			continue
		}
		name := leading.ReplaceAllString(strings.Trim(passage.Text(d, def.Span), " ,"), "")
		name = strings.Trim(described.ReplaceAllString(name, ""), " ,")
		if name == "" || unnamed.MatchString(name) || len(date.Find(name, 1)) > 0 || len(names) == maxNames {
			return ""
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		return ""
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// notParty matches a defined term that no party has.
var notParty = regexp.MustCompile(`(?i)\b(?:agreement|contract|lease|date|part(?:y|ies)|purpose|term|property|premises|services|products?)\b`)
