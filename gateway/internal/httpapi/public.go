package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rectohq/recto/gateway/internal/apidoc"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// live is GET /livez.
func (s *Server) live(r *request) error { return r.answer(telemetry.LiveBody, nil) }

// readyTimeout bounds the checks of one question for readiness.
const readyTimeout = 2 * time.Second

// ready is GET /readyz. It says which part is not ready, but not why: that is
// on the port for metrics, which is not public.
func (s *Server) ready(r *request) error {
	ctx, cancel := context.WithTimeout(r.ctx, readyTimeout)
	defer cancel()
	states, ready := s.health.Ready(ctx)
	for name, state := range states {
		if state != "ready" {
			states[name] = "not ready"
		}
	}
	text := "ready"
	if !ready {
		text = "not ready"
		r.Status(http.StatusServiceUnavailable)
	}
	return r.answer(map[string]any{"status": text, "parts": states}, nil)
}

// openAPI is GET /openapi.json.
func (s *Server) openAPI(r *request) error { return r.file(s.pages.OpenAPI(), nil) }

// docsPage is GET /docs: the API, to read and to try.
func (s *Server) docsPage(r *request) error { return r.file(s.pages.Index(), nil) }

// docsErrors is GET /docs/errors: the list of error codes.
func (s *Server) docsErrors(r *request) error { return r.file(s.pages.Errors(), nil) }

// docsError is GET /docs/errors/{code}: what a code means.
func (s *Server) docsError(r *request) error { return r.file(s.pages.Error(r.Params("code"))) }

// docsFile is GET /docs/{file}: the parts of the page.
func (s *Server) docsFile(r *request) error {
	err := r.file(s.pages.Asset(r.Params("file")))
	if err == nil {
		r.Set(fiber.HeaderCacheControl, "public, max-age=3600") // they change with the program alone
	}
	return err
}

// contentSecurityPolicy lets the pages use what they come with, and nothing
// else. The API explorer styles its elements one by one.
const contentSecurityPolicy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

// file answers with a page of the documentation. It takes what finding the page
// gave, error and all.
func (r *request) file(f apidoc.File, err error) error {
	if err != nil {
		return problem.New(problem.RouteNotFound, "There is no such page. /docs leads to those that are there.").Because(err)
	}
	r.Set(fiber.HeaderContentType, f.Type)
	r.Set(fiber.HeaderContentSecurityPolicy, contentSecurityPolicy)
	r.Set(fiber.HeaderCacheControl, "no-cache")
	return r.Send(f.Content)
}
