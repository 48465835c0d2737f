package standalone

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/deploy/standalone/internal/backup"
	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
)

// TestBackupOfNewFolder makes a backup of a folder on which Recto was never ready, replaces
// it, and restores it.
func TestBackupOfNewFolder(t *testing.T) {
	dir := t.TempDir()
	data, archive := filepath.Join(dir, "data"), filepath.Join(dir, "archive")
	d, err := datadir.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	secrets, err := d.Secrets()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive+".partial", []byte("of a command that was killed"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := execute(t, "backup", archive, "--data", data, "--force"); code != 0 || !strings.Contains(stderr, " (writers waited ") {
		t.Fatal(stderr)
	}
	if info, err := os.Stat(archive); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup is %v, %v", info, err)
	}
	for _, args := range [][]string{{"restore", "--check", archive}, {"restore", archive, "--data", filepath.Join(dir, "new")}} {
		if code, _, stderr := execute(t, args...); code != 0 || strings.Contains(stderr, "writers waited") {
			t.Fatal(stderr)
		}
	}
	restored, err := datadir.Find(filepath.Join(dir, "new"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := restored.Secrets(); err != nil || got != secrets {
		t.Errorf("the secrets are %+v, %v; want %+v", got, err, secrets)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 3 {
		t.Errorf("there is %v, %v", names, err)
	}
}

// TestBackupFails checks that a backup that fails leaves the file that it would have
// replaced, and nothing else.
func TestBackupFails(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "archive")
	if err := os.WriteFile(archive, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := datadir.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	var out, problems bytes.Buffer
	if err := os.WriteFile(d.DocumentDatabase(), []byte("not a database, and longer than the name of one"), 0o600); err != nil {
		t.Fatal(err)
	}
	fails := func(ctx context.Context, want string) {
		t.Helper()
		if err := writeBackup(ctx, d, archive, true, &out, &problems); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if content, err := os.ReadFile(archive); err != nil || string(content) != "old" {
			t.Errorf("the old backup is %q, %v", content, err)
		}
		if _, err := os.Stat(archive + ".partial"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("an incomplete file is left: %v", err)
		}
		if _, err := os.Stat(d.BackupFolder()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", d.BackupFolder(), err)
		}
	}
	fails(interrupted, "context canceled")
	fails(t.Context(), d.DocumentDatabase()+": file is not a database")
	fails(t.Context(), "another Recto runs on "+d.Path()) // this process, which keeps the lock until it ends
	fails(t.Context(), "If it is starting or stopping, try again in a moment")
	if out.Len()+problems.Len() > 0 {
		t.Errorf("printed %q and %q", out.String(), problems.String())
	}
}

// TestMeter checks that progress is shown, but not each step of it.
func TestMeter(t *testing.T) {
	var out bytes.Buffer
	m := meter{w: &out}
	h := backup.Header{Objects: 4, Bytes: 2_500_000}
	m.show(h, backup.Progress{})
	m.show(h, backup.Progress{Objects: 1, Bytes: 500})
	m.last = m.last.Add(-meterEvery)
	m.show(h, backup.Progress{Objects: 2, Bytes: 999_000})
	m.show(h, backup.Progress{Objects: 3, Bytes: 1_500_000})
	if want := "  999.0 kB of 2.5 MB, 2 of 4 objects\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}
