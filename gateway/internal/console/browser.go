package console

import (
	"net/http"
	"time"

	"github.com/rectohq/recto/libs/problem"
)

// Request is what the headers of a request below /console say about the page that sent it.
type Request struct {
	Method string
	// API is set for requests below /console/api.
	API bool
	// Host is the host that the request is for.
	Host string
	// Origins and Sites are the values of the Origin and Sec-Fetch-Site headers.
	Origins, Sites []string
}

// Check returns an error unless a page of this server sent the request, or a client that
// is not a browser. publicOrigin is the origin of the server's public URL. Links from
// other sites may lead to the page and its assets, which contain nothing secret. Other
// sites may neither write, although their requests have no cookie, nor read.
func (r Request) Check(publicOrigin string) error {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !reads {
		if len(r.Origins) != 1 {
			return refuse("The request has %d Origin headers. A write below /console needs exactly one, as browsers send it. Programs use the API below /v2 with an API key.", len(r.Origins))
		}
		if origin := r.Origins[0]; origin != "https://"+r.Host && origin != publicOrigin {
			return refuse("The origin %.100q may not write below /console. Only the console itself may: open it at %s/console. Other pages use the API below /v2 with an API key.", origin, publicOrigin)
		}
	}
	for _, site := range r.Sites {
		if site != sameOrigin && (r.API || !reads) {
			return refuse("A page of another site sent the request: its Sec-Fetch-Site is %.20q. Only the console itself may use /console/api: open it at %s/console.", site, publicOrigin)
		}
	}
	return nil
}

// sameOrigin is the Sec-Fetch-Site of requests from a page of this server (Fetch Metadata
// Request Headers, section 2.3).
const sameOrigin = "same-origin"

func refuse(format string, args ...any) error {
	return problem.New(problem.PermissionDenied, format, args...)
}

// CookieName is the name of the session cookie. Browsers accept a cookie with this prefix
// only from the host itself, over HTTPS, and for all paths (RFC 6265bis, section 4.1.3).
const CookieName = "__Host-recto-session"

// Cookie returns the value of a Set-Cookie header for a session that remains that long.
func Cookie(secret string, remaining time.Duration) string {
	return cookie(secret, max(int(remaining/time.Second), 1))
}

// NoCookie returns the value of a Set-Cookie header that removes the cookie.
func NoCookie() string { return cookie("", -1) }

func cookie(value string, maxAge int) string {
	c := http.Cookie{Name: CookieName, Value: value, Path: "/", MaxAge: maxAge, Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode}
	return c.String()
}
