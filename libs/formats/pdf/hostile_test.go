package pdf_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// attempt reads a file that may be damaged. It fails the test if the error does not blame
// the file.
func attempt(t *testing.T, r *pdf.Reader, b []byte) (*pdf.File, *pdf.Error) {
	t.Helper()
	f, err := r.Read(t.Context(), bytes.NewReader(b), int64(len(b)))
	var refused *pdf.Error
	switch {
	case err == nil:
		check(t, f)
	case !errors.As(err, &refused) && t.Context().Err() == nil:
		t.Errorf("not an *Error: %v", err)
	}
	return f, refused
}

// hostile returns files designed to be hard to read.
func hostile() map[string][]byte {
	loop := newBuilder()
	loop.page(lines(72, 720, "x"), "")
	loop.objects[pagesObject-1] = fmt.Sprintf("<</Type/Pages/Kids[%d 0 R %d 0 R]/Count 1000000000>>", pagesObject, loop.kids[0])
	count := newBuilder()
	count.page(lines(72, 720, "x"), "")
	count.objects[pagesObject-1] = fmt.Sprintf("<</Type/Pages/Kids[%d 0 R]/Count 1000000000/MediaBox[0 0 612 792]>>", count.kids[0])
	negative := newBuilder()
	negative.page(lines(72, 720, "x"), "/MediaBox[0 0 -1e30 NaN]/UserUnit -5/Rotate 45")
	nested := newBuilder()
	nested.page(lines(72, 720, "x")+strings.Repeat("[", 1<<20)+strings.Repeat("<<", 1<<20), "")
	saved := newBuilder()
	saved.page(strings.Repeat("q ", 1<<20)+lines(72, 720, "x"), "")
	objects := newBuilder()
	objects.page(lines(72, 720, "x"), "/Resources "+strings.Repeat("[", 100_000))
	form := newBuilder()
	self := len(form.objects) + 1
	form.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>", self), "/X Do /X Do")
	form.page("/X Do", fmt.Sprintf("/Resources<</XObject<</X %d 0 R>>>>", self))
	return map[string][]byte{
		"a page tree that is a loop": loop.bytes(), "a count of a billion": count.bytes(), "a page without size": negative.bytes(),
		"nested operands": nested.bytes(), "states that are never restored": saved.bytes(), "nested objects": objects.bytes(),
		"a form XObject that draws itself": form.bytes(), "content that unpacks to a large size": bomb(1, strings.Repeat(" ", 1<<20), 400),
		"text that unpacks to a large size": bomb(1, lines(72, 720, strings.Repeat("word ", 20)), 1<<18),
		"streams in streams":                bomb(2, strings.Repeat(" ", 1<<20), 400),
		"billions of form XObjects":         laughs(),
	}
}

// bomb returns a page with repetitive content that is compressed the given number of
// times.
func bomb(times int, content string, repeated int) []byte {
	for range times {
		content, repeated = deflated(content, repeated), 1
	}
	b := newBuilder()
	c := b.stream("/Filter["+strings.Repeat("/FlateDecode ", times)+"]", content)
	b.kids = append(b.kids, b.add("<</Type/Page/Parent %d 0 R/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", pagesObject, c, fontObject))
	return b.bytes()
}

// laughs returns a page on which each form XObject draws the next one ten times.
func laughs() []byte {
	b := newBuilder()
	inner := b.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 %d 0 R>>>>", fontObject), lines(72, 720, "ha"))
	for range 9 {
		inner = b.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</X %d 0 R>>>>", inner), strings.Repeat("/X Do ", 10))
	}
	b.page("/X Do", fmt.Sprintf("/Resources<</XObject<</X %d 0 R>>>>", inner))
	return b.bytes()
}

// peak starts to watch the child processes that read PDFs. The returned function stops
// that, and returns the peak memory of a single one, in bytes.
func peak(t *testing.T) func() uint64 {
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		var high uint64
		for tick := time.Tick(5 * time.Millisecond); ; {
			select {
			case <-tick:
				high = max(high, highWater(t))
			case <-stop:
				most <- high
				return
			}
		}
	}()
	return func() uint64 { close(stop); return <-most }
}

// highWater returns the peak memory of the child processes that read PDFs, in bytes.
func highWater(t *testing.T) (high uint64) {
	for _, pid := range children(t) {
		high = max(high, memoryOf(pid, "VmHWM:"))
	}
	return high
}

// memoryOf returns a line of the status of a process in bytes, 0 if it has ended.
func memoryOf(pid int, line string) uint64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := strings.Cut(string(status), line)
	var kilobytes uint64
	_, _ = fmt.Sscan(after, &kilobytes)
	return kilobytes << 10
}

