package pdf_test

import (
	"bytes"
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
)

// attempt reads a file that may be damaged, and fails the test if anything but the
// file is called at fault.
func attempt(t *testing.T, r *pdf.Reader, b []byte) (*pdf.File, *pdf.Error) {
	t.Helper()
	f, err := r.Read(t.Context(), bytes.NewReader(b), int64(len(b)))
	var refused *pdf.Error
	switch {
	case err == nil:
		check(t, f)
	case !errors.As(err, &refused) && t.Context().Err() == nil:
		t.Errorf("the fault is not the file's: %v", err)
	}
	return f, refused
}

// hostile are files that were made to be read badly.
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
		"a form that shows itself": form.bytes(), "content that unpacks to much": bomb(1, strings.Repeat(" ", 1<<20), 400),
		"text that unpacks to much": bomb(1, lines(72, 720, strings.Repeat("word ", 20)), 1<<18),
		"streams in streams":        bomb(2, strings.Repeat(" ", 1<<20), 400),
		"billions of forms":         laughs(),
	}
}

// bomb is a page whose content, which is the same again and again, was compressed
// so many times.
func bomb(times int, content string, repeated int) []byte {
	for range times {
		content, repeated = deflated(content, repeated), 1
	}
	b := newBuilder()
	c := b.stream("/Filter["+strings.Repeat("/FlateDecode ", times)+"]", content)
	b.kids = append(b.kids, b.add("<</Type/Page/Parent %d 0 R/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", pagesObject, c, fontObject))
	return b.bytes()
}

// laughs is a page of which each form shows the next one ten times.
func laughs() []byte {
	b := newBuilder()
	inner := b.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 %d 0 R>>>>", fontObject), lines(72, 720, "ha"))
	for range 9 {
		inner = b.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</X %d 0 R>>>>", inner), strings.Repeat("/X Do ", 10))
	}
	b.page("/X Do", fmt.Sprintf("/Resources<</XObject<</X %d 0 R>>>>", inner))
	return b.bytes()
}

// peak starts to watch the processes of this one that read PDFs. What it returns
// ends that, and returns the most memory that one of them took, in bytes.
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

// highWater returns the most memory that a process of this one that reads PDFs has
// taken, in bytes.
func highWater(t *testing.T) (high uint64) {
	for _, pid := range children(t) {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // it may have ended
		_, after, _ := strings.Cut(string(status), "VmHWM:")
		var kilobytes uint64
		if _, err := fmt.Sscan(after, &kilobytes); err == nil {
			high = max(high, kilobytes<<10)
		}
	}
	return high
}

