package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Client is a client of the API with one key.
type Client struct {
	// Key is the API key sent with each request. If it is "", none is sent.
	Key string
	// OrganizationID and User are the organization and user that the key belongs to.
	OrganizationID string
	User           User

	t      testing.TB
	system *System
	http   *http.Client
}

// Client returns a client with the system's first key. A response that does not match
// the OpenAPI description fails t.
func (s *System) Client(t testing.TB) *Client {
	transport := s.Transport()
	t.Cleanup(transport.CloseIdleConnections)
	return &Client{
		Key: s.APIKey, OrganizationID: s.OrganizationID, User: s.User, t: t, system: s,
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// NewClient creates a new organization with an unlimited key and returns a client for
// it. Args are further arguments of recto keys create.
func (s *System) NewClient(t testing.TB, args ...string) *Client {
	t.Helper()
	c := s.Client(t)
	name := strings.ReplaceAll(t.Name(), "/", " ") + " " + randomName()
	args = append([]string{"keys", "create", "--json", "--rate", "unlimited", "--organization", name, "--email", "a@example.com", "--name", "Ann"}, args...)
	out, err := s.Recto(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		APIKey         string `json:"api_key"`
		OrganizationID string `json:"organization_id"`
		User           User   `json:"user"`
	}
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		t.Fatalf("recto keys create --json prints %q: %v", out, err)
	}
	c.Key, c.OrganizationID, c.User = made.APIKey, made.OrganizationID, made.User
	return c
}

// WithKey returns a copy of c that uses another key.
func (c *Client) WithKey(key string) *Client {
	other := *c
	other.Key = key
	return &other
}

// Answer is a response of the API.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte

	t testing.TB
}

// Request is a request to the API. The zero value of each field is a usable default.
type Request struct {
	Method string
	// Path is relative to /v2 or, if it begins with "//", to the host.
	Path string
	// Body is sent unchanged if it is a string, []byte or io.Reader, and as JSON
	// otherwise.
	Body   any
	Header map[string]string
	// Undocumented marks paths and methods that the OpenAPI description lacks: the
	// response is not validated.
	Undocumented bool
}

// Do sends a request, validates the response against the OpenAPI description and
// returns it.
func (c *Client) Do(r Request) *Answer {
	c.t.Helper()
	a, err := c.Try(r)
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

// Try is like Do, but returns an error if the server cannot be reached.
func (c *Client) Try(r Request) (*Answer, error) {
	c.t.Helper()
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	url := c.system.BaseURL + r.Path
	if rooted, ok := strings.CutPrefix(r.Path, "//"); ok {
		url = strings.TrimSuffix(c.system.BaseURL, "/v2") + "/" + rooted
	}
	request, err := http.NewRequestWithContext(c.t.Context(), r.Method, url, c.body(r.Body))
	if err != nil {
		return nil, err
	}
	if c.Key != "" {
		request.Header.Set("x-api-key", c.Key)
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: read the response: %w", r.Method, r.Path, err)
	}
	a := &Answer{Status: response.StatusCode, Header: response.Header, Body: body, t: c.t}
	if !r.Undocumented {
		c.system.spec.check(c.t, request, r.Body, a)
	}
	return a, nil
}

// body returns the request body for v: text, bytes and readers unchanged, everything
// else as JSON.
func (c *Client) body(v any) io.Reader {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return strings.NewReader(v)
	case []byte:
		return bytes.NewReader(v)
	case io.Reader:
		return v
	}
	data, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	return bytes.NewReader(data)
}

// Get sends a GET.
func (c *Client) Get(path string) *Answer {
	c.t.Helper()
	return c.Do(Request{Path: path})
}

// Post sends a POST.
func (c *Client) Post(path string, body any) *Answer {
	c.t.Helper()
	return c.Do(Request{Method: http.MethodPost, Path: path, Body: body})
}

// Raw sends a request to a presigned URL, without an API key, and returns the response.
func (c *Client) Raw(method, url string, body []byte, header map[string]string) *Answer {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, url, err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: content, t: c.t}
}

// OK fails the test unless the status is 200, and decodes the body into v.
func (a *Answer) OK(v any) *Answer {
	a.t.Helper()
	return a.is(http.StatusOK, v)
}

// Accepted fails the test unless the status is 202, and decodes the job into v.
func (a *Answer) Accepted(v any) *Answer {
	a.t.Helper()
	return a.is(http.StatusAccepted, v)
}

// State returns the member state of a successful response.
func (a *Answer) State() string {
	a.t.Helper()
	var shown struct{ State string }
	a.OK(&shown)
	return shown.State
}

// is fails the test unless the response has the status, and decodes the body into v.
func (a *Answer) is(status int, v any) *Answer {
	a.t.Helper()
	if a.Status != status {
		a.t.Fatalf("status %d: %s", a.Status, a.Body)
	}
	if v != nil {
		if err := json.Unmarshal(a.Body, v); err != nil {
			a.t.Fatalf("decode %s: %v", a.Body, err)
		}
	}
	return a
}

// Problem is an error of the API.
type Problem struct {
	Code    int     `json:"code"`
	Message string  `json:"message"`
	Detail  string  `json:"detail"`
	Docs    string  `json:"docs"`
	Errors  []Entry `json:"errors"`
}

// Entry describes one invalid field.
type Entry struct {
	Path            string `json:"path"`
	Code            string `json:"code"`
	Message         string `json:"message"`
	Value           any    `json:"value"`
	InternalMessage string `json:"internal_message"`
	Resolution      string `json:"resolution"`
}

// Fails fails the test unless the response is an error with the status and code, and
// returns the error.
func (a *Answer) Fails(status, code int) Problem {
	a.t.Helper()
	var p Problem
	if err := json.Unmarshal(a.Body, &p); err != nil {
		a.t.Fatalf("status %d: decode %s: %v", a.Status, a.Body, err)
	}
	if a.Status != status || p.Code != code {
		a.t.Fatalf("got %d/%d, want %d/%d: %s", a.Status, p.Code, status, code, a.Body)
	}
	return p
}

// FailsWith is Fails for status 400 with exactly the given entries, in order. Each
// entry is written as "path code".
func (a *Answer) FailsWith(code int, entries ...string) Problem {
	a.t.Helper()
	p := a.Fails(http.StatusBadRequest, code)
	var got []string
	for _, e := range p.Errors {
		got = append(got, e.Path+" "+e.Code)
	}
	if strings.Join(got, "\n") != strings.Join(entries, "\n") {
		a.t.Fatalf("entries are\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(entries, "\n  "))
	}
	return p
}
