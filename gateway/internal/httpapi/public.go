package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rectohq/recto/gateway/internal/apidoc"
	"github.com/rectohq/recto/gateway/internal/console"
	"github.com/rectohq/recto/gateway/internal/negotiate"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// live is GET /livez.
func (s *Server) live(r *request) error { return r.answer(telemetry.LiveBody, nil) }

// readyTimeout bounds the checks of one readiness probe.
const readyTimeout = 2 * time.Second

// ready is GET /readyz. It names the parts that are not ready, but not the reasons. Those
// are available on the metrics port, which is not public.
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

// root is GET /. It redirects browsers to the console, and describes the API to programs.
func (s *Server) root(r *request) error {
	if r.prefersHTML() {
		return r.Redirect(console.Root)
	}
	info := s.pages.Info()
	return r.answer(map[string]string{
		"name": info.Title, "version": info.Version, "api": s.cfg.PublicURL + "/v2",
		"docs": string(s.docs), "openapi": s.cfg.PublicURL + "/openapi.json",
	}, nil)
}

// openAPI is GET /openapi.json.
func (s *Server) openAPI(r *request) error { return r.file(s.pages.OpenAPI(), nil) }

// docsPage is GET /docs, the API reference.
func (s *Server) docsPage(r *request) error { return r.file(s.pages.Index(), nil) }

// docsErrors is GET /docs/errors, the list of error codes.
func (s *Server) docsErrors(r *request) error { return r.file(s.pages.Errors(), nil) }

// docsError is GET /docs/errors/{code}, the page of an error code.
func (s *Server) docsError(r *request) error { return r.file(s.pages.Error(r.Params("code"))) }

// docsFile is GET /docs/{file}, an asset of the API reference.
func (s *Server) docsFile(r *request) error {
	err := r.file(s.pages.Asset(r.Params("file")))
	if err == nil && r.Response().StatusCode() == http.StatusOK {
		r.Set(fiber.HeaderCacheControl, "public, max-age=3600") // assets change only with the program
	}
	return err
}

// docsMissing is GET for any other path below /docs.
func (s *Server) docsMissing(r *request) error { return r.file(apidoc.File{}, apidoc.ErrNotFound) }

// prefersHTML reports whether the client is a browser rather than a program that also
// accepts JSON. It adds Vary: Accept, since the response depends on that.
func (r *request) prefersHTML() bool {
	r.Append(fiber.HeaderVary, fiber.HeaderAccept)
	return negotiate.PrefersHTML(r.headerValues(fiber.HeaderAccept))
}

// contentSecurityPolicy lets the pages use only resources of this server. The icons of the
// API explorer are in its style sheet, as data.
const contentSecurityPolicy = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"

// file responds with a file of the documentation. Its parameters are the results of looking
// up the file; an error becomes a 404.
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
