package liability

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
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
	if insured.MatchString(text) {
		return nil
	}
	text = beside.ReplaceAllString(text, " ")
	uncapped := anyOf(statedUncapped, text)
	if uncapped && !anyOf(statedCap, text) {
		return []string{insightapi.LimitUncapped}
	}
	if m := threshold.FindStringIndex(text); m != nil {
		text = text[:m[0]] + text[m[1]:]
	}
	excepts := notApplied.MatchString(text) && (near || ofLimits.MatchString(text) || strings.Contains(text, "liab") && strings.Contains(text, "limit"))
	if anyOf(statedCap, text) || anyOf(statedDamages, text) {
		kinds = append(kinds, insightapi.LimitCap)
		excepts = excepts || excepted.MatchString(text) && (!otherwise.MatchString(text) || noLimit.MatchString(text))
	}
	if !uncapped && excludes(text, short) {
		kinds = append(kinds, insightapi.LimitExclusion)
	}
	if excepts || uncapped {
		kinds = append(kinds, insightapi.LimitUncapped)
	}
	return kinds
}

// excludes reports whether a sentence excludes some liability.
func excludes(text string, short bool) bool {
	return (anyOf(statedExclusion, text) || short && anyOf(statedRelease, text)) && !forceMajeure.MatchString(text)
}

// anyOf reports whether a text matches one of the patterns.
func anyOf(patterns []*regexp.Regexp, text string) bool {
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(text) })
}
