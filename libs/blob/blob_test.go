package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/testkit/patience"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Main(m)) }

// dial returns a new bucket.
func dial(t *testing.T) *blob.Store {
	t.Helper()
	return blobtest.Dial(t, blobtest.NewBucket())
}

func TestObjects(t *testing.T) {
	bucket := blobtest.NewBucket()
	s := blobtest.Dial(t, bucket)
	blobtest.Dial(t, bucket) // the bucket exists already
	const key = "incoming/file_1/Zoë & Söhne.txt"
	if _, _, err := s.Get(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Get of a missing object: %v", err)
	}
	if _, err := s.Stat(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Stat of a missing object: %v", err)
	}
	for _, content := range []string{"one", "", strings.Repeat("x", 20<<20)} {
		for _, size := range []int64{int64(len(content)), -1} {
			if err := s.Put(t.Context(), key, strings.NewReader(content), size, "text/plain"); err != nil {
				t.Fatal(err)
			}
			body, object, err := s.Get(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(body)
			_ = body.Close()
			if err != nil || string(got) != content || object.Size != int64(len(content)) || object.Key != key || time.Since(object.Modified) > time.Hour {
				t.Errorf("Get: %d bytes, %+v, %v", len(got), object, err)
			}
		}
	}
	if object, err := s.Stat(t.Context(), key); err != nil || object.Size != 20<<20 || object.ETag == "" {
		t.Errorf("Stat: %+v, %v", object, err)
	}
	for range 2 { // removing a missing object is not an error
		if err := s.Remove(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Stat(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Stat after Remove: %v", err)
	}
}

// do sends a request as a client that has only the URL.
func do(t *testing.T, method, target string, body []byte) (int, string, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, target, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content), response.Header
}

func TestPresign(t *testing.T) {
	s := dial(t)
	put, err := s.PresignPut(t.Context(), "a/b", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	name := "Vertrag „Zoë“ \"x\"\\.txt"
	before := time.Now()
	get, err := s.PresignGet(t.Context(), "a/b", time.Minute, name, "text/x-test")
	if err != nil {
		t.Fatal(err)
	}
	// URLs are signed to the second, by the clock of this process.
	if e := get.Expires; e.After(time.Now().Add(time.Minute)) || e.Before(before.Add(time.Minute-2*time.Second)) {
		t.Errorf("the URL expires in %s", time.Until(e))
	}
	if status, body, _ := do(t, "GET", get.URL, nil); status != 404 {
		t.Errorf("before the upload: %d %s", status, body)
	}
	if status, body, _ := do(t, "PUT", put.URL, []byte("content")); status != 200 {
		t.Errorf("the upload: %d %s", status, body)
	}
	status, body, header := do(t, "GET", get.URL, nil)
	if status != 200 || body != "content" || header.Get("Content-Type") != "text/x-test" {
		t.Errorf("the download: %d %q %s", status, body, header.Get("Content-Type"))
	}
	if d := header.Get("Content-Disposition"); !strings.HasPrefix(d, `attachment; filename="Vertrag _Zo__ _x__.txt"; filename*=`) {
		t.Errorf("the download is %s", d)
	}
	for what, target := range map[string]string{
		"the upload": put.URL, "another key": strings.Replace(get.URL, "a/b", "a/c", 1), "no signature": strings.Split(get.URL, "?")[0],
		"another name": strings.Replace(get.URL, "Vertrag", "Anderer", 1),
	} {
		if status, _, _ := do(t, "GET", target, nil); status != 403 {
			t.Errorf("GET with %s: %d", what, status)
		}
	}
	expired, err := s.PresignGet(t.Context(), "a/b", time.Second, "x.txt", "a/b")
	if err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the server rejects the expired URL", func() bool {
		status, _, _ := do(t, "GET", expired.URL, nil)
		return status == 403
	})
}

// TestList lists more objects than one response of the server holds, and removes those it
// lists.
func TestList(t *testing.T) {
	s := dial(t)
	const many = 1005
	for i := range many {
		if err := s.Put(t.Context(), fmt.Sprintf("a/%d/x", i), strings.NewReader("x"), 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Put(t.Context(), "ab/1", strings.NewReader("x"), 1, ""); err != nil {
		t.Fatal(err)
	}
	n := 0
	err := s.List(t.Context(), "a/", func(o blob.Object) error {
		n++
		if !strings.HasPrefix(o.Key, "a/") || o.Size != 1 || time.Since(o.Modified) > time.Hour {
			t.Errorf("listed %+v", o)
		}
		return s.Remove(t.Context(), o.Key)
	})
	if err != nil || n != many {
		t.Errorf("listed %d objects, %v; want %d", n, err, many)
	}
	stop := errors.New("enough")
	if err := s.List(t.Context(), "", func(blob.Object) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("a stopped List: %v", err)
	}
	if err := s.List(t.Context(), "a/", func(blob.Object) error { return stop }); err != nil {
		t.Errorf("List of no objects: %v", err)
	}
}

// TestPutOnce puts one object many times concurrently: one call succeeds, the others get
// ErrExists, and requests after a rejected one are not affected.
func TestPutOnce(t *testing.T) {
	s := dial(t)
	var put, refused atomic.Int32
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			switch err := s.PutOnce(t.Context(), "a", strings.NewReader(fmt.Sprintf("%04d", i)), 4, ""); {
			case err == nil:
				put.Add(1)
			case errors.Is(err, blob.ErrExists):
				refused.Add(1)
			default:
				t.Error(err)
			}
			if err := s.Put(t.Context(), fmt.Sprint("b", i), strings.NewReader("x"), 1, ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if put.Load() != 1 || refused.Load() != 3 {
		t.Errorf("%d calls succeeded, %d were rejected", put.Load(), refused.Load())
	}
}
