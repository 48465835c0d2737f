package libreoffice_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/conversion/internal/domain"
	"github.com/rectohq/recto/services/conversion/internal/enginetest"
	"github.com/rectohq/recto/services/conversion/internal/libreoffice"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	sandboxtest.Main()
	os.Exit(m.Run())
}

func newEngine(t *testing.T) *libreoffice.Engine {
	t.Helper()
	s, err := scratch.OpenDir("/dev/shm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	e, err := libreoffice.New(libreoffice.Config{Memory: 4 << 30}, s)
	if err != nil {
		t.Fatalf("%v; run make install-packages", err)
	}
	return e
}

func TestEngine(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) domain.Engine {
		e := newEngine(t)
		if err := e.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		return e
	})
}

// TestKilled shows that the error does not blame the document if another process kills LibreOffice, or the
// kernel does because the machine is out of memory.
func TestKilled(t *testing.T) {
	e := newEngine(t)
	if err := e.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	input := enginetest.WriteDOCX(t, enginetest.Paragraph("x"), "x")
	ctx, converted := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			killChildren()
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := e.Convert(t.Context(), input, filetype.DOCX, "")
	converted()
	<-done
	if err == nil || errors.Is(err, domain.ErrUnconvertible) {
		t.Errorf("got %v, want an error that does not blame the document", err)
	}
}

// killChildren kills the processes that this one has started, and that run.
func killChildren() {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		stat, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(stat), ") ")
		var state string
		var parent, pid int
		if n, _ := fmt.Sscan(rest, &state, &parent); n == 2 && parent == os.Getpid() {
			if n, _ := fmt.Sscan(string(stat), &pid); n == 1 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// TestBrokenInstallation shows that a LibreOffice that does not start leaves nothing in scratch,
// however often it is tried. Scratch is memory, and other conversions need it.
func TestBrokenInstallation(t *testing.T) {
	program := t.TempDir()
	for _, name := range []string{"soffice.bin", "bootstraprc", "versionrc"} {
		if err := os.WriteFile(filepath.Join(program, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := folders{t.TempDir()}
	e, err := libreoffice.New(libreoffice.Config{Program: program, Memory: 4 << 30}, files)
	if err != nil {
		t.Fatal(err)
	}
	input := enginetest.WriteDOCX(t, enginetest.Paragraph("x"), "x")
	for range 2 {
		if _, err := e.Convert(t.Context(), input, filetype.DOCX, ""); err == nil || errors.Is(err, domain.ErrUnconvertible) {
			t.Errorf("got %v, want an error that does not blame the document", err)
		}
	}
	if left, err := os.ReadDir(files.path); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// folders is a domain.Scratch in a folder.
type folders struct{ path string }

// Make implements domain.Scratch.
func (f folders) Make() (string, error) { return os.MkdirTemp(f.path, "") }

// Remove implements domain.Scratch.
func (f folders) Remove(dir string) { _ = os.RemoveAll(dir) }

func TestNotInstalled(t *testing.T) {
	if _, err := libreoffice.New(libreoffice.Config{Program: t.TempDir()}, nil); !errors.Is(err, libreoffice.ErrNotInstalled) {
		t.Errorf("got %v, want ErrNotInstalled", err)
	}
}
