package evaluation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// Report holds the measurements on a set of documents. They are made on finished answers,
// so that it does not matter who answers.
type Report struct {
	// Scores holds one score for each kind of finding.
	Scores map[string]*Score
	// Presence scores, by kind of clause in lower case, whether documents have it.
	Presence map[string]*Score
	// Calibration covers all items that are known to be right or wrong.
	Calibration Calibration
	// Items is the number of items with a place. Ungrounded describes the items whose
	// place is wrong.
	Items      int
	Ungrounded []string
	// LongQuotes is the number of annotated passages with a page and at least longQuote
	// bytes that were found exactly once in the text. RightPages is the number of those
	// with the right page.
	LongQuotes, RightPages int
	// Pages counts pages of characterPage characters for documents without pages.
	Documents, Pages int
	// Effort is what a language model did for the answers.
	Effort Effort
}

// longQuote is the minimum length of a passage whose page is checked, in bytes.
const longQuote = 60

// characterPage is the length of a page in documents that have none.
const characterPage = 3000

// NewReport returns an empty report.
func NewReport() *Report { return &Report{Scores: map[string]*Score{}, Presence: map[string]*Score{}} }

// score returns the score with a name.
func (r *Report) score(name string) *Score {
	if r.Scores[name] == nil {
		r.Scores[name] = &Score{}
	}
	return r.Scores[name]
}

// begin counts a document, checks the places of its items, and returns its text.
func (r *Report) begin(d *layout.Document, a *insightapi.Answer) *text {
	t := newText(d)
	r.Documents++
	r.Pages += t.pages()
	r.Effort.add(a.Usage)
	for _, i := range items(a) {
		r.Items++
		if _, err := t.find(i); err != nil {
			r.Ungrounded = append(r.Ungrounded, fmt.Sprintf("%s on page %d: %v", i.key, page(i.place), err))
		}
	}
	return t
}

// page returns the page of an item, 0 for none.
func page(p insightapi.Place) int {
	if p.PageNumber == nil {
		return 0
	}
	return *p.PageNumber
}

// pages returns the number of pages of a text.
func (t *text) pages() int {
	if n := len(t.Pages); n > 0 {
		return n
	}
	return (len(t.offsets) + characterPage - 2) / characterPage
}

// Names returns the names of the scores in alphabetical order, clauses and single
// questions last.
func (r *Report) Names() []string {
	var names []string
	for name := range r.Scores {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return names
}

// rank returns the part of the table that a score belongs to.
func rank(name string) int {
	if strings.HasPrefix(name, prefixClause) || strings.HasPrefix(name, prefixQuestion) {
		return 1
	}
	return 0
}

// String returns the report as a table.
func (r *Report) String() string { return Table([]Column{{"", r}}) }
