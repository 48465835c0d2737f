package httpapi

import (
	"context"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/rectohq/recto/gateway/internal/console"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// route is one operation of the API.
type route struct {
	method, path string
	// scopes are the scopes that the key needs, all of them.
	scopes []contract.Scope
	// query checks the query.
	query  queryCheck
	handle func(*request) error
}

// routes returns all routes. Those outside /v2 need no API key. Every route below /v2 also
// exists below /console/api, for people who signed in to the console; lookAhead rewrites
// their paths.
func (s *Server) routes() []route {
	const (
		read    = contract.ScopeDocumentsRead
		write   = contract.ScopeDocumentsWrite
		convert = contract.ScopeConvert
	)
	return []route{
		{"GET", "/v2/documents", []contract.Scope{read}, takesList(documentapi.ParseList), s.listDocuments},
		{"POST", "/v2/documents", []contract.Scope{write}, takes(), s.createDocument},
		{"POST", "/v2/documents/convert", []contract.Scope{convert}, takes(), s.convertInline},
		{"GET", "/v2/documents/:document_id", []contract.Scope{read}, takes(paramVersion), s.getDocument},
		{"PATCH", "/v2/documents/:document_id", []contract.Scope{write}, takes(), s.updateDocument},
		{"DELETE", "/v2/documents/:document_id", []contract.Scope{write}, takes(), s.deleteDocument},
		{"GET", "/v2/documents/:document_id/versions", []contract.Scope{read}, takesList(documentapi.ParseVersions), s.listVersions},
		{"POST", "/v2/documents/:document_id/versions", []contract.Scope{write}, takes(), s.createVersion},
		{"POST", "/v2/documents/:document_id/convert", []contract.Scope{read, convert}, takes(paramVersion, paramFormat, paramProfile), s.convertStored},
		{"POST", "/v2/documents/:document_id/annotate", []contract.Scope{read, contract.ScopeAnnotate}, takes(paramVersion, paramDryRun, paramFlatten, paramFormat), s.annotate},
		{"GET", "/v2/documents/:document_id/fields", []contract.Scope{read}, takes(paramVersion), s.getFields},
		{"PUT", "/v2/documents/:document_id/fields", []contract.Scope{write}, takes(paramVersion), s.putFields},
		{"GET", "/v2/documents/:document_id/pages", []contract.Scope{read}, takesList(conversionapi.ParsePages), s.listPages},
		{"GET", "/v2/documents/:document_id/pages/:page_number.png", []contract.Scope{read}, takes(conversionapi.WidthParameter, paramVersion), s.pageImage},
		{"GET", "/v2/documents/:document_id/pages/:page_number/words", []contract.Scope{read}, takes(paramVersion), s.pageWords},
		{"POST", "/v2/insights", []contract.Scope{contract.ScopeInsights}, takes(), s.insights},
		{"GET", "/v2/jobs", nil, takesList(jobapi.ParseList), s.listJobs}, // the handlers of jobs check the scopes
		{"GET", "/v2/jobs/:job_id", nil, takes(), s.getJob},
		{"DELETE", "/v2/jobs/:job_id", nil, takes(), s.cancelJob},
		{"GET", "/v2/me", nil, takes(), s.me},

		{"GET", "/", nil, takesAnything, s.root},
		{"GET", "/livez", nil, takesAnything, s.live},
		{"GET", "/readyz", nil, takesAnything, s.ready},
		{"GET", "/openapi.json", nil, takesAnything, s.openAPI},
		{"GET", "/v2/openapi.json", nil, takesAnything, s.openAPI},
		{"GET", "/docs", nil, takesAnything, s.docsPage},
		{"GET", "/docs/errors", nil, takesAnything, s.docsErrors},
		{"GET", "/docs/errors/:code", nil, takesAnything, s.docsError},
		{"GET", "/docs/:file", nil, takesAnything, s.docsFile},
		{"GET", "/docs/*", nil, takesAnything, s.docsMissing},

		{"POST", console.Session, nil, takes(), s.signIn},
		{"DELETE", console.Session, nil, takes(), s.signOut},
		{"GET", console.Assets + "/*", nil, takesAnything, s.consoleAsset},
		{"GET", console.Root, nil, takesAnything, s.consolePage},
		{"GET", console.Root + "/*", nil, takesAnything, s.consolePage},
	}
}

// request is an admitted request in the handler of its route.
type request struct {
	*fiber.Ctx
	server    *Server
	exchange  *exchange
	principal contract.Principal
	// ctx carries the request id and the trace.
	ctx context.Context
}

// register adds all routes to the app. HEAD is answered like GET, without the body, as
// RFC 9110, section 9.3.2, requires.
func (s *Server) register(app *fiber.App) {
	for _, r := range s.routes() {
		app.Add(r.method, r.path, s.handler(r))
		if r.method == fiber.MethodGet {
			app.Add(fiber.MethodHead, r.path, s.handler(r))
		}
	}
}

// handler returns the Fiber handler of a route. It checks the scopes and the query before
// the body is read.
func (s *Server) handler(r route) fiber.Handler {
	return func(c *fiber.Ctx) error {
		x := s.exchange(c.Context())
		x.route = r.path
		admitted := &request{Ctx: c, server: s, exchange: x, principal: x.account.Principal(), ctx: x.ctx}
		for _, scope := range r.scopes {
			if err := admitted.needs(scope); err != nil {
				return err
			}
		}
		if err := admitted.refuseUnknown(r.query); err != nil {
			return err
		}
		return r.handle(admitted)
	}
}

// needs returns an error if the key lacks the scope.
func (r *request) needs(scope contract.Scope) error {
	if r.principal.May(scope) {
		return nil
	}
	return problem.New(problem.PermissionDenied, "The API key lacks the scope %s, which this request requires. Use a key with that scope.", scope)
}

// needsOne returns an error if the key has neither scope.
func (r *request) needsOne(a, b contract.Scope) error {
	if r.principal.May(a) || r.principal.May(b) {
		return nil
	}
	return problem.New(problem.PermissionDenied, "The API key has neither the scope %s nor %s. Use a key with one of them.", a, b)
}

// answer responds with v as JSON, unless err is not nil. It then returns err.
func (r *request) answer(v any, err error) error {
	if err != nil {
		return err
	}
	writeJSON(r.Context(), v)
	return nil
}

// headerValues returns copies of the values of a header, one for each of its lines.
func (r *request) headerValues(name string) []string {
	return headerValues(&r.Request().Header, name)
}

func headerValues(h *fasthttp.RequestHeader, name string) []string {
	var values []string
	for _, v := range h.PeekAll(name) {
		values = append(values, string(v))
	}
	return values
}
