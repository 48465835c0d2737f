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

// awayObjects is an object store that takes nothing while it is away.
type awayObjects struct {
	*blob.Store
	away bool
	puts int
}

func (a *awayObjects) Put(ctx context.Context, key string, r io.Reader, size int64, contentType string) error {
	a.puts++
	if a.away {
		return errors.New("away")
	}
	return a.Store.Put(ctx, key, r, size, contentType)
}

// TestKeepIncoming starts a service whose object store is away: the folder of
// uploads is made when it is back, once, before anything is looked for in it.
func TestKeepIncoming(t *testing.T) {
	s := newSystem(t)
	objects := &awayObjects{Store: s.blobs, away: true}
	service := domain.NewService(domain.Config{MaxContent: 1000}, s.store, objects, s.conn, telemetry.Discard())
	if err := s.blobs.Remove(t.Context(), "incoming/.keep"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := service.SealUploads(t.Context()); err == nil {
			t.Error("uploads are looked for in a store that is away")
		}
	}
	objects.away = false
	for range 2 {
		if err := service.SealUploads(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.blobs.Stat(t.Context(), "incoming/.keep"); err != nil || objects.puts != 3 {
		t.Errorf("it was put %d times, want 3; it is there: %v", objects.puts, err)
	}
}
