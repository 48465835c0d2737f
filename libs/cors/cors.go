// Package cors lets web pages of other origins use an address from a browser, by
// the CORS protocol of the Fetch standard. It owns which origins an operator may
// name, and the headers that tell a browser of them.
//
// It never allows credentials: what is reached this way takes an API key in a
// header, or a signature in its URL, and no cookie.
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

// Origins are the origins whose pages may use an address: each as a browser sends
// it, such as https://app.example.com, or Any alone. Of none, no page may.
type Origins []string

// Any stands for every origin.
const Any = "*"

// UnmarshalText implements encoding.TextUnmarshaler: origins are separated by
// commas. Check says what is wrong with them.
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

// Check adds a problem for each origin that no browser sends.
func (o Origins) Check(p *config.Problems, name string) {
	if len(o) == 1 && o[0] == Any {
		return
	}
	for i, origin := range o {
		which := fmt.Sprintf("%s: origin %d", name, i+1)
		if before := len(*p); origin == "" {
			p.Require(false, "%s is empty", which)
		} else if p.Origin(which, origin, "https", "http"); len(*p) == before {
			p.Require(!strings.Contains(origin, Any), "%s must be exact: * stands for every origin, alone", which)
			p.Require(asSent(origin), "%s must be written as browsers send it: lower case, ASCII, without :443 for https and :80 for http", which)
		}
	}
}

// asSent reports whether a browser would write the origin this way. It is one.
func asSent(origin string) bool {
	u, err := url.Parse(origin)
	defaultPort := map[string]string{"https": "443", "http": "80"}[u.Scheme]
	return err == nil && origin == strings.ToLower(origin) && !strings.ContainsFunc(origin, func(c rune) bool { return c <= ' ' || c > '~' }) &&
		u.Port() != defaultPort && !strings.HasSuffix(origin, ":")
}

// Policy is what pages of the origins may do at an address.
type Policy struct {
	Origins Origins
	// Methods are those of the requests that they may send.
	Methods []string
	// Headers are those that their requests may have beside the ones that every
	// request may have.
	Headers []string
	// Exposed are the headers of answers that they may read beside the ones that
	// every page may read.
	Exposed []string
}

// Header is the header of an answer.
type Header interface {
	Add(name, value string)
	Set(name, value string)
}

// MaxAge is how long a browser remembers a preflight. None remembers it for longer.
const MaxAge = 2 * time.Hour

// Allow lets the page that sent a request read the answer, errors included, and
// reports whether it may. The origin is the header Origin, "" for none.
func (p Policy) Allow(h Header, origin string) bool {
	allowed := origin
	switch {
	case len(p.Origins) == 0:
		return false
	case p.Origins[0] == Any:
		allowed = Any
	default:
		h.Add("Vary", "Origin") // also for others, so that no cache gives their answer to a page that may read it
	}
	if origin == "" || !slices.Contains(p.Origins, allowed) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", allowed)
	h.Set("Access-Control-Expose-Headers", strings.Join(p.Exposed, ", "))
	return true
}

// IsPreflight reports whether a request is a CORS preflight, given its method and its
// header Access-Control-Request-Method.
func IsPreflight(method, requested string) bool {
	return method == http.MethodOptions && requested != ""
}

// Preflight sets the headers that answer a preflight request. Call it after Allow has
// returned true. The status is 204, without a body.
func (p Policy) Preflight(h Header) {
	h.Set("Access-Control-Allow-Methods", strings.Join(p.Methods, ", "))
	h.Set("Access-Control-Allow-Headers", strings.Join(p.Headers, ", "))
	h.Set("Access-Control-Max-Age", strconv.Itoa(int(MaxAge.Seconds())))
}
