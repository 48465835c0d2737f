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

// loadSpecification loads the description that the system itself serves.
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
	doc.Servers = openapi3.Servers{{URL: "/v2"}} // match any host
	openapi3filter.RegisterBodyDecoder("image/png", openapi3filter.FileBodyDecoder)
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

// closer forbids additional properties in every object of the description. The
// description allows them, because fields may be added within an API version, but in
// tests an undescribed field is a mistake.
type closer struct{ seen map[*openapi3.Schema]bool }

// schema forbids additional properties in an object and in all objects within it.
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

// largeBody is the size, in bytes, above which a body is not validated: validation is
// about shapes, not about megabytes of base64.
const largeBody = 1 << 20

// check fails t if the response does not match the description, including its status,
// or if a request that succeeded does not.
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
		return // no body to validate
	}
	if a.Status == http.StatusOK && a.stream() != "" {
		s.checkEvents(t, a)
		return
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: a.Status, Header: a.Header, Body: io.NopCloser(bytes.NewReader(a.Body)), Options: options,
	})
	if err != nil {
		t.Errorf("the response to %s %s does not match the description: status %d: %v\n%s", r.Method, r.URL, a.Status, err, a.Body)
	}
}

// checkRequest fails t unless the description allows a request that succeeded. A client
// generated from the description could not send it otherwise.
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
		input.Request.Header.Set("Content-Type", "application/json") // the API takes JSON under any type
	}
	if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil {
		t.Errorf("a request that succeeded does not match the description: %s %s: %v", input.Request.Method, input.Request.URL, err)
	}
}

// randomName returns a unique name of twelve hexadecimal digits.
func randomName() string {
	b := make([]byte, 6)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
