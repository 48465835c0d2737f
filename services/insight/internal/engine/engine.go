// Package engine answers questions about a document: it has the document read, finds its
// structure, applies the rules to that, and locates every finding. It owns the order of
// these steps, but no rule itself.
package engine

import (
	"context"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields/docxfields"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Engine implements domain.Engine with the rules.
type Engine struct{ reader *source.Reader }

// New returns an Engine that reads documents with the reader.
func New(reader *source.Reader) *Engine { return &Engine{reader} }

// Version implements domain.Engine. It lists the parts that answers depend on, each with
// its own version.
func (e *Engine) Version() string {
	return "rules-" + rules.Version + " source-" + source.Version + " structure-" + structure.Version + " pdf-" + pdf.Version +
		" docx-" + docxtext.Version + " fields-" + docxfields.Version
}

// Analyze implements domain.Engine.
func (e *Engine) Analyze(ctx context.Context, m domain.Material, q domain.Question, told domain.Listener) (domain.Analysis, error) {
	reading, err := e.reader.Read(ctx, m, told.Reached)
	if err != nil {
		return domain.Analysis{}, err
	}
	defer reading.Close()
	a := analysis{
		reading: reading, question: q,
		document: structure.Read(reading.Text), ground: ground.New(reading.Text),
	}
	told.Reached(insightapi.StageStructured)
	for _, key := range insightapi.Asked(q.Requests) {
		if ctx.Err() != nil {
			return domain.Analysis{}, context.Cause(ctx)
		}
		if err := a.find(ctx, key); err != nil {
			return domain.Analysis{}, err
		}
		told.Answered(key, &a.answer)
	}
	return domain.Analysis{Answer: a.answer.Select(q.Requests), Shown: reading.Shown}, nil
}

// analysis is the analysis of one document.
type analysis struct {
	reading  *source.Reading
	question domain.Question
	document *structure.Document
	ground   *ground.Ground
	answer   insightapi.Answer
	// fields are found once, for two keys. They are nil until then.
	fields []insightapi.Field
}

// find answers one key.
func (a *analysis) find(ctx context.Context, key insightapi.Type) error {
	d := a.document
	switch key {
	case insightapi.DocumentTitle:
		a.answer.DocumentTitle = items(a, rules.Titles(d, a.reading.Title))
	case insightapi.DocumentType:
		a.answer.DocumentType = items(a, rules.Types(d, a.reading.Title))
	case insightapi.DocumentIDs:
		a.answer.DocumentIDs = &a.reading.IDs
	case insightapi.DocumentSigners:
		found := rules.Signers(d)
		rules.MarkOwners(d, rules.Caller{Organization: a.question.Organization, Context: a.question.Context}, found)
		a.answer.DocumentSigners = items(a, found)
	case insightapi.DocumentFields:
		return a.findFields(ctx)
	case insightapi.DocumentFieldsPages:
		return a.findFieldsPages(ctx)
	case insightapi.DocumentClauses:
		a.answer.DocumentClauses = items(a, rules.Clauses(d))
	case insightapi.CustomPrompt:
		return a.findAnswers(ctx)
	case insightapi.ContractValues:
		a.answer.ContractValues = items(a, rules.Values(d, rules.ReferenceRates()))
	case insightapi.DocumentDates:
		a.answer.DocumentDates = items(a, rules.Dates(d))
	case insightapi.LimitOfLiability:
		a.answer.LimitOfLiability = items(a, rules.Limits(d))
	case insightapi.RenewalTermLength:
		a.answer.RenewalTermLength = items(a, rules.Renewals(d))
	case insightapi.Payments:
		a.answer.Payments = items(a, rules.Payments(d, rules.ReferenceRates()))
	case insightapi.MatchingDocuments:
		// No rule compares documents yet, so no document matches.
		a.answer.MatchingDocuments = &[]insightapi.MatchingDocument{}
	}
	return nil
}

// items locates what the rules found.
func items[T ground.Item](a *analysis, found []rules.Found[T]) *[]T {
	placed := ground.Items(a.ground, found)
	return &placed
}

// findAnswers answers the questions, in order. A question without an answer gets an item
// that says so.
func (a *analysis) findAnswers(ctx context.Context) error {
	answers := []insightapi.PromptAnswer{}
	questions := rules.NewQuestions(a.document, a.question.Context)
	for _, r := range a.question.Requests {
		if r.Type != insightapi.CustomPrompt {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		found := *items(a, questions.Answers(r.Message))
		if len(found) == 0 {
			found = append(found, rules.Unanswered(r.Message))
		}
		answers = append(answers, found...)
	}
	a.answer.CustomPrompt = &answers
	return nil
}
