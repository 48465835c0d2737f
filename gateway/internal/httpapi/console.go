package httpapi

import (
	"net/http"
	"slices"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/rectohq/recto/gateway/internal/console"
	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/gateway/internal/negotiate"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/gatewayapi"
	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// headerConsole marks a request whose path was below /console/api. Only lookAhead sets
// it; values from clients are removed.
const headerConsole = "X-Recto-Console"

// isConsoleAPI reports whether the path of a request was below /console/api.
func isConsoleAPI(h *fasthttp.RequestHeader) bool { return len(h.Peek(headerConsole)) > 0 }

// isConsole reports whether the path of a request was below /console. Its path is now path.
func isConsole(h *fasthttp.RequestHeader, path string) bool {
	return isConsoleAPI(h) || console.Within(path, console.Root)
}

// checkBrowser returns an error for a request below /console that another site may have
// made a browser send.
func (s *Server) checkBrowser(h *fasthttp.RequestHeader, path string) error {
	if !isConsole(h, path) {
		return nil
	}
	return console.Request{
		Method: string(h.Method()), API: isConsoleAPI(h), Host: string(h.Host()),
		Origins: headerValues(h, fiber.HeaderOrigin), Sites: headerValues(h, "Sec-Fetch-Site"),
	}.Check(s.cfg.PublicURL)
}

// sessionCookie returns the secret of the session of a request, "" for none.
func sessionCookie(h *fasthttp.RequestHeader) string {
	return string(h.Cookie(console.CookieName)) // a copy: it is kept in a cache
}

// authenticateSession is authenticate for a request with a session. A key of the request
// is ignored.
func (s *Server) authenticateSession(fctx *fasthttp.RequestCtx, x *exchange) error {
	secret := sessionCookie(&fctx.Request.Header)
	if secret == "" {
		s.metrics.refusals.WithLabelValues("missing_key").Inc()
		return problem.New(problem.MissingKey, "You are not signed in to the console. Sign in.")
	}
	account, err := s.auth.AuthenticateSession(x.ctx, secret)
	return s.enter(fctx, x, account, err, "The session has ended. Sign in to the console again.")
}

// maxSignIn is the maximum size of the body of a sign-in, in bytes.
const maxSignIn = 4 << 10

// signIn is POST /console/session. It exchanges an API key or a sign-in link for a session
// and responds like GET /me.
func (s *Server) signIn(r *request) error {
	body, err := r.readBody(maxSignIn)
	if err != nil {
		return err
	}
	var key, link string
	var byKey, byLink bool
	err = jsonbody.Read(body, func(o *jsonbody.Object) {
		_, key, byKey = o.OptionalString("api_key")
		_, link, byLink = o.OptionalString("link")
	})
	if err == nil && byKey == byLink {
		err = problem.New(problem.InvalidRequest, "The body must have either api_key or link. Send exactly one of them.")
	}
	if err != nil {
		return err
	}
	var opened identity.Opened
	if byKey {
		opened, err = s.openSession(r, key)
	} else {
		opened, err = s.exchangeLink(r, link)
	}
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderSetCookie, console.Cookie(opened.Secret, opened.Remaining))
	return s.me(r)
}

// openSession exchanges a key for a session. It admits the request like any other with
// the key, so that the rate limit of the key applies.
func (s *Server) openSession(r *request, key string) (identity.Opened, error) {
	account, err := s.auth.Authenticate(r.ctx, key)
	if err := s.enter(r.Context(), r.exchange, account, err, badKey); err != nil {
		return identity.Opened{}, err
	}
	opened, err := s.signIns.Open(r.ctx, account)
	if err != nil {
		err = unchecked(err)
	}
	return opened, err
}

// badLink is the text for a sign-in link that cannot be exchanged.
const badLink = "The sign-in link is not valid: it was used before, or has expired. Run recto open for a new link, or sign in with an API key."

// exchangeLink exchanges a sign-in link for a session. The request does not count against
// the rate limit of the key: the link would be lost.
func (s *Server) exchangeLink(r *request, link string) (identity.Opened, error) {
	opened, err := s.signIns.Exchange(r.ctx, link)
	if err != nil {
		return opened, s.notEntered(r.Context(), r.exchange, err, badLink)
	}
	r.exchange.account = opened.Account
	return opened, nil
}

