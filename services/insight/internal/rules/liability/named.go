package liability

import (
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Words that a limit of each type has, in sentences that the patterns are too narrow to
// find.
var (
	anyLiability = regexp.MustCompile(`\b(?:liab\w*|damages|loss(?:es)?|remed(?:y|ies)|responsib\w*)\b`)
	anyExclusion = regexp.MustCompile(`\b(?:not|no|neither|nor|never|none|without|exclu\w*|waive\w*|disclaim\w*|sole|only|free|releas\w*)\b`)
	anyUncapped  = regexp.MustCompile(`\b(?:unlimited|uncapped|without limit\w*|not (?:be )?(?:limit\w*|apply|capped|exclude\w*|restrict\w*)|no (?:limit|cap)\w*|nothing|except\w*|other than|shall not)\b`)
)

// Named returns the text of a span as a limit of a type that something other than the
// rules recognized. It returns false if kind is no type of limits, or the text has no
// words of such a limit: for a cap, that is an amount or a description of it.
func Named(d *structure.Document, kind string, s layout.Span) (insightapi.Limit, bool) {
	quote, text := passage.Text(d, s), passage.LowerText(d, s)
	item := insightapi.Limit{LimitType: kind, LimitLabel: limitLabel(kind, text), LimitValue: limitValue(kind, text, quote)}
	if !anyLiability.MatchString(text) {
		return item, false
	}
	switch kind {
	case insightapi.LimitCap:
		return item, capOf(quote) != "" && !unlimited.MatchString(text) && !strings.Contains(text, "uncapped")
	case insightapi.LimitExclusion:
		return item, anyExclusion.MatchString(text)
	case insightapi.LimitUncapped:
		return item, anyUncapped.MatchString(text)
	}
	return item, false
}
