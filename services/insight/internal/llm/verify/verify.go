// Package verify turns the answers of a language model about a document into findings that
// rest on the document. An item never contains anything that the document does not say:
// its quote must be in the text, and its values are read from there by the parsers of the
// rules, not taken from the model. The answer of a model is foreign input. It may be
// nonsense, or do what an instruction in the document says.
package verify

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/llm/quotes"
	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/keydates"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Version is the version of the checks. Change it whenever the same answer of a model
// would get other findings, so that cached answers are not reused.
const Version = "1"

// Finder finds quotes in the text of a document.
type Finder interface {
	// Find returns the passage that was quoted. within is the text that the model read.
	// It reports false if there is no such passage.
	Find(quote string, within layout.Span) (layout.Span, quotes.How, bool)
}

// Limits for the answer about one part of a document.
const (
	// maxListed is the maximum number of items of one kind that are looked at. An answer
	// of the usual length has room for fewer.
	maxListed = 200
	// maxMissing is the maximum number of different quotes of one kind that are looked for
	// in vain. A list with as many invented quotes is not worth the time to look for more.
	maxMissing = 25
	// maxQuote is the maximum length of a quote in bytes: that of quotes in answers.
	maxQuote = 4000
	// maxField is the maximum length in bytes of other texts, but for answers.
	maxField = 200
)

// Extraction returns what holds of a model's answer about the part within of d. questions
// are those that were asked, in the order of their numbers, and rates convert amounts. The result depends only on
// the arguments.
func Extraction(d *structure.Document, f Finder, within layout.Span, questions []string, rates amounts.Rates, e prompts.Extraction) Findings {
	r := &reader{
		doc: d, finder: f, within: within, questions: questions, known: map[string]place{},
		calendar: keydates.NewCalendar(d), amounts: amounts.NewReader(d, rates),
	}
	found := Findings{
		Titles:   each(r, insightapi.DocumentTitle, e.Titles, func(t prompts.Title) string { return t.Quote }, r.title),
		Types:    each(r, insightapi.DocumentType, e.Types, func(t prompts.Type) string { return t.Quote }, r.kind),
		Signers:  each(r, insightapi.DocumentSigners, e.Signers, func(s prompts.Signer) string { return s.Quote }, r.signer),
		Clauses:  each(r, insightapi.DocumentClauses, e.Clauses, func(c prompts.Clause) string { return c.Quote }, r.clause),
		Values:   each(r, insightapi.ContractValues, e.Values, func(a prompts.Amount) string { return a.Quote }, r.value),
		Dates:    each(r, insightapi.DocumentDates, e.Dates, func(t prompts.Date) string { return t.Quote }, r.date),
		Limits:   each(r, insightapi.LimitOfLiability, e.Limits, func(l prompts.Limit) string { return l.Quote }, r.limit),
		Renewals: each(r, insightapi.RenewalTermLength, e.Renewals, func(n prompts.Renewal) string { return n.Quote }, r.renewal),
		Payments: each(r, insightapi.Payments, e.Payments, func(a prompts.Amount) string { return a.Quote }, r.payment),
		Answers:  map[string][]finding.Found[insightapi.PromptAnswer]{},
	}
	for _, a := range each(r, insightapi.CustomPrompt, e.Answers, func(a prompts.Answer) string { return a.Quote }, r.answer) {
		found.Answers[a.Item.Message] = append(found.Answers[a.Item.Message], a)
	}
	found.Checks = r.checks
	return found.distinct()
}

// reader verifies the answer about one part of a document.
type reader struct {
	doc       *structure.Document
	finder    Finder
	within    layout.Span
	questions []string
	// known holds the quotes that were looked for.
	known    map[string]place
	checks   Checks
	calendar *keydates.Calendar
	amounts  *amounts.Reader
}

// place is where a quote is.
type place struct {
	span layout.Span
	how  quotes.How
	ok   bool
}

// each returns the items of a list that hold. read returns the finding for an item whose
// quote is at a span, with at most the given confidence, or false if the text there does
// not state it.
func each[M, T any](r *reader, key insightapi.Type, items []M, quote func(M) string, read func(M, layout.Span, float64) (finding.Found[T], bool)) []finding.Found[T] {
	var found []finding.Found[T]
	r.checks.Ungrounded += max(0, len(items)-maxListed)
	missing := maxMissing
	for _, item := range items[:min(len(items), maxListed)] {
		at := r.find(quote(item), &missing)
		if !at.ok {
			r.checks.Ungrounded++
			continue
		}
		r.checks.count(at.how)
		f, ok := read(item, at.span, prior(key, at.how))
		if !ok {
			r.checks.Unverified++
			continue
		}
		found = append(found, f)
	}
	return found
}

// find returns the place of a quote. missing is how many more may be looked for in vain.
func (r *reader) find(quote string, missing *int) place {
	if quote == "" || len(quote) > maxQuote {
		return place{}
	}
	at, known := r.known[quote]
	if known || *missing == 0 {
		return at
	}
	at.span, at.how, at.ok = r.finder.Find(quote, r.within)
	at.ok = at.ok && 0 <= at.span.Start && at.span.Start < at.span.End && at.span.End <= len(r.doc.Text)
	if at.ok {
		at.span = wholeWords(r.doc.Text, at.span)
	} else {
		*missing--
	}
	r.known[quote] = at
	return at
}

// count counts a quote that was found.
func (c *Checks) count(how quotes.How) {
	switch how {
	case quotes.Exact:
		c.Exact++
	case quotes.Normalized:
		c.Normalized++
	default:
		c.Fuzzy++
	}
}

// found returns a finding of the model. Its reasoning is left to those who know what the
// rules say.
func found[T any](item T, s layout.Span, confidence float64) finding.Found[T] {
	return finding.Found[T]{Item: item, Span: s, Confidence: confidence}
}
