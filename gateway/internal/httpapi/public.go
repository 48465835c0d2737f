package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rectohq/recto/gateway/internal/apidoc"
	"github.com/rectohq/recto/gateway/internal/negotiate"
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

// root is GET /: what is here, for people and for programs.
func (s *Server) root(r *request) error {
	if r.prefersHTML() {
		return r.file(s.pages.Root(), nil)
	}
	info := s.pages.Info()
	return r.answer(map[string]string{
		"name": info.Title, "version": info.Version, "api": s.cfg.PublicURL + "/v2",
		"docs": string(s.docs), "openapi": s.cfg.PublicURL + "/openapi.json",
	}, nil)
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
	if err == nil && r.Response().StatusCode() == http.StatusOK {
		r.Set(fiber.HeaderCacheControl, "public, max-age=3600") // they change with the program alone
	}
	return err
}

// docsMissing is GET of any other address below /docs.
func (s *Server) docsMissing(r *request) error { return r.file(apidoc.File{}, apidoc.ErrNotFound) }

// prefersHTML reports whether the client is a browser, and no program that takes
// JSON as well. What it is answered depends on that.
func (r *request) prefersHTML() bool {
	r.Append(fiber.HeaderVary, fiber.HeaderAccept)
	return negotiate.PrefersHTML(r.headerValues(fiber.HeaderAccept))
}

// contentSecurityPolicy lets the pages use what they come with, and nothing
// else. The API explorer styles its elements one by one.
const contentSecurityPolicy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

// file answers with a page of the documentation. It takes what finding the page
// gave, error and all.
func (r *request) file(f apidoc.File, err error) error {
	if err != nil {
		err = problem.New(problem.RouteNotFound, "The page does not exist. /docs links to all pages.").Because(err)
		if !r.prefersHTML() {
			return err
		}
		r.exchange.failure = problemOf(err)
		r.Status(http.StatusNotFound)
		f = r.server.pages.Missing()
	}
	r.exchange.file = f.Name
	r.Set(fiber.HeaderContentType, f.Type)
	r.Set(fiber.HeaderContentSecurityPolicy, contentSecurityPolicy)
	r.Set(fiber.HeaderCacheControl, "no-cache")
	return r.Send(f.Content)
}
