// Package llm reads documents with a language model. It decides what is sent and when, and
// keeps what was answered until the job ends. Its parts are prompts (what is said),
// excerpt (which text), provider (to whom), verify and quotes (what is believed), ledger
// and meter (what it costs).
package llm

import (
	"context"
	"log/slog"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/llm/meter"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/llm/quotes"
	"github.com/rectohq/recto/services/insight/internal/llm/verify"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Model answers prompts. A *provider.Client implements it.
type Model interface {
	// Complete returns an answer that matches the schema of the prompt, or a
	// *provider.Error.
	Complete(ctx context.Context, p provider.Prompt) (provider.Completion, error)
}

// Deps holds the dependencies of a Reader.
type Deps struct {
	Model  Model
	Ledger *ledger.Ledger
	// Kept keeps the answers of a job until it ends.
	Kept  domain.Completions
	Meter *meter.Meter
	// Keep is how long an answer is kept if its job does not end.
	Keep time.Duration
	Log  *slog.Logger
}

// Reader reads documents with a language model. It is safe for concurrent use.
type Reader struct {
	Deps
	cfg provider.Config
}

// NewReader returns a Reader. Without dependencies, its only use is to say what it would
// read.
func NewReader(cfg provider.Config, deps Deps) *Reader { return &Reader{deps, cfg} }

// Config returns the configuration of the model.
func (r *Reader) Config() provider.Config { return r.cfg }

// Version names what the answers of the model depend on except the document and the
// request, or "" if no document of the organization is read by a model.
func (r *Reader) Version(organization string) string {
	if !r.cfg.EnabledFor(organization) {
		return ""
	}
	return "model-" + r.cfg.Name() + " prompts-" + prompts.Version + " verify-" + verify.Version
}

// Task says what to find in a document, for whom.
type Task struct {
	Organization string
	// DocumentID is the id of the stored document, "" if it is not one.
	DocumentID string
	Job        domain.Job
	// Keys are the requested keys; those that no model is asked for have no effect.
	Keys []insightapi.Type
	// Questions are the messages of the custom prompts.
	Questions []string
	// Context is background from the caller.
	Context string
	// Rates convert amounts to US dollars.
	Rates rules.Rates
	// Progressed is called with the share of the prompts that are answered, from 0 to 1,
	// if it is not nil. Calls are not concurrent.
	Progressed func(share float64)
}

// Result is what a model found, and what that took.
type Result struct {
	verify.Findings
	// Read are the passages in which the model looked for the keys, and Searched those in
	// which it looked for the answer to a question, by its message.
	Read     []layout.Span
	Searched map[string][]layout.Span
	Tokens   insightapi.Tokens
	// Prompts is how many prompts the task needed, without repetitions. Of these, Failed
	// had no usable answer, and Skipped were not sent because the job has used up its
	// tokens.
	Prompts, Failed, Skipped int
}

// Usable reports whether the model answered any prompt.
func (r Result) Usable() bool { return r.Failed+r.Skipped < r.Prompts }

// Wants reports whether a task has anything to ask a model for.
func (r *Reader) Wants(t Task) bool {
	return r.cfg.EnabledFor(t.Organization) && (len(prompts.Asked(t.Keys)) > 0 || len(t.Questions) > 0)
}

// Read asks the model. questions belongs to the document d.
//
// The error is a *provider.Error or a *ledger.ExceededError if the model did not answer;
// the result then holds the tokens that were used nevertheless. Answers up to then are
// kept: if the job is tried again, only the rest is asked.
func (r *Reader) Read(ctx context.Context, d *structure.Document, questions *rules.Questions, t Task) (Result, error) {
	run := &run{reader: r, task: t, document: d, finder: quotes.New(d.Text), counted: map[string]bool{}}
	run.result.Searched = map[string][]layout.Span{}
	asks := r.plan(d, questions, t)
	parts, err := run.all(ctx, asks)
	result := run.result
	result.Findings = verify.Combine(parts)
	r.Meter.Quotes(result.Checks)
	return result, err
}
