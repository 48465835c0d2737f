package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/llm"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/merge"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
)

// askModel asks the language model, if there is one for the organization and the request
// has anything to ask it for. If the model is not available, the error makes the job try
// again, unless the rules are to answer now.
func (e *Engine) askModel(ctx context.Context, a *analysis, m domain.Material, told domain.Listener) error {
	task := e.task(m, a.question)
	if !e.wantsModel(task) {
		return nil
	}
	task.Progressed = told.Progressed
	err := told.Idle(ctx, func() (err error) {
		ctx, cancel := within(ctx)
		defer cancel()
		a.model, err = e.model.Read(ctx, a.document, a.questions, task)
		return err
	})
	a.asked, a.name = true, e.model.Config().Name()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = &provider.Error{Kind: provider.TimedOut, Reason: "the time of the job is used up"}
	}
	if err == nil && !a.model.Usable() {
		err = errUnusable
	}
	if err == nil {
		return nil
	}
	a.degraded = !errors.Is(err, errUnusable)
	var failed error
	if a.why, failed = e.instead(err, m.Job); failed == nil {
		e.model.Log.WarnContext(ctx, "the rules answer in place of the language model", "job", m.Job.ID, "error", err)
	}
	return failed
}

// task returns what a language model would be asked.
func (e *Engine) task(m domain.Material, q domain.Question) llm.Task {
	return llm.Task{
		Organization: m.Principal.Organization, DocumentID: m.DocumentID, Job: m.Job,
		Keys: insightapi.Asked(q.Requests), Questions: messages(q.Requests), Context: q.Context, Rates: e.rates,
	}
}

// wantsModel reports whether a language model is asked. The document has no part in that, so
// it is known before the document is read.
func (e *Engine) wantsModel(t llm.Task) bool { return e.model != nil && e.model.Wants(t) }

// messages returns the questions of the custom prompts.
func messages(requests []insightapi.Request) (questions []string) {
	for _, r := range requests {
		if r.Type == insightapi.CustomPrompt {
			questions = append(questions, r.Message)
		}
	}
	return questions
}

// within returns a context that ends before ctx does, so that the rules can still answer
// when the model does not.
func within(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)*9/10)
}

// errUnusable means that the model answered, but never in a way that can be used.
var errUnusable = errors.New("the language model gave no usable answer")

// maxWait is the longest time that a job waits for a provider that says when to come back.
const maxWait = time.Minute

// modelled is the part of a language model in an analysis.
type modelled struct {
	// asked reports whether the model was asked, and model is what it found.
	asked bool
	name  string
	model llm.Result
	// why says why the rules answer although a model was to be asked, "" if it answered.
	why merge.Outage
	// degraded reports that the model was not available.
	degraded bool
	// by lists who contributed items.
	by []insightapi.Engine
}

// instead decides what happens without an answer of the model: the job is tried again, or
// fails, or the rules answer. For the last, it returns the reason for clients.
func (e *Engine) instead(err error, j domain.Job) (merge.Outage, error) {
	var (
		failed *provider.Error
		pace   *ledger.PaceError
	)
	if errors.As(err, &pace) { // nothing was sent, so this is no try
		return "", job.After(problem.New(problem.Unavailable, "The language model is busy. Retry later.").After(pace.After).Because(err), pace.After)
	}
	if errors.As(err, &failed) && failed.Temporary() && failed.After <= maxWait && j.Try < e.model.Config().Tries {
		return "", job.After(err, failed.After)
	}
	what, after := outage(err)
	if what == "" {
		return "", err
	}
	if e.model.Config().Fallback == provider.FallbackRules {
		return merge.Outage(what + ", so the rules answered."), nil
	}
	code := problem.Unavailable
	if failed != nil && failed.Kind == provider.TimedOut {
		code = problem.TimedOut
	}
	return "", job.Final(problem.New(code, "%s. Retry later, or ask the operator.", what).After(max(after, defaultRetry)).Because(err))
}

// outage says for clients why the model did not answer, and how long that lasts at least.
// It returns "" if the model is not the reason.
func outage(err error) (what string, after time.Duration) {
	var (
		failed   *provider.Error
		exceeded *ledger.ExceededError
	)
	switch {
	case errors.Is(err, errUnusable):
		return "The language model gave no usable answer", 0
	case errors.As(err, &exceeded):
		return "The budget for the language model is used up", time.Until(exceeded.ResetsAt)
	case !errors.As(err, &failed):
		return "", 0
	case failed.Kind == provider.TimedOut:
		return "The language model did not answer in time", failed.After
	case failed.Kind == provider.Unavailable:
		return "The language model could not be reached", failed.After
	}
	return "The language model rejected the request", 0
}

// defaultRetry is when a client may ask again if the provider does not say.
const defaultRetry = 30 * time.Second

// both locates what the rules and the model found of one kind.
func both[T interface {
	ground.Item
	merge.Item
}](a *analysis, byRules, byModel []finding.Found[T]) *[]T {
	switch {
	case a.why != "":
		byRules = merge.Degraded(byRules, a.why)
	case a.asked:
		merged, by := merge.Items(byRules, byModel, a.reader(a.model.Read))
		a.by = append(a.by, by)
		return items(a, merged)
	}
	return items(a, byRules)
}

// reader returns the model as one that has read the passages.
func (m *modelled) reader(passages []layout.Span) merge.Model {
	return merge.Model{Name: m.name, Read: passages}
}

// answers returns the answers of the rules and the model to a question, best first.
func (a *analysis) answers(question string) []finding.Found[insightapi.PromptAnswer] {
	byRules := a.questions.Answers(question)
	switch {
	case a.why != "":
		return merge.Degraded(byRules, a.why)
	case a.asked:
		merged, by := merge.Answers(byRules, a.model.Answers[question], a.reader(a.model.Searched[question]))
		a.by = append(a.by, by)
		return merged
	}
	return byRules
}

// unanswered returns the item for a question that the document does not answer.
func (a *analysis) unanswered(question string) insightapi.PromptAnswer {
	item := rules.Unanswered(question)
	if a.why != "" {
		item.Reasoning = new(a.why.After(*item.Reasoning))
	}
	return item
}

// usage returns who answered, and what the model used. It is nil if no model was asked.
func (e *Engine) usage(a *analysis) *insightapi.Usage {
	if !a.asked {
		return nil
	}
	cfg := e.model.Config()
	return &insightapi.Usage{
		Engine: engineOf(a.by), Provider: cfg.Provider, Model: cfg.Model, Tokens: a.model.Tokens, CostUSD: ledger.Cost(cfg, a.model.Tokens),
	}
}

// engineOf returns who answered a request, given who contributed items.
func engineOf(by []insightapi.Engine) insightapi.Engine {
	byModel := slices.Contains(by, insightapi.ByModel) || slices.Contains(by, insightapi.ByBoth)
	byRules := slices.Contains(by, insightapi.ByRules) || slices.Contains(by, insightapi.ByBoth)
	return insightapi.EngineOf(byRules, byModel)
}
