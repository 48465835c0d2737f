package standalone

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
)

// TestUpIsPrivate shows that recto up makes an empty folder private that others can read, with
// everything that it creates there.
func TestUpIsPrivate(t *testing.T) {
	t.Setenv("CONVERSION_LIBREOFFICE", "/nowhere")
	t.Setenv("LOG_LEVEL", "ERROR")
	working, err := os.Getwd() // the object store changes it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chdir(working) })
	data := t.TempDir()
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &readyStop{cancel: cancel}
	if err := Up(ctx, Flags{Data: data, Addr: free(t), ObjectsAddr: free(t)}, out); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := "\n" + data + " was open to other users (mode 0755). It is now open only to its owner.\n"; !strings.Contains(out.String(), want) {
		t.Errorf("it does not print %q:\n%s", want, out)
	}
	databases := 0
	err = filepath.WalkDir(data, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".db" {
			databases++
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil || databases == 0 {
		t.Errorf("%d databases, %v", databases, err)
	}
}

// readyStop cancels a context when Recto is ready.
type readyStop struct {
	strings.Builder
	cancel context.CancelFunc
}

func (r *readyStop) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "Try it.") {
		r.cancel()
	}
	return r.Builder.Write(p)
}

// TestUpRefusesOtherFolders checks that recto up changes nothing in a folder with files that
// are not its own.
func TestUpRefusesOtherFolders(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := execute(t, "up", "--data", data, "--addr", "127.0.0.1:0", "--objects-addr", "127.0.0.1:0")
	if want := "recto: " + data + " holds other files, such as notes.txt, and no data of Recto. Name an empty folder with --data, or one that does not exist\n"; code != 1 || stderr != want {
		t.Errorf("got %d, %q, want %q", code, stderr, want)
	}
	info, err := os.Stat(data)
	entries, _ := os.ReadDir(data)
	if err != nil || info.Mode().Perm() != 0o755 || len(entries) != 1 {
		t.Errorf("the folder has the mode %v and %d files, %v", info.Mode(), len(entries), err)
	}
}

// TestCheckData checks what recto doctor says about data folders.
func TestCheckData(t *testing.T) {
	dir, _ := dataFolder(t)
	empty, other := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[fs.FileMode]string{0o700: "", 0o755: "is open to other users (mode 0755)", 0o710: "(mode 0710)"} {
		if err := os.Chmod(dir.Path(), mode); err != nil {
			t.Fatal(err)
		}
		if _, err := checkData(dir.Path()); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("mode %v: %v, want %q", mode, err, want)
		}
	}
	for path, want := range map[string]string{filepath.Join(empty, "new"): "recto up creates it", empty: "holds no data yet"} {
		if found, err := checkData(path); err != nil || !strings.Contains(found, want) {
			t.Errorf("%s: %q, %v", path, found, err)
		}
	}
	if _, err := os.Stat(filepath.Join(empty, "new")); !os.IsNotExist(err) {
		t.Errorf("the check creates the folder: %v", err)
	}
	if _, err := checkData(other); err == nil || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("a folder of other files: %v", err)
	}
	if _, err := datadir.Find(other); err == nil {
		t.Error("the check makes it a data folder")
	}
}
