package pdf_test

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// TestBenchUsed prints how long files of one owner take, against the same files without an
// owner. The two take turns, so that other load on the machine affects both.
func TestBenchUsed(t *testing.T) {
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("set RECTO_BENCH to measure")
	}
	const rounds = 25
	r := pdftest.NewReader(t, pdftest.Config())
	if err := r.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, pages := range []int{1, 15} {
		file := agreement(pages)
		var took [2]time.Duration
		for range rounds {
			for i, owner := range []string{"", "owner"} {
				began := time.Now()
				if _, err := r.Read(pdf.WithOwner(t.Context(), owner), bytes.NewReader(file), int64(len(file))); err != nil {
					t.Fatal(err)
				}
				took[i] += time.Since(began)
			}
		}
		t.Logf("%d pages take %v without an owner, %v with one: ×%.2f", pages, took[0]/rounds, took[1]/rounds, took[1].Seconds()/took[0].Seconds())
	}
}

// only returns the id of the only idle process, which must be of the owner.
func only(t *testing.T, r *pdf.Reader, owner string) (pid int) {
	t.Helper()
	idle := r.Idle()
	for pid = range idle {
		if len(idle) == 1 && idle[pid] == owner {
			return pid
		}
	}
	t.Fatalf("the idle processes are %v, want one of %s", idle, owner)
	return 0
}

// oneProcess returns a Reader of one process at a time, and a function that reads a file for an
// owner.
func oneProcess(t *testing.T) (r *pdf.Reader, read func(owner string, file []byte) error) {
	cfg := pdftest.Config()
	cfg.Processes = 1
	cfg.Timeout *= 100 // so that no process has worked for too long
	r = pdftest.NewReader(t, cfg)
	r.WaitForUsed(cfg.Timeout)
	return r, func(owner string, file []byte) error {
		_, err := r.Read(pdf.WithOwner(t.Context(), owner), bytes.NewReader(file), int64(len(file)))
		return err
	}
}

// TestWithOwner shows which process reads a file: one that has read a file of the same owner, if
// that file caused no error, and a new one otherwise.
func TestWithOwner(t *testing.T) {
	r, read := oneProcess(t)
	must := func(owner string, file []byte) {
		t.Helper()
		if err := read(owner, file); err != nil {
			t.Fatal(err)
		}
	}
	small := agreement(1)
	must("one", small)
	first := only(t, r, "one")
	must("one", small)
	if again := only(t, r, "one"); again != first {
		t.Error("the second file of the owner had a new process")
	}
	must("two", small)
	second := only(t, r, "two") // the process of the other owner has made room for it
	if second == first {
		t.Error("a process read files of two owners")
	}
	for _, owner := range []string{"", "one", "two"} {
		must("two", small)
		kept := only(t, r, "two")
		if owner == "two" {
			if err := read(owner, []byte("not a PDF")); err == nil {
				t.Error("read what is no PDF")
			}
		} else {
			must(owner, small)
		}
		if _, ok := r.Idle()[kept]; ok {
			t.Errorf("process %d is still idle after a file of %q", kept, owner)
		}
	}
	must("one", small)
	kept := only(t, r, "one")
	must("one", append(small, bytes.Repeat([]byte("\n"), pdf.MaxReused)...))
	if idle := r.Idle(); len(idle) > 0 {
		t.Errorf("after a large file, the idle processes are %v; %d was before", idle, kept)
	}
	must("one", small)
	kept = only(t, r, "one")
	for range pdf.MaxFiles - 2 {
		must("one", small)
	}
	if last := only(t, r, "one"); last != kept {
		t.Error("the process was replaced too early")
	}
	must("one", small)
	if idle := r.Idle(); len(idle) > 0 {
		t.Errorf("after the last file, the idle processes are %v", idle)
	}
}