// signOut is DELETE /console/session. It ends the session, if there is one, in every
// gateway. A gateway that misses the message notices within seconds.
func (s *Server) signOut(r *request) error {
	keyID, err := s.signIns.End(r.ctx, sessionCookie(&r.Request().Header))
	if err != nil {
		return unchecked(err)
	}
	if keyID != "" {
		if err := s.bus.Publish(gatewayapi.KeyChanged, []byte(keyID)); err != nil {
			s.log.WarnContext(r.ctx, "cannot notify other gateways of a sign-out; they will notice it within 5 s", "error", err)
		}
	}
	r.Set(fiber.HeaderSetCookie, console.NoCookie())
	r.Status(http.StatusNoContent)
	return nil
}

// consolePolicy is the content security policy of the console. Its pages use only their
// own assets and API, and show pictures that they have made.
const consolePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
	"manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// consolePage is GET /console, and GET for any path below it that has no other route. The
// page itself reads its path.
func (s *Server) consolePage(r *request) error {
	switch path := r.Path(); {
	case path == console.Session:
		r.Set(fiber.HeaderAllow, "DELETE, POST")
		return fiber.ErrMethodNotAllowed
	case console.Within(path, console.Session) || console.Within(path, console.Assets):
		return noFile()
	}
	return r.consoleFile(console.Page())
}

// consoleAsset is GET /console/assets/{path}.
func (s *Server) consoleAsset(r *request) error {
	f, err := console.Asset(r.Params("*"))
	if err != nil {
		return noFile()
	}
	return r.consoleFile(f)
}

// noFile returns the error for a file of the console that does not exist.
func noFile() error {
	return problem.New(problem.RouteNotFound, "The file does not exist. /console is the page of the console.")
}

// consoleFile responds with a file of the console, or says that the client has it already.
func (r *request) consoleFile(f console.File) error {
	cache := "no-cache"
	if f.Forever {
		cache = "public, max-age=31536000, immutable"
	}
	for name, value := range map[string]string{
		fiber.HeaderContentSecurityPolicy: consolePolicy, fiber.HeaderReferrerPolicy: "no-referrer", fiber.HeaderXFrameOptions: "DENY",
		"Cross-Origin-Opener-Policy": "same-origin", fiber.HeaderCacheControl: cache, fiber.HeaderETag: f.ETag,
	} {
		r.Set(name, value)
	}
	known, every := negotiate.EntityTags(r.headerValues(fiber.HeaderIfNoneMatch))
	if every || slices.Contains(known, f.ETag) {
		r.Status(http.StatusNotModified)
		return nil
	}
	r.exchange.file = f.Name
	r.Set(fiber.HeaderContentType, f.Type)
	return r.Send(f.Content)
}

// meResponse is the response of GET /me.
type meResponse struct {
	Organization identity.Organization `json:"organization"`
	User         contract.User         `json:"user"`
	Key          meKey                 `json:"key"`
	Scopes       []contract.Scope      `json:"scopes"`
	Rate         *meRate               `json:"rate"`
}

// meKey describes the API key of a request. Times are in Unix milliseconds.
type meKey struct {
	ID        string `json:"id"`
	CreatedAt int64  `json:"created_at"`
	// ExpiresAt is null for a key that does not expire.
	ExpiresAt *int64 `json:"expires_at"`
}

// meRate is the rate limit of a key; a key without a limit has null.
type meRate struct {
	Requests      int `json:"requests"`
	PeriodSeconds int `json:"period_seconds"`
}

// me is GET /me. It describes the API key and its permissions.
func (s *Server) me(r *request) error {
	account := r.exchange.account
	answer := meResponse{
		Organization: account.Organization, User: account.User, Scopes: account.Key.Scopes,
		Key: meKey{ID: account.Key.ID, CreatedAt: account.Key.CreatedAt.UnixMilli()},
	}
	if !account.Key.ExpiresAt.IsZero() {
		expires := account.Key.ExpiresAt.UnixMilli()
		answer.Key.ExpiresAt = &expires
	}
	if account.Key.Rate != identity.Unlimited {
		answer.Rate = &meRate{Requests: int(account.Key.Rate), PeriodSeconds: 60}
	}
	return r.answer(answer, nil)
}
