// Package rules is what Recto knows of contracts: rules that find in the structure
// of a document what it is called, what it is, when it holds, and what it is
// worth. Each answers with the text it rests on. They know no file and ask nobody.
//
// There is a package for each answer, and here is what all of them give to whoever
// asks: title, parties, blanks, clauses, keydates, renewals, amounts, liability and
// questions. They rest on law, which tells whose law is chosen, on passage, which
// reads the text for them, on finding, and on date, money, number and period, which
// find these in any text.
package rules

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
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

// Version names what the rules find: it changes when the same document would be
// answered otherwise, so that what is kept of earlier ones is not used.
const Version = "3"

type (
	// Found is an item, and the text that it rests on.
	Found[T any] = finding.Found[T]
	// Caller is what is known of who asks.
	Caller = parties.Caller
	// Blocks are the signature blocks of a document, in which fields are looked up.
	Blocks = parties.Blocks
	// Questions are those that are asked of one document.
	Questions = questions.Questions
	// Rates are how many US dollars one unit of a currency is worth.
	Rates = amounts.Rates
)

// Titles returns what the document calls itself, the most probable first. meta is
// the title that the file's properties give, "" for none.
func Titles(d *structure.Document, meta string) []Found[insightapi.Title] { return title.Find(d, meta) }

// Types returns what kind of document it is; meta is as that of Titles.
func Types(d *structure.Document, meta string) []Found[insightapi.TypeName] {
	return title.Types(d, meta)
}

// Signers returns who signs the document.
func Signers(d *structure.Document) []Found[insightapi.Signer] { return parties.Signers(d) }

// MarkOwners sets IsAgreementOwner of the signers whose party is the caller. Found
// are those of Signers(d).
func MarkOwners(d *structure.Document, c Caller, found []Found[insightapi.Signer]) {
	parties.MarkOwners(d, c, found)
}

// NewBlocks returns the signature blocks of d.
func NewBlocks(d *structure.Document) *Blocks { return parties.NewBlocks(d) }

// Fields returns the blanks of a text that can be filled.
func Fields(d *structure.Document) []Found[insightapi.Field] { return blanks.Find(d) }

// Clauses returns the clauses of the kinds that are known here.
func Clauses(d *structure.Document) []Found[insightapi.Clause] { return clauses.Find(d) }

// Values returns the amounts of money that the contract is about.
func Values(d *structure.Document, rates Rates) []Found[insightapi.ContractValue] {
	return amounts.Values(d, rates)
}

// Payments returns what has to be paid, and when.
func Payments(d *structure.Document, rates Rates) []Found[insightapi.Payment] {
	return amounts.Payments(d, rates)
}

// ReferenceRates returns the rates of the day on which all answers rest.
func ReferenceRates() Rates { return amounts.ReferenceRates() }

// Dates returns the dates of the document, each as what it is for the contract.
func Dates(d *structure.Document) []Found[insightapi.Date] { return keydates.Find(d) }

// Limits returns the sentences that limit liability, or say what is not limited.
func Limits(d *structure.Document) []Found[insightapi.Limit] { return liability.Find(d) }

// Renewals returns for how long the contract is renewed.
func Renewals(d *structure.Document) []Found[insightapi.Renewal] { return renewals.Find(d) }

// NewQuestions returns questions for d. context is background that only ranks
// sentences.
func NewQuestions(d *structure.Document, context string) *Questions { return questions.New(d, context) }

// Unanswered is the item for a question that the document does not answer.
func Unanswered(question string) insightapi.PromptAnswer { return questions.Unanswered(question) }
