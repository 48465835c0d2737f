package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/llm/excerpt"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/llm/quotes"
	"github.com/rectohq/recto/services/insight/internal/llm/verify"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// maxSplits is how many times a part is halved whose answer is too long.
const maxSplits = 3

// run is one try of a task.
type run struct {
	reader   *Reader
	task     Task
	document *structure.Document
	finder   *quotes.Finder

	mu sync.Mutex // guards the following
	// planned is the number of tokens that the prompts so far take at most.
	planned int64
	// counted holds the keys of the prompts whose tokens the result has: parts with the
	// same text share one answer.
	counted map[string]bool
	result  Result
	// ended is the number of asks that have ended.
	ended int
	err   error
}

// all sends the asks, some of them concurrently, and returns what was found in each, in
// their order. After an error it sends no further ones, but waits for those on their way:
// they have to be paid for.
func (r *run) all(ctx context.Context, asks []ask) ([]verify.Findings, error) {
	found := make([][]verify.Findings, len(asks))
	free := make(chan struct{}, r.reader.cfg.Concurrency)
	var sending sync.WaitGroup
	for i, a := range asks {
		free <- struct{}{}
		if r.failed() {
			break
		}
		sending.Go(func() {
			defer func() { <-free }()
			findings, err := r.answer(ctx, a, maxSplits)
			if err != nil {
				r.fail(err)
			}
			found[i] = findings
			r.progressed(len(asks))
		})
	}
	sending.Wait()
	var all []verify.Findings
	for _, findings := range found {
		all = append(all, findings...)
	}
	return all, r.err
}

// progressed counts an ask that has ended, of all.
func (r *run) progressed(all int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended++
	if r.task.Progressed != nil {
		r.task.Progressed(float64(r.ended) / float64(all))
	}
}

// failed reports whether an ask has failed.
func (r *run) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

// fail records the first error.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// count changes the result.
func (r *run) count(change func(*Result)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.result)
}

// answer sends an ask and checks what comes back. If the answer is too long, it halves the
// part, up to splits times. An ask without a usable answer finds nothing; that is not an
// error.
func (r *run) answer(ctx context.Context, a ask, splits int) ([]verify.Findings, error) {
	p, err := a.prompt(r.document, r.task.Context)
	if err != nil {
		return nil, err
	}
	if !r.afford(p) {
		r.count(func(s *Result) { s.Prompts++; s.Skipped++ })
		return nil, nil
	}
	outcome, err := r.ask(ctx, p)
	if err != nil {
		return nil, err
	}
	if outcome.Failed == provider.TooLong.String() && splits > 0 {
		if halves := a.part.Halves(r.document); len(halves) > 0 {
			return r.halves(ctx, a, halves, splits-1)
		}
	}
	r.count(func(s *Result) { s.Prompts++ })
	e, ok := outcome.extraction()
	if !ok {
		r.count(func(s *Result) { s.Failed++ })
		return nil, nil
	}
	r.count(func(s *Result) { s.read(a) })
	return []verify.Findings{verify.Extraction(r.document, r.finder, extent(a), a.questions, r.task.Rates, e)}, nil
}

// read records that the model has answered an ask.
func (r *Result) read(a ask) {
	if len(a.keys) > 0 {
		r.Read = append(r.Read, a.part.Spans...)
	}
	for _, q := range a.questions {
		r.Searched[q] = append(r.Searched[q], a.part.Spans...)
	}
}

// halves sends an ask about each half of its part.
func (r *run) halves(ctx context.Context, a ask, halves []excerpt.Part, splits int) (found []verify.Findings, err error) {
	for _, half := range halves {
		a.part = half
		findings, err := r.answer(ctx, a, splits)
		if err != nil {
			return nil, err
		}
		found = append(found, findings...)
	}
	return found, nil
}

// extent returns the span from the first to the last passage of an ask.
func extent(a ask) layout.Span {
	spans := a.part.Spans
	if len(spans) == 0 {
		return layout.Span{}
	}
	return layout.Span{Start: spans[0].Start, End: spans[len(spans)-1].End}
}

