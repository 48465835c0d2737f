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

// validated is the response to a dry run whose values are valid.
type validated struct {
	Valid bool `json:"valid"`
}

// annotatedFile is what a client sees of a filled document.
type annotatedFile struct {
	DownloadURL string `json:"download_url"`
	// ExpiresAt is when the URL expires, in Unix milliseconds.
	ExpiresAt int64                   `json:"expires_at"`
	Warnings  []annotationapi.Warning `json:"warnings,omitzero"`
}

// annotate is POST /documents/{document_id}/annotate. A dry run is quick, so it is never
// asynchronous.
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
	return r.answer(annotatedFile{filled.DownloadURL, filled.ExpiresAt, filled.Warnings}, err)
}

// submitAnnotation submits an annotation job and does not wait for its result.
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

// annotateRequest parses the path and query of annotate. It passes their problems on to
// the service, which reports them together with those of the body. It returns them as an
// error only if the version is invalid, because then it is unknown which file the values
// are for.
func (r *request) annotateRequest() (annotationapi.AnnotateRequest, error) {
	var problems problem.List
	annotate := annotationapi.AnnotateRequest{
		DocumentID: r.documentID(),
		Version:    documentapi.ParseVersion(r.parameter(paramVersion), &problems),
	}
	unknown := problems.Len() > 0
	annotate.DryRun = parseBool(r.parameter(paramDryRun), &problems)
	annotate.Flatten = parseBool(r.parameter(paramFlatten), &problems)
	format := r.parameter(paramFormat)
	parseFormat(format, &problems)
	annotate.PDF = len(format.Values) > 0 // the only other format is that of the file
	if unknown {
		return annotate, problems.Err()
	}
	annotate.Problems = problems.Entries()
	return annotate, nil
}

// signAnnotation returns the kept response of annotate with a newly presigned URL. The
// response to a dry run has none.
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

// annotateBody is the body of annotate. It may contain many images, so it is streamed to
// the service. It is kept in memory only for a request with an Idempotency-Key, to compare
// it with that of another request.
type annotateBody struct {
	stream io.Reader // nil if the body is kept
	kept   []byte
	size   int64 // -1 if unknown
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

// payload returns the request to the annotation service. With a kept body it can be called
// more than once.
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
