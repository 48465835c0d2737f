// Package cors lets web pages of other origins call an address from a browser, using the
// CORS protocol of the Fetch standard. It defines which origins an operator may
// configure, and the headers that announce them to browsers.
//
// It never allows credentials: addresses reached this way require an API key in a header
// or a signature in the URL, and use no cookies.
package cors

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/config"
)

// Origins are the origins whose pages may use an address: either each as a browser sends
// it, such as https://app.example.com, or only Any. If it is empty, no page may.
type Origins []string

// Any matches every origin.
const Any = "*"

// UnmarshalText implements encoding.TextUnmarshaler. Origins are separated by commas. It
// accepts any text; Check reports invalid origins.
func (o *Origins) UnmarshalText(text []byte) error {
	*o = nil
	if len(text) == 0 {
		return nil
	}
	for origin := range strings.SplitSeq(string(text), ",") {
		*o = append(*o, strings.TrimSpace(origin))
	}
	return nil
}

// Check adds a problem for each origin that no browser would send.
func (o Origins) Check(p *config.Problems, name string) {
	if len(o) == 1 && o[0] == Any {
		return
	}
	for i, origin := range o {
		which := fmt.Sprintf("%s: origin %d", name, i+1)
		if before := len(*p); origin == "" {
			p.Require(false, "%s is empty", which)
		} else if p.Origin(which, origin, "https", "http"); len(*p) == before {
			p.Require(!strings.Contains(origin, Any), "%s must be exact; to allow every origin, use * alone", which)
			p.Require(asSent(origin), "%s must be written as browsers send it: lower case, ASCII, without :443 for https and :80 for http", which)
		}
	}
}

// asSent reports whether a browser would send the origin in this form.
func asSent(origin string) bool {
	u, err := url.Parse(origin)
	defaultPort := map[string]string{"https": "443", "http": "80"}[u.Scheme]
	return err == nil && origin == strings.ToLower(origin) && !strings.ContainsFunc(origin, func(c rune) bool { return c <= ' ' || c > '~' }) &&
		u.Port() != defaultPort && !strings.HasSuffix(origin, ":")
}

// Policy says what pages of the origins may do at an address.
type Policy struct {
	Origins Origins
	// Methods are the HTTP methods that their requests may use.
	Methods []string
	// Headers are the request headers that they may send, in addition to those that the
	// standard always allows.
	Headers []string
	// Exposed are the response headers that they may read, in addition to those that the
	// standard always exposes.
	Exposed []string
}

// Header is the header of a response.
type Header interface {
	Add(name, value string)
	Set(name, value string)
}

// MaxAge is how long a browser caches a preflight. No browser caches one for longer.
const MaxAge = 2 * time.Hour

// Allow lets the page that sent a request read the response, errors included, and reports
// whether it may. origin is the Origin header, or "".
func (p Policy) Allow(h Header, origin string) bool {
	allowed := origin
	switch {
	case len(p.Origins) == 0:
		return false
	case p.Origins[0] == Any:
		allowed = Any
	default:
		h.Add("Vary", "Origin") // also for other origins, so that a cache does not serve their response to an allowed page
	}
	if origin == "" || !slices.Contains(p.Origins, allowed) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", allowed)
	h.Set("Access-Control-Expose-Headers", strings.Join(p.Exposed, ", "))
	return true
}

// IsPreflight reports whether a request is a CORS preflight, given its method and its
// Access-Control-Request-Method header.
func IsPreflight(method, requested string) bool {
	return method == http.MethodOptions && requested != ""
}

// Preflight sets the headers of the response to a preflight request. Call it after Allow
// has returned true. Send status 204 without a body.
func (p Policy) Preflight(h Header) {
	h.Set("Access-Control-Allow-Methods", strings.Join(p.Methods, ", "))
	h.Set("Access-Control-Allow-Headers", strings.Join(p.Headers, ", "))
	h.Set("Access-Control-Max-Age", strconv.Itoa(int(MaxAge.Seconds())))
}
