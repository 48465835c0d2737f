package keydates

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Patterns for sentences by which a contract takes effect when it is made.
var (
	takesEffect = regexp.MustCompile(`\b(?:effective|commenc\w*|in effect|takes? effect|into (?:force|effect)|binding|begin\w*)\b`)
	whenMade    = regexp.MustCompile(`\b(?:effective|commenc\w*|in effect|takes? effect|into (?:force|effect)|binding|begin\w*)\b[^.;]{0,100}?\b(?:date (?:first )?(?:above |)written|date first|first (?:above )?written|first set forth above|last signature|` +
		`date of (?:the |its )?(?:last |full |final )?(?:signature|signing|execution)|(?:upon|on|after) (?:the |its )?(?:(?:due |full )?completion of (?:the )?)?(?:signatures?|signing|execution|sealing)|date (?:hereof|set forth (?:below|above))|date of (?:this|the) (?:agreement|contract)|latest date|(?:signature|signing) dates?|later of (?:the )?(?:\w+ )?dates)`)
	ofContract = regexp.MustCompile(`\b(?:agreement|contract|effective date|lease|license|amendment)\b`)
)

// effectives returns the date of the agreement as the effective date, if no date has that
// role yet and a sentence says that the contract takes effect when it is made.
func effectives(d *structure.Document, dates []finding.Found[insightapi.Date]) []finding.Found[insightapi.Date] {
	var made finding.Found[insightapi.Date]
	for _, f := range dates {
		switch {
		case f.Item.DateEpochMS == nil:
		case f.Item.DateType == insightapi.DateEffective:
			return nil
		case f.Item.DateType == insightapi.DateExecution && f.Confidence > made.Confidence:
			made = f
		}
	}
	if made.Confidence == 0 {
		return nil
	}
	for _, s := range d.Sentences {
		text := passage.LowerText(d, s.Span)
		if takesEffect.MatchString(text) && ofContract.MatchString(text) && whenMade.MatchString(text) {
			made.Item.DateType, made.Item.DateLabel, made.Confidence = insightapi.DateEffective, "Effective date", min(made.Confidence, 0.7)
			made.Reasoning = "The contract takes effect when it is made."
			return []finding.Found[insightapi.Date]{made}
		}
	}
	return nil
}
