package scratch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestMain lets this binary act as the process that is killed while its scratch folder is
// in use.
func TestMain(m *testing.M) {
	if parent := os.Getenv("SCRATCH_TEST_PARENT"); parent != "" {
		dir, err := scratch.OpenDir(parent)
		if err == nil {
			_, err = dir.Make()
		}
		if err != nil {
			os.Exit(1)
		}
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestScratch(t *testing.T) {
	parent := t.TempDir()
	s, err := scratch.OpenDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Make()
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Make()
	if err != nil || a == b {
		t.Fatalf("%s and %s, %v", a, b, err)
	}
	if err := os.WriteFile(filepath.Join(a, "x"), []byte("x"), 0o600); err != nil {
		t.Error(err)
	}
	s.Remove(a)
	if _, err := os.Stat(a); !os.IsNotExist(err) {
		t.Errorf("after Remove: %v", err)
	}
	s.Close()
	if left := entries(t, parent); len(left) != 0 {
		t.Errorf("Close leaves %v", left)
	}
	if _, err := s.Make(); err == nil {
		t.Error("a closed Dir creates folders")
	}
	if _, err := scratch.OpenDir(filepath.Join(parent, "none")); err == nil {
		t.Error("OpenDir succeeds in a missing folder")
	}
}

// TestKilledProcessesLeaveNothing kills a process that uses its scratch folder: the next
// process removes that folder, but not the folder of a live process.
func TestKilledProcessesLeaveNothing(t *testing.T) {
	parent := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "SCRATCH_TEST_PARENT="+parent)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the process has a scratch folder with a folder in it", func() bool {
		scratches := entries(t, parent)
		return len(scratches) > 0 && len(entries(t, filepath.Join(parent, scratches[0]))) >= 2
	})
	living, err := scratch.OpenDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close()
	if n := len(entries(t, parent)); n != 2 {
		t.Errorf("next to a live process there are %d scratch folders", n)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	other, err := scratch.OpenDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if n := len(entries(t, parent)); n != 2 {
		t.Errorf("after the kill there are %d scratch folders, want those of the two live processes", n)
	}
}

func TestIsMemory(t *testing.T) {
	for dir, want := range map[string]bool{"/dev/shm": true, "/usr": false} {
		if got, err := scratch.IsMemory(dir); err != nil || got != want {
			t.Errorf("%s: %v, %v", dir, got, err)
		}
		if free, err := scratch.Free(dir); err != nil || free == 0 {
			t.Errorf("%s: %d bytes free, %v", dir, free, err)
		}
	}
	if _, err := scratch.IsMemory("/nowhere"); err == nil {
		t.Error("IsMemory succeeds for a missing folder")
	}
}
