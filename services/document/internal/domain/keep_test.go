package domain_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// downObjects is an object store whose Put fails while it is down.
type downObjects struct {
	*blob.Store
	down bool
	puts int
}

func (d *downObjects) Put(ctx context.Context, key string, r io.Reader, size int64, contentType string) error {
	d.puts++
	if d.down {
		return errors.New("down")
	}
	return d.Store.Put(ctx, key, r, size, contentType)
}

// TestKeepIncoming starts a service while its object store is unavailable: when the store
// is back, the folder of uploads is created, once, before it is searched.
func TestKeepIncoming(t *testing.T) {
	s := newSystem(t)
	objects := &downObjects{Store: s.blobs, down: true}
	service := domain.NewService(domain.Config{MaxContent: 1000}, s.store, objects, s.conn, telemetry.Discard())
	if err := s.blobs.Remove(t.Context(), "incoming/.keep"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := service.SealUploads(t.Context()); err == nil {
			t.Error("SealUploads succeeds while the store is unavailable")
		}
	}
	objects.down = false
	for range 2 {
		if err := service.SealUploads(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.blobs.Stat(t.Context(), "incoming/.keep"); err != nil || objects.puts != 3 {
		t.Errorf("the object was put %d times, want 3; Stat returns %v", objects.puts, err)
	}
}