// children returns the child processes that read PDFs, the oldest first. It asks every
// process for its parent: /proc/self/task/*/children leaves some out while others end.
func children(t *testing.T) (pids []int) {
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(processes) == 0 {
		t.Error("the kernel does not list processes")
	}
	started := map[int]int{} // in clock ticks since boot, by process
	for _, dir := range processes {
		stat, _ := os.ReadFile(filepath.Join(dir, "stat")) // it may have ended, like the next
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		_, after, _ := strings.Cut(string(stat), ") ") // state, parent, …
		fields := strings.Fields(after)
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || len(fields) < 20 || fields[1] != strconv.Itoa(os.Getpid()) || !strings.Contains(string(command), "\x00recto-pdf\x00") {
			continue
		}
		if started[pid], err = strconv.Atoi(fields[19]); err != nil {
			t.Error(err)
		}
		pids = append(pids, pid)
	}
	slices.SortFunc(pids, func(a, b int) int { return cmp.Compare(started[a], started[b]) })
	return pids
}

// TestHostile checks that no file harms or holds up more than its own process.
func TestHostile(t *testing.T) {
	if !pdf.Bounded() {
		t.Skip("SKIPPED: the race detector removes the memory bound")
	}
	cfg := pdftest.Config()
	cfg.Timeout, cfg.Memory = patience.Scale(20*time.Second), 256<<20
	r := traced(t, cfg)
	var highest uint64
	for name, b := range hostile() {
		t.Run(name, func(t *testing.T) {
			began, most := time.Now(), peak(t)
			f, refused := attempt(t, r, b)
			taken := most()
			highest = max(highest, taken)
			// The program itself is not counted, because no file makes it larger.
			if bound := cfg.Memory + 64<<20; taken > bound {
				t.Errorf("it used %d of %d bytes", taken, bound)
			}
			result := fmt.Sprint(refused)
			if f != nil {
				result = fmt.Sprintf("%d pages, %d words", len(f.Pages), len(f.Words))
			}
			t.Logf("%d bytes, %s, %d MiB: %.200s", len(b), time.Since(began).Round(time.Millisecond), taken>>20, result)
		})
	}
	if highest < cfg.Memory/2 {
		t.Errorf("no file came close to the limit: they used up to %d MiB", highest>>20)
	}
	read(t, r, manyPages(1)) // the next file is read as usual
}

// TestDamaged reads a form that is truncated, and copies of it with changed bytes.
func TestDamaged(t *testing.T) {
	r := traced(t, pdftest.Config())
	whole := formFile()
	random := rand.New(rand.NewPCG(1, 2))
	damaged := [][]byte{bytes.Replace(whole, []byte("xref\n0"), []byte("xfer\n9"), 1), whole[:len(whole)-30], whole[200:]}
	for range 6 {
		damaged = append(damaged, whole[:random.IntN(len(whole))])
	}
	for range 12 {
		b := slices.Clone(whole)
		for range 1 + random.IntN(20) {
			b[random.IntN(len(b))] ^= byte(1 + random.IntN(255))
		}
		damaged = append(damaged, b)
	}
	read, refused := 0, 0
	for _, b := range damaged {
		if f, _ := attempt(t, r, b); f != nil {
			read++
		} else {
			refused++
		}
	}
	t.Logf("%d read, %d refused", read, refused)
	if read == 0 || refused == 0 {
		t.Error("all files were read, or all were refused")
	}
}

// endless is a file that never yields a byte.
type endless struct{ ctx context.Context }

func (e endless) ReadAt([]byte, int64) (int, error) {
	<-e.ctx.Done()
	return 0, e.ctx.Err()
}

// failing is a file that cannot be read.
type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// TestOtherErrors checks that errors that are not the file's fault are returned unchanged.
func TestOtherErrors(t *testing.T) {
	cfg := pdftest.Config()
	cfg.Processes = 1
	r := pdftest.NewReader(t, cfg)
	lost := errors.New("connection lost")
	if _, err := r.Read(t.Context(), failing{lost}, 10); !errors.Is(err, lost) {
		t.Errorf("a file that cannot be read: %v", err)
	}
	if _, err := r.Read(t.Context(), bytes.NewReader([]byte("short")), 10); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that is shorter than its size: %v", err)
	}
	b := manyPages(1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Read(ended, bytes.NewReader(b), int64(len(b))); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	began := make(chan struct{})
	busy.Go(func() {
		if _, err := r.Read(ctx, beginning{endless{ctx}, sync.OnceFunc(func() { close(began) })}, 10); !errors.Is(err, context.Canceled) {
			t.Errorf("a file that yields no byte: %v", err)
		}
	})
	patience.Receive(t, "the file is being read", began)
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := r.Read(short, bytes.NewReader(b), int64(len(b))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a process that never becomes free: %v", err)
	}
	cancel()
	busy.Wait()
	read(t, r, b)
}

