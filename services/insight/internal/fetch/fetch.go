// Package fetch gets documents from the web for callers of the API, who name them
// by their addresses. It owns what keeps such a caller from reaching anything that
// is not public: other machines of the network, and this one.
//
// Each connection is decided about when it is made, by the address it is made to,
// so that neither names, nor name servers that change their answers, nor redirects
// lead elsewhere. Requests carry nothing of the caller or of this service.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	// maxRedirects is how often a server may send on to another address.
	maxRedirects = 3
	// maxHeader bounds the header of an answer, in bytes.
	maxHeader = 64 << 10
	// userAgent names the product, since some servers refuse what has no name.
	userAgent = "Recto"
)

// Client gets documents. It keeps no connections, no cookies and nothing else
// between two documents, and may be used by several at a time.
type Client struct {
	http     bool
	maxBytes int64
	timeout  time.Duration
	guard    *guard
	dialer   *net.Dialer
	web      *http.Transport
}

// File is what is known of a document beside its bytes.
type File struct {
	// Name is what the server calls it, or the end of the address: a base name of
	// at most 255 characters, with or without an extension, and never empty.
	Name string
	// Type is the Content-Type, with its parameters; "" if there is none or it is
	// no media type. It is not to be believed.
	Type string
	// Size is how many bytes were written.
	Size int64
}

// New returns a client. The error says what is wrong with cfg.
func New(cfg Config) (*Client, error) {
	r, problems := cfg.rules()
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	g := newGuard(r.networks, r.ports)
	dialer := &net.Dialer{Timeout: cfg.Timeout, Control: g.control}
	return &Client{
		http: cfg.HTTP, maxBytes: cfg.MaxBytes, timeout: cfg.Timeout, guard: g, dialer: dialer,
		web: &http.Transport{
			Proxy: nil, DialContext: dialer.DialContext, TLSClientConfig: r.tls,
			TLSHandshakeTimeout: cfg.Timeout, MaxResponseHeaderBytes: maxHeader,
			DisableKeepAlives: true, DisableCompression: true,
		},
	}, nil
}

// Get writes the document at address to to. An error that is the fault of the
// address or its server is a *problem.Error with one entry, for url; what was
// written until then is to be thrown away. Errors of to and ctx are returned as
// they are.
func (c *Client) Get(ctx context.Context, address string, to io.Writer) (File, error) {
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	f, err := c.get(bounded, address, to)
	switch {
	case err == nil:
		return f, nil
	case ctx.Err() != nil:
		return File{}, fmt.Errorf("fetch a document: %w", ctx.Err())
	}
	return File{}, c.explain(address, err)
}

// get follows the redirects of address.
func (c *Client) get(ctx context.Context, address string, to io.Writer) (File, error) {
	at, err := c.parseAddress(address)
	if err != nil {
		return File{}, err
	}
	for n := 0; ; n++ {
		res, err := c.ask(ctx, at)
		if err != nil {
			return File{}, onRedirect(n, err)
		}
		next, err := c.redirect(at, res)
		if next == nil && err == nil {
			defer res.Body.Close()
			return c.save(ctx, at, res, to)
		}
		res.Body.Close()
		switch {
		case err != nil:
			return File{}, onRedirect(n+1, err)
		case n == maxRedirects:
			return File{}, unreachable(nil, "redirects more than %d times", maxRedirects)
		}
		at = next
	}
}

// onRedirect returns err as it is told after n redirects.
func onRedirect(n int, err error) error {
	var r *refusal
	if n == 0 || !errors.As(err, &r) {
		return err
	}
	return r.redirected()
}

// ask sends the request for what is at an address. It says the same whoever asks.
func (c *Client) ask(ctx context.Context, at *url.URL) (*http.Response, error) {
	port, err := checkPort(at)
	if err != nil {
		return nil, err
	}
	if !c.guard.knows(port) {
		return nil, forbidden("has a port that is not allowed")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return nil, invalid("is not a URL with a protocol and a host")
	}
	req.Header = http.Header{"User-Agent": {userAgent}, "Accept": {"*/*"}, "Accept-Encoding": {"gzip"}}
	res, err := c.web.RoundTrip(req)
	if err != nil {
		return nil, refused(err)
	}
	return res, nil
}

// redirect returns the address that an answer sends on to, nil if it does not.
func (c *Client) redirect(at *url.URL, res *http.Response) (*url.URL, error) {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	to, err := at.Parse(res.Header.Get("Location"))
	if err != nil || res.Header.Get("Location") == "" {
		return nil, invalid("is not a URL")
	}
	next, err := c.parseAddress(to.String())
	if err == nil && at.Scheme == "https" && next.Scheme != "https" {
		return nil, forbidden("does not begin with https:// like the first one")
	}
	return next, err
}
