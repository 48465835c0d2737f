package zygote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/conversion/internal/domain"
	"github.com/rectohq/recto/services/conversion/internal/enginetest"
)

// TestEngine runs the suite of engines with zygotes. Only the damaged document and those in
// CSV were given to a new process.
func TestEngine(t *testing.T) {
	var w *warm
	enginetest.Run(t, func(t *testing.T) domain.Engine {
		w = newWarm(t, Config{Program: program(t)}, 2).ready(t)
		return w
	})
	if !w.startedOnce.Load() || w.failedOnce.Load() {
		t.Error("the pool did not tell that its zygotes started")
	}
	// Copies convert no CSV, no slides to a profile, and no Word documents with comments:
	// LibreOfficeKit builds a window for each comment, and Debian leaves out its description.
	if c := w.pool.Counts(); c.Cold.Load() != 10 || c.Warm.Load() < 8 || c.CPU.Load() == 0 || c.Peak.Load() == 0 {
		t.Errorf("copies converted %d documents, new processes %d, in %d ns of CPU time with at most %d bytes", c.Warm.Load(), c.Cold.Load(), c.CPU.Load(), c.Peak.Load())
	}
}

// TestSameAsCold shows that a copy makes the same PDF as a new process: LibreOfficeKit must
// export with the same settings.
func TestSameAsCold(t *testing.T) {
	w := newWarm(t, Config{Program: program(t)}, 1).ready(t)
	documents := enginetest.Documents(t, enginetest.Folder(t))
	delete(documents, filetype.CSV) // copies do not convert it
	delete(documents, filetype.ODS) // copies declare /Lang (en), not (en-US)
	documents[filetype.DOCX] = enginetest.WriteDOCX(t, enginetest.Paragraph("A paragraph"), "x")
	documents[filetype.DOCM] = enginetest.WritePhoto(t)
	documents[filetype.DOTX] = enginetest.WriteDOCX(t, `<w:p><w:ins w:id="1" w:author="A" w:date="2026-01-02T03:04:05Z"><w:r><w:t>inserted</w:t></w:r></w:ins><w:del w:id="2" w:author="B" w:date="2026-01-02T03:04:05Z"><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>`, "x")
	documents[filetype.DOTM] = enginetest.WriteDOCX(t, enginetest.Formula, "x")
	compare := func(kind filetype.Type, profile conversionapi.Profile) {
		var pdfs [2][]byte
		for i, e := range []domain.Engine{w, w.cold} {
			path, err := e.Convert(t.Context(), enginetest.Copy(t, documents[kind]), kind, profile)
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			if pdfs[i], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(pdfs[0], pdfs[1]) {
			t.Errorf("%s, %q: a copy makes a PDF of %d bytes, a new process one of %d", kind, profile, len(pdfs[0]), len(pdfs[1]))
		}
	}
	for kind := range documents {
		compare(kind, "")
	}
	w.expect(t, int64(len(documents)), 0)
	for _, kind := range []filetype.Type{filetype.DOCX, filetype.DOCM, filetype.HTML, filetype.XLSX} {
		compare(kind, conversionapi.PDFA2b)
		compare(kind, conversionapi.PDFUA)
	}
	w.expect(t, int64(len(documents))+8, 0)
	compare(filetype.PPTX, conversionapi.PDFA2b)
	w.expect(t, int64(len(documents))+8, 1)
}

// TestWithoutZygotes converts with a program that does not become a zygote: new processes
// convert everything. The tests of package libreoffice run the suite with these.
func TestWithoutZygotes(t *testing.T) {
	w := newWarm(t, Config{Program: "/bin/false"}, 1)
	w.page(t, "by a new process")
	patience.Until(t, "the pool tells that its zygotes do not start", w.failedOnce.Load)
	if c := w.pool.Counts(); c.Warm.Load() != 0 || c.Cold.Load() == 0 {
		t.Errorf("copies converted %d documents, new processes %d", c.Warm.Load(), c.Cold.Load())
	}
	if w.startedOnce.Load() || !w.failedOnce.Load() {
		t.Error("the pool did not tell that its zygotes do not start")
	}
}

func TestUnavailable(t *testing.T) {
	cold, files := newCold(t)
	for program, want := range map[string]string{"off": "CONVERSION_ZYGOTE is off", "/nowhere/recto-zygote": "there is no program"} {
		_, err := NewPool(Config{Program: program}, 1, cold, files, nil)
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", program, err, want)
		}
	}
}

