package evaluation

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
)

// ContractRequests asks for everything about a contract that has a place. AddContract
// measures the answer.
func ContractRequests() []insightapi.Request {
	var requests []insightapi.Request
	for _, key := range []insightapi.Type{
		insightapi.DocumentTitle, insightapi.DocumentType, insightapi.DocumentParties, insightapi.DocumentSigners, insightapi.DocumentFields,
		insightapi.DocumentClauses, insightapi.ContractValues, insightapi.DocumentDates, insightapi.LimitOfLiability, insightapi.RenewalTermLength, insightapi.Payments,
	} {
		requests = append(requests, insightapi.Request{Type: key})
	}
	return requests
}

// AddContract measures an answer to ContractRequests about the document d. plain means
// that the spans of c are positions in the text of d.
func (r *Report) AddContract(d *layout.Document, a *insightapi.Answer, c Contract, plain bool) {
	t := r.begin(d, a)
	r.names(a, c)
	r.parties(listed(a.DocumentParties), c)
	r.terms(a, c)
	r.governingLaw(listed(a.DocumentClauses), c)
	r.clauses(t, listed(a.DocumentClauses), c, plain)
	r.limits(t, listed(a.LimitOfLiability), c, plain)
	r.pages(d, c)
}

// AddTerms measures only the dates, the renewal and its notice period in an answer.
func (r *Report) AddTerms(a *insightapi.Answer, c Contract) {
	r.Documents++
	r.terms(a, c)
}

func (r *Report) terms(a *insightapi.Answer, c Contract) {
	r.dates(listed(a.DocumentDates), c)
	r.renewals(listed(a.RenewalTermLength), c)
	r.notice(listed(a.DocumentClauses), c)
}

