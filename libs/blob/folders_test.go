package blob_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/blob/blobtest"
)

// sentAgain is a body that calls before when it is resent.
type sentAgain struct {
	io.ReadSeeker
	read   bool
	before func()
}

// Read implements io.Reader.
func (b *sentAgain) Read(p []byte) (int, error) {
	b.read = true
	return b.ReadSeeker.Read(p)
}

// Seek implements io.Seeker.
func (b *sentAgain) Seek(offset int64, whence int) (int64, error) {
	if b.read {
		b.before()
	}
	return b.ReadSeeker.Seek(offset, whence)
}

// TestFolderIsInTheWay puts an object where the embedded server fails for a reason other
// than the request: the put is retried, and the object is stored.
func TestFolderIsInTheWay(t *testing.T) {
	s := blobtest.Dial(t, "folder-in-the-way")
	dir := filepath.Join(blobtest.Config("folder-in-the-way").LocalDir, "folder-in-the-way", "made", "x")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Remove(context.Background(), "made/x") })
	const text = "content"
	body := &sentAgain{ReadSeeker: strings.NewReader(text), before: func() { _ = os.Remove(dir) }}
	if err := s.Put(t.Context(), "made/x", body, int64(len(text)), ""); err != nil {
		t.Fatal(err)
	}
	got, _, err := s.Get(t.Context(), "made/x")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if content, err := io.ReadAll(got); err != nil || string(content) != text {
		t.Errorf("got %q, %v", content, err)
	}
}

// TestFoldersComeAndGo puts objects while the last objects next to them, and with those
// their folders, are removed.
func TestFoldersComeAndGo(t *testing.T) {
	s := blobtest.Dial(t, "folders-come-and-go")
	var work sync.WaitGroup
	for n := range 4 {
		work.Go(func() {
			key := fmt.Sprintf("made/org_1/doc_%d/x", n)
			for range 100 {
				if err := s.Put(context.Background(), key, strings.NewReader("x"), 1, ""); err != nil {
					t.Error(err)
				}
				if err := s.Remove(context.Background(), key); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
}
