// Package rules holds Recto's knowledge of contracts: rules that find a document's title,
// type, dates, amounts and so on in its structure. Each answer carries the text that
// supports it. The rules read no files and call no other service.
//
// Each kind of answer has its own package: title, parties, blanks, clauses, keydates,
// renewals, amounts, liability and questions. This package is their common entry point.
// They build on law (which law the contract chooses), preamble (how its beginning names
// the parties), passage (how rules read text), finding (what a rule returns), and date,
// money, number and period (which find these in any text).
package rules

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/blanks"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/keydates"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/renewals"
	"github.com/rectohq/recto/services/insight/internal/rules/title"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Version is the version of the rules. Change it whenever the same document would get a
// different answer, so that cached answers are not reused.
const Version = "22"

type (
	// Found is an item with the text that supports it.
	Found[T any] = finding.Found[T]
	// Caller describes the client that sent the request.
	Caller = parties.Caller
	// Blocks are the signature blocks of a document. They map fields to signers.
	Blocks = parties.Blocks
	// Amounts finds the values and the payments of one document.
	Amounts = amounts.Reader
	// Questions answers questions about one document.
	Questions = questions.Questions
	// Passage is a sentence, or a piece of a long one, with its relevance to a question.
	Passage = questions.Passage
	// Chosen is what learned weights choose in a document.
	Chosen = clauses.Choice
	// Rates are the exchange rates of one day.
	Rates = amounts.Rates
)

// Titles returns the document's title, the most probable candidate first. meta is the
// title in the file's properties, "" for none.
func Titles(d *structure.Document, meta string) []Found[insightapi.Title] { return title.Find(d, meta) }

// Types returns the kind of document. titles must be the result of Titles.
func Types(d *structure.Document, titles []Found[insightapi.Title]) []Found[insightapi.TypeName] {
	return title.Types(d, titles)
}

// Parties returns the parties to the document.
func Parties(d *structure.Document) []Found[insightapi.Party] { return parties.Find(d) }

// Signers returns the people who sign the document.
func Signers(d *structure.Document) []Found[insightapi.Signer] { return parties.Signers(d) }

// MarkOwners sets IsAgreementOwner on the signers whose party is the caller. found must
// be the result of Signers(d).
func MarkOwners(d *structure.Document, c Caller, found []Found[insightapi.Signer]) {
	parties.MarkOwners(d, c, found)
}

// NewBlocks returns the signature blocks of d.
func NewBlocks(d *structure.Document) *Blocks { return parties.NewBlocks(d) }

// Fields returns the fillable blanks of a text.
func Fields(d *structure.Document) []Found[insightapi.Field] { return blanks.Find(d) }

// Choose returns what the weights choose in a document, for Clauses and Limits. words returns the
// words of the document. It returns nil without weights: the rules alone decide then.
func Choose(d *structure.Document, weights *learn.Model, words func() *learn.Words) *Chosen {
	return clauses.Choose(weights, d, words)
}

// Clauses returns the clauses among the chosen sentences, or those that the rules recognize
// if c is nil. limits must be the result of Limits for the same: each of them is a clause.
func Clauses(d *structure.Document, c *Chosen, limits []Found[insightapi.Limit]) []Found[insightapi.Clause] {
	if c == nil {
		return clauses.AddLimits(d, clauses.Find(d), limits)
	}
	return clauses.AddLimits(d, c.Clauses(d), limits)
}

// ClauseKinds returns the kinds of clauses that Clauses can find, in alphabetical order.
func ClauseKinds() []string { return clauses.Kinds() }

// NewAmounts returns the Amounts of d, which converts to US dollars with rates.
func NewAmounts(d *structure.Document, rates Rates) *Amounts { return amounts.NewReader(d, rates) }

// ReferenceRates returns the exchange rates for operators that configure none.
func ReferenceRates() Rates { return amounts.ReferenceRates() }

// ReadRates reads exchange rates from a file in a format of the European Central Bank.
func ReadRates(path string) (Rates, error) { return amounts.ReadRates(path) }

// Dates returns the dates of the document, each with its role in the contract.
func Dates(d *structure.Document) []Found[insightapi.Date] { return keydates.Find(d) }

// Limits returns the sentences that limit liability, or that state exceptions to a limit:
// those among the chosen sentences, or those that the rules recognize if c is nil.
func Limits(d *structure.Document, c *Chosen) []Found[insightapi.Limit] {
	if c == nil {
		return liability.Find(d)
	}
	return liability.Chosen(d, c.Passages)
}

// Renewals returns the lengths of the contract's renewal terms.
func Renewals(d *structure.Document) []Found[insightapi.Renewal] { return renewals.Find(d) }

// NewQuestions returns a Questions for d. context is background from the caller; it
// affects only the ranking of sentences.
func NewQuestions(d *structure.Document, context string) *Questions { return questions.New(d, context) }

// Unanswered returns the item for a question that the document does not answer.
func Unanswered(question string) insightapi.PromptAnswer { return questions.Unanswered(question) }