// TestIsolation shows that a document leaves no files behind, that the copy for the next one
// is restricted, and that no file is open through which copies could pass something on.
func TestIsolation(t *testing.T) {
	w := newWarm(t, Config{Program: program(t)}, 1).ready(t)
	for _, text := range []string{"first", "second"} {
		w.page(t, text)
		z := w.any(t)
		if found := left(t, z.dir); len(found) != 0 {
			t.Errorf("the %s document left %q", text, found)
		}
		if open := writableFiles(t, standby(t, z)); len(open) != 0 {
			t.Errorf("the copy that waits shares the writable files %q with its zygote", open)
		}
		// The copy restricts itself before it waits: it has the filter of its zygote, and its
		// own. The tests of libs/sandbox show what these refuse.
		patience.Until(t, "the copy that waits is restricted", func() bool {
			status, err := os.ReadFile("/proc/" + strings.TrimSpace(childrenOf(z.cmd.Process.Pid)) + "/status")
			return err == nil && strings.Contains(string(status), "Seccomp_filters:\t2") && strings.Contains(string(status), "NoNewPrivs:\t1")
		})
	}
	w.expect(t, 2, 0)
}

// TestCrash kills copies. A new process converts the document, and the zygote the next one.
func TestCrash(t *testing.T) {
	w := newWarm(t, Config{Program: program(t)}, 1).ready(t)
	for range 2 {
		signal(t, standby(t, w.any(t)), unix.SIGKILL)
		w.page(t, "after a crash")
		w.page(t, "the next")
	}
	w.expect(t, 4, 2)
	if n := w.pool.Counts().Started.Load(); n != 1 {
		t.Errorf("%d zygotes were started, want 1", n)
	}
}

// TestHang stops a copy. It is killed when the time is up, the document is not tried again,
// and the zygote converts the next one.
func TestHang(t *testing.T) {
	w := newWarm(t, Config{Program: program(t)}, 1).ready(t)
	hung := standby(t, w.any(t))
	signal(t, hung, unix.SIGSTOP)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := w.Convert(ctx, enginetest.WriteDOCX(t, enginetest.Paragraph("x"), "x"), filetype.DOCX, "")
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, domain.ErrUnconvertible) {
		t.Errorf("got %v, want the context's error", err)
	}
	if err := unix.Kill(hung, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("the copy is still there: %v", err)
	}
	w.page(t, "after a hang")
	w.expect(t, 2, 0)
}

// TestZygoteDies kills a zygote while it waits, and while its copy converts. A new process
// converts the document, and another zygote takes the place.
func TestZygoteDies(t *testing.T) {
	w := newWarm(t, Config{Program: program(t)}, 1).ready(t)
	idle := w.any(t)
	signal(t, idle.cmd.Process.Pid, unix.SIGKILL)
	<-idle.ended
	w.page(t, "after it died")
	patience.Until(t, "another zygote takes the place", func() bool { return w.pool.Counts().Started.Load() == 2 })
	w.ready(t)

	z := w.any(t)
	signal(t, standby(t, z), unix.SIGSTOP)
	converting := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		close(converting)
		w.page(t, "while it dies")
	})
	<-converting
	patience.Until(t, "the zygote has the document", func() bool { return len(left(t, z.dir)) > 0 })
	signal(t, z.cmd.Process.Pid, unix.SIGKILL)
	wait.Wait()
	<-z.ended
	if _, err := os.Stat(z.dir.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of the dead zygote is still there: %v", err)
	}
	w.ready(t).page(t, "the next")
	if c := w.pool.Counts(); c.Started.Load() != 3 || c.Lost.Load() != 2 {
		t.Errorf("%d zygotes were started and %d lost, want 3 and 2", c.Started.Load(), c.Lost.Load())
	}
}

// TestIdleZygoteDies kills an idle zygote. The pool replaces it, and still shuts down at the
// end of the test.
func TestIdleZygoteDies(t *testing.T) {
	w := newWarm(t, Config{Program: program(t)}, 1).ready(t)
	z := w.any(t)
	signal(t, z.cmd.Process.Pid, unix.SIGKILL)
	<-z.ended
	patience.Until(t, "another zygote takes the place", func() bool { return w.pool.Counts().Started.Load() == 2 })
	if w.ready(t).any(t) == z {
		t.Error("the dead zygote is still in the pool")
	}
}

