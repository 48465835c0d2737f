// Package engine answers questions about a document: it has the document read, finds its
// structure, applies the rules to that, asks a language model if there is one, merges what
// both found, and locates every finding. It owns the order of these steps, but no rule
// itself.
package engine

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields/docxfields"
	"github.com/rectohq/recto/libs/formats/fields/pdffields"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/llm"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/similar"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Engine implements domain.Engine with the rules and a language model.
type Engine struct {
	reader *source.Reader
	model  *llm.Reader
	// clauses holds the weights that choose clauses, payments those that judge payments, and
	// secrecy those that read confidentiality agreements.
	clauses, payments, secrecy *learn.Model
	// rates convert amounts to US dollars.
	rates rules.Rates
	// index knows the texts of stored documents. It may be nil.
	index Index
}

// Index knows the texts of stored documents.
type Index interface {
	// Add records the text that was read from a file of a stored document. It ignores other
	// material.
	Add(ctx context.Context, m domain.Material, file documentapi.Content, text string) error
	// Matches returns the documents whose texts are similar to the text of the material, and
	// that its caller may see. All tries of a job get the same ones.
	Matches(ctx context.Context, m domain.Material, text string) ([]insightapi.MatchingDocument, error)
}

// New returns an Engine that reads documents with the reader. model is nil if the rules
// answer alone. The embedded weights choose clauses, judge payments and read confidentiality
// agreements. Amounts are converted to US dollars by the reference rates.
func New(reader *source.Reader, model *llm.Reader) *Engine {
	return &Engine{reader: reader, model: model, clauses: learn.Clauses(), payments: learn.Payments(), secrecy: learn.Secrecy(), rates: rules.ReferenceRates()}
}

// WithClauses returns an engine with other weights for clauses. nil leaves clauses to the
// rules alone.
func (e *Engine) WithClauses(weights *learn.Model) *Engine {
	other := *e
	other.clauses = weights
	return &other
}

// WithPayments returns an engine with other weights for payments. nil leaves payments to the
// rules alone.
func (e *Engine) WithPayments(weights *learn.Model) *Engine {
	other := *e
	other.payments = weights
	return &other
}

// WithSecrecy returns an engine with other weights for confidentiality agreements. nil leaves
// statements about them to the rules alone.
func (e *Engine) WithSecrecy(weights *learn.Model) *Engine {
	other := *e
	other.secrecy = weights
	return &other
}

// WithRates returns an engine that converts amounts by other rates.
func (e *Engine) WithRates(rates rules.Rates) *Engine {
	other := *e
	other.rates = rates
	return &other
}

// WithIndex returns an engine that finds matching documents in an index, to which it adds the
// documents that it reads. Without one, no document matches.
func (e *Engine) WithIndex(index Index) *Engine {
	other := *e
	other.index = index
	return &other
}

// Version implements domain.Engine. It lists the parts that answers depend on, each with
// its own version.
func (e *Engine) Version(organization string) string {
	version := "rules-" + rules.Version + " weights-" + learn.Version() + " rates-" + e.rates.Version() + " source-" + source.Version + " structure-" + structure.Version + " pdf-" + pdf.Version +
		" docx-" + docxtext.Version + " fields-" + docxfields.Version + " pdffields-" + pdffields.Version + " similar-" + similar.Version
	if e.model != nil {
		version = strings.TrimSpace(version + " " + e.model.Version(organization))
	}
	return version
}

// Analyze implements domain.Engine.
func (e *Engine) Analyze(ctx context.Context, m domain.Material, q domain.Question, told domain.Listener) (domain.Analysis, error) {
	a := analysis{question: q, told: told, clauses: e.clauses, payments: e.payments, secrecy: e.secrecy, rates: e.rates}
	early, late := e.order(m, q)
	var stopped error
	reading, err := e.reader.Read(ctx, m, source.Listener{Reached: told.Reached, Opened: func(r *source.Reading) {
		a.open(r)
		stopped = a.findAll(ctx, early)
	}})
	if err != nil {
		return domain.Analysis{}, err
	}
	defer reading.Close()
	if stopped != nil {
		return domain.Analysis{}, stopped
	}
	a.readWhole()
	told.Reached(insightapi.StageStructured)
	if err := a.match(ctx, e.index, m, told); err != nil {
		return domain.Analysis{}, err
	}
	if err := e.askModel(ctx, &a, m, told); err != nil {
		return domain.Analysis{}, err
	}
	defer a.startLongest(ctx, late)()
	if err := a.findAll(ctx, late); err != nil {
		return domain.Analysis{}, err
	}
	a.answer.Usage = e.usage(&a)
	return domain.Analysis{Answer: a.answer.Select(q.Requests), Shown: reading.Shown, Degraded: a.degraded}, nil
}

// order returns the requested keys that are answered before the document is read to its end,
// and the others, in the order of insightapi.Steps.
func (e *Engine) order(m domain.Material, q domain.Question) (early, late []insightapi.Type) {
	model := e.wantsModel(e.task(m, q))
	for _, key := range insightapi.Asked(q.Requests) {
		if !model && slices.Contains(insightapi.Opening(), key) {
			early = append(early, key)
		} else {
			late = append(late, key)
		}
	}
	return early, late
}

