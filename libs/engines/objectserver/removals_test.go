package objectserver_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"github.com/rectohq/recto/libs/engines/objectserver"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestHoldRemovals checks that objects stay while removals are held, that other requests
// continue, and that the removals happen afterwards.
func TestHoldRemovals(t *testing.T) {
	const n = 8
	file := func(i int) string {
		return filepath.Join(objectserver.Buckets(filepath.Dir(spooled)), bucket, "held", fmt.Sprint(i))
	}
	put := func(key string) {
		if _, err := client.PutObject(t.Context(), bucket, key, strings.NewReader("x"), 1, minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		put(fmt.Sprintf("held/%d", i))
	}
	release := server.HoldRemovals()
	removed := make(chan error, n+1)
	for i := range n {
		go func() {
			removed <- client.RemoveObject(context.Background(), bucket, fmt.Sprintf("held/%d", i), minio.RemoveObjectOptions{})
		}()
	}
	many := make(chan minio.ObjectInfo, 1)
	many <- minio.ObjectInfo{Key: "held/0"}
	close(many)
	go func() {
		for r := range client.RemoveObjects(context.Background(), bucket, many, minio.RemoveObjectsOptions{}) {
			t.Error(r.Err)
		}
		removed <- nil
	}()
	for i := range 50 { // longer than a removal that does not wait
		put(fmt.Sprintf("other/%d", i))
		if got := read(t, fmt.Sprintf("other/%d", i)); got != "x" {
			t.Fatalf("another object reads %q", got)
		}
	}
	for i := range n {
		if _, err := os.Stat(file(i)); err != nil {
			t.Error(err)
		}
	}
	if len(removed) > 0 {
		t.Errorf("%d removals did not wait", len(removed))
	}
	release()
	for range n + 1 {
		if err := patience.Receive(t, "the removal", removed); err != nil {
			t.Error(err)
		}
	}
	for i := range n {
		if _, err := os.Stat(file(i)); !os.IsNotExist(err) {
			t.Errorf("object %d is still there: %v", i, err)
		}
	}
}