// names scores the title and the type.
func (r *Report) names(a *insightapi.Answer, c Contract) {
	gold, title, kind := c.Answers["Document Name"], "", ""
	if titles := listed(a.DocumentTitle); len(titles) > 0 {
		title = titles[0].Title
		r.Calibration.Add(titles[0].ConfidenceScore, NameWithin(title, gold))
	}
	r.score("title exact").Add(title != "", gold != "", SameName(title, gold))
	r.score("title contained").Add(title != "", gold != "", NameWithin(title, gold))
	if types := listed(a.DocumentType); len(types) > 0 {
		kind = types[0].DocumentType
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
func (r *Report) dates(found []insightapi.Date, c Contract) {
	for name, kind := range map[string]string{
		"Agreement Date": insightapi.DateExecution, "Effective Date": insightapi.DateEffective, "Expiration Date": insightapi.DateExpiration,
	} {
		gold, known := goldDate(c.Answers[name])
		if !known {
			continue
		}
		best := bestDate(found, kind)
		if best.ConfidenceScore > 0 {
			r.Calibration.Add(best.ConfidenceScore, best.DateValue == gold)
		}
		r.score(name).Add(best.ConfidenceScore > 0, gold != "", best.DateValue == gold)
	}
}

// bestDate returns the most probable day of a kind, the first among equals.
func bestDate(found []insightapi.Date, kind string) insightapi.Date {
	var best insightapi.Date
	for _, f := range found {
		if f.DateType == kind && f.DateEpochMS != nil && f.ConfidenceScore > best.ConfidenceScore {
			best = f
		}
	}
	return best
}

// renewals scores the length of the most probable renewal.
func (r *Report) renewals(found []insightapi.Renewal, c Contract) {
	gold, known := goldMonths(c.Answers["Renewal Term"])
	if !known {
		return
	}
	var best insightapi.Renewal
	for _, f := range found {
		if f.ConfidenceScore > best.ConfidenceScore {
			best = f
		}
	}
	value, _ := goldMonths(best.TermValue)
	if best.ConfidenceScore > 0 {
		r.Calibration.Add(best.ConfidenceScore, value == gold)
	}
	r.score("renewal term").Add(best.ConfidenceScore > 0, gold != "", value == gold)
}

// notice scores the notice that prevents a renewal, as given by the description of the
// most probable clause that gives one.
func (r *Report) notice(found []insightapi.Clause, c Contract) {
	gold, known := goldMonths(c.Answers["Notice Period to Terminate Renewal"])
	if !known {
		return
	}
	var best insightapi.Clause
	for _, f := range found {
		_, stated := goldMonths(f.ClauseDescription)
		if f.ClauseType == "Notice Period To Terminate Renewal" && stated && f.ConfidenceScore > best.ConfidenceScore {
			best = f
		}
	}
	value, _ := goldMonths(best.ClauseDescription)
	r.score("notice period").Add(value != "", gold != "", value == gold)
}

// governingLaw scores the jurisdiction of the governing law.
func (r *Report) governingLaw(found []insightapi.Clause, c Contract) {
	gold, best := c.Answers["Governing Law"], bestLaw(found)
	same := sameLaw(lawOf(best), gold)
	r.score(scoreLaw).Add(best.ConfidenceScore > 0, gold != "", same)
	if best.ConfidenceScore > 0 {
		r.Calibration.Add(best.ConfidenceScore, same)
	}
}

// scoreLaw is the score of the governing law.
const scoreLaw = "governing law of"

// bestLaw returns the most probable clause about the governing law.
func bestLaw(found []insightapi.Clause) insightapi.Clause {
	var best insightapi.Clause
	for _, f := range found {
		if f.ClauseType == "Governing Law" && f.ConfidenceScore > best.ConfidenceScore {
			best = f
		}
	}
	return best
}

// lawOf returns the jurisdiction in the description of a clause about the governing law.
func lawOf(c insightapi.Clause) string {
	_, law, _ := strings.Cut(strings.TrimSuffix(c.ClauseDescription, "."), "laws of ")
	return law
}

// sameLaw reports whether a law is one of those that were annotated. They are separated by
// semicolons, and each may be followed by its country: "England, United Kingdom; Ohio".
func sameLaw(law, gold string) bool {
	if kind, name, ok := strings.Cut(law, " of "); ok && strings.HasPrefix(kind, "the ") && !strings.Contains(name, "China") {
		law = name // "the State of Ohio"
	}
	return slices.ContainsFunc(strings.Split(gold, ";"), func(place string) bool {
		name, _, _ := strings.Cut(place, ",")
		return NameWithin(law, place) || NameWithin(law, name)
	})
}

// prefixClause precedes the name of a kind of clause.
const prefixClause = "clause "

// unlabeled reports whether a clause is of a kind that no contract is annotated with, so that
// it is unknown whether it is right.
func unlabeled(c insightapi.Clause) bool {
	return slices.Contains(rules.ClauseKinds(), c.ClauseType) && !slices.Contains(clauses.Learned(), c.ClauseType)
}

// clauses scores the clauses of each kind. A clause is right if it overlaps an annotated
// passage of its kind.
func (r *Report) clauses(t *text, found []insightapi.Clause, c Contract, plain bool) {
	found = slices.DeleteFunc(slices.Clone(found), unlabeled)
	r.presence(found, c)
	gold, spans := goldClauses(t.Document, c, plain), map[string][]layout.Span{}
	for _, f := range found {
		kind := strings.ToLower(f.ClauseType)
		// A clause whose place is wrong is reported as such, and counts as wrong here.
		s, err := t.find(item{insightapi.DocumentClauses, f.Place, listed(f.InsertionPositions)})
		right := err == nil && slices.ContainsFunc(gold[kind], s.Overlaps)
		if err == nil {
			spans[kind] = append(spans[kind], s)
		}
		r.score(prefixClause + kind).addFound(right)
		r.Calibration.Add(f.ConfidenceScore, right)
	}
	for kind, all := range gold {
		s := r.score(prefixClause + kind)
		for _, g := range all {
			s.addGold(slices.ContainsFunc(spans[kind], g.Overlaps))
		}
	}
}

// limits scores the sentences that limit liability, and whether a contract has any.
func (r *Report) limits(t *text, found []insightapi.Limit, c Contract, plain bool) {
	gold := goldClauses(t.Document, c, plain)["cap on liability"]
	var spans []layout.Span
	for _, f := range found {
		if f.LimitType == insightapi.LimitUncapped {
			continue
		}
		s, err := t.find(item{insightapi.LimitOfLiability, f.Place, placed(f.InsertionPositions)})
		right := err == nil && slices.ContainsFunc(gold, s.Overlaps)
		if err == nil {
			spans = append(spans, s)
		}
		r.score("limit of liability").addFound(right)
		r.Calibration.Add(f.ConfidenceScore, right)
	}
	for _, g := range gold {
		r.score("limit of liability").addGold(slices.ContainsFunc(spans, g.Overlaps))
	}
	r.score("limit of liability in contract").Add(len(spans) > 0, len(gold) > 0, true)
}

// presence scores which kinds of clauses a contract has, wherever they are.
func (r *Report) presence(found []insightapi.Clause, c Contract) {
	has, said := map[string]bool{}, map[string]bool{}
	for category, marked := range c.Clauses {
		has[strings.ToLower(category)] = len(marked) > 0
	}
	for _, f := range found {
		said[strings.ToLower(f.ClauseType)] = true
	}
	for kind := range has {
		if !said[kind] {
			said[kind] = false
		}
	}
	for kind := range said {
		if r.Presence[kind] == nil {
			r.Presence[kind] = &Score{}
		}
		r.Presence[kind].Add(said[kind], has[kind], true)
	}
}

// GoldClauses returns the annotated passages of a plain text by kind of clause, in lower
// case. It leaves out passages that are too short to be a clause.
func GoldClauses(d *layout.Document, c Contract) map[string][]layout.Span {
	return goldClauses(d, c, true)
}

// goldClauses returns the annotated passages by kind of clause.
func goldClauses(d *layout.Document, c Contract, plain bool) map[string][]layout.Span {
	gold := map[string][]layout.Span{}
	for category, marked := range c.Clauses {
		kind := strings.ToLower(category)
		for _, m := range marked {
			if len(m.Text) >= longQuote/2 {
				gold[kind] = append(gold[kind], placesOf(d, m, plain)...)
			}
		}
	}
	return gold
}

// placesOf returns the spans of an annotated passage in a document.
func placesOf(d *layout.Document, m Marked, plain bool) []layout.Span {
	if plain {
		return m.spansIn(d.Text)
	}
	if s, ok := findLetters(d.Text, m.Text); ok {
		return []layout.Span{s}
	}
	return nil
}

// pages scores the pages of long annotated passages. It skips a passage whose beginning
// occurs more than once, since it is unknown which of them was annotated.
func (r *Report) pages(d *layout.Document, c Contract) {
	if len(d.Pages) == 0 {
		return
	}
	g := ground.New(d)
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
