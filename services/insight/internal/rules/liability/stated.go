package liability

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

const (
	// nearLimit is how many sentences after a limit one such as "This does not apply to fraud"
	// is about that limit.
	nearLimit = 5
	// shortContract is the number of sentences below which every denial of liability is taken
	// for an exclusion. Long contracts have many that only say whose duty something is.
	shortContract = 120
)

// Stated returns the kinds of limits that each sentence of a document states by its structure:
// what is liable, whether it is denied or bounded, and by what. They are right in contracts of
// any country and style, but not all sentences that limit liability have such a structure. The
// keys are indexes of sentences.
func Stated(d *structure.Document) map[int][]string {
	found := map[int][]string{}
	last := -nearLimit - 1
	for i, s := range d.Sentences {
		if !passage.IsClause(d, s) {
			continue
		}
		words := limitWords.In(s.Lower)
		if words == 0 || words&limits == 0 && i-last > nearLimit {
			continue
		}
		kinds := statedBy(s.Lower, i-last <= nearLimit, len(d.Sentences) < shortContract)
		if len(kinds) > 0 {
			found[i] = kinds
		}
		if slices.Contains(kinds, insightapi.LimitCap) || slices.Contains(kinds, insightapi.LimitExclusion) {
			last = i
		}
	}
	return found
}

// sure is the confidence of each kind of limit that only the structure of a sentence tells.
var sure = map[string]float64{insightapi.LimitCap: 0.8, insightapi.LimitExclusion: 0.75, insightapi.LimitUncapped: 0.65}

// addStated adds the limits that sentences state by their structure to those that were found
// otherwise.
func addStated(d *structure.Document, found []finding.Found[insightapi.Limit], stated map[int][]string) []finding.Found[insightapi.Limit] {
	has := map[layout.Span][]string{}
	for _, f := range found {
		has[f.Span] = append(has[f.Span], f.Item.LimitType)
	}
	for i, s := range d.Sentences {
		for _, kind := range stated[i] {
			if len(found) < finding.MaxItems && !slices.Contains(has[s.Span], kind) {
				found = append(found, limit(d, s, kind, limitReason(kind), sure[kind]))
			}
		}
	}
	return finding.ByPlace(found)
}

// statedBy returns the kinds of limits that a sentence in lower case states. near means that
// it follows a limit, and short that it is in a short contract.
func statedBy(text string, near, short bool) (kinds []string) {
	in := limiting.In(text)
	if in.Has(insured) {
		return nil
	}
	if rest := beside.ReplaceAllString(text, " "); rest != text {
		text, in = rest, limiting.In(rest)
	}
	uncapped := in.Any(statedUncapped...)
	if uncapped && !in.Any(statedCap...) {
		return []string{insightapi.LimitUncapped}
	}
	if m := threshold.FindStringIndex(text); m != nil {
		text = text[:m[0]] + text[m[1]:]
		in = limiting.In(text)
	}
	excepts := in.Has(notApplied) && (near || in.Has(ofLimits) || strings.Contains(text, "liab") && strings.Contains(text, "limit"))
	if in.Any(statedCap...) || in.Any(statedDamages...) || short && in.Any(statedPay...) {
		kinds = append(kinds, insightapi.LimitCap)
		excepts = excepts || in.Has(excepted) && (!in.Has(otherwise) || in.Has(noLimit))
	}
	excepts = excepts || near && in.Has(thatLimit)
	excludes := in.Any(statedExclusion...) || short && in.Any(statedRelease...) && !in.Has(beyondMost) && !in.Has(asked)
	if !uncapped && excludes && !in.Has(forceMajeure) {
		kinds = append(kinds, insightapi.LimitExclusion)
	}
	if excepts || uncapped {
		kinds = append(kinds, insightapi.LimitUncapped)
	}
	return kinds
}
