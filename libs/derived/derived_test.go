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

// newFiles returns files that are kept for an hour, and URLs for a minute, and
// has one of two documents each, and another object.
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

// keys are all keys that there are.
func keys(t *testing.T, s *blob.Store) string {
	t.Helper()
	var all []string
	if err := s.List(t.Context(), "", func(o blob.Object) error { all = append(all, o.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// TestForget removes the files of one document.
func TestForget(t *testing.T) {
	f := newFiles(t)
	if err := f.Forget(t.Context(), "org_1", "doc_1"); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, f.Objects); got != "content/org_1/doc_1/x made/org_1/doc_10/x" {
		t.Errorf("there is left %s", got)
	}
}

// TestSweep answers files for an hour, and keeps them until the last URL has
// ended that leads to one. What is no such file stays.
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
			t.Errorf("after %s there is %s", step.after, got)
		}
	}
	if kept, err := f.Kept(t.Context(), f.Of("org_1", "doc_1")+"x", time.Now()); err != nil || kept {
		t.Errorf("one that is gone is kept: %v, %v", kept, err)
	}
}

// TestAway tells a client to come again when the object store is away, and not
// when it has refused something.
func TestAway(t *testing.T) {
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

// keeper counts how often it is asked, and answers Expire with the errors in
// turn, the last of them from then on.
type keeper struct {
	swept, asked int
	errs         []error
}

// Sweep implements derived.Keeper.
func (k *keeper) Sweep(context.Context) error {
	k.swept++
	return errors.New("away")
}

// Expire implements derived.Keeper.
func (k *keeper) Expire(context.Context) error {
	k.asked++
	return k.errs[min(k.asked, len(k.errs))-1]
}

// TestRun asks the store again and again for what somebody may have undone, until
// it says that it never will.
func TestRun(t *testing.T) {
	for name, tc := range map[string]struct {
		errs []error
		want int
	}{
		"able":   {[]error{nil}, 3},
		"away":   {[]error{errors.New("away"), nil}, 3},
		"unable": {[]error{errors.New("away"), fmt.Errorf("x: %w", blob.ErrNoLifecycle)}, 2},
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
