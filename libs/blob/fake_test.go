package blob_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/blob"
)

// fake is a server that behaves like object stores that the real one in these tests
// cannot imitate: with limited permissions, with lifecycle rules, with buckets in host
// names. It checks that every request has a valid S3 signature.
type fake struct {
	addr string

	mu       sync.Mutex
	requests []string // method, path, and the query parameter that names the operation
}

// newFake starts a fake that responds with the results of answer.
func newFake(t *testing.T, answer func(r *http.Request, body []byte) (status int, xml string)) *fake {
	t.Helper()
	f := &fake{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		f.note(t, r)
		status, text := answer(r, body)
		w.Header().Set("Content-Type", "application/xml")
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT")
		if name, value, found := strings.Cut(r.Header.Get("Answer"), ": "); found { // an additional header set by answer
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	f.addr = server.Listener.Addr().String()
	return f
}

// note records a request. The request must be signed for the host that it was sent to,
// the key and the region, in its header or its query.
func (f *fake) note(t *testing.T, r *http.Request) {
	query := r.URL.Query()
	credential, signed := query.Get("X-Amz-Credential"), query.Get("X-Amz-SignedHeaders")
	if authorization := r.Header.Get("Authorization"); authorization != "" {
		fields := map[string]string{}
		for field := range strings.SplitSeq(strings.TrimPrefix(authorization, "AWS4-HMAC-SHA256 "), ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
			fields[name] = value
		}
		credential, signed = fields["Credential"], fields["SignedHeaders"]
	}
	for name := range r.Header {
		name = strings.ToLower(name)
		if (strings.HasPrefix(name, "x-amz-") || name == "content-md5") && !slices.Contains(strings.Split(signed, ";"), name) {
			t.Errorf("%s %s: %s is not signed", r.Method, r.URL, name)
		}
	}
	parts := strings.Split(credential, "/")
	if len(parts) != 5 || parts[0] != "access" || strings.Join(parts[2:], "/") != "eu-test-1/s3/aws4_request" || !slices.Contains(strings.Split(signed, ";"), "host") {
		t.Errorf("%s %s is signed by %q for %q", r.Method, r.URL, credential, signed)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r.Method+" "+r.URL.Path+operation(query))
}

// operation returns the query parameter that names the operation of a request.
func operation(query url.Values) string {
	for _, name := range []string{"list-type", "lifecycle", "cors", "location"} {
		if query.Has(name) {
			return "?" + name
		}
	}
	return ""
}

// asked returns the requests so far.
func (f *fake) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// config returns the configuration for reaching the fake.
func (f *fake) config() blob.Config {
	return blob.Config{
		Endpoint: "http://" + f.addr, Region: "eu-test-1", Bucket: "recto", AccessKey: "access", SecretKey: "secret", PathStyle: true, CreateBucket: true,
	}
}

// errorXML returns an error in the format of object stores.
func errorXML(code string) string {
	return fmt.Sprintf("<Error><Code>%s</Code><Message>the message of %[1]s</Message></Error>", code)
}

// silent returns the address of a server that accepts connections but sends nothing.
func silent(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return ln.Addr().String()
}