// stopped reports whether all threads of a process are stopped. A signal reaches one of
// them first, while the others go on.
func stopped(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	return len(threads) > 0 && !slices.ContainsFunc(threads, func(path string) bool {
		stat, err := os.ReadFile(path)
		return err == nil && !strings.Contains(string(stat), ") T ")
	})
}

// lethal is a file that, when read, sends a signal to the process that reads it. The Reader
// must not have processes both with and without PDFium.
type lethal struct {
	io.ReaderAt
	t      *testing.T
	signal syscall.Signal
}

func (l lethal) ReadAt(p []byte, off int64) (int, error) {
	// The oldest process is the one that reads. The others still start or wait for a file.
	pids := children(l.t)
	if len(pids) == 0 {
		l.t.Error("no process reads the file")
		return 0, io.ErrUnexpectedEOF
	}
	if err := syscall.Kill(pids[0], l.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		l.t.Error(err)
	}
	if l.signal == syscall.SIGSTOP {
		patience.Until(l.t, "all threads of the process have stopped", func() bool { return stopped(pids[0]) })
	}
	return l.ReaderAt.ReadAt(p, off)
}

// TestKilled checks that a file is not blamed if its process was killed or stopped from
// outside.
func TestKilled(t *testing.T) {
	cfg := pdftest.Config()
	cfg.Timeout = 5 * time.Second // a start takes less than a tenth of it
	if !pdf.Bounded() {
		cfg.Timeout *= 4 // the same with the race detector
	}
	r := pdftest.NewReader(t, cfg)
	b := manyPages(1)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		_, err := r.Read(t.Context(), lethal{bytes.NewReader(b), t, signal}, int64(len(b)))
		var refused *pdf.Error
		if err == nil || errors.As(err, &refused) {
			t.Errorf("after %s: %v", signal, err)
		}
		_, err = r.CountPages(t.Context(), lethal{bytes.NewReader(b), t, signal}, int64(len(b)))
		if err == nil || errors.As(err, &refused) {
			t.Errorf("counting pages, after %s: %v", signal, err)
		}
	}
}

// beginning reports when it is first read.
type beginning struct {
	io.ReaderAt
	begin func()
}

func (b beginning) ReadAt(p []byte, off int64) (int, error) {
	b.begin()
	return b.ReaderAt.ReadAt(p, off)
}

// TestLarge checks that a large file is refused before a byte of it is read.
func TestLarge(t *testing.T) {
	_, err := pdftest.NewReader(t, pdftest.Config()).Read(t.Context(), failing{io.ErrUnexpectedEOF}, 1<<40)
	var refused *pdf.Error
	if !errors.As(err, &refused) || !strings.Contains(refused.Reason, "the limit for a PDF is 134217728") {
		t.Errorf("got %v", err)
	}
}

// TestClose checks that Close aborts running and waiting reads.
func TestClose(t *testing.T) {
	cfg := pdftest.Config()
	cfg.Processes = 1
	r, err := pdf.NewReader(cfg, telemetry.Discard())
	if err != nil {
		t.Fatal(err)
	}
	began := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		f := slow{sync.OnceFunc(func() { close(began) })}
		if _, err := r.Read(t.Context(), f, 100<<20); err == nil {
			t.Error("the read succeeded")
		}
	})
	patience.Receive(t, "the file is being read", began)
	for range 3 {
		all.Go(func() {
			if _, err := r.Read(t.Context(), bytes.NewReader(manyPages(1)), 100); err == nil {
				t.Error("a waiting read succeeded")
			}
		})
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
	if err := r.Prepare(t.Context()); err == nil {
		t.Error("Prepare succeeded after Close")
	}
}

// slow is a file that yields one byte per read.
type slow struct{ begin func() }

func (s slow) ReadAt(p []byte, _ int64) (int, error) {
	s.begin()
	time.Sleep(time.Millisecond)
	clear(p[:1])
	return 1, nil
}

// FuzzRead reads modified files, and checks that only the file is ever blamed and that
// the result meets the guarantees of File.
func FuzzRead(f *testing.F) {
	f.Add(formFile())
	f.Add(manyPages(2))
	f.Add(encryptedFile())
	cfg := pdftest.Config()
	cfg.Timeout, cfg.Memory, cfg.Processes = 20*time.Second, 256<<20, 1
	r := pdftest.NewReader(f, cfg)
	if err := r.Prepare(f.Context()); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) { attempt(t, r, b) })
}
