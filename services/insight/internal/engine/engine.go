// Package engine answers questions about a document: it has the document read, finds its
// structure, applies the rules to that, asks a language model if there is one, merges what
// both found, and locates every finding. It owns the order of these steps, but no rule
// itself.
package engine

import (
	"context"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields/docxfields"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/llm"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Engine implements domain.Engine with the rules and a language model.
type Engine struct {
	reader *source.Reader
	model  *llm.Reader
}

// New returns an Engine that reads documents with the reader. model is nil if the rules
// answer alone.
func New(reader *source.Reader, model *llm.Reader) *Engine { return &Engine{reader, model} }

// Version implements domain.Engine. It lists the parts that answers depend on, each with
// its own version.
func (e *Engine) Version(organization string) string {
	version := "rules-" + rules.Version + " source-" + source.Version + " structure-" + structure.Version + " pdf-" + pdf.Version +
		" docx-" + docxtext.Version + " fields-" + docxfields.Version
	if e.model != nil {
		version = strings.TrimSpace(version + " " + e.model.Version(organization))
	}
	return version
}

// Analyze implements domain.Engine.
func (e *Engine) Analyze(ctx context.Context, m domain.Material, q domain.Question, told domain.Listener) (domain.Analysis, error) {
	reading, err := e.reader.Read(ctx, m, told.Reached)
	if err != nil {
		return domain.Analysis{}, err
	}
	defer reading.Close()
	document := structure.Read(reading.Text)
	a := analysis{
		reading: reading, question: q, document: document, ground: ground.New(reading.Text),
		questions: rules.NewQuestions(document, q.Context),
	}
	told.Reached(insightapi.StageStructured)
	if err := e.askModel(ctx, &a, m, told); err != nil {
		return domain.Analysis{}, err
	}
	for _, key := range insightapi.Asked(q.Requests) {
		if ctx.Err() != nil {
			return domain.Analysis{}, context.Cause(ctx)
		}
		if err := a.find(ctx, key); err != nil {
			return domain.Analysis{}, err
		}
		told.Answered(key, &a.answer)
	}
	a.answer.Usage = e.usage(&a)
	return domain.Analysis{Answer: a.answer.Select(q.Requests), Shown: reading.Shown, Degraded: a.degraded}, nil
}

// analysis is the analysis of one document.
type analysis struct {
	reading   *source.Reading
	question  domain.Question
	document  *structure.Document
	ground    *ground.Ground
	questions *rules.Questions
	answer    insightapi.Answer
	modelled
	// fields are found once, for two keys. They are nil until then.
	fields []insightapi.Field
}

// find answers one key.
func (a *analysis) find(ctx context.Context, key insightapi.Type) error {
	d := a.document
	switch key {
	case insightapi.DocumentTitle:
		a.answer.DocumentTitle = both(a, rules.Titles(d, a.reading.Title), a.model.Titles)
	case insightapi.DocumentType:
		a.answer.DocumentType = both(a, rules.Types(d, a.reading.Title), a.model.Types)
	case insightapi.DocumentIDs:
		a.answer.DocumentIDs = &a.reading.IDs
	case insightapi.DocumentSigners:
		found := rules.Signers(d)
		rules.MarkOwners(d, rules.Caller{Organization: a.question.Organization, Context: a.question.Context}, found)
		a.answer.DocumentSigners = both(a, found, a.model.Signers)
	case insightapi.DocumentFields:
		return a.findFields(ctx)
	case insightapi.DocumentFieldsPages:
		return a.findFieldsPages(ctx)
	case insightapi.DocumentClauses:
		a.answer.DocumentClauses = both(a, rules.Clauses(d), a.model.Clauses)
	case insightapi.CustomPrompt:
		return a.findAnswers(ctx)
	case insightapi.ContractValues:
		a.answer.ContractValues = both(a, rules.Values(d, rules.ReferenceRates()), a.model.Values)
	case insightapi.DocumentDates:
		a.answer.DocumentDates = both(a, rules.Dates(d), a.model.Dates)
	case insightapi.LimitOfLiability:
		a.answer.LimitOfLiability = both(a, rules.Limits(d), a.model.Limits)
	case insightapi.RenewalTermLength:
		a.answer.RenewalTermLength = both(a, rules.Renewals(d), a.model.Renewals)
	case insightapi.Payments:
		a.answer.Payments = both(a, rules.Payments(d, rules.ReferenceRates()), a.model.Payments)
	case insightapi.MatchingDocuments:
		// No rule compares documents yet, so no document matches.
		a.answer.MatchingDocuments = &[]insightapi.MatchingDocument{}
	}
	return nil
}

// items locates what was found.
func items[T ground.Item](a *analysis, found []rules.Found[T]) *[]T {
	placed := ground.Items(a.ground, found)
	return &placed
}

// findAnswers answers the questions, in order. A question without an answer gets an item
// that says so.
func (a *analysis) findAnswers(ctx context.Context) error {
	answers := []insightapi.PromptAnswer{}
	for _, r := range a.question.Requests {
		if r.Type != insightapi.CustomPrompt {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		found := *items(a, a.answers(r.Message))
		if len(found) == 0 {
			found = append(found, a.unanswered(r.Message))
		}
		answers = append(answers, found...)
	}
	a.answer.CustomPrompt = &answers
	return nil
}
