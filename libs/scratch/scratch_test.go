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

// TestFile makes files that nobody finds, and nothing has to remove.
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

// TestNoRoom is no fault of the request.
func TestNoRoom(t *testing.T) {
	f, err := scratch.File(filepath.Join(t.TempDir(), "nowhere"))
	var told *problem.Error
	if f != nil || !errors.As(err, &told) || told.Code != problem.Unavailable || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, %v", f, err)
	}
}

// TestFault tells the errors of files from others.
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