// children returns the processes of this one that read PDFs.
func children(t *testing.T) (pids []int) {
	paths, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(paths) == 0 {
		t.Error("the kernel does not tell the children of this process")
	}
	for _, path := range paths {
		all, _ := os.ReadFile(path) // it may have ended, as those below
		for child := range strings.FieldsSeq(string(all)) {
			command, _ := os.ReadFile("/proc/" + child + "/cmdline")
			if pid, err := strconv.Atoi(child); err == nil && strings.Contains(string(command), "\x00recto-pdf\x00") {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// TestHostile checks that no file harms, or holds up, more than its own process.
func TestHostile(t *testing.T) {
	if !pdf.Bounded() {
		t.Skip("SKIPPED: with the race detector nothing bounds the memory")
	}
	cfg := defaults()
	cfg.Timeout, cfg.Memory = patience.Scale(20*time.Second), 256<<20
	r := traced(t, cfg)
	var highest uint64
	for name, b := range hostile() {
		t.Run(name, func(t *testing.T) {
			began, most := time.Now(), peak(t)
			f, refused := attempt(t, r, b)
			taken := most()
			highest = max(highest, taken)
			// The program itself is not counted, as no file makes it larger.
			if bound := cfg.Memory + 64<<20; taken > bound {
				t.Errorf("it took %d bytes of %d", taken, bound)
			}
			result := fmt.Sprint(refused)
			if f != nil {
				result = fmt.Sprintf("%d pages, %d words", len(f.Pages), len(f.Words))
			}
			t.Logf("%d bytes, %s, %d MiB: %.200s", len(b), time.Since(began).Round(time.Millisecond), taken>>20, result)
		})
	}
	if highest < cfg.Memory/2 {
		t.Errorf("no file tried to take more than there is: they took up to %d MiB", highest>>20)
	}
	read(t, r, manyPages(1)) // and the next one is read as ever
}

// TestDamaged reads a form that is cut off, and whose bytes are turned over.
func TestDamaged(t *testing.T) {
	r := traced(t, defaults())
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
	t.Logf("%d were read, %d refused", read, refused)
	if read == 0 || refused == 0 {
		t.Error("the damage is none, or nothing is left")
	}
}

// endless is a file of which no byte ever comes.
type endless struct{ ctx context.Context }

func (e endless) ReadAt([]byte, int64) (int, error) {
	<-e.ctx.Done()
	return 0, e.ctx.Err()
}

// failing is a file that cannot be read.
type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// TestNotTheFile returns errors that are no fault of the file as they are.
func TestNotTheFile(t *testing.T) {
	cfg := defaults()
	cfg.Processes = 1
	r := newReader(t, cfg)
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
			t.Errorf("a file that does not come: %v", err)
		}
	})
	patience.Receive(t, "the file is being read", began)
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := r.Read(short, bytes.NewReader(b), int64(len(b))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a turn that does not come: %v", err)
	}
	cancel()
	busy.Wait()
	read(t, r, b)
}

// lethal is a file that sends a signal to all processes of this one that read PDFs
// when it is read itself.
type lethal struct {
	io.ReaderAt
	t      *testing.T
	signal syscall.Signal
}

func (l lethal) ReadAt(p []byte, off int64) (int, error) {
	for _, pid := range children(l.t) {
		if err := syscall.Kill(pid, l.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			l.t.Error(err)
		}
	}
	return l.ReaderAt.ReadAt(p, off)
}

// TestKilled does not hold it against a file that its process was killed, or held up,
// from outside.
func TestKilled(t *testing.T) {
	cfg := defaults()
	cfg.Timeout = 5 * time.Second // of which a start takes less than a tenth
	if !pdf.Bounded() {
		cfg.Timeout *= 4 // with the race detector as well
	}
	r := newReader(t, cfg)
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

// beginning tells when it is first read.
type beginning struct {
	io.ReaderAt
	begin func()
}

func (b beginning) ReadAt(p []byte, off int64) (int, error) {
	b.begin()
	return b.ReaderAt.ReadAt(p, off)
}

// TestLarge refuses a file before a byte of it is read.
func TestLarge(t *testing.T) {
	_, err := newReader(t, defaults()).Read(t.Context(), failing{io.ErrUnexpectedEOF}, 1<<40)
	var refused *pdf.Error
	if !errors.As(err, &refused) || !strings.Contains(refused.Reason, "the limit for a PDF is 134217728") {
		t.Errorf("got %v", err)
	}
}

// TestClose ends what is being read, and whoever waits.
func TestClose(t *testing.T) {
	cfg := defaults()
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
			t.Error("it was read")
		}
	})
	patience.Receive(t, "the file is being read", began)
	for range 3 {
		all.Go(func() {
			if _, err := r.Read(t.Context(), bytes.NewReader(manyPages(1)), 100); err == nil {
				t.Error("one that waits was read")
			}
		})
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
	if err := r.Prepare(t.Context()); err == nil {
		t.Error("it can be prepared after it was closed")
	}
}

// slow is a file that comes a byte at a time.
type slow struct{ begin func() }

func (s slow) ReadAt(p []byte, _ int64) (int, error) {
	s.begin()
	time.Sleep(time.Millisecond)
	clear(p[:1])
	return 1, nil
}

// FuzzRead reads files that were changed, and checks that nothing but the file is
// ever at fault, and that what is read keeps its promises.
func FuzzRead(f *testing.F) {
	f.Add(formFile())
	f.Add(manyPages(2))
	f.Add(encryptedFile())
	cfg := defaults()
	cfg.Timeout, cfg.Memory, cfg.Processes = 20*time.Second, 256<<20, 1
	r := newReader(f, cfg)
	if err := r.Prepare(f.Context()); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) { attempt(t, r, b) })
}
