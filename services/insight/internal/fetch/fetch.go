// Package fetch fetches documents from URLs that API clients send. It protects against
// server-side request forgery: clients cannot reach anything that is not public, such as
// other machines of the network, or this one.
//
// Each connection is allowed or refused when it is made, by the IP address it is made to.
// Host names, DNS rebinding and redirects therefore cannot get around the check. Requests
// carry nothing about the caller or this service.
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
	// maxRedirects is how many redirects are followed.
	maxRedirects = 3
	// maxHeader is the maximum size of a response header, in bytes.
	maxHeader = 64 << 10
	// userAgent names the product, since some servers refuse requests without a name.
	userAgent = "Recto"
)

// Client fetches documents. It keeps no connections, cookies or other state from one
// document to the next, and is safe for concurrent use.
type Client struct {
	http     bool
	maxBytes int64
	timeout  time.Duration
	guard    *guard
	dialer   *net.Dialer
	web      *http.Transport
}

// File describes a fetched document.
type File struct {
	// Name is the name that the server gives, or the last part of the address: a base
	// name of at most 255 characters, with or without an extension, and never empty.
	Name string
	// Type is the Content-Type with its parameters, "" if it is missing or malformed. Do
	// not trust it.
	Type string
	// Size is how many bytes were written.
	Size int64
}

// New returns a client, or an error with the problems of cfg.
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

// Get writes the document at address to to. If the address or its server is at fault, the
// error is a *problem.Error with one entry, for url. Errors of to and ctx are returned
// unchanged. After any error, the caller must discard what was written.
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

// get fetches address and follows its redirects.
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

// onRedirect returns err as reported after n redirects.
func onRedirect(n int, err error) error {
	var r *refusal
	if n == 0 || !errors.As(err, &r) {
		return err
	}
	return r.redirected()
}

// ask sends a GET request for at. The request is the same for every caller.
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

// redirect returns the address that a response redirects to, nil if it is not a redirect.
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
		return nil, forbidden("does not begin with https:// as the original one does")
	}
	return next, err
}
