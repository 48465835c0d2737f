package derived_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/derived"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Main(m)) }

// newFiles returns Files that are kept for an hour with URLs valid for a minute. There is
// one file of each of two documents, and an object that is not a derived file.
func newFiles(t *testing.T) derived.Files {
	t.Helper()
	f := derived.Files{Objects: blobtest.Dial(t, strings.ToLower(t.Name())), Prefix: "made/", Keep: time.Hour, URL: time.Minute}
	for _, key := range []string{f.Of("org_1", "doc_1") + "x", f.Of("org_1", "doc_10") + "x", "content/org_1/doc_1/x"} {
		if err := f.Put(t.Context(), key, strings.NewReader("x"), 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// keys returns the keys of all objects.
func keys(t *testing.T, s *blob.Store) string {
	t.Helper()
	var all []string
	if err := s.List(t.Context(), "", func(o blob.Object) error { all = append(all, o.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// TestForget deletes the files of one document only.
func TestForget(t *testing.T) {
	f := newFiles(t)
	if err := f.Forget(t.Context(), "org_1", "doc_1"); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, f.Objects); got != "content/org_1/doc_1/x made/org_1/doc_10/x" {
		t.Errorf("the remaining objects are %s", got)
	}
}

// TestSweep checks that files are used for an hour and stored until the last URL to them
// has expired. Other objects stay.
func TestSweep(t *testing.T) {
	f := newFiles(t)
	for _, step := range []struct {
		after time.Duration
		kept  bool
		want  string
	}{
		{59 * time.Minute, true, "content/org_1/doc_1/x made/org_1/doc_1/x made/org_1/doc_10/x"},
		{time.Hour, false, "content/org_1/doc_1/x made/org_1/doc_1/x made/org_1/doc_10/x"},
		{62 * time.Minute, false, "content/org_1/doc_1/x"},
	} {
		now := time.Now().Add(step.after)
		if kept, err := f.Kept(t.Context(), f.Of("org_1", "doc_1")+"x", now); err != nil || kept != step.kept {
			t.Errorf("after %s it is kept: %v, %v", step.after, kept, err)
		}
		if kept, err := f.Kept(t.Context(), "content/org_1/doc_1/x", now); err != nil || !kept {
			t.Errorf("after %s the content is kept: %v, %v", step.after, kept, err)
		}
		if err := f.Sweep(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		if got := keys(t, f.Objects); got != step.want {
			t.Errorf("after %s the objects are %s", step.after, got)
		}
	}
	if kept, err := f.Kept(t.Context(), f.Of("org_1", "doc_1")+"x", time.Now()); err != nil || kept {
		t.Errorf("a deleted file is kept: %v, %v", kept, err)
	}
}

// TestUnavailableStore checks that the error asks clients to retry if the object store is
// unavailable, but not if it rejected the request.
func TestUnavailableStore(t *testing.T) {
	f := newFiles(t)
	if err := f.Put(t.Context(), "content/org_1/doc_1/x/below", strings.NewReader("x"), 1, ""); err == nil || problem.Is(err, problem.Unavailable) {
		t.Errorf("refused: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Put(gone, "made/x", strings.NewReader("x"), 1, ""); !problem.Is(err, problem.Unavailable) {
		t.Errorf("put: %v", err)
	}
	if _, err := f.Kept(gone, "made/x", time.Now()); !problem.Is(err, problem.Unavailable) {
		t.Errorf("kept: %v", err)
	}
}

// keeper counts its calls. Expire returns the errors in turn, and then repeats the last
// one.
type keeper struct {
	swept, asked int
	errs         []error
}

// Sweep implements derived.Keeper.
func (k *keeper) Sweep(context.Context) error {
	k.swept++
	return errors.New("unavailable")
}

// Expire implements derived.Keeper.
func (k *keeper) Expire(context.Context) error {
	k.asked++
	return k.errs[min(k.asked, len(k.errs))-1]
}

// TestRun checks that the store is asked repeatedly to expire files, since another
// service may undo that, until it reports that it never will.
func TestRun(t *testing.T) {
	for name, tc := range map[string]struct {
		errs []error
		want int
	}{
		"able":   {[]error{nil}, 3},
		"outage": {[]error{errors.New("unavailable"), nil}, 3},
		"unable": {[]error{errors.New("unavailable"), fmt.Errorf("x: %w", blob.ErrNoLifecycle)}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			k := &keeper{errs: tc.errs}
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
				defer cancel()
				derived.Run(ctx, k, telemetry.Discard())
			})
			if k.swept != 3 || k.asked != tc.want {
				t.Errorf("swept %d times, asked %d times, want %d", k.swept, k.asked, tc.want)
			}
		})
	}
}
