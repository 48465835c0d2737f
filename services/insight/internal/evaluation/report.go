package evaluation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Report holds the measurements on a set of documents.
type Report struct {
	// Scores holds one score for each kind of finding.
	Scores map[string]*Score
	// Calibration covers all items that are known to be right or wrong.
	Calibration Calibration
	// Items is the number of items that were placed. Ungrounded describes the items whose
	// place is wrong.
	Items      int
	Ungrounded []string
	// LongQuotes is the number of annotated passages with a page and at least longQuote
	// bytes that were found exactly once in the text. RightPages is the number of those
	// with the right page.
	LongQuotes, RightPages int
	Documents, Pages       int
}

// longQuote is the minimum length of a passage whose page is checked, in bytes.
const longQuote = 60

// NewReport returns an empty report.
func NewReport() *Report { return &Report{Scores: map[string]*Score{}} }

// score returns the score with a name.
func (r *Report) score(name string) *Score {
	if r.Scores[name] == nil {
		r.Scores[name] = &Score{}
	}
	return r.Scores[name]
}

// Add measures the rules on a document. plain means that the spans of c are positions in
// the text of d.
func (r *Report) Add(d *structure.Document, c Contract, plain bool) {
	r.Documents++
	r.Pages += len(d.Pages)
	r.names(d, c)
	r.dates(d, c)
	r.renewals(d, c)
	clauses := rules.Clauses(d)
	r.governingLaw(clauses, c)
	r.clauses(d, clauses, c, plain)
	r.grounding(d, clauses)
	r.pages(d, c)
}

// names scores the title and the type.
func (r *Report) names(d *structure.Document, c Contract) {
	titles := rules.Titles(d, "")
	gold := c.Answers["Document Name"]
	title := ""
	if len(titles) > 0 {
		title = titles[0].Item.Title
		r.Calibration.Add(titles[0].Confidence, NameWithin(title, gold))
	}
	r.score("title exact").Add(title != "", gold != "", SameName(title, gold))
	r.score("title contained").Add(title != "", gold != "", NameWithin(title, gold))
	kind := ""
	if types := rules.Types(d, ""); len(types) > 0 {
		kind = types[0].Item.DocumentType
	}
	r.score("type").Add(kind != "", true, ofFolder(kind, c.Folder))
}

// ofFolder reports whether a type contains the words of a folder's name.
func ofFolder(kind, folder string) bool {
	kind = strings.ToLower(kind)
	switch folder {
	case "IP":
		folder = "intellectual property"
	case "Joint Venture _ Filing":
		folder = "joint"
	}
	folder = strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(folder))
	kind = strings.ReplaceAll(kind, "-", " ")
	for _, w := range strings.Fields(folder) {
		if w != "agreement" && w != "agreements" && !strings.Contains(kind, strings.TrimSuffix(w, "s")) {
			return false
		}
	}
	return true
}

// dates scores the most probable date of each kind.
func (r *Report) dates(d *structure.Document, c Contract) {
	found := rules.Dates(d)
	for name, kind := range map[string]string{
		"Agreement Date": insightapi.DateExecution, "Effective Date": insightapi.DateEffective, "Expiration Date": insightapi.DateExpiration,
	} {
		gold, known := goldDate(c.Answers[name])
		if !known {
			continue
		}
		best := bestDate(found, kind)
		if best.Confidence > 0 {
			r.Calibration.Add(best.Confidence, best.Item.DateValue == gold)
		}
		r.score(name).Add(best.Confidence > 0, gold != "", best.Item.DateValue == gold)
	}
}

// bestDate returns the most probable day of a kind, the first among equals.
func bestDate(found []rules.Found[insightapi.Date], kind string) rules.Found[insightapi.Date] {
	var best rules.Found[insightapi.Date]
	for _, f := range found {
		if f.Item.DateType == kind && f.Item.DateEpochMS != nil && f.Confidence > best.Confidence {
			best = f
		}
	}
	return best
}

// renewals scores the length of the most probable renewal.
func (r *Report) renewals(d *structure.Document, c Contract) {
	gold, known := goldMonths(c.Answers["Renewal Term"])
	if !known {
		return
	}
	var best rules.Found[insightapi.Renewal]
	for _, f := range rules.Renewals(d) {
		if f.Confidence > best.Confidence {
			best = f
		}
	}
	value, _ := goldMonths(best.Item.TermValue)
	if best.Confidence > 0 {
		r.Calibration.Add(best.Confidence, value == gold)
	}
	r.score("renewal term").Add(best.Confidence > 0, gold != "", value == gold)
}

// governingLaw scores the jurisdiction of the governing law.
func (r *Report) governingLaw(found []rules.Found[insightapi.Clause], c Contract) {
	gold := c.Answers["Governing Law"]
	var best rules.Found[insightapi.Clause]
	for _, f := range found {
		if f.Item.ClauseType == "Governing Law" && f.Confidence > best.Confidence {
			best = f
		}
	}
	_, law, _ := strings.Cut(strings.TrimSuffix(best.Item.ClauseDescription, "."), "laws of ")
	if _, name, ok := strings.Cut(law, " of "); ok && !strings.Contains(law, "China") {
		law = name
	}
	same := gold != "" && NameWithin(law, gold)
	r.score("governing law of").Add(best.Confidence > 0, gold != "", same)
	if best.Confidence > 0 {
		r.Calibration.Add(best.Confidence, same)
	}
}

