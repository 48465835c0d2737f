package scratch_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/scratch"
)

// TestFile creates files that are invisible and need no removal.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	f, err := scratch.File(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	if _, err := f.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(io.NewSectionReader(f, 0, 10))
	if err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestNoRoom checks that a missing folder is not reported as a fault of the request.
func TestNoRoom(t *testing.T) {
	f, err := scratch.File(filepath.Join(t.TempDir(), "nowhere"))
	var refused *problem.Error
	if f != nil || !errors.As(err, &refused) || refused.Code != problem.Unavailable || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, %v", f, err)
	}
}

// TestFault distinguishes errors of scratch files from others.
func TestFault(t *testing.T) {
	other := errors.New("another one")
	if got := scratch.Fault(other, other); !errors.Is(got, other) || problem.Is(got, problem.Unavailable) {
		t.Errorf("got %v", got)
	}
	full := &fs.PathError{Op: "write", Path: "x", Err: errors.New("no space left on device")}
	if got := scratch.Fault(full, other); !problem.Is(got, problem.Unavailable) || !errors.Is(got, full) {
		t.Errorf("got %v", got)
	}
}