// TestOneThread checks that a zygote that is ready has no thread beside the one that forks: a
// copy would wait forever for a lock that another thread holds. LibreOffice saves its
// configuration on such a thread, about a second after a sample has changed it.
func TestOneThread(t *testing.T) {
	z := newWarm(t, Config{Program: program(t)}, 1).ready(t).any(t)
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", z.cmd.Process.Pid))
	if err != nil || len(threads) != 1 {
		t.Errorf("the zygote has %d threads, %v; want 1", len(threads), err)
	}
}

// TestReplacement shows that a zygote is replaced after its last document, and that
// documents are converted meanwhile.
func TestReplacement(t *testing.T) {
	w := newWarm(t, Config{Program: program(t)}, 1).ready(t)
	z := w.any(t)
	z.documents = maxDocuments - 1
	w.page(t, "its last")
	<-z.ended
	w.page(t, "in between")
	w.ready(t).page(t, "by the next")
	c := w.pool.Counts()
	if c.Started.Load() != 2 || c.Lost.Load() != 0 {
		t.Errorf("%d zygotes were started and %d lost, want 2 and 0", c.Started.Load(), c.Lost.Load())
	}
}

// TestTwoAtATime converts with two zygotes concurrently.
func TestTwoAtATime(t *testing.T) {
	w := newWarm(t, Config{Program: program(t)}, 2).ready(t)
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for range 3 {
				w.page(t, "concurrent")
			}
		})
	}
	wait.Wait()
	w.expect(t, 6, 0)
}

// every is how many documents come between two that go wrong.
const every = 20

// TestManyDocuments converts 200 documents, or RECTO_CONVERSIONS, of every type. In between,
// copies hang, crash and run out of memory, and documents are damaged. Each good document is converted,
// and the zygote's memory does not grow.
func TestManyDocuments(t *testing.T) {
	documents := 200
	if n, err := strconv.Atoi(os.Getenv("RECTO_CONVERSIONS")); err == nil {
		documents = n
	}
	others := enginetest.Documents(t, enginetest.Folder(t))
	kinds := slices.Sorted(maps.Keys(others))
	w := newWarm(t, Config{Program: program(t)}, 1).ready(t)
	wrongs := []func(*testing.T, *warm){hangs, crashes, exhausts, isDamaged}
	var z *process // the first zygote, until it is replaced after maxDocuments
	var first, last int64
	for i := range documents {
		if kind := kinds[i/2%len(kinds)]; i%2 == 1 {
			w.expectText(t, others[kind], kind, enginetest.Said)
		} else {
			w.page(t, "document")
		}
		if i%every == every-1 {
			wrongs[i/every%len(wrongs)](t, w)
		}
		switch waits := w.ready(t).any(t); {
		case i == every/2:
			z, first = waits, waits.resident()
		case waits == z:
			last = waits.resident()
		}
	}
	t.Logf("%d documents; a zygote used %d KiB of memory near its start and %d KiB at its end", documents, first>>10, last>>10)
	if grown := float64(last)/float64(first) - 1; math.Abs(grown) > .05 {
		t.Errorf("the memory of the zygote grew by %.1f %%", 100*grown)
	}
	if n := w.pool.Counts().Lost.Load(); n != 0 {
		t.Errorf("%d zygotes were lost", n)
	}
}

func hangs(t *testing.T, w *warm) {
	signal(t, standby(t, w.any(t)), unix.SIGSTOP)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := w.Convert(ctx, enginetest.WriteDOCX(t, enginetest.Paragraph("x"), "x"), filetype.DOCX, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a hang: got %v", err)
	}
}

func crashes(t *testing.T, w *warm) {
	signal(t, standby(t, w.any(t)), unix.SIGKILL)
	w.page(t, "after a crash")
}

// exhausts leaves a copy no memory to allocate.
func exhausts(t *testing.T, w *warm) {
	if err := unix.Prlimit(standby(t, w.any(t)), unix.RLIMIT_AS, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}, nil); err != nil {
		t.Fatal(err)
	}
	cold := w.pool.Counts().Cold.Load()
	w.page(t, strings.Repeat("without memory ", 20_000))
	if w.pool.Counts().Cold.Load() == cold {
		t.Error("a copy converted the document without memory")
	}
}

func isDamaged(t *testing.T, w *warm) {
	path := filepath.Join(enginetest.Folder(t), "input.docx")
	if err := os.WriteFile(path, []byte("PK\x03\x04 this is no package"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Convert(t.Context(), path, filetype.DOCX, ""); !errors.Is(err, domain.ErrUnconvertible) {
		t.Errorf("a damaged document: got %v", err)
	}
}
