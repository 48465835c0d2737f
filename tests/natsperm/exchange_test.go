// Package natsperm tests the users and permissions of deploy/nats: services may do
// everything on the bus that they need, and nothing else.
package natsperm

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/gatewayapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/syncbuffer"
	"github.com/rectohq/recto/tests/harness"
)

// system is a NATS server with the users of deploy/nats, and the services.
type system struct {
	t      *testing.T
	server *server.Server
	log    *syncbuffer.Buffer // the log of all services
}

// connect connects a service to NATS as its own user.
func (s *system) connect(name string) (*bus.Conn, *telemetry.Telemetry) {
	s.t.Helper()
	return s.connectWith(name, time.Minute)
}

// connectWith is connect with a TTL for claim checks and events.
func (s *system) connectWith(name string, ttl time.Duration) (*bus.Conn, *telemetry.Telemetry) {
	s.t.Helper()
	tel, err := telemetry.New(s.t.Context(), name, telemetry.Config{}, s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	conn, err := bus.Connect(s.within(), name, bus.Config{
		URL: s.server.ClientURL(), User: name, Password: harness.NATSPassword(name),
		ClaimBytes: 64 << 20, ClaimTTL: ttl, EventTTL: ttl, Replicas: 1,
	}, tel)
	if err != nil {
		s.t.Fatalf("%s does not connect: %v", name, err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return conn, tel
}

// within returns a context that limits the time of one step.
func (s *system) within() context.Context {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience.Limit())
	s.t.Cleanup(cancel)
	return ctx
}

// serve registers a service on the bus.
func (s *system) serve(conn *bus.Conn, name string) *bus.Server {
	s.t.Helper()
	server, err := conn.Serve(name, "1.0.0", 16)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience.Limit())
		defer cancel()
		_ = server.Shutdown(ctx)
	})
	return server
}

// listen consumes document events, as services with jobs do.
func (s *system) listen(conn *bus.Conn, name string, pool *job.Pool) <-chan contract.Event {
	s.t.Helper()
	events := make(chan contract.Event, 16)
	stop, err := jobrun.Listen(s.within(), conn, name, pool, nil, func(_ context.Context, e contract.Event) error {
		events <- e
		return nil
	})
	if err != nil {
		s.t.Fatalf("%s consumes no events: %v", name, err)
	}
	s.t.Cleanup(stop)
	return events
}

// consume consumes events of a type, as the gateway and the insight service do.
func (s *system) consume(conn *bus.Conn, name, kind string) <-chan contract.Event {
	s.t.Helper()
	events := make(chan contract.Event, 16)
	stop, err := conn.Consume(s.within(), name, []string{kind}, func(_ context.Context, e contract.Event) error {
		events <- e
		return nil
	})
	if err != nil {
		s.t.Fatalf("%s consumes no events: %v", name, err)
	}
	s.t.Cleanup(stop)
	return events
}

// handle registers a handler that responds with the result of answer.
func handle[Req, Res any](t *testing.T, s *bus.Server, e contract.Endpoint[Req, Res], answer func(Req) Res) {
	t.Helper()
	if err := bus.Handle(s, e, func(_ context.Context, _ contract.Principal, r Req) (Res, error) { return answer(r), nil }); err != nil {
		t.Error(err)
	}
}

// call calls an endpoint and checks the response with good, if good is not nil.
func call[Req, Res any](s *system, c *bus.Conn, e contract.Endpoint[Req, Res], r Req, good func(Res) bool) {
	s.t.Helper()
	got, err := bus.Call(s.within(), c, e, principal, r)
	if err != nil || good != nil && !good(got) {
		s.t.Errorf("the reply to %s is %.100v, %v", e.Subject(), got, err)
	}
}

var (
	principal = contract.Principal{Organization: "org_1", Key: "key_1"}
	long      = strings.Repeat("name ", 100_000) // long enough for a claim check
)

