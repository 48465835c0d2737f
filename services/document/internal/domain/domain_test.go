package domain_test

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/document/internal/domain"
	"github.com/rectohq/recto/services/document/internal/sqlitestore"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Main(m)) }

var principal = contract.Principal{Organization: "org_1", User: contract.User{ID: "user_1", Email: "a@example.com", Name: "Ann"}}

// system is a store, a bucket and a bus that several services can share.
type system struct {
	t     *testing.T
	store *sqlitestore.Store
	blobs *blob.Store
	conn  *bus.Conn
}

func newSystem(t *testing.T) *system {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "document.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return &system{t: t, store: store, blobs: blobtest.Dial(t, "documents"), conn: bustest.Connect(t, bustest.Server(t), "document")}
}

// service returns another instance of the service.
func (s *system) service() *domain.Service {
	s.t.Helper()
	return s.serviceWith(s.blobs)
}

// serviceWith returns an instance of the service that uses these objects.
func (s *system) serviceWith(objects domain.Objects) *domain.Service {
	s.t.Helper()
	service := domain.NewService(domain.Config{
		UploadTTL: time.Hour, UploadGrace: time.Hour, DownloadTTL: time.Minute, ListTimeout: patience.Limit(), MaxContent: 1000,
	}, s.store, objects, s.conn, telemetry.Discard())
	if err := service.KeepIncoming(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return service
}

// create creates a document with one file, and returns it with the key of the file's
// upload.
func (s *system) create(service *domain.Service) (d documentapi.Document, uploadKey string) {
	s.t.Helper()
	d, err := service.Create(s.t.Context(), principal, documentapi.CreateRequest{
		Name: "x", State: documentapi.Draft, Files: []documentapi.NewFile{{Name: "a.txt", Type: "text/plain"}},
		CreatedBy: principal.User, UpdatedBy: principal.User,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return d, "incoming/org_1." + d.ID + "." + d.Files[0].ID
}

func (s *system) put(key, text string) {
	s.t.Helper()
	if err := s.blobs.Put(s.t.Context(), key, strings.NewReader(text), int64(len(text)), ""); err != nil {
		s.t.Error(err)
	}
}

func (s *system) read(key string) string {
	s.t.Helper()
	body, _, err := s.blobs.Get(s.t.Context(), key)
	if err != nil {
		s.t.Fatal(err)
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// count counts the objects below a prefix.
func (s *system) count(prefix string) (n int) {
	s.t.Helper()
	if err := s.blobs.List(s.t.Context(), prefix, func(blob.Object) error { n++; return nil }); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// contents seals the latest version and returns its only file.
func (s *system) contents(service *domain.Service, id string) documentapi.Content {
	s.t.Helper()
	answer, err := service.Contents(s.t.Context(), principal, documentapi.GetRequest{DocumentID: id})
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.Files[0]
}

// TestSealersRace lets two instances seal one file while it is uploaded repeatedly: one
// content wins, all calls return it, and no other object remains.
func TestSealersRace(t *testing.T) {
	s := newSystem(t)
	for range 10 {
		a, b := s.service(), s.service()
		d, key := s.create(a)
		s.put(key, "0")
		var mu sync.Mutex
		seen := map[documentapi.Content]string{}
		var wg sync.WaitGroup
		for i, service := range []*domain.Service{a, b, a, b} {
			wg.Go(func() { s.put(key, strings.Repeat("x", i+1)) })
			wg.Go(func() {
				c := s.contents(service, d.ID)
				mu.Lock()
				defer mu.Unlock()
				seen[c] = s.read(c.Key)
			})
		}
		wg.Wait()
		if len(seen) != 1 {
			t.Fatalf("different contents were sealed: %+v", seen)
		}
		for c, text := range seen {
			if c.Fault != "" || c.Size != int64(len(text)) || len(c.SHA256) != 64 || len(c.MD5) != 32 || len(c.CRC32C) != 8 {
				t.Errorf("sealed %+v, which holds %q", c, text)
			}
		}
		if err := a.SealUploads(t.Context()); err != nil {
			t.Fatal(err)
		}
		if in, sealed := s.count("incoming/org_1."+d.ID), s.count("content/org_1/"+d.ID); in != 0 || sealed != 1 {
			t.Errorf("%d uploads and %d contents remain, want 0 and 1", in, sealed)
		}
	}
}

// pausedObjects pauses its first read after it has ended, until it may go on.
type pausedObjects struct {
	*blob.Store
	once         sync.Once
	paused, goOn chan struct{}
}

// Get implements domain.Objects.
func (p *pausedObjects) Get(ctx context.Context, key string) (io.ReadCloser, blob.Object, error) {
	body, object, err := p.Store.Get(ctx, key)
	p.once.Do(func() {
		close(p.paused)
		<-p.goOn
	})
	return body, object, err
}

// TestSealAfterUpload asks for the contents of a file after its upload, while an earlier
// request, which has looked for the upload in vain, is not done: the upload is found.
func TestSealAfterUpload(t *testing.T) {
	s := newSystem(t)
	objects := &pausedObjects{Store: s.blobs, paused: make(chan struct{}), goOn: make(chan struct{})}
	service := domain.NewService(domain.Config{UploadTTL: time.Hour, MaxContent: 1000}, s.store, objects, s.conn, telemetry.Discard())
	d, key := s.create(service)
	early, late := make(chan documentapi.Content, 1), make(chan documentapi.Content, 1)
	go func() { early <- s.contents(service, d.ID) }()
	patience.Receive(t, "the first request has looked for the upload", objects.paused)
	s.put(key, "x")
	go func() { late <- s.contents(service, d.ID) }()
	time.Sleep(patience.Scale(50 * time.Millisecond)) // so that the second request joins the first
	close(objects.goOn)
	if c := <-early; c.Fault == "" {
		t.Errorf("the first request got %+v, want a fault", c)
	}
	if c := <-late; c.Fault != "" || c.Size != 1 {
		t.Errorf("the second request got %+v, want the upload", c)
	}
}

// hidingObjects does not return contents for the first reads.
type hidingObjects struct {
	*blob.Store
	reads atomic.Int32 // how many are left
}

// Get implements domain.Objects.
func (h *hidingObjects) Get(ctx context.Context, key string) (io.ReadCloser, blob.Object, error) {
	if strings.HasPrefix(key, "content/") && h.reads.Add(-1) >= 0 {
		return nil, blob.Object{}, blob.ErrNotFound
	}
	return h.Store.Get(ctx, key)
}

// TestSealHiddenContent seals a file whose content another sealer has just stored, in an
// object store that shows it late, or never: the upload is not called missing.
func TestSealHiddenContent(t *testing.T) {
	s := newSystem(t)
	for _, c := range []struct {
		reads int32
		lost  bool
	}{{reads: 3}, {reads: math.MaxInt32, lost: true}} {
		objects := &hidingObjects{Store: s.blobs}
		objects.reads.Store(c.reads)
		service := s.serviceWith(objects)
		d, key := s.create(service)
		s.put(key, "text")
		s.put("content/org_1/"+d.ID+"/"+d.Files[0].ID, "text")
		got, err := service.Contents(t.Context(), principal, documentapi.GetRequest{DocumentID: d.ID})
		switch {
		case c.lost && !problem.Is(err, problem.Unavailable):
			t.Errorf("content that is never shown: %+v, %v, want the error Unavailable", got, err)
		case !c.lost && (err != nil || got.Files[0].Fault != "" || got.Files[0].Size != 4):
			t.Errorf("content that is shown late: %+v, %v", got, err)
		}
		if err := s.blobs.Remove(t.Context(), key); err != nil { // other tests count uploads
			t.Error(err)
		}
	}
}

func TestFaultsOfContents(t *testing.T) {
	s := newSystem(t)
	service := s.service()
	d, key := s.create(service)
	if c := s.contents(service, d.ID); !strings.Contains(c.Fault, "was not uploaded") || c.Key != "" {
		t.Errorf("before the upload: %+v", c)
	}
	s.put(key, strings.Repeat("x", 1001))
	for range 2 {
		if c := s.contents(service, d.ID); !strings.HasPrefix(c.Fault, "has 1001 bytes (the limit is 1000)") {
			t.Errorf("an upload over the limit: %+v", c)
		}
		if err := service.SealUploads(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.put(key, "ab")
	want := documentapi.Content{
		Size: 2, SHA256: "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603", MD5: "187ef4436122d1cc2f40dc2b92f0eba0", CRC32C: "2ad7b1bc",
	}
	c := s.contents(service, d.ID)
	if c.Size != want.Size || c.SHA256 != want.SHA256 || c.MD5 != want.MD5 {
		t.Errorf("sealed %+v, want %+v", c, want)
	}
	s.put("incoming/org_1.doc_gone.file_gone", "x")
	s.put("incoming/strange", "x")
	if err := service.SealUploads(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.count("incoming/org_1.doc_gone"); n != 0 {
		t.Error("an upload to a document that does not exist remains")
	}
}

// TestOldUploads checks that an upload from long ago that was never sealed is sealed now:
// the client got the response that the upload succeeded.
func TestOldUploads(t *testing.T) {
	s := newSystem(t)
	service := s.service()
	d, key := s.create(service)
	s.put(key, "text")
	service.SetClock(func() time.Time { return time.Now().Add(100 * time.Hour) })
	if err := service.SealUploads(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := s.contents(service, d.ID); c.Fault != "" || s.read(c.Key) != "text" {
		t.Errorf("after days: %+v", c)
	}
}

// TestPurgeWaits purges a document while a consumer of its events is not processing them:
// the record stays until the consumer has processed the event.
func TestPurgeWaits(t *testing.T) {
	s := newSystem(t)
	service := s.service()
	d, key := s.create(service)
	s.put(key, "text")
	s.contents(service, d.ID)
	consume := func(fail bool) func() {
		stop, err := s.conn.Consume(t.Context(), "reader", []string{documentapi.EventPurged}, func(_ context.Context, e contract.Event) error {
			if fail || e.Subject != d.ID {
				return errors.New("not now")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return stop
	}
	consume(true)()
	if _, err := service.Delete(t.Context(), principal, documentapi.DeleteRequest{DocumentID: d.ID}); err != nil {
		t.Fatal(err)
	}
	purge := func() bool {
		t.Helper()
		if err := errors.Join(service.PublishEvents(t.Context()), service.Purge(t.Context())); err != nil {
			t.Fatal(err)
		}
		_, err := s.store.Get(t.Context(), "org_1", d.ID)
		if err != nil && !errors.Is(err, domain.ErrNotFound) {
			t.Fatal(err)
		}
		return err != nil
	}
	time.Sleep(2 * time.Millisecond) // the purge keeps what was deleted in this millisecond
	for range 3 {
		if purge() {
			t.Fatal("the record is gone before the consumer has processed the event")
		}
	}
	if n := s.count("content/org_1/" + d.ID); n != 0 {
		t.Errorf("%d contents remain", n)
	}
	stop := consume(false)
	defer stop()
	patience.Until(t, "the record is removed after its consumer is done", purge)
}

// TestStatus checks that Status reports whether a visible document was deleted, and
// reports all other documents as missing.
func TestStatus(t *testing.T) {
	s := newSystem(t)
	service := s.service()
	d, _ := s.create(service)
	status := func(p contract.Principal, id string) string {
		t.Helper()
		answer, err := service.Status(t.Context(), p, documentapi.StatusRequest{DocumentID: id})
		switch {
		case problem.Is(err, problem.DocumentNotFound):
			return "not found"
		case err != nil:
			t.Fatal(err)
		case answer.Deleted:
			return "deleted"
		}
		return "exists"
	}
	stranger, excluded := principal, principal
	stranger.Organization, excluded.User.ID = "org_2", "user_2"
	record, err := s.store.Get(t.Context(), "org_1", d.ID)
	if err != nil {
		t.Fatal(err)
	}
	record.Access.Users = map[string]domain.Permission{"user_2": domain.None}
	if err := s.store.Replace(t.Context(), "org_1", record); err != nil {
		t.Fatal(err)
	}
	check := func(want string) {
		t.Helper()
		for who, c := range map[string]struct {
			p    contract.Principal
			want string
		}{"the owner": {principal, want}, "a stranger": {stranger, "not found"}, "an excluded user": {excluded, "not found"}} {
			if got := status(c.p, d.ID); got != c.want {
				t.Errorf("for %s the document is %q, want %q", who, got, c.want)
			}
		}
	}
	check("exists")
	if _, err := service.Delete(t.Context(), principal, documentapi.DeleteRequest{DocumentID: d.ID}); err != nil {
		t.Fatal(err)
	}
	check("deleted")
	if got := status(principal, "doc_none"); got != "not found" {
		t.Errorf("an unknown document is %q", got)
	}
}

// TestRepeatedRequests repeats requests whose answers were lost.
func TestRepeatedRequests(t *testing.T) {
	s := newSystem(t)
	service := s.service()
	r := documentapi.CreateRequest{
		ID: contract.NewID(contract.DocumentPrefix), Name: "x", State: documentapi.Draft,
		Files: []documentapi.NewFile{{Name: "a.txt", Type: "text/plain"}}, CreatedBy: principal.User, UpdatedBy: principal.User,
	}
	first, err := service.Create(t.Context(), principal, r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := service.Create(t.Context(), principal, r)
	if err != nil || again.ID != first.ID || again.Files[0].ID != first.Files[0].ID || again.Files[0].UploadURL == "" {
		t.Errorf("first %+v\nagain %+v, %v", first, again, err)
	}
	other := principal
	other.Organization = "org_2"
	if _, err := service.Create(t.Context(), other, r); !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("the id of another organization: %v", err)
	}
	v := documentapi.CreateVersionRequest{DocumentID: first.ID, Files: r.Files, UpdatedBy: principal.User, Token: "t"}
	one, err := service.CreateVersion(t.Context(), principal, v)
	if err != nil {
		t.Fatal(err)
	}
	two, err := service.CreateVersion(t.Context(), principal, v)
	if err != nil || two.VersionNumber != 2 || two.Files[0].ID != one.Files[0].ID {
		t.Errorf("first %+v\nagain %+v, %v", one, two, err)
	}
	if _, err := service.Update(t.Context(), principal, documentapi.UpdateRequest{DocumentID: first.ID, State: documentapi.Agreement, UpdatedBy: principal.User}); err != nil {
		t.Fatal(err)
	}
	two, err = service.CreateVersion(t.Context(), principal, v)
	if err != nil || two.VersionNumber != 2 || two.Files[0].ID != one.Files[0].ID {
		t.Errorf("after it became an agreement: first %+v\nagain %+v, %v", one, two, err)
	}
	v.Token = "another"
	if _, err := service.CreateVersion(t.Context(), principal, v); !problem.Is(err, problem.InvalidRequest) {
		t.Errorf("a new version of an agreement: %v", err)
	}
}

// TestMayNotEdit checks that a user with only View may not change a document.
func TestMayNotEdit(t *testing.T) {
	s := newSystem(t)
	service := s.service()
	d, _ := s.create(service)
	record, err := s.store.Get(t.Context(), "org_1", d.ID)
	if err != nil {
		t.Fatal(err)
	}
	record.Access.Organization = domain.View
	if err := s.store.Replace(t.Context(), "org_1", record); err != nil {
		t.Fatal(err)
	}
	reader := principal
	reader.User.ID = "user_2"
	if _, err := service.Get(t.Context(), reader, documentapi.GetRequest{DocumentID: d.ID}); err != nil {
		t.Errorf("Get: %v", err)
	}
	_, err = service.Update(t.Context(), reader, documentapi.UpdateRequest{DocumentID: d.ID, Name: "y", UpdatedBy: reader.User})
	if !problem.Is(err, problem.PermissionDenied) {
		t.Errorf("Update: got %v, want PermissionDenied", err)
	}
	_, err = service.Delete(t.Context(), reader, documentapi.DeleteRequest{DocumentID: d.ID})
	if !problem.Is(err, problem.PermissionDenied) {
		t.Errorf("Delete: got %v, want PermissionDenied", err)
	}
}

func TestTooManyVersions(t *testing.T) {
	s := newSystem(t)
	service := s.service()
	d, _ := s.create(service)
	record, err := s.store.Get(t.Context(), "org_1", d.ID)
	if err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= domain.MaxVersions; n++ {
		record.Versions = append(record.Versions, domain.Version{Number: n, Files: []domain.File{{ID: "file_x", Name: "a.txt"}}})
	}
	if err := s.store.Replace(t.Context(), "org_1", record); err != nil {
		t.Fatal(err)
	}
	_, err = service.CreateVersion(t.Context(), principal, documentapi.CreateVersionRequest{
		DocumentID: d.ID, Files: []documentapi.NewFile{{Name: "a.txt", Type: "text/plain"}}, UpdatedBy: principal.User,
	})
	if !problem.Is(err, problem.InvalidRequest) || !strings.Contains(err.Error(), "1000 versions") {
		t.Errorf("one version too many: %v", err)
	}
}