// TestUsedProcessThatEnded shows that a file is read if the idle process has been killed.
func TestUsedProcessThatEnded(t *testing.T) {
	r, read := oneProcess(t)
	for range 3 {
		if err := read("owner", agreement(1)); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(only(t, r, "owner"), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
}

// TestIdleProcessEnds shows that an idle process ends after a while.
func TestIdleProcessEnds(t *testing.T) {
	r, read := oneProcess(t)
	r.EndIdleAfter(time.Millisecond)
	if err := read("owner", agreement(1)); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the process has ended", func() bool { return len(r.Idle()) == 0 })
}

// TestUsedProcessReturnsMemory shows that a process that has read many files keeps little more
// memory than one that has read none.
func TestUsedProcessReturnsMemory(t *testing.T) {
	r, read := oneProcess(t)
	r.EndIdleAfter(time.Hour)
	for i := range pdf.MaxFiles - 1 {
		if err := read("owner", agreement(1+i%3*7)); err != nil {
			t.Fatal(err)
		}
	}
	patience.Until(t, "the process has returned the memory of earlier files", func() bool {
		pids := children(t) // the process, and a new one that waits for another owner
		return len(pids) == 2 && pids[0] == only(t, r, "owner") &&
			memoryOf(pids[0], "RssAnon:") < memoryOf(pids[1], "RssAnon:")*3/2
	})
}

// TestUsedProcessReadsTheSame shows that a process reads a file the same whatever it has read
// before.
func TestUsedProcessReadsTheSame(t *testing.T) {
	r, _ := oneProcess(t)
	files := [][]byte{agreement(2), formFile(), manyPages(3), agreement(1)}
	for _, file := range slices.Concat(files, files) {
		want, err := r.Read(t.Context(), bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Read(pdf.WithOwner(t.Context(), "owner"), bytes.NewReader(file), int64(len(file)))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
}

// TestPanicEndsProcess shows that a process ends if the caller's function panics: TestMain looks
// for goroutines that are left.
func TestPanicEndsProcess(t *testing.T) {
	r, _ := oneProcess(t)
	file := agreement(2)
	for _, owner := range []string{"", "owner"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic did not reach the caller")
				}
			}()
			_, _ = r.ReadAhead(pdf.WithOwner(t.Context(), owner), bytes.NewReader(file), int64(len(file)), 1, func(*pdf.File) { panic("a defect") })
		}()
	}
	if idle := r.Idle(); len(idle) > 0 {
		t.Errorf("the idle processes are %v, want none", idle)
	}
}

// TestUsedProcessThatEndsLate shows that a file is read by another process if the first one, which
// has read a file before, ends in the middle of it, and that its first pages are handed over once.
func TestUsedProcessThatEndsLate(t *testing.T) {
	r, read := oneProcess(t)
	if err := read("owner", agreement(1)); err != nil {
		t.Fatal(err)
	}
	pid, file, handed := only(t, r, "owner"), manyPages(1000), 0
	f, err := r.ReadAhead(pdf.WithOwner(t.Context(), "owner"), bytes.NewReader(file), int64(len(file)), 1, func(*pdf.File) {
		handed++
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	})
	if err != nil || len(f.Pages) != 1000 || handed != 1 {
		t.Errorf("got %v, and the first pages %d times", err, handed)
	}
}

// TestRenderedInPart shows that a page is not rendered again once the caller has a part of it. Its
// picture is larger than what a process sends before the caller reads it.
func TestRenderedInPart(t *testing.T) {
	r, read := oneProcess(t)
	file := agreement(1)
	if err := read("owner", file); err != nil {
		t.Fatal(err)
	}
	pid, parts := only(t, r, "owner"), 0
	w := writer(func(b []byte) (int, error) {
		if parts++; parts == 1 {
			return len(b), syscall.Kill(pid, syscall.SIGKILL)
		}
		return len(b), nil
	})
	if err := r.Render(pdf.WithOwner(t.Context(), "owner"), bytes.NewReader(file), int64(len(file)), 1, pdf.MaxRenderWidth, w); err == nil {
		t.Error("the page was rendered by a process that was killed, or twice")
	}
	if idle := r.Idle(); len(idle) > 0 {
		t.Errorf("the idle processes are %v: another process has rendered the page", idle)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
