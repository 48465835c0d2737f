package domain_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// form is what curl -F uploads to a store that stores any body.
const form = "--------------------------d74496d66958873e\r\n" +
	"Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n" +
	"text\r\n--------------------------d74496d66958873e--\r\n"

// TestUselessUploads uploads unusable content to an object store that accepts everything:
// it is never sealed, errors name the fault and its fix, and the next upload replaces it.
func TestUselessUploads(t *testing.T) {
	for name, c := range map[string]struct{ content, fault, remedy string }{
		"empty":     {"", "is empty", "PUT the content"},
		"too large": {strings.Repeat("x", 1001), "has 1001 bytes (the limit is 1000)", "PUT a smaller file"},
		"a form":    {form, "was uploaded as a multipart form", "curl -T"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSystem(t)
			service := s.service()
			d, key := s.create(service)
			s.put(key, c.content)
			agree := documentapi.UpdateRequest{DocumentID: d.ID, State: documentapi.Agreement, UpdatedBy: principal.User}
			for range 2 {
				if err := service.SealUploads(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := s.contents(service, d.ID); !strings.HasPrefix(got.Fault, c.fault) || !strings.Contains(got.Fault, c.remedy) || got.Key != "" {
					t.Errorf("the content is %+v", got)
				}
				_, err := service.Update(t.Context(), principal, agree)
				if !problem.Is(err, problem.InvalidRequest) || !strings.Contains(err.Error(), "a.txt "+c.fault) {
					t.Errorf("the document becomes an agreement: %v", err)
				}
			}
			if n := s.count("content/org_1/" + d.ID); n != 0 {
				t.Errorf("%d contents were sealed", n)
			}
			s.put(key, "text")
			if _, err := service.Update(t.Context(), principal, agree); err != nil {
				t.Errorf("the document does not become an agreement after another upload: %v", err)
			}
			if got := s.contents(service, d.ID); got.Fault != "" || s.read(got.Key) != "text" {
				t.Errorf("after another upload the content is %+v", got)
			}
			s.put(key, "later")
			if err := service.SealUploads(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.contents(service, d.ID); s.read(got.Key) != "text" || s.count("incoming/org_1."+d.ID) != 0 {
				t.Errorf("an upload after sealing changes the content, or remains: %+v", got)
			}
		})
	}
}

// TestAgreementWithoutUpload checks that a document can become an agreement before its
// files are uploaded.
func TestAgreementWithoutUpload(t *testing.T) {
	s := newSystem(t)
	service := s.service()
	d, _ := s.create(service)
	_, err := service.Update(t.Context(), principal, documentapi.UpdateRequest{DocumentID: d.ID, State: documentapi.Agreement, UpdatedBy: principal.User})
	if err != nil {
		t.Error(err)
	}
}

// watchedObjects counts reads, and calls before right before content is stored.
type watchedObjects struct {
	*blob.Store
	gets   int
	before func()
}

func (w *watchedObjects) Get(ctx context.Context, key string) (io.ReadCloser, blob.Object, error) {
	w.gets++
	return w.Store.Get(ctx, key)
}

func (w *watchedObjects) PutOnce(ctx context.Context, key string, r io.Reader, size int64, contentType string) error {
	if w.before != nil {
		w.before()
	}
	return w.Store.PutOnce(ctx, key, r, size, contentType)
}

// watched returns a service over watchedObjects.
func (s *system) watched() (*domain.Service, *watchedObjects) {
	objects := &watchedObjects{Store: s.blobs}
	return domain.NewService(domain.Config{UploadTTL: time.Hour, MaxContent: 1000}, s.store, objects, s.conn, telemetry.Discard()), objects
}

// TestUselessUploadsCostLittle sweeps over an unusable upload for a day and a half: it is
// checked less and less often, immediately when it is replaced, and is removed in the
// end.
func TestUselessUploadsCostLittle(t *testing.T) {
	s := newSystem(t)
	service, objects := s.watched()
	d, key := s.create(service)
	now := time.Now()
	service.SetClock(func() time.Time { return now })
	sweep := func(times int, every time.Duration) int {
		t.Helper()
		objects.gets = 0
		for range times {
			if err := service.SealUploads(t.Context()); err != nil {
				t.Fatal(err)
			}
			now = now.Add(every)
		}
		return objects.gets
	}
	s.put(key, "")
	// The waits are 1, 2, 4 … 256 seconds, and each check reads two objects.
	if gets := sweep(500, time.Second); gets < 2 || gets > 20 {
		t.Errorf("500 sweeps read %d objects", gets)
	}
	s.put(key, form)
	if gets := sweep(1, 0); gets != 2 {
		t.Errorf("after it was replaced, the sweep reads %d objects", gets)
	}
	if gets := sweep(300, 5*time.Minute); gets > 2*160 || s.count(key) != 0 {
		t.Errorf("a day of sweeps reads %d objects, and %d uploads remain", gets, s.count(key))
	}
	now = time.Now()
	s.put(key, "text")
	sweep(1, 0)
	if c := s.contents(service, d.ID); c.Fault != "" || s.read(c.Key) != "text" {
		t.Errorf("the last upload is sealed as %+v", c)
	}
}

// TestReplacedWhileCopied replaces an upload while a sealer copies it: the upload that
// was acknowledged last is sealed.
func TestReplacedWhileCopied(t *testing.T) {
	s := newSystem(t)
	service, objects := s.watched()
	d, key := s.create(service)
	s.put(key, "first")
	objects.before = func() {
		objects.before = nil
		s.put(key, "other")
	}
	if c := s.contents(service, d.ID); c.Fault != "" || s.read(c.Key) != "other" {
		t.Errorf("sealed %+v", c)
	}
}

// TestSealerThatDied checks that the copy of a sealer that died before it updated the
// record is the content, whatever was uploaded since.
func TestSealerThatDied(t *testing.T) {
	for name, later := range map[string]string{"nothing": "", "a form": form, "other bytes": "other", "too large": strings.Repeat("x", 1001)} {
		t.Run(name, func(t *testing.T) {
			s := newSystem(t)
			service := s.service()
			d, key := s.create(service)
			s.put("content/org_1/"+d.ID+"/"+d.Files[0].ID, "first")
			s.put(key, later)
			if err := service.SealUploads(t.Context()); err != nil {
				t.Fatal(err)
			}
			if c := s.contents(service, d.ID); c.Fault != "" || s.read(c.Key) != "first" {
				t.Errorf("sealed %+v", c)
			}
			if n := s.count("incoming/org_1." + d.ID); n != 0 {
				t.Errorf("%d uploads remain", n)
			}
		})
	}
}