// clauses scores the clauses of each kind. A clause is right if it overlaps an annotated
// passage of its kind.
func (r *Report) clauses(d *structure.Document, found []rules.Found[insightapi.Clause], c Contract, plain bool) {
	gold := map[string][]layout.Span{}
	for category, marked := range c.Clauses {
		kind := strings.ToLower(category)
		for _, m := range marked {
			if len(m.Text) >= longQuote/2 {
				gold[kind] = append(gold[kind], placesOf(d, m, plain)...)
			}
		}
	}
	for _, f := range found {
		kind := strings.ToLower(f.Item.ClauseType)
		right := slices.ContainsFunc(gold[kind], f.Span.Overlaps)
		r.score("clause " + kind).addFound(right)
		r.Calibration.Add(f.Confidence, right)
	}
	for kind, spans := range gold {
		s := r.score("clause " + kind)
		for _, g := range spans {
			s.addGold(slices.ContainsFunc(found, func(f rules.Found[insightapi.Clause]) bool {
				return strings.ToLower(f.Item.ClauseType) == kind && f.Span.Overlaps(g)
			}))
		}
	}
}

func (s *Score) addFound(right bool) {
	s.Found++
	if right {
		s.RightFound++
	}
}

func (s *Score) addGold(recalled bool) {
	s.Gold++
	if recalled {
		s.Recalled++
	}
}

// placesOf returns the spans of an annotated passage in a document.
func placesOf(d *structure.Document, m Marked, plain bool) []layout.Span {
	if plain {
		return m.spansIn(d.Text)
	}
	if s, ok := findLetters(d.Text, m.Text); ok {
		return []layout.Span{s}
	}
	return nil
}

// grounding checks the places of the items of all rules.
func (r *Report) grounding(d *structure.Document, clauses []rules.Found[insightapi.Clause]) {
	g, rates := ground.New(d.Document), rules.ReferenceRates()
	check(r, d, g, "title", rules.Titles(d, ""))
	check(r, d, g, "type", rules.Types(d, ""))
	check(r, d, g, "clause", clauses)
	check(r, d, g, "date", rules.Dates(d))
	check(r, d, g, "value", rules.Values(d, rates))
	check(r, d, g, "payment", rules.Payments(d, rates))
	check(r, d, g, "limit", rules.Limits(d))
	check(r, d, g, "renewal", rules.Renewals(d))
	check(r, d, g, "signer", rules.Signers(d))
	check(r, d, g, "field", rules.Fields(d))
}

// check places the found items, and checks the places against the document.
func check[T ground.Item](r *Report, d *structure.Document, g *ground.Ground, name string, found []rules.Found[T]) {
	for i, f := range found {
		r.Items++
		place, ok := g.Place(f.Span)
		err := ground.Check(d.Document, f.Span, place)
		if ok && err == nil && i == 0 {
			// Counting positions from the beginning of the text is slow: one of each kind
			// is enough.
			err = ground.CheckPositions(d.Text, place.Quote, g.Positions(f.Span))
		}
		if !ok || err != nil {
			r.Ungrounded = append(r.Ungrounded, fmt.Sprintf("%s at %d: %v", name, f.Span.Start, err))
		}
	}
}

// pages scores the pages of long annotated passages. It skips a passage whose beginning
// occurs more than once, since it is unknown which of them was annotated.
func (r *Report) pages(d *structure.Document, c Contract) {
	if len(d.Pages) == 0 {
		return
	}
	g := ground.New(d.Document)
	folded, _ := fold(d.Text)
	for _, marked := range c.Clauses {
		for _, m := range marked {
			if len(m.Text) < longQuote || m.Page == 0 {
				continue
			}
			s, ok := findLetters(d.Text, m.Text)
			if !ok || timesBegun(folded, m.Text) > 1 {
				continue
			}
			r.LongQuotes++
			if place, ok := g.Place(s); ok && *place.PageNumber == m.Page {
				r.RightPages++
			}
		}
	}
}

// Names returns the names of the scores in alphabetical order, clauses last.
func (r *Report) Names() []string {
	var names []string
	for name := range r.Scores {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(boolInt(strings.HasPrefix(a, "clause ")), boolInt(strings.HasPrefix(b, "clause "))), cmp.Compare(a, b))
	})
	return names
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// String returns the report as a table.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-44s %6s %6s %6s %6s %6s\n", "", "P", "R", "F1", "found", "gold")
	for _, name := range r.Names() {
		s := r.Scores[name]
		fmt.Fprintf(&b, "%-44s %6.3f %6.3f %6.3f %6d %6d\n", name, s.Precision(), s.Recall(), s.F1(), s.Found, s.Gold)
	}
	fmt.Fprintf(&b, "calibration error %.3f\n", r.Calibration.Error())
	for _, bin := range r.Calibration.Bins() {
		fmt.Fprintf(&b, "  confidence %.2f: %.2f right of %d\n", bin.Confidence, bin.Right, bin.Items)
	}
	fmt.Fprintf(&b, "grounding: %d of %d items have the right place\n", r.Items-len(r.Ungrounded), r.Items)
	if r.LongQuotes > 0 {
		fmt.Fprintf(&b, "pages: %d of %d long quotes have the right page (%s)\n", r.RightPages, r.LongQuotes, strconv.FormatFloat(ratio(r.RightPages, r.LongQuotes), 'f', 4, 64))
	}
	return b.String()
}
