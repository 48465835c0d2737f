package httpapi

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/gateway/internal/apierror"
	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/libs/problem"
)

// Headers of repeated requests.
const (
	headerIdempotencyKey      = "Idempotency-Key"
	headerIdempotencyReplayed = "Idempotency-Replayed"
)

// maxIdempotencyKey is how many characters an Idempotency-Key may have.
const maxIdempotencyKey = 255

// operation is what a POST request does. T is what is kept of its answer, which
// may be more than the client is shown.
type operation[T any] struct {
	// document is the id of the document that the request is about, "" if it
	// makes one.
	document string
	// body is what was sent, as far as it is not ignored.
	body []byte
	// async is set if the client is told of a job.
	async bool
	// run does the work. The record is the zero one if the request has no
	// Idempotency-Key; if it has, run may return errStale.
	run func(record idempotency.Record) (T, error)
	// resign returns a kept answer with URLs that are signed anew, or errStale;
	// nil if there are none in it.
	resign func(kept T) (T, error)
}

// errStale says that what is known of a request is of no use any more, so that
// the request has to be done anew.
var errStale = errors.New("what the request has made is no longer there")

// onceTries bounds how often a request is begun: more than twice only if
// somebody else was faster each time.
const onceTries = 3

// once does the operation, or, if the request has an Idempotency-Key and was
// answered before, returns that answer again.
func once[T any](r *request, op operation[T]) (T, error) {
	var none T
	value, err := idempotencyKey(r.headerValues(headerIdempotencyKey))
	if err != nil {
		return none, err
	}
	if value == "" {
		return op.run(idempotency.Record{})
	}
	scope := idempotency.Scope{Organization: r.principal.Organization, Key: r.principal.Key, Route: r.Method() + " " + r.exchange.route, Value: value}
	hash := r.hash(op.async, op.body)
	for range onceTries {
		record, outcome, err := r.server.ledger.Begin(r.ctx, scope, hash, op.document)
		if err != nil {
			return none, notRemembered(err)
		}
		answer, err := proceed(r, op, record, outcome)
		if errors.Is(err, errStale) {
			if err := r.server.ledger.Remove(r.ctx, record); err != nil && !errors.Is(err, idempotency.ErrLost) {
				return none, notRemembered(err)
			}
			continue
		}
		r.server.metrics.idempotency.WithLabelValues(string(outcome)).Inc()
		return answer, err
	}
	return none, stillRunning()
}

// proceed does what is to be done about a request with the outcome.
func proceed[T any](r *request, op operation[T], record idempotency.Record, outcome idempotency.Outcome) (T, error) {
	var none T
	switch outcome {
	case idempotency.First, idempotency.TakenOver:
		return perform(r, op, record)
	case idempotency.Answered:
		return replay(r, op, record)
	case idempotency.Running:
		return none, stillRunning()
	}
	return none, problem.New(problem.IdempotencyConflict,
		"This Idempotency-Key was used for a different request: the path, the query, the body or the Prefer header differs. Use a new key for a new request, or send the first request unchanged.")
}

// notRemembered is the error while requests cannot be remembered.
func notRemembered(err error) error {
	return problem.New(problem.Unavailable, "The idempotency store is unavailable. Retry with the same key.").
		After(time.Second).Because(err)
}

// stillRunning is the error for a request that is being done by somebody else.
func stillRunning() error {
	return problem.New(problem.IdempotencyConflict,
		"A request with this Idempotency-Key is still running. To get its answer, retry the same request after the seconds in Retry-After.").
		After(time.Second)
}

// perform does the operation and keeps its answer. An answer that could not be
// kept is given nevertheless: the work is done.
func perform[T any](r *request, op operation[T], record idempotency.Record) (answer T, err error) {
	r.server.ledger.Hold(r.ctx, record, func() { answer, err = op.run(record) })
	if failure := r.settle(record, answer, err); failure != nil {
		r.server.log.WarnContext(r.ctx, "a request with an Idempotency-Key was not recorded as done", "route", record.Route, "error", failure)
	}
	return answer, err
}

// settle ends the record of a request: with its answer, or, if it has failed,
// without. What failed on our side may be done nevertheless, so that a repeated
// request has to find what this one has made.
func (r *request) settle(record idempotency.Record, answer any, err error) error {
	switch {
	case err == nil:
		kept, err := json.Marshal(answer)
		if err != nil {
			return fmt.Errorf("encode the answer: %w", err)
		}
		return r.server.ledger.Finish(r.ctx, record, kept)
	case errors.Is(err, errStale):
		return nil // once removes it
	case apierror.Status(problemOf(err).Code) >= http.StatusInternalServerError:
		return r.server.ledger.Release(r.ctx, record)
	}
	return r.server.ledger.Remove(r.ctx, record)
}

// replay returns the answer that a request got before.
func replay[T any](r *request, op operation[T], record idempotency.Record) (T, error) {
	var answer T
	err := json.Unmarshal(record.Answer, &answer)
	if err != nil {
		return answer, fmt.Errorf("read the kept answer: %w", err)
	}
	if op.resign != nil {
		answer, err = op.resign(answer)
	}
	if err == nil {
		r.Set(headerIdempotencyReplayed, "true")
	}
	return answer, err
}

// hash is the same for requests that are repeated, and another one for all
// others.
func (r *request) hash(async bool, body []byte) idempotency.Hash {
	uri := r.Request().URI()
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%t\n", r.Method(), uri.PathOriginal(), uri.QueryString(), async)
	h.Write(body)
	return idempotency.Hash(h.Sum(nil))
}

// idempotencyKey returns the one value of the header, "" if it was not sent.
func idempotencyKey(values []string) (string, error) {
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1:
		return "", problem.New(problem.InvalidRequest, "The request has %d Idempotency-Key headers. Send exactly one.", len(values))
	}
	value := values[0]
	if value == "" || len(value) > maxIdempotencyKey || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c > '~' }) {
		return "", problem.New(problem.InvalidRequest,
			"The Idempotency-Key must have 1 to %d printable ASCII characters. Send a UUID, for example.", maxIdempotencyKey)
	}
	return value, nil
}
