package law

import (
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// site matches subjects of contracts that have a location.
const site = `(?:project|premises|property|properties|land|building|buildings|site|works?|unit|house|flat|apartment|dwelling|facility|equipment|goods)`

// Patterns for the law of the place where something is, on one line.
var (
	// siteLaw matches the law of the place where the subject of the contract is, as builders
	// and landlords choose it without a name.
	siteLaw = regexp.MustCompile(`\blaws?\s+(?:of|in\s+force\s+in)\s+the\s+(?:place|state|province|country|jurisdiction|territory|land)\s+(?:where|in\s+which)\s+(?:the\s+)?(?:[\w-]+\s+)?` + site +
		`\s+(?:is|are|lies?|stands?)\b|\blaws?\s+of\s+the\s+(?:place|location)\s+of\s+the\s+` + site + `\b`)
	// siteAt matches the words before the place where that is.
	siteAt = regexp.MustCompile(`(?i)\b` + site + `\b[^.;]{0,120}(?::|,|\b(?:located|situated|at|in)\b)\s*`)
)

// maxSiteSentences is how many sentences are searched for the place.
const maxSiteSentences = 60

// lawOfSite returns the place whose law a sentence chooses by where the subject of the
// contract is, if the document says where. text is the sentence in lower case.
func lawOfSite(d *structure.Document, text string) (string, bool) {
	if !siteLaw.MatchString(text) {
		return "", false
	}
	for _, s := range d.Sentences[:min(len(d.Sentences), maxSiteSentences)] {
		quote := passage.Text(d, s.Span)
		at := siteAt.FindStringIndex(quote)
		if at == nil {
			continue
		}
		if place, ok := firstPlace(quote[at[0]:min(len(quote), at[0]+lawReach)]); ok {
			return place, true
		}
	}
	return "", false
}