// analysis is the analysis of one document.
type analysis struct {
	reading  *source.Reading
	question domain.Question
	told     domain.Listener
	// opening is the structure of the opening, and document that of the whole text. The keys
	// of insightapi.Opening depend on the opening alone, so that they are the same whether
	// they are answered early or not.
	opening, document          *structure.Document
	clauses, payments, secrecy *learn.Model
	rates                      rules.Rates
	amounts                    *rules.Amounts
	// titled returns the titles, chosen the sentences that the weights choose, limited the limits of
	// liability, stated the clauses, and paid the payments. All are slow the first time, and then
	// return the same result.
	titled  func() []rules.Found[insightapi.Title]
	chosen  func() *rules.Chosen
	limited func() []rules.Found[insightapi.Limit]
	stated  func() []rules.Found[insightapi.Clause]
	paid    func() []rules.Found[insightapi.Payment]
	// ground is that of the opening until the whole text is read.
	ground    *ground.Ground
	questions *rules.Questions
	answer    insightapi.Answer
	modelled
	matches []insightapi.MatchingDocument
	// fields are found once, for two keys. They are nil until then.
	fields []insightapi.Field
}

// open begins the analysis with the opening.
func (a *analysis) open(r *source.Reading) {
	a.reading, a.opening, a.ground = r, structure.Read(r.Opening), ground.New(r.Opening)
	a.titled = once(func() []rules.Found[insightapi.Title] { return rules.Titles(a.opening, r.Title) })
}

// readWhole continues the analysis with the whole text.
func (a *analysis) readWhole() {
	a.document = a.opening
	if text := a.reading.Text; text != a.reading.Opening {
		a.document, a.ground = structure.Read(text), ground.New(text)
	}
	a.questions = rules.NewQuestions(a.document, a.question.Context)
	a.amounts = rules.NewAmounts(a.document, a.rates)
	words := learn.WordsOf(a.document)
	a.chosen = once(func() *rules.Chosen { return rules.Choose(a.document, a.clauses, words) })
	a.limited = once(func() []rules.Found[insightapi.Limit] { return rules.Limits(a.document, a.chosen()) })
	a.stated = once(func() []rules.Found[insightapi.Clause] { return rules.Clauses(a.document, a.chosen(), a.limited()) })
	a.questions.SetClauses(a.stated)
	a.questions.SetSecrecy(a.secrecy)
	a.paid = once(func() []rules.Found[insightapi.Payment] { return a.amounts.Payments(a.payments, words) })
}

// once is sync.OnceValue, except that a panic carries the stack of find.
func once[T any](find func() T) func() T {
	return sync.OnceValue(func() T {
		defer func() {
			if v := recover(); v != nil {
				panic(fmt.Sprintf("%v\n%s", v, debug.Stack()))
			}
		}()
		return find()
	})
}

// startLongest computes what takes longest for the keys in the background, so that it can use
// other processors. It returns a function that waits for the background work to end.
func (a *analysis) startLongest(ctx context.Context, keys []insightapi.Type) (wait func()) {
	var running sync.WaitGroup
	if ctx.Err() != nil {
		return running.Wait
	}
	start := func(find func()) {
		running.Go(func() {
			// A panic in this goroutine would crash the service. find panics again in the
			// goroutine of the job, which recovers and fails that job alone.
			defer func() { _ = recover() }()
			find()
		})
	}
	if slices.Contains(keys, insightapi.DocumentClauses) || slices.Contains(keys, insightapi.LimitOfLiability) {
		start(func() { a.chosen() })
	}
	if slices.Contains(keys, insightapi.Payments) {
		start(func() { a.paid() })
	}
	return running.Wait
}

// findAll answers the keys one after another until ctx ends.
func (a *analysis) findAll(ctx context.Context, keys []insightapi.Type) error {
	for _, key := range keys {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := a.find(ctx, key); err != nil {
			return err
		}
		a.told.Answered(key, &a.answer)
	}
	return nil
}

// find answers one key.
func (a *analysis) find(ctx context.Context, key insightapi.Type) error {
	d := a.document
	switch key {
	case insightapi.DocumentTitle:
		a.answer.DocumentTitle = both(a, a.titled(), a.model.Titles)
	case insightapi.DocumentType:
		a.answer.DocumentType = both(a, rules.Types(a.opening, a.titled()), a.model.Types)
	case insightapi.DocumentIDs:
		a.answer.DocumentIDs = &a.reading.IDs
	case insightapi.DocumentParties:
		a.answer.DocumentParties = items(a, rules.Parties(d))
	case insightapi.DocumentSigners:
		found := rules.Signers(d)
		rules.MarkOwners(d, rules.Caller{Organization: a.question.Organization, Context: a.question.Context}, found)
		a.answer.DocumentSigners = both(a, found, a.model.Signers)
	case insightapi.DocumentFields:
		return a.findFields(ctx)
	case insightapi.DocumentFieldsPages:
		return a.findFieldsPages(ctx)
	case insightapi.DocumentClauses:
		a.answer.DocumentClauses = both(a, a.stated(), a.model.Clauses)
	case insightapi.CustomPrompt:
		return a.findAnswers(ctx)
	case insightapi.ContractValues:
		a.answer.ContractValues = both(a, a.amounts.Values(), a.model.Values)
	case insightapi.DocumentDates:
		a.answer.DocumentDates = both(a, rules.Dates(d), a.model.Dates)
	case insightapi.LimitOfLiability:
		a.answer.LimitOfLiability = both(a, a.limited(), a.model.Limits)
	case insightapi.RenewalTermLength:
		a.answer.RenewalTermLength = both(a, rules.Renewals(d), a.model.Renewals)
	case insightapi.Payments:
		a.answer.Payments = both(a, a.paid(), a.model.Payments)
	case insightapi.MatchingDocuments:
		a.answer.MatchingDocuments = &a.matches
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
