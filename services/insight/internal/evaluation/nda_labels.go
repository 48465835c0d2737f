package evaluation

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/number"
)

// NDASets are the names of the sets of labels of non-disclosure agreements: one to improve rules
// with, and one that is only measured.
var NDASets = []string{"nda-tune", "nda-report"}

// NDALabels says what a non-disclosure agreement states about itself, in the form of the files
// of NDASets, whose README defines every label. A member that it does not state is nil.
type NDALabels struct {
	// File is the name of the agreement in the data set, and SHA256 the digest of its text in
	// lower-case hex.
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	// Parties have no spans.
	Parties []PartyLabel `json:"parties"`
	// EffectiveDate is in the form 2006-01-02, Jurisdiction is whose law governs, and Term is a
	// number and a unit: "2 years".
	EffectiveDate *string `json:"effective_date"`
	Jurisdiction  *string `json:"jurisdiction"`
	Term          *string `json:"term"`
}

// ReadNDALabels returns the labels of a set in a folder. It fails if any of them is not valid.
func ReadNDALabels(dir, set string) ([]NDALabels, error) { return readLabels[NDALabels](dir, set) }

// check returns an error that says what is wrong with the labels of an agreement.
func (l NDALabels) check() error {
	if l.File == "" || len(l.SHA256) != 64 {
		return errors.New("there is no file, or no digest of it")
	}
	for i, p := range l.Parties {
		if p.Name == "" || !slices.Contains(partyKinds, p.Kind) {
			return fmt.Errorf("%s: parties[%d] has a value that is not allowed: %+v", l.File, i, p)
		}
	}
	if d := value(l.EffectiveDate); d != "" {
		if day, known := goldDate(d); !known || day != d {
			return fmt.Errorf("%s: %q is no date", l.File, d)
		}
	}
	if months, known := goldMonths(value(l.Term)); !known || l.Term != nil && months == "" {
		return fmt.Errorf("%s: %q is no period", l.File, value(l.Term))
	}
	return nil
}

// termQuestion asks for the term, which has no type of its own.
const termQuestion = "What is the term of this agreement?"

// NDARequests asks for what is labelled. AddNDALabels measures the answer.
func NDARequests() []insightapi.Request {
	return []insightapi.Request{
		{Type: insightapi.DocumentParties}, {Type: insightapi.DocumentDates}, {Type: insightapi.DocumentClauses},
		{Type: insightapi.CustomPrompt, Message: termQuestion},
	}
}

// The names of the scores of an NDA.
const (
	scoreNDAParties = "parties"
	scoreNDADate    = "effective date"
	scoreNDATerm    = "term"
	scoreNDAAll     = "all fields"
)

// AddNDALabels measures an answer to NDARequests about the document d. All fields together are
// a score of their own.
func (r *Report) AddNDALabels(d *layout.Document, a *insightapi.Answer, l NDALabels) {
	r.begin(d, a)
	one := NewReport()
	addSet(one.score(scoreNDAParties), listed(a.DocumentParties), func(p insightapi.Party) string { return partyKey(p.PartyName) },
		l.Parties, func(p PartyLabel) string { return partyKey(p.Name) })
	began := bestDate(listed(a.DocumentDates), insightapi.DateEffective)
	if began.ConfidenceScore == 0 {
		began = bestDate(listed(a.DocumentDates), insightapi.DateExecution)
	}
	one.score(scoreNDADate).Add(began.ConfidenceScore > 0, l.EffectiveDate != nil, began.DateValue == value(l.EffectiveDate))
	law := bestLaw(listed(a.DocumentClauses))
	one.score(scoreLaw).Add(law.ConfidenceScore > 0, l.Jurisdiction != nil, sameLaw(lawOf(law), value(l.Jurisdiction)))
	term := statedTerm(listed(a.CustomPrompt))
	gold, _ := goldMonths(value(l.Term))
	one.score(scoreNDATerm).Add(term != "", gold != "", term == gold)
	for name, s := range one.Scores {
		r.score(name).add(s)
		r.score(scoreNDAAll).add(s)
	}
}

// statedTerm returns the period in the most probable answer about the term, in months or days,
// "" if it states none. A term that ends on an anniversary is as many years long.
func statedTerm(answers []insightapi.PromptAnswer) string {
	var best insightapi.PromptAnswer
	for _, a := range answers {
		if answered(a) && a.ConfidenceScore > best.ConfidenceScore {
			best = a
		}
	}
	if m := anniversary.FindStringSubmatch(strings.ToLower(value(best.Value))); m != nil {
		years, _ := number.Ordinal(m[1])
		return strconv.Itoa(12*years) + " months"
	}
	months, _ := goldMonths(value(best.Value))
	return months
}

// anniversary matches the anniversary on which a term ends.
var anniversary = regexp.MustCompile(`([a-z-]+)(?: ?\(\w+\))? anniversary\b`)
