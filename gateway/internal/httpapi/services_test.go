package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// services fakes the services behind the gateway and records their requests. If failure is
// set, they return it.
type services struct {
	mu          sync.Mutex
	creates     []documentapi.CreateRequest
	versions    []documentapi.CreateVersionRequest
	conversions int
	annotations []annotation
	signatures  int
	failure     error
	unsigned    error         // error of Uploads and Sign
	wait        chan struct{} // if not nil, Create waits for it
	deleted     string        // id of a deleted document; Create returns not found
}

// annotation is a request to Annotate or Submit of the annotation service.
type annotation struct {
	annotationapi.AnnotateRequest
	body string
}

// set changes the responses of the services.
func (s *services) set(change func(*services)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// signature returns a URL with a different signature each time.
func (s *services) signature() string {
	s.signatures++
	return fmt.Sprintf("https://objects.example/x?signature=%d", s.signatures)
}

// document returns the response of Create and CreateVersion.
func (s *services) document(id string, version int) documentapi.Document {
	return documentapi.Document{ID: id, Name: "<n>", VersionNumber: version, Files: []documentapi.File{
		{ID: "file_1", Name: "a.docx", Type: "a/b", UploadURL: s.signature()}, {ID: "file_2", Name: "b.docx", Type: "a/b", UploadURL: s.signature()},
	}}
}

// create implements documentapi.Create.
func (s *services) create(_ context.Context, _ contract.Principal, r documentapi.CreateRequest) (documentapi.Document, error) {
	s.mu.Lock()
	s.creates = append(s.creates, r)
	wait, failure := s.wait, s.failure
	s.mu.Unlock()
	if wait != nil {
		<-wait
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ID != "" && r.ID == s.deleted {
		failure = problem.New(problem.DocumentNotFound, "It was deleted.")
	}
	return s.document(r.ID, 0), failure
}

// createVersion implements documentapi.CreateVersion.
func (s *services) createVersion(_ context.Context, _ contract.Principal, r documentapi.CreateVersionRequest) (documentapi.Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions = append(s.versions, r)
	return s.document(r.DocumentID, 7), s.failure
}

// uploads implements documentapi.Uploads.
func (s *services) uploads(_ context.Context, _ contract.Principal, r documentapi.GetRequest) (documentapi.Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.document(r.DocumentID, r.Version.Number)
	d.Name = "renamed since"
	d.Files[0], d.Files[1] = d.Files[1], d.Files[0]
	return d, s.unsigned
}

// stored implements conversionapi.Stored.
func (s *services) stored(context.Context, contract.Principal, conversionapi.StoredRequest) (conversionapi.StoredResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conversions++
	return conversionapi.StoredResponse{DownloadURL: s.signature(), ExpiresAt: 1, Result: conversionapi.Result{Key: "secret/1", Name: "a.pdf"}}, s.failure
}

// submit implements conversionapi.Submit.
func (s *services) submit(context.Context, contract.Principal, conversionapi.StoredRequest) (jobapi.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conversions++
	return jobapi.Job{ID: fmt.Sprintf("job_%d", s.conversions), Kind: jobapi.Convert, State: jobapi.Queued}, s.failure
}

// sign implements conversionapi.Sign.
func (s *services) sign(_ context.Context, _ contract.Principal, r conversionapi.Result) (conversionapi.StoredResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Key != "secret/1" || r.Name != "a.pdf" {
		return conversionapi.StoredResponse{}, fmt.Errorf("sign %+v", r)
	}
	return conversionapi.StoredResponse{DownloadURL: s.signature(), ExpiresAt: 2}, s.unsigned
}

// job implements conversionapi.Job.
func (s *services) job(_ context.Context, _ contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
	switch r.ID {
	case "job_done":
		return jobapi.Job{ID: r.ID, Kind: jobapi.Convert, State: jobapi.Succeeded, Progress: 1, Result: []byte(`{"download_url":"u","expires_at":1,"result":{"key":"secret/1","name":"a.pdf"}}`)}, nil
	case "job_failed":
		return jobapi.Job{ID: r.ID, Kind: jobapi.Convert, State: jobapi.Failed, Progress: 0.5, Error: problem.New(problem.InvalidRequest, "No.")}, nil
	case "job_queued":
		return jobapi.Job{ID: r.ID, Kind: jobapi.Convert, State: jobapi.Queued}, nil
	}
	return jobapi.Job{}, jobapi.NotFound(r.ID)
}

// cancelJob implements conversionapi.CancelJob.
func (s *services) cancelJob(ctx context.Context, p contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
	j, err := s.job(ctx, p, r)
	if err == nil && !j.State.Ended() {
		j.State = jobapi.Canceled
	}
	return j, err
}

// begin starts a service with that name and stops it when the test ends.
func (g *gateway) begin(t *testing.T, name string) *bus.Server {
	t.Helper()
	server, err := bustest.Connect(t, g.nats, name).Serve(name, "1.0.0", 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience.Limit())
		defer cancel()
		_ = server.Shutdown(ctx)
	})
	return server
}

// serveAll starts a gateway and the services behind it.
func serveAll(t *testing.T, environ ...string) (*gateway, *services) {
	t.Helper()
	g, s := serve(t, environ...), &services{}
	g.serveServices(t, s)
	g.readInsights(t)
	return g, s
}

// serveServices starts the services behind a gateway, except the insight service.
func (g *gateway) serveServices(t *testing.T, s *services) {
	t.Helper()
	document, conversion, annotation := g.begin(t, documentapi.Service), g.begin(t, conversionapi.Service), g.begin(t, annotationapi.Service)
	for _, err := range []error{
		bus.Handle(document, documentapi.Create, s.create), bus.Handle(document, documentapi.CreateVersion, s.createVersion),
		bus.Handle(document, documentapi.Uploads, s.uploads), bus.Handle(conversion, conversionapi.Stored, s.stored),
		bus.Handle(conversion, conversionapi.Submit, s.submit), bus.Handle(conversion, conversionapi.Sign, s.sign),
		bus.Handle(conversion, conversionapi.Job, s.job), bus.Handle(conversion, conversionapi.CancelJob, s.cancelJob), bus.Handle(annotation, annotationapi.Annotate, s.annotate),
		bus.Handle(annotation, annotationapi.Submit, s.submitAnnotation), bus.Handle(annotation, annotationapi.Sign, s.signAnnotation),
		bus.Handle(annotation, annotationapi.Job, s.annotationJob), bus.Handle(annotation, annotationapi.CancelJob, s.annotationJob), bus.Handle(annotation, annotationapi.Fields, s.fields),
		bus.Handle(annotation, annotationapi.PutFields, s.putFields),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// reply is a response of the gateway.
type reply struct {
	status int
	header http.Header
	body   string
}

// post sends a POST request. Header holds names and values in turn.
func (g *gateway) post(t *testing.T, path, body string, header ...string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return reply{}
	}
	request.Header = http.Header{"X-Forwarded-Proto": {"https"}, "X-Api-Key": {g.key}}
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	request.Close = true
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Error(err)
		return reply{}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return reply{response.StatusCode, response.Header, string(content)}
}

// is checks that a response has the status, contains the text, and is replayed or not.
func (r reply) is(t *testing.T, status int, text string, replayed bool) reply {
	t.Helper()
	if r.status != status || !strings.Contains(r.body, text) || (r.header.Get("Idempotency-Replayed") == "true") != replayed {
		t.Errorf("got %d %s %v\nwant %d with %q, replayed: %v", r.status, r.body, r.header, status, text, replayed)
	}
	return r
}
