package httpapi

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// insights is POST /insights. If the client requests a stream, its Prefer header is
// ignored.
func (s *Server) insights(r *request) error {
	body, err := r.readBody(s.cfg.MaxBody)
	if err != nil {
		return err
	}
	create, err := insightapi.ParseCreate(body)
	if err != nil {
		return err
	}
	create.Organization = r.exchange.account.Organization.Name
	if create.ReadsDocuments() {
		if err := r.needs(contract.ScopeDocumentsRead); err != nil {
			return err
		}
	}
	switch {
	case create.Stream:
		return s.streamInsights(r, create, body)
	case r.prefersAsync():
		return r.accepted(once(r, r.insightJob(insightapi.Submit, create, body)))
	default:
		return s.createInsights(r, create, body)
	}
}

// storedDocument returns the id of the stored document that a request is about, or "".
func storedDocument(create insightapi.CreateRequest) string {
	if create.Source.Stored() {
		return create.Value
	}
	return ""
}

// foundInsights is a result of insights. For repeated requests, only its reference is
// kept: the answer may quote a whole contract, which need not be stored twice.
type foundInsights struct {
	Result insightapi.Result `json:"result"`
	answer jsontext.Value
	engine insightapi.Engine
}

// createInsights responds with the insights when they are complete.
func (s *Server) createInsights(r *request, create insightapi.CreateRequest, body []byte) error {
	found, err := once(r, operation[foundInsights]{
		document: storedDocument(create), body: body, resign: r.signInsights,
		run: func(idempotency.Record) (foundInsights, error) {
			c, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, insightapi.Create, r.principal, create)
			return foundInsights{c.Result, c.Answer, c.Engine}, err
		},
	})
	if err != nil {
		return err
	}
	// The answer is sent byte for byte, so that it is the same here and in the job.
	r.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	r.Set(insightapi.EngineHeader, string(cmp.Or(found.engine, insightapi.ByRules)))
	r.Context().Response.SetBodyRaw(found.answer)
	return nil
}

// signInsights returns the kept result with its answer and a newly presigned URL, or
// errStale.
func (r *request) signInsights(kept foundInsights) (foundInsights, error) {
	c, err := bus.Call(bus.WithTimeout(r.ctx, r.server.cfg.Budget), r.server.bus, insightapi.Sign, r.principal, kept.Result)
	if problem.Is(err, problem.DocumentNotFound) {
		return kept, errStale
	}
	return foundInsights{kept.Result, c.Answer, c.Engine}, err
}

// insightJob returns the operation that submits a job to the endpoint. The service fetches
// a URL before it accepts the job, so this can take as long as a synchronous request.
func (r *request) insightJob(accept contract.Endpoint[insightapi.CreateRequest, jobapi.Job], create insightapi.CreateRequest, body []byte) operation[acceptedJob] {
	return operation[acceptedJob]{
		document: storedDocument(create), body: body, async: !create.Stream,
		resign: func(kept acceptedJob) (acceptedJob, error) { return r.findInsightJob(kept, create.Stream) },
		run: func(idempotency.Record) (acceptedJob, error) {
			job, err := bus.Call(bus.WithTimeout(r.ctx, r.server.cfg.LongBudget), r.server.bus, accept, r.principal, create)
			if err == nil && create.Stream && job.State == jobapi.Failed {
				err = errorOf(job) // before the stream starts
			}
			return acceptedJob{ID: job.ID, State: job.State}, err
		},
	}
}

// findInsightJob returns a job that was accepted before, or errStale if it no longer
// exists. For a stream, a job that failed, was canceled, or lost its result because its
// document was deleted is stale too.
func (r *request) findInsightJob(kept acceptedJob, stream bool) (acceptedJob, error) {
	job, err := bus.Call(bus.WithTimeout(r.ctx, r.server.cfg.Budget), r.server.bus, insightapi.Job, r.principal, jobapi.GetRequest{ID: kept.ID})
	switch {
	case problem.Is(err, problem.RouteNotFound), problem.Is(err, problem.DocumentNotFound), err == nil && stream && isLost(job):
		return kept, errStale
	}
	return kept, err
}

// isLost reports whether a job has finished without a result.
func isLost(job jobapi.Job) bool {
	return job.State == jobapi.Failed || job.State == jobapi.Canceled || job.State == jobapi.Succeeded && !hasResult(job)
}

// streamInsights responds with a stream of events while the insights are found. Errors
// that are known before the stream begins are ordinary error responses.
func (s *Server) streamInsights(r *request, create insightapi.CreateRequest, body []byte) error {
	last, err := lastEventID(r.headerValues(headerLastEventID))
	if err != nil {
		return err
	}
	if !s.streams.enter() {
		return problem.New(problem.Unavailable, "Too many open streams (limit %d). Retry later.", s.cfg.MaxStreams).After(streamRetry)
	}
	job, err := once(r, r.insightJob(insightapi.Begin, create, body))
	if err != nil {
		s.streams.leave()
		return err
	}
	r.exchange.body.release() // the stream may last much longer than the request
	s.stream(r, framingOf(r.headerValues(fiber.HeaderAccept)), &eventStreamer{
		server: s, principal: r.principal, requests: create.Insights, job: job.ID, ended: job.State.Ended(), last: last,
	})
	return nil
}