// afford reports whether the tokens of the job suffice for another prompt, and counts it.
func (r *run) afford(p provider.Prompt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	tokens := estimate(p, r.reader.cfg)
	if r.planned+tokens > r.reader.cfg.JobTokens {
		return false
	}
	r.planned += tokens
	return true
}

// outcome is what became of a prompt, as it is kept.
type outcome struct {
	provider.Completion
	// Failed is the kind of a lasting error, "" if there is an answer. Another try would
	// cost as much and end the same.
	Failed string `json:"failed,omitzero"`
}

// extraction returns the answer, or false if there is none that can be used.
func (o outcome) extraction() (e prompts.Extraction, ok bool) {
	ok = o.Failed == "" && json.Unmarshal(o.JSON, &e) == nil
	return e, ok
}

// ask returns the outcome of a prompt: the kept one, or that of sending it.
func (r *run) ask(ctx context.Context, p provider.Prompt) (outcome, error) {
	key, err := r.key(p)
	if err != nil {
		return outcome{}, err
	}
	data, err := r.reader.Kept.Completion(ctx, r.task.Organization, r.task.Job.ID, key)
	var kept outcome
	if err == nil && json.Unmarshal(data, &kept) == nil {
		r.charge(key, kept)
		return kept, nil
	}
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return outcome{}, err
	}
	if r.task.Job.Try > r.reader.cfg.Tries {
		return outcome{}, &provider.Error{Kind: provider.Unavailable, Reason: "all tries are used up"}
	}
	got, err := r.send(ctx, p)
	r.charge(key, got)
	if err != nil {
		return outcome{}, err
	}
	return got, r.keep(ctx, key, got)
}

// charge adds the tokens of a prompt to the result, once.
func (r *run) charge(key string, o outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.counted[key] {
		r.result.Tokens = r.result.Tokens.Plus(o.Tokens)
	}
	r.counted[key] = true
}

// key identifies a prompt among those of a job.
func (r *run) key(p provider.Prompt) (string, error) {
	data, err := json.Marshal(p, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("encode a prompt: %w", err)
	}
	sum := sha256.Sum256(append([]byte(r.reader.cfg.Name()+"\n"), data...))
	return hex.EncodeToString(sum[:]), nil
}

// send sends a prompt within the budget. An error that another try may end is returned; a
// lasting one is part of the outcome.
func (r *run) send(ctx context.Context, p provider.Prompt) (outcome, error) {
	reservation, err := r.reader.Ledger.Reserve(ctx, r.task.Organization, estimate(p, r.reader.cfg))
	if err != nil {
		return outcome{}, err
	}
	begin := time.Now()
	completion, err := r.reader.Model.Complete(ctx, p)
	var failed *provider.Error
	if errors.As(err, &failed) {
		completion.Tokens = failed.Tokens
	}
	r.reader.Meter.Request(err, time.Since(begin), completion.Tokens, ledger.Cost(r.reader.cfg, completion.Tokens))
	settled := reservation.Settle(ctx, completion.Tokens)
	got := outcome{Completion: completion}
	switch {
	case settled != nil:
		return got, settled
	case err == nil:
		return got, nil
	case failed != nil && failed.Lasting():
		got.Failed = failed.Kind.String()
		return got, nil
	}
	return got, err
}

// keep keeps an outcome for the next try of the job.
func (r *run) keep(ctx context.Context, key string, o outcome) error {
	data, err := json.Marshal(o, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode a completion: %w", err)
	}
	// An answer that was paid for is kept even if the job was interrupted meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	err = r.reader.Kept.KeepCompletion(ctx, r.task.Organization, domain.Completion{
		JobID: r.task.Job.ID, DocumentID: r.task.DocumentID, Key: key, Data: data, ExpiresAt: time.Now().Add(r.reader.Keep).UnixMilli(),
	})
	if errors.Is(err, domain.ErrCompletionTooLarge) {
		return nil // it is only paid again if the job is tried again
	}
	return err
}

// keepTimeout limits how long keeping a completion may take.
const keepTimeout = 10 * time.Second