// document starts the document service with all its endpoints.
func (s *system) document() *bus.Conn {
	s.connectWith(documentapi.Service, time.Hour) // so that connecting below changes the streams' settings
	conn, _ := s.connect(documentapi.Service)
	server := s.serve(conn, documentapi.Service)
	named := func(name string) documentapi.Document { return documentapi.Document{Name: name} }
	handle(s.t, server, documentapi.List, func(documentapi.ListRequest) documentapi.ListResponse {
		return documentapi.ListResponse{Items: []documentapi.Document{named(long)}}
	})
	handle(s.t, server, documentapi.Create, func(r documentapi.CreateRequest) documentapi.Document { return named(r.Name) })
	handle(s.t, server, documentapi.Update, func(r documentapi.UpdateRequest) documentapi.Document { return named(r.Name) })
	handle(s.t, server, documentapi.CreateVersion, func(documentapi.CreateVersionRequest) documentapi.Document { return named("version") })
	for _, e := range []contract.Endpoint[documentapi.GetRequest, documentapi.Document]{documentapi.Get, documentapi.Uploads} {
		handle(s.t, server, e, func(r documentapi.GetRequest) documentapi.Document { return named(r.DocumentID) })
	}
	if err := errors.Join(
		bus.Handle(server, documentapi.Delete, nothing), bus.Handle(server, documentapi.ListVersions, nothing),
		bus.Handle(server, documentapi.Status, nothing), bus.Handle(server, documentapi.Stage, nothing), bus.Handle(server, documentapi.Discard, nothing),
	); err != nil {
		s.t.Error(err)
	}
	handle(s.t, server, documentapi.Contents, func(documentapi.GetRequest) documentapi.ContentsResponse {
		return documentapi.ContentsResponse{DocumentID: long}
	})
	return conn
}

// isLong reports whether the response is the one large enough for a claim check.
func isLong(r documentapi.ContentsResponse) bool { return r.DocumentID == long }

// nothing is a handler that returns an empty response.
func nothing[Req, Res any](context.Context, contract.Principal, Req) (res Res, err error) {
	return res, nil
}

// TestServicesWork does everything that the services do on the bus, each as its own
// user. None of it may be refused.
func TestServicesWork(t *testing.T) {
	s := &system{t: t, server: harness.NATS(t, "recto.conf"), log: &syncbuffer.Buffer{}}
	document := s.document()
	_, purgedConversion := s.conversion()
	purgedAnnotation := s.annotation()
	purgedInsight, sealed := s.insight()
	gateway, _ := s.connect("gateway")
	changed := make(chan string, 1)
	if err := gateway.Subscribe(gatewayapi.KeyChanged, func(id []byte) { changed <- string(id) }); err != nil {
		t.Fatal(err)
	}
	purged := map[string]<-chan contract.Event{"conversion": purgedConversion, "annotation": purgedAnnotation, "insight": purgedInsight, "gateway": s.consume(gateway, "gateway", documentapi.EventPurged)}
	s.gatewayCalls(gateway)
	notifying, _ := s.connect("gateway")
	if err := notifying.Publish(gatewayapi.KeyChanged, []byte("key_1")); err != nil {
		t.Error(err)
	}
	select {
	case id := <-changed:
		if id != "key_1" {
			t.Errorf("the changed key is %q, want key_1", id)
		}
	case <-s.within().Done():
		t.Error("no notification of the changed key arrives")
	}
	s.seal(document, sealed)
	s.delete(document)
	s.purge(document, purged)
	s.operate()
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(strings.ToLower(line), "permission") {
			t.Errorf("an operation was refused: %s", line)
		}
	}
}

// gatewayCalls calls every endpoint that the gateway calls, with large requests and
// responses where they can be large.
func (s *system) gatewayCalls(gateway *bus.Conn) {
	call(s, gateway, documentapi.List, documentapi.ListRequest{}, func(r documentapi.ListResponse) bool { return r.Items[0].Name == long })
	call(s, gateway, documentapi.Create, documentapi.CreateRequest{Name: long}, func(d documentapi.Document) bool { return d.Name == long })
	call(s, gateway, documentapi.Get, documentapi.GetRequest{DocumentID: "doc_1"}, func(d documentapi.Document) bool { return d.Name == "doc_1" })
	call(s, gateway, documentapi.Update, documentapi.UpdateRequest{Name: "x"}, func(d documentapi.Document) bool { return d.Name == "x" })
	call(s, gateway, documentapi.Delete, documentapi.DeleteRequest{}, nil)
	call(s, gateway, documentapi.CreateVersion, documentapi.CreateVersionRequest{}, nil)
	call(s, gateway, documentapi.ListVersions, documentapi.VersionsRequest{}, nil)
	call(s, gateway, documentapi.Uploads, documentapi.GetRequest{}, nil)
	call(s, gateway, documentapi.Stage, documentapi.StageRequest{}, nil)
	call(s, gateway, documentapi.Discard, documentapi.DiscardRequest{}, nil)
	convert := conversionapi.StoredRequest{DocumentID: "doc_1"}
	call(s, gateway, conversionapi.Stored, convert, func(r conversionapi.StoredResponse) bool { return r.DownloadURL == string(jobapi.Succeeded) })
	submitted, err := bus.Call(s.within(), gateway, conversionapi.Submit, principal, convert)
	if err != nil {
		s.t.Error(err)
	}
	call(s, gateway, conversionapi.Job, jobapi.GetRequest{ID: submitted.ID}, func(j jobapi.Job) bool { return j.ID == submitted.ID })
	call(s, gateway, conversionapi.CancelJob, jobapi.GetRequest{ID: submitted.ID}, func(j jobapi.Job) bool { return j.State.Ended() })
	call(s, gateway, conversionapi.ListJobs, jobapi.ListRequest{Limit: 1}, nil)
	call(s, gateway, conversionapi.Sign, conversionapi.Result{}, nil)
	call(s, gateway, conversionapi.Pages, conversionapi.PagesRequest{}, nil)
	call(s, gateway, conversionapi.PageImage, conversionapi.PageImageRequest{}, func(r conversionapi.PageImageResponse) bool { return r.ETag == "derived" })
	call(s, gateway, conversionapi.PageWords, conversionapi.PageWordsRequest{}, func(r conversionapi.PageWordsResponse) bool { return r.Text == long })
	s.gatewayAnnotates(gateway)
	s.gatewayAnalyzes(gateway)
	for _, text := range []string{"small", long} {
		call(s, gateway, conversionapi.Inline, contract.Stream{Body: strings.NewReader(text)}, func(answer contract.Stream) bool {
			defer answer.Close()
			got, err := io.ReadAll(answer.Body)
			return err == nil && string(got) == text
		})
	}
}

