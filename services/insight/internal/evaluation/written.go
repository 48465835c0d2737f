package evaluation

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// WrittenSets are the sets of texts that were written to measure insights: endings of contracts
// with their signature blocks, short contracts, contracts with their terms, contracts with their
// clauses, contracts as companies usually write them, those of small firms and private people,
// beginnings of contracts with their parties, sections of contracts with all kinds of clauses, also
// in the style of filed ones, questions about contracts of these sets and about further ones of
// small firms and private people, and the titles of some. Each kind has sets to improve rules with
// and one that is only measured. The weights for questions have not seen those of everyday-fit.
var WrittenSets = []string{
	"endings-fit", "endings-report", "agreements-fit", "agreements-report", "terms-fit", "terms-report", "clauses-fit", "clauses-report", "usual-fit", "usual-report",
	"everyday-fit", "everyday-report", "parties-fit", "parties-report", "sections-fit", "filings-fit", "sections-report", "questions-fit", "private-fit", "questions-report",
	"titles-fit", "titles-report",
}

// Written is a text of such a set, in the form of the files in tests/bench/written, whose README
// defines every member. Parties and Signers are nil if they were not labelled. An ending has
// Signers only.
type Written struct {
	ID   string `json:"id"`
	What string `json:"what"`
	Text string `json:"text"`
	// Title is that of the contract, nil for none.
	Title   *string        `json:"title"`
	Parties []WrittenParty `json:"parties"`
	// The dates are in the form 2006-01-02, nil for those that do not follow from the text.
	AgreementDate  *string `json:"agreement_date"`
	EffectiveDate  *string `json:"effective_date"`
	ExpirationDate *string `json:"expiration_date"`
	GoverningLaw   *string `json:"governing_law"`

	Signers []WrittenSigner `json:"signers"`
	WrittenTerms
}

// WrittenParty is a party. Kind is organization or person.
type WrittenParty struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// WrittenSigner is a person in a signature block. Party and Title are nil if it has none.
type WrittenSigner struct {
	Name  string  `json:"name"`
	Party *string `json:"party"`
	Title *string `json:"title"`
}

// about holds questions about a text of another set, or the title of that text.
type about struct {
	Set       string            `json:"set"`
	ID        string            `json:"id"`
	Questions []WrittenQuestion `json:"questions"`
	Title     *string           `json:"title"`
}

// ReadWritten returns the texts of a set in a folder. A set of questions or of titles has the texts of other sets.
func ReadWritten(folder, set string) ([]Written, error) {
	if !strings.HasPrefix(set, "questions") && !strings.HasPrefix(set, "titles") {
		return readSet[Written](folder, set)
	}
	all, err := readSet[about](folder, set)
	if err != nil {
		return nil, err
	}
	texts := map[string]map[string]string{}
	var written []Written
	for _, a := range all {
		if texts[a.Set] == nil {
			others, err := readSet[Written](folder, a.Set)
			if err != nil {
				return nil, err
			}
			texts[a.Set] = map[string]string{}
			for _, w := range others {
				texts[a.Set][w.ID] = w.Text
			}
		}
		text, found := texts[a.Set][a.ID]
		if !found {
			return nil, fmt.Errorf("evaluation: %s is about %s of %s, which does not exist", set, a.ID, a.Set)
		}
		written = append(written, Written{ID: a.ID, Text: text, Title: a.Title, WrittenTerms: WrittenTerms{Questions: a.Questions}})
	}
	return written, nil
}

// readSet returns the lines of the file of a set.
func readSet[T any](folder, set string) ([]T, error) {
	f, err := os.Open(filepath.Join(folder, set+".jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []T
	for d := jsontext.NewDecoder(f); d.PeekKind() != 0; {
		var w T
		if err := json.UnmarshalDecode(d, &w, json.RejectUnknownMembers(true)); err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// withoutFacts are the beginnings of the names of sets whose dates, laws and titles are not labelled.
var withoutFacts = []string{"sections", "filings", "questions", "private"}

// AddWritten measures an answer to w.Requests, for w of a set. What w does not label is not
// measured.
func (r *Report) AddWritten(a *insightapi.Answer, set string, w Written) {
	r.begin(&layout.Document{Text: w.Text}, a)
	if w.Signers != nil {
		var gold []signerGold
		for _, s := range w.Signers {
			gold = append(gold, signerGold{s.Name, value(s.Party), value(s.Title)})
		}
		r.signers(listed(a.DocumentSigners), gold)
	}
	if strings.HasPrefix(set, "endings") {
		return
	}
	if w.Parties != nil {
		addSet(r.score("parties"), listed(a.DocumentParties), func(p insightapi.Party) string { return writtenParty(p.PartyName) },
			w.Parties, func(p WrittenParty) string { return writtenParty(p.Name) })
	}
	if strings.HasPrefix(set, "parties") {
		return
	}
	if strings.HasPrefix(set, "titles") {
		r.writtenTitle(a, w)
		return
	}
	if !slices.ContainsFunc(withoutFacts, func(prefix string) bool { return strings.HasPrefix(set, prefix) }) {
		r.writtenFacts(a, set, w)
	}
	r.writtenTerms(a, set, w)
}

// writtenFacts scores the dates, the governing law and the title.
func (r *Report) writtenFacts(a *insightapi.Answer, set string, w Written) {
	for _, d := range []struct {
		name, kind string
		gold       *string
	}{
		{"Agreement Date", insightapi.DateExecution, w.AgreementDate}, {"Effective Date", insightapi.DateEffective, w.EffectiveDate},
		{"Expiration Date", insightapi.DateExpiration, w.ExpirationDate},
	} {
		best := bestDate(listed(a.DocumentDates), d.kind)
		right := d.gold != nil && (best.DateValue == *d.gold || d.kind == insightapi.DateExpiration && dayBefore(set) && best.DateValue == nextDay(*d.gold))
		r.score(d.name).Add(best.ConfidenceScore > 0, d.gold != nil, right)
	}
	r.governingLaw(listed(a.DocumentClauses), Contract{Answers: map[string]string{"Governing Law": value(w.GoverningLaw)}})
	r.writtenTitle(a, w)
}

// writtenTitle scores the title.
func (r *Report) writtenTitle(a *insightapi.Answer, w Written) {
	title := ""
	if titles := listed(a.DocumentTitle); len(titles) > 0 {
		title = titles[0].Title
	}
	r.score("title contained").Add(title != "", w.Title != nil, w.Title != nil && NameWithin(title, *w.Title))
}

// dayBefore reports whether the labels of a set give the last day of a term: a year from 1 May ends
// on 30 April. Those of other sets, and insights, give the day after it.
func dayBefore(set string) bool { return strings.HasPrefix(set, "clauses") }

// nextDay returns the day after a day. Both have the form 2006-01-02.
func nextDay(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return t.AddDate(0, 0, 1).Format(time.DateOnly)
}

// writtenParty returns the name of a party for comparison, without the title of a person.
func writtenParty(name string) string {
	for {
		first, rest, found := strings.Cut(name, " ")
		if !found || !nameAddition(strings.ToLower(strings.Trim(first, "."))) {
			return partyKey(name)
		}
		name = rest
	}
}

// value returns a text, "" for none.
func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
