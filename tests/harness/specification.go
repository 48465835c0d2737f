package harness

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// specification is the OpenAPI description that a system serves.
type specification struct {
	router  routers.Router
	schemas openapi3.Schemas
}

// loadSpecification reads the description that the program itself serves.
func loadSpecification(s *System) (*specification, error) {
	client := http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	response, err := client.Get(s.BaseURL + "/openapi.json")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(content)
	if err != nil {
		return nil, fmt.Errorf("load the description: %w", err)
	}
	if err := doc.Validate(context.Background(), openapi3.IsOpenAPI31OrLater()); err != nil {
		return nil, fmt.Errorf("the description is not valid: %w", err)
	}
	doc.Servers = openapi3.Servers{{URL: "/v2"}} // whatever host it is served from
	close := closer{seen: map[*openapi3.Schema]bool{}}
	for _, schema := range doc.Components.Schemas {
		close.schema(schema)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	return &specification{router: router, schemas: doc.Components.Schemas}, nil
}

// closer forbids in every object of the description what it does not name. The
// description itself leaves that open: fields may be added within a version.
// The tests must not: a field that nobody described is a mistake.
type closer struct{ seen map[*openapi3.Schema]bool }

// schema closes an object and all within it: a member that the description does
// not have is an error in tests, whatever clients are told to accept.
func (c closer) schema(ref *openapi3.SchemaRef) {
	if ref == nil || ref.Value == nil || c.seen[ref.Value] {
		return
	}
	s := ref.Value
	c.seen[s] = true
	if len(s.Properties) > 0 {
		closed := false
		s.AdditionalProperties.Has = &closed
	}
	for _, property := range s.Properties {
		c.schema(property)
	}
	c.schema(s.Items)
}

// largeBody is the size beyond which a body is not held against the
// description: it is about shapes, not about megabytes of base64.
const largeBody = 1 << 20

// check fails t if the answer, or the request of an answer that is a success,
// is not as the description says. A status that is not described fails too.
func (s *specification) check(t testing.TB, r *http.Request, body any, a *Answer) {
	t.Helper()
	if len(a.Body) > largeBody || r.ContentLength > largeBody {
		return
	}
	lookup := r.Clone(context.Background())
	if r.Method == http.MethodHead {
		lookup.Method = http.MethodGet
	}
	lookup.URL.Path = strings.TrimSuffix(lookup.URL.Path, "/")
	route, params, err := s.router.FindRoute(lookup)
	if err != nil {
		t.Errorf("%s %s is not described: %v", r.Method, r.URL, err)
		return
	}
	options := &openapi3filter.Options{
		IncludeResponseStatus: true, MultiError: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
	}
	input := &openapi3filter.RequestValidationInput{Request: lookup, PathParams: params, Route: route, Options: options}
	if a.Status == http.StatusOK {
		checkRequest(t, input, body)
	}
	if r.Method == http.MethodHead {
		return // it has no body to look at
	}
	if a.Status == http.StatusOK && a.stream() != "" {
		s.checkEvents(t, a)
		return
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: a.Status, Header: a.Header, Body: io.NopCloser(bytes.NewReader(a.Body)), Options: options,
	})
	if err != nil {
		t.Errorf("the answer to %s %s is not as described: status %d: %v\n%s", r.Method, r.URL, a.Status, err, a.Body)
	}
}

// checkRequest sees to it that a request that succeeded is one that the
// description allows: a client made from it could otherwise not send it.
func checkRequest(t testing.TB, input *openapi3filter.RequestValidationInput, body any) {
	t.Helper()
	if _, streamed := body.(io.Reader); streamed {
		return
	}
	if input.Request.GetBody != nil {
		again, err := input.Request.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		input.Request.Body = again
		input.Request.Header.Set("Content-Type", "application/json") // whatever was sent
	}
	if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil {
		t.Errorf("a request that succeeds is not as described: %s %s: %v", input.Request.Method, input.Request.URL, err)
	}
}

// randomName returns twelve characters that no other test has.
func randomName() string {
	b := make([]byte, 6)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