// delete publishes the deletion of a document and waits until all consumers have handled
// it.
func (s *system) delete(document *bus.Conn) {
	s.t.Helper()
	place, err := document.PublishEvent(s.within(), contract.Event{ID: "e0", Type: documentapi.EventDeleted, Organization: "org_1", Subject: "doc_1", At: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	s.settled(document, documentapi.EventDeleted, place)
}

// seal publishes that a file was sealed, and waits until the insight service has handled it.
func (s *system) seal(document *bus.Conn, sealed <-chan contract.Event) {
	s.t.Helper()
	place, err := document.PublishEvent(s.within(), contract.Event{ID: "e_sealed", Type: documentapi.EventSealed, Organization: "org_1", Subject: "doc_1", At: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	select {
	case e := <-sealed:
		if e.ID != "e_sealed" {
			s.t.Errorf("insight receives event %s, want e_sealed", e.ID)
		}
	case <-s.within().Done():
		s.t.Fatal("insight receives no event")
	}
	s.settled(document, documentapi.EventSealed, place)
}

// settled waits until all consumers have handled an event.
func (s *system) settled(document *bus.Conn, kind string, place uint64) {
	s.t.Helper()
	for ctx := s.within(); ; time.Sleep(10 * time.Millisecond) {
		settled, err := document.EventSettled(ctx, kind, place)
		if err != nil {
			s.t.Fatal(err)
		}
		if settled {
			return
		}
	}
}

// purge publishes the purge of a document, waits until all consumers have handled it,
// and removes the document's events.
func (s *system) purge(document *bus.Conn, purged map[string]<-chan contract.Event) {
	s.t.Helper()
	if err := document.PublishEvents(s.within(), []contract.Event{
		{ID: "e1", Type: documentapi.EventCreated, Organization: "org_1", Subject: "doc_1", At: 1},
	}); err != nil {
		s.t.Error(err)
	}
	place, err := document.PublishEvent(s.within(), contract.Event{ID: "e2", Type: documentapi.EventPurged, Organization: "org_1", Subject: "doc_1", At: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	for name, events := range purged {
		select {
		case e := <-events:
			if e.ID != "e2" {
				s.t.Errorf("%s receives event %s, want e2", name, e.ID)
			}
		case <-s.within().Done():
			s.t.Fatalf("%s receives no event", name)
		}
	}
	s.settled(document, documentapi.EventPurged, place)
	if err := document.ForgetEvents(s.within(), "org_1", "doc_1"); err != nil {
		s.t.Error(err)
	}
}

// operate does what NATS tools do, as admin.
func (s *system) operate() {
	s.t.Helper()
	nc, err := nats.Connect(s.server.ClientURL(), nats.UserInfo("admin", harness.NATSPassword("admin")))
	if err != nil {
		s.t.Fatal(err)
	}
	defer nc.Close()
	for _, name := range []string{"document", "conversion", "annotation", "insight"} {
		if _, err := nc.Request("$SRV.INFO."+name, nil, patience.Limit()); err != nil {
			s.t.Errorf("%s does not answer $SRV.INFO: %v", name, err)
		}
	}
	js, err := jetstream.New(nc)
	if err != nil {
		s.t.Fatal(err)
	}
	streams := map[string]bool{}
	list := js.StreamNames(s.within())
	for name := range list.Name() {
		streams[name] = true
	}
	if len(streams) != 8 || list.Err() != nil {
		s.t.Errorf("the streams are %v, %v", streams, list.Err())
	}
	if err := js.DeleteStream(s.within(), "EVENTS"); err != nil {
		s.t.Error(err)
	}
}
