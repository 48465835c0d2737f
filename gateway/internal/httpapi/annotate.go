package httpapi

import (
	"bytes"
	"io"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

// validated is what a client is told of values that a dry run has found right.
type validated struct {
	Valid bool `json:"valid"`
}

// annotate is POST /documents/{document_id}/annotate. There is nothing to wait
// for in a dry run, so that it is never a job.
func (s *Server) annotate(r *request) error {
	annotate, err := r.annotateRequest()
	if err != nil {
		return err
	}
	body, err := r.annotateBody()
	if err != nil {
		return err
	}
	if r.prefersAsync() && !annotate.DryRun {
		return s.submitAnnotation(r, annotate, body)
	}
	filled, err := once(r, operation[annotationapi.AnnotateResponse]{
		document: r.documentID(), body: body.kept, resign: r.signAnnotation,
		run: func(idempotency.Record) (annotationapi.AnnotateResponse, error) {
			payload, err := body.payload(annotate)
			if err != nil {
				return annotationapi.AnnotateResponse{}, err
			}
			return bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, annotationapi.Annotate, r.principal, payload)
		},
	})
	if annotate.DryRun {
		return r.answer(validated{filled.Valid}, err)
	}
	return r.answer(derivedFile{filled.DownloadURL, filled.ExpiresAt}, err)
}

// submitAnnotation annotates without waiting for the result.
func (s *Server) submitAnnotation(r *request, annotate annotationapi.AnnotateRequest, body annotateBody) error {
	return r.accepted(once(r, operation[acceptedJob]{
		document: r.documentID(), body: body.kept, async: true,
		run: func(idempotency.Record) (acceptedJob, error) {
			payload, err := body.payload(annotate)
			if err != nil {
				return acceptedJob{}, err
			}
			job, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, annotationapi.Submit, r.principal, payload)
			return acceptedJob{ID: job.ID, State: job.State}, err
		},
	}))
}

// annotateRequest reads the path and query of annotate. What is wrong with them is
// told by the service, with what is wrong with the body, unless it is not known
// then which version's file the values are for.
func (r *request) annotateRequest() (annotationapi.AnnotateRequest, error) {
	var problems problem.List
	annotate := annotationapi.AnnotateRequest{
		DocumentID: r.documentID(),
		Version:    documentapi.ParseVersion(r.parameter(paramVersion), &problems),
	}
	unknown := problems.Len() > 0
	annotate.DryRun = parseBool(r.parameter(paramDryRun), &problems)
	annotate.Flatten = parseBool(r.parameter(paramFlatten), &problems)
	if unknown {
		return annotate, problems.Err()
	}
	annotate.Problems = problems.Entries()
	return annotate, nil
}

// signAnnotation returns the answer of annotate with a URL that is valid from
// now on. A dry run has none.
func (r *request) signAnnotation(a annotationapi.AnnotateResponse) (annotationapi.AnnotateResponse, error) {
	if a.DownloadURL == "" {
		return a, nil
	}
	signed, err := bus.Call(bus.WithTimeout(r.ctx, r.server.cfg.Budget), r.server.bus, annotationapi.Sign, r.principal, a.Result)
	if problem.Is(err, problem.DocumentNotFound) {
		return a, errStale
	}
	return signed, err
}

// annotateBody is the body of annotate. It may hold many images, so that it is
// sent on while it comes; it is kept in memory only if it has to be compared with
// that of another request.
type annotateBody struct {
	stream io.Reader // nil if the body is kept
	kept   []byte
	size   int64 // -1 if it is not known
}

// annotateBody opens the body, and reads it if the request has an
// Idempotency-Key.
func (r *request) annotateBody() (annotateBody, error) {
	limit := r.server.cfg.MaxAnnotateBody
	if len(r.headerValues(headerIdempotencyKey)) > 0 {
		kept, err := r.readBody(limit)
		return annotateBody{kept: kept, size: int64(len(kept))}, err
	}
	stream, size, err := r.server.openBody(r.Context(), limit)
	return annotateBody{stream: stream, size: size}, err
}

// payload returns what the annotation service is sent. A body that is kept may
// be sent again.
func (b annotateBody) payload(r annotationapi.AnnotateRequest) (contract.Stream, error) {
	if b.stream != nil {
		return annotationapi.NewAnnotate(r, b.stream, b.size)
	}
	return annotationapi.NewAnnotate(r, bytes.NewReader(b.kept), b.size)
}

// getFields is GET /documents/{document_id}/fields.
func (s *Server) getFields(r *request) error {
	version, err := r.version()
	if err != nil {
		return err
	}
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, annotationapi.Fields, r.principal,
		annotationapi.FieldsRequest{DocumentID: r.documentID(), Version: version}))
}

// putFields is PUT /documents/{document_id}/fields.
func (s *Server) putFields(r *request) error {
	version, err := r.version()
	if err != nil {
		return err
	}
	body, err := r.readBody(s.cfg.MaxBody)
	if err != nil {
		return err
	}
	put, err := annotationapi.ParsePutFields(r.documentID(), body)
	if err != nil {
		return err
	}
	put.Version = version
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, annotationapi.PutFields, r.principal, put))
}
