package zygote

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/conversion/internal/enginetest"
	"github.com/rectohq/recto/services/conversion/internal/libreoffice"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

var built struct {
	sync.Once
	dir string
	err error
}

// program builds recto-zygote once, and returns its path.
func program(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "recto-zygote-"); built.err != nil {
			return
		}
		if out, err := exec.Command("../../zygote/build", built.dir).CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	path := filepath.Join(built.dir, "recto-zygote")
	if _, err := os.Stat(path); err != nil || built.err != nil {
		t.Fatalf("recto-zygote was not built: %v, %v; run make install-test-packages", built.err, err)
	}
	return path
}

// warm is an engine with its pool running, and what the tests look at.
type warm struct {
	*Engine
	pool *Pool
	said *strings.Builder

	// startedOnce and failedOnce report what the pool told about its zygotes.
	startedOnce, failedOnce atomic.Bool
}

func (w *warm) started(err error) {
	if err == nil {
		w.startedOnce.Store(true)
	} else {
		w.failedOnce.Store(true)
	}
}

// newCold returns an engine that starts LibreOffice for each document.
func newCold(t *testing.T) (*libreoffice.Engine, *scratch.Dir) {
	t.Helper()
	files, err := scratch.OpenDir("/dev/shm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(files.Close)
	cold, err := libreoffice.New(libreoffice.Config{Memory: 4 << 30}, files)
	if err != nil {
		t.Fatalf("%v; run make install-packages", err)
	}
	if err := cold.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return cold, files
}

// newWarm returns an engine with that many zygotes. None is ready yet.
func newWarm(t *testing.T, cfg Config, zygotes int) *warm {
	t.Helper()
	cold, files := newCold(t)
	said := &strings.Builder{}
	log := slog.New(slog.NewTextHandler(&locked{to: said}, nil))
	pool, err := NewPool(cfg, zygotes, cold, files, log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	w := &warm{Engine: NewEngine(cold, pool, log), pool: pool, said: said}
	go func() { defer close(done); pool.Run(ctx, w.started) }()
	t.Cleanup(func() { stop(); <-done })
	return w
}

// ready waits until all zygotes are.
func (w *warm) ready(t *testing.T) *warm {
	t.Helper()
	patience.Until(t, "the zygotes are ready", func() bool { return w.pool.Ready() == w.pool.size })
	return w
}

// locked makes a builder safe for a logger that several goroutines use.
type locked struct {
	sync.Mutex
	to *strings.Builder
}

func (l *locked) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.to.Write(p)
}

// page converts a page of its own and fails the test if its text is not in the PDF.
func (w *warm) page(t *testing.T, text string) {
	t.Helper()
	w.expectText(t, enginetest.WriteDOCX(t, enginetest.Paragraph(text), "x"), filetype.DOCX, text)
}

// expectText converts a copy of the document, and fails the test if the text is not in the
// PDF.
func (w *warm) expectText(t *testing.T, document string, kind filetype.Type, text string) {
	t.Helper()
	pdf, err := w.Convert(t.Context(), enginetest.Copy(t, document), kind, "")
	if err != nil {
		t.Errorf("%s of type %s: %v", text, kind, err)
		return
	}
	got := strings.Join(strings.Fields(enginetest.Text(t, pdf)), " ")
	if want := strings.TrimSpace(text); !strings.Contains(got, want[:min(len(want), 100)]) {
		t.Errorf("the PDF contains %.200q, want %.200q", got, want)
	}
}

// expect fails the test unless copies and new processes made that many attempts to convert a
// document.
func (w *warm) expect(t *testing.T, copies, processes int64) {
	t.Helper()
	if c := w.pool.Counts(); c.Warm.Load() != copies || c.Cold.Load() != processes {
		t.Errorf("copies made %d attempts, new processes %d; want %d and %d", c.Warm.Load(), c.Cold.Load(), copies, processes)
	}
}

// any returns a zygote that waits for a document, and leaves it where it is.
func (w *warm) any(t *testing.T) *process {
	t.Helper()
	z := w.pool.take()
	if z == nil {
		t.Fatal("no zygote is ready")
	}
	w.pool.put(z)
	return z
}

// standby returns the process id of the copy that waits in a zygote.
func standby(t *testing.T, z *process) int {
	t.Helper()
	pid := 0
	patience.Until(t, "a copy waits", func() bool {
		_, err := fmt.Sscan(childrenOf(z.cmd.Process.Pid), &pid)
		return err == nil
	})
	return pid
}

func childrenOf(pid int) string {
	list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return ""
	}
	return string(list)
}

func signal(t *testing.T, pid int, s unix.Signal) {
	t.Helper()
	if err := unix.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

// left lists the files in the writable folders, except for the folders that clear keeps.
func left(t *testing.T, f *folder) []string {
	t.Helper()
	var found []string
	for _, dir := range writable {
		err := filepath.WalkDir(f.path(dir), func(path string, _ os.DirEntry, err error) error {
			name, _ := filepath.Rel(f.dir, path)
			if !f.kept[name] && !slices.Contains(writable, name) {
				found = append(found, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// writableFiles lists the ordinary files that a process has open for writing. A fork
// inherits them, so all copies of a zygote would share their content.
func writableFiles(t *testing.T, pid int) []string {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/", pid)
	entries, err := os.ReadDir(dir + "fd")
	if err != nil || len(entries) == 0 {
		t.Fatalf("no open files: %v", err)
	}
	var found []string
	for _, e := range entries {
		target, err := os.Readlink(dir + "fd/" + e.Name())
		if err != nil || !filepath.IsAbs(target) || target == os.DevNull {
			continue // it was closed meanwhile, or is no file
		}
		info, err := os.ReadFile(dir + "fdinfo/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		var position, flags int
		if _, err := fmt.Sscanf(string(info), "pos:\t%d\nflags:\t%o", &position, &flags); err != nil {
			t.Fatalf("%s: %v", info, err)
		}
		if flags&unix.O_ACCMODE != unix.O_RDONLY {
			found = append(found, target)
		}
	}
	return found
}
