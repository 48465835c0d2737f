package httpapi

import (
	"io"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

// derivedFile is what a client is told of a file that was made of a document,
// which is not all that is known of it.
type derivedFile struct {
	DownloadURL string `json:"download_url"`
	// ExpiresAt is when the URL ends, in Unix milliseconds.
	ExpiresAt int64 `json:"expires_at"`
}

// convertStored is POST /documents/{document_id}/convert. A body is ignored.
func (s *Server) convertStored(r *request) error {
	if r.prefersAsync() {
		return s.submitConversion(r)
	}
	converted, err := once(r, operation[conversionapi.StoredResponse]{
		document: r.documentID(), resign: r.signConversion,
		run: func(idempotency.Record) (conversionapi.StoredResponse, error) {
			convert, err := r.storedRequest()
			if err != nil {
				return conversionapi.StoredResponse{}, err
			}
			return bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, conversionapi.Stored, r.principal, convert)
		},
	})
	return r.answer(derivedFile{converted.DownloadURL, converted.ExpiresAt}, err)
}

// submitConversion converts without waiting for the result.
func (s *Server) submitConversion(r *request) error {
	return r.accepted(once(r, operation[acceptedJob]{
		document: r.documentID(), async: true,
		run: func(idempotency.Record) (acceptedJob, error) {
			convert, err := r.storedRequest()
			if err != nil {
				return acceptedJob{}, err
			}
			job, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, conversionapi.Submit, r.principal, convert)
			return acceptedJob{ID: job.ID, State: job.State}, err
		},
	}))
}

// storedRequest reads the path and query of a conversion.
func (r *request) storedRequest() (conversionapi.StoredRequest, error) {
	var problems problem.List
	format := parseFormat(r.parameter(paramFormat), &problems)
	version := documentapi.ParseVersion(r.parameter(paramVersion), &problems)
	return conversionapi.StoredRequest{DocumentID: r.documentID(), Version: version, Format: format}, problems.Err()
}

// signConversion returns a conversion with a URL that is valid from now on.
func (r *request) signConversion(c conversionapi.StoredResponse) (conversionapi.StoredResponse, error) {
	signed, err := bus.Call(bus.WithTimeout(r.ctx, r.server.cfg.Budget), r.server.bus, conversionapi.Sign, r.principal, c.Result)
	if problem.Is(err, problem.DocumentNotFound) {
		return c, errStale
	}
	return signed, err
}

// convertInline is POST /documents/convert. The body goes to the conversion
// service as it comes, and so does the answer.
func (s *Server) convertInline(r *request) error {
	body, err := r.inlineBody()
	if err != nil {
		return err
	}
	answer, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, conversionapi.Inline, r.principal, body)
	if err != nil {
		return err
	}
	r.Response().Header.SetContentType(fiber.MIMEApplicationJSON)
	r.Context().SetBodyStream(s.detach(r, answer), int(answer.Size))
	return nil
}

// inlineBody returns the body of an inline conversion as JSON.
func (r *request) inlineBody() (contract.Stream, error) {
	if form, err := r.sendsForm(); err != nil {
		return contract.Stream{}, err
	} else if form {
		return r.inlineForm()
	}
	body, size, err := r.server.openBody(r.Context(), r.server.cfg.MaxBody)
	return contract.Stream{Body: body, Size: size}, err
}

// detach lets the exchange end when the answer has been sent: until then it
// counts against the memory for bodies, of which it is one.
func (s *Server) detach(r *request, answer contract.Stream) io.Reader {
	if body := r.exchange.body; body != nil && answer.Size > body.reserved {
		// The answer takes what it needs if there is room; it is in memory
		// already, so there is no use in a refusal.
		if body.memory.take(answer.Size - body.reserved) {
			body.reserved = answer.Size
		}
	}
	fctx := r.Context()
	r.exchange.detached = true
	return &detachedBody{Stream: answer, finish: func() { s.finish(fctx) }}
}

// detachedBody finishes its exchange when fasthttp closes it.
type detachedBody struct {
	contract.Stream
	once   sync.Once
	finish func()
}

func (b *detachedBody) Read(p []byte) (int, error) { return b.Body.Read(p) }

// Close ends the request when its answer is sent, and not when its handler has
// returned: until then it takes memory and a place.
func (b *detachedBody) Close() error {
	b.once.Do(b.finish)
	return b.Stream.Close()
}
