// Package natsperm holds the users and permissions of deploy/nats against what
// the services do on the bus, and against what they must not do.
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
	"github.com/rectohq/recto/tests/harness"
)

// system is a NATS server with the users of deploy/nats, and the services.
type system struct {
	t      *testing.T
	server *server.Server
	log    *harness.SafeBuffer // of all services
}

// connect connects a service as its own user.
func (s *system) connect(name string) (*bus.Conn, *telemetry.Telemetry) {
	s.t.Helper()
	return s.connectWith(name, time.Minute)
}

// connectWith connects a service that keeps claim checks and events for so long.
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

// within bounds one step.
func (s *system) within() context.Context {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience.Limit())
	s.t.Cleanup(cancel)
	return ctx
}

// serve announces a service.
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

// listen hears of documents, as the services do that have jobs.
func (s *system) listen(conn *bus.Conn, name string, pool *job.Pool) <-chan contract.Event {
	s.t.Helper()
	events := make(chan contract.Event, 16)
	stop, err := jobrun.Listen(s.within(), conn, name, pool, func(_ context.Context, e contract.Event) error {
		events <- e
		return nil
	})
	if err != nil {
		s.t.Fatalf("%s consumes no events: %v", name, err)
	}
	s.t.Cleanup(stop)
	return events
}

// consume consumes the purge of documents, as the gateway does.
func (s *system) consume(conn *bus.Conn, name string) <-chan contract.Event {
	s.t.Helper()
	events := make(chan contract.Event, 16)
	stop, err := conn.Consume(s.within(), name, []string{documentapi.EventPurged}, func(_ context.Context, e contract.Event) error {
		events <- e
		return nil
	})
	if err != nil {
		s.t.Fatalf("%s consumes no events: %v", name, err)
	}
	s.t.Cleanup(stop)
	return events
}

// handle answers an endpoint with what answer makes of the request.
func handle[Req, Res any](t *testing.T, s *bus.Server, e contract.Endpoint[Req, Res], answer func(Req) Res) {
	t.Helper()
	if err := bus.Handle(s, e, func(_ context.Context, _ contract.Principal, r Req) (Res, error) { return answer(r), nil }); err != nil {
		t.Error(err)
	}
}

// call calls an endpoint and checks the answer.
func call[Req, Res any](s *system, c *bus.Conn, e contract.Endpoint[Req, Res], r Req, good func(Res) bool) {
	s.t.Helper()
	got, err := bus.Call(s.within(), c, e, principal, r)
	if err != nil || good != nil && !good(got) {
		s.t.Errorf("%s is answered with %.100v, %v", e.Subject(), got, err)
	}
}

var (
	principal = contract.Principal{Organization: "org_1", Key: "key_1"}
	long      = strings.Repeat("name ", 100_000) // a claim check
)

// document starts the document service: every endpoint, and the events.
func (s *system) document() *bus.Conn {
	s.connectWith(documentapi.Service, time.Hour) // before its settings are changed
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

// isLong reports whether an answer came by a claim check.
func isLong(r documentapi.ContentsResponse) bool { return r.DocumentID == long }

// nothing answers with an empty answer, after it has seen that the request came
// whole.
func nothing[Req, Res any](context.Context, contract.Principal, Req) (res Res, err error) {
	return res, nil
}

// TestServicesWork lets every service do what it does on the bus, each as its own
// user: nothing that it needs is refused.
func TestServicesWork(t *testing.T) {
	s := &system{t: t, server: harness.NATS(t, "recto.conf"), log: &harness.SafeBuffer{}}
	document := s.document()
	_, purgedConversion := s.conversion()
	purgedAnnotation, purgedInsight := s.annotation(), s.insight()
	gateway, _ := s.connect("gateway")
	changed := make(chan string, 1)
	if err := gateway.Subscribe(gatewayapi.KeyChanged, func(id []byte) { changed <- string(id) }); err != nil {
		t.Fatal(err)
	}
	purged := map[string]<-chan contract.Event{"conversion": purgedConversion, "annotation": purgedAnnotation, "insight": purgedInsight, "gateway": s.consume(gateway, "gateway")}
	s.gatewayCalls(gateway)
	notifying, _ := s.connect("gateway")
	if err := notifying.Publish(gatewayapi.KeyChanged, []byte("key_1")); err != nil {
		t.Error(err)
	}
	select {
	case id := <-changed:
		if id != "key_1" {
			t.Errorf("the key that was changed is %q", id)
		}
	case <-s.within().Done():
		t.Error("no changed key is told")
	}
	s.delete(document)
	s.purge(document, purged)
	s.operate()
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(strings.ToLower(line), "permission") {
			t.Errorf("something was refused: %s", line)
		}
	}
}

// gatewayCalls calls every endpoint that the gateway calls, with large requests
// and answers where there are any.
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

// delete tells of a deleted document until all have dealt with it.
func (s *system) delete(document *bus.Conn) {
	s.t.Helper()
	place, err := document.PublishEvent(s.within(), contract.Event{ID: "e0", Type: documentapi.EventDeleted, Organization: "org_1", Subject: "doc_1", At: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	s.settled(document, documentapi.EventDeleted, place)
}

// settled waits until all have dealt with an event.
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

// purge tells of purged documents until all have dealt with it, and forgets what
// happened to them.
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
				s.t.Errorf("%s is handed %s", name, e.ID)
			}
		case <-s.within().Done():
			s.t.Fatalf("%s is handed nothing", name)
		}
	}
	s.settled(document, documentapi.EventPurged, place)
	if err := document.ForgetEvents(s.within(), "org_1", "doc_1"); err != nil {
		s.t.Error(err)
	}
}

// operate does what the tools of NATS do, as admin.
func (s *system) operate() {
	s.t.Helper()
	nc, err := nats.Connect(s.server.ClientURL(), nats.UserInfo("admin", harness.NATSPassword("admin")))
	if err != nil {
		s.t.Fatal(err)
	}
	defer nc.Close()
	for _, name := range []string{"document", "conversion", "annotation", "insight"} {
		if _, err := nc.Request("$SRV.INFO."+name, nil, patience.Limit()); err != nil {
			s.t.Errorf("%s says nothing of itself: %v", name, err)
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
	if len(streams) != 7 || list.Err() != nil {
		s.t.Errorf("the streams are %v, %v", streams, list.Err())
	}
	if err := js.DeleteStream(s.within(), "EVENTS"); err != nil {
		s.t.Error(err)
	}
}
