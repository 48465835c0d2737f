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

// maxIdempotencyKey is the maximum length of an Idempotency-Key.
const maxIdempotencyKey = 255

// operation is the work of a POST request. T is what is kept of its response, which may be
// more than the client sees.
type operation[T any] struct {
	// document is the id of the document that the request is about, "" if it creates
	// one.
	document string
	// body is the request body, nil if the operation ignores it.
	body []byte
	// async is set if the response is a job.
	async bool
	// run does the work. Without an Idempotency-Key, the record is the zero value. With
	// one, run may return errStale.
	run func(record idempotency.Record) (T, error)
	// resign returns a kept response with newly presigned URLs, or errStale. It is nil if
	// the response has no URLs.
	resign func(kept T) (T, error)
}

// errStale signals that the record of a request is no longer useful, so that the request
// must run again.
var errStale = errors.New("the result of the earlier request no longer exists")

// onceTries bounds how often a request begins. It begins more than twice only if
// concurrent requests were faster each time.
const onceTries = 3

// once runs the operation. If the request has an Idempotency-Key and was answered before,
// it returns the kept response instead.
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

// proceed handles a request according to its outcome.
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

// notRemembered returns the error for an idempotency store that is unavailable.
func notRemembered(err error) error {
	return problem.New(problem.Unavailable, "The idempotency store is unavailable. Retry with the same key.").
		After(time.Second).Because(err)
}

// stillRunning returns the error for a request whose first run is still in progress.
func stillRunning() error {
	return problem.New(problem.IdempotencyConflict,
		"A request with this Idempotency-Key is still running. To get its response, retry the same request after the number of seconds in the Retry-After header.").
		After(time.Second)
}

// perform runs the operation and keeps its response. It returns the response even if it
// could not be kept, since the work is done.
func perform[T any](r *request, op operation[T], record idempotency.Record) (answer T, err error) {
	r.server.ledger.Hold(r.ctx, record, func() { answer, err = op.run(record) })
	if failure := r.settle(record, answer, err); failure != nil {
		r.server.log.WarnContext(r.ctx, "cannot store the outcome of a request with an Idempotency-Key", "route", record.Route, "error", failure)
	}
	return answer, err
}

// settle ends the record of a request: with its response, or without one if the request
// has failed. After a server error the work may be done nevertheless. The record is then
// only released, so that a repeated request finds what this one has created.
func (r *request) settle(record idempotency.Record, answer any, err error) error {
	switch {
	case err == nil:
		kept, err := json.Marshal(answer)
		if err != nil {
			return fmt.Errorf("encode the response: %w", err)
		}
		return r.server.ledger.Finish(r.ctx, record, kept)
	case errors.Is(err, errStale):
		return nil // once removes it
	case apierror.Status(problemOf(err).Code) >= http.StatusInternalServerError:
		return r.server.ledger.Release(r.ctx, record)
	}
	return r.server.ledger.Remove(r.ctx, record)
}

// replay returns the kept response of a request.
func replay[T any](r *request, op operation[T], record idempotency.Record) (T, error) {
	var answer T
	err := json.Unmarshal(record.Answer, &answer)
	if err != nil {
		return answer, fmt.Errorf("decode the kept response: %w", err)
	}
	if op.resign != nil {
		answer, err = op.resign(answer)
	}
	if err == nil {
		r.Set(headerIdempotencyReplayed, "true")
	}
	return answer, err
}

// hash returns a hash that identical requests share: of the method, the path, the query,
// async and the body.
func (r *request) hash(async bool, body []byte) idempotency.Hash {
	uri := r.Request().URI()
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%t\n", r.Method(), uri.PathOriginal(), uri.QueryString(), async)
	h.Write(body)
	return idempotency.Hash(h.Sum(nil))
}

// idempotencyKey returns the value of the Idempotency-Key header, "" if it was not sent.
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
