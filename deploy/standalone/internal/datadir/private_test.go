package datadir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
)

// TestRestrict restricts a folder that others can read, with files that an earlier version
// left open.
func TestRestrict(t *testing.T) {
	d := open(t)
	database := d.DocumentDatabase()
	if err := os.WriteFile(database, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{d.Path(): 0o755 | os.ModeSetgid, database: 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if mode, err := d.OpenMode(); err != nil || mode != 0o755 {
		t.Errorf("OpenMode = %v, %v", mode, err)
	}
	for _, want := range []string{d.Path() + " was open to other users (mode 0755). It is now open only to its owner.", ""} {
		if note, err := d.Restrict(); err != nil || note != want {
			t.Errorf("Restrict = %q, %v, want %q", note, err, want)
		}
		for path, mode := range map[string]os.FileMode{d.Path(): 0o700 | os.ModeSetgid | os.ModeDir, database: 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode() != mode {
				t.Errorf("%s has the mode %v, %v, want %v", path, info.Mode(), err, mode)
			}
		}
	}
	if mode, err := d.OpenMode(); err != nil || mode != 0 {
		t.Errorf("OpenMode of a restricted folder = %v, %v", mode, err)
	}
}

// TestCheckContent checks that a folder with other files and no data of Recto is refused.
func TestCheckContent(t *testing.T) {
	for content, want := range map[string]string{
		"": "", "lost+found": "", "secrets notes.txt": "", "lock": "", "tls/ca.pem": "",
		"notes.txt": "holds other files, such as notes.txt, and no data of Recto. Name an empty folder with --data", "tls/other": "such as tls,",
	} {
		d := open(t)
		for _, name := range strings.Fields(content) {
			if err := os.MkdirAll(filepath.Join(d.Path(), name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		err := d.CheckContent()
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

// TestCreatePrivately checks the permissions of a file that a library creates.
func TestCreatePrivately(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	undo := datadir.CreatePrivately()
	err := os.WriteFile(path, nil, 0o666)
	undo()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
}
