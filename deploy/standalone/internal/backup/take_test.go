package backup

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/sqlite"
)

// dataFolder returns a data folder with a database, secrets and two objects, and a NATS server
// on it.
func dataFolder(t *testing.T) (Source, *sqlite.DB) {
	t.Helper()
	dir, err := datadir.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Secrets(); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), dir.DocumentDatabase(), []string{"CREATE TABLE numbers (n INTEGER)"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, name := range []string{"content/doc_1/a", "content/doc_2/b", ".sgwtmp/multipart/1", "content/.b.sgwtmp.1"} {
		path := filepath.Join(dir.Objects(), "buckets", "recto", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	nats, err := natsserver.Start(natsserver.Config{Dir: dir.NATS(), MaxMemory: 1 << 20, MaxStore: 1 << 30, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nats.Stop)
	return Source{Dir: dir, NATS: nats, HoldRemovals: func() func() { return func() {} }}, db
}

func insert(ctx context.Context, db *sqlite.DB) error {
	return db.Update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO numbers VALUES (1)")
		return err
	})
}

// TestTake changes everything in a data folder after the moment: the backup has the state of
// the moment. Removals of objects are held before the databases are, and released after the
// objects are safe.
func TestTake(t *testing.T) {
	s, db := dataFolder(t)
	if err := insert(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	objects := filepath.Join(s.Dir.Objects(), "buckets", "recto")
	held, released := 0, 0
	s.HoldRemovals = func() func() {
		held++
		return func() {
			released++
			// The writers go on, and the removals happen, before the rest is copied.
			if err := errors.Join(insert(t.Context(), db), os.RemoveAll(objects)); err != nil {
				t.Error(err)
			}
		}
	}
	b, err := Take(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if held != 1 || released != 1 || b.Header.Databases != 1 || b.Header.Objects != 2 {
		t.Errorf("removals were held %d times and released %d times; %+v", held, released, b.Header)
	}
	var archive bytes.Buffer
	if err := errors.Join(b.Write(t.Context(), &archive), b.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Dir.BackupFolder()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", s.Dir.BackupFolder(), err)
	}

	target := filepath.Join(t.TempDir(), "new", "data")
	h, err := Restore(t.Context(), bytes.NewReader(archive.Bytes()), target, nil)
	if err != nil || h.Objects != 2 {
		t.Fatalf("%+v, %v", h, err)
	}
	var files []string
	for name, text := range describe(t, target) {
		if !strings.HasPrefix(text, "folder") {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	want := []string{
		"document.db", "objects/buckets/recto/content/doc_1/a", "objects/buckets/recto/content/doc_2/b",
		"secrets/key-peppers", "secrets/object-access-key", "secrets/object-secret-key",
	}
	if !slices.Equal(files, want) {
		t.Errorf("restored %q, want %q", files, want)
	}
	again, err := sqlite.Open(t.Context(), filepath.Join(target, "document.db"), []string{""})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	var n int
	if err := again.Read.QueryRow("SELECT count(*) FROM numbers").Scan(&n); err != nil || n != 1 {
		t.Errorf("the database has %d rows, %v; want the one before the backup", n, err)
	}
}

// TestTakeGivesUp checks that a backup that cannot get hold of a database says so, and
// leaves everything usable.
func TestTakeGivesUp(t *testing.T) {
	defer func(was time.Duration) { holdLimit = was }(holdLimit)
	holdLimit = 50 * time.Millisecond
	s, db := dataFolder(t)
	tx, err := db.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	released := false
	s.HoldRemovals = func() func() { return func() { released = true } }
	if _, err := Take(t.Context(), s); err == nil || !strings.Contains(err.Error(), "this took longer than 50ms") || !strings.Contains(err.Error(), s.Dir.DocumentDatabase()) {
		t.Errorf("while another writer does not end: %v", err)
	}
	if !released {
		t.Error("removals of objects are still held")
	}
	if err := errors.Join(tx.Rollback(), insert(t.Context(), db)); err != nil {
		t.Errorf("later: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Take(ended, s); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "took longer") {
		t.Errorf("after the command was interrupted: %v", err)
	}
	if _, err := os.Stat(s.Dir.BackupFolder()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", s.Dir.BackupFolder(), err)
	}
	holdLimit = time.Minute
	link := filepath.Join(s.Dir.Objects(), "buckets", "recto", "link")
	if err := os.Symlink("/etc/passwd", link); err != nil {
		t.Fatal(err)
	}
	if _, err := Take(t.Context(), s); err == nil || !strings.Contains(err.Error(), link+" is neither a file nor a folder") {
		t.Errorf("with a link among the objects: %v", err)
	}
}

// TestKeepWithoutLinks checks that files are copied, with their attributes, where the file
// system has no links, and that other errors are reported.
func TestKeepWithoutLinks(t *testing.T) {
	root := sample(t)
	calls := 0
	k := &keeper{link: func(from, to string) error {
		calls++
		return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM}
	}}
	to := filepath.Join(t.TempDir(), "copy")
	n, err := k.tree(root, to)
	if err != nil || n != 5 || calls != 1 {
		t.Errorf("kept %d files, tried %d links: %v", n, calls, err)
	}
	if got, want := describe(t, to), describe(t, root); !maps.Equal(got, want) {
		t.Errorf("copied\n%q\nwant\n%q", got, want)
	}
	k = &keeper{link: func(string, string) error { return syscall.ENOSPC }}
	if _, err := k.tree(root, filepath.Join(t.TempDir(), "full")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("on a full disk: %v", err)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	if _, err := (&keeper{link: os.Link}).tree(root, linked); err != nil {
		t.Fatal(err)
	}
	a, errA := os.Stat(filepath.Join(root, "document.db"))
	b, errB := os.Stat(filepath.Join(linked, "document.db"))
	if err := errors.Join(errA, errB); err != nil || !os.SameFile(a, b) {
		t.Errorf("the file is not linked: %v", err)
	}
}

// TestRestoreRefuses checks that Restore changes nothing if the archive is damaged or the
// target has content.
func TestRestoreRefuses(t *testing.T) {
	data := archive(t, sample(t))
	parent := t.TempDir()
	full := filepath.Join(parent, "full")
	if err := errors.Join(os.Mkdir(full, 0o700), os.WriteFile(filepath.Join(full, "x"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	before := describe(t, parent)
	damaged := slices.Clone(data)
	damaged[len(data)/2] ^= 1
	for name, tc := range map[string]struct {
		data   []byte
		target string
		want   string
	}{
		"damaged":       {damaged, "new", "the backup is damaged"},
		"cut":           {data[:len(data)-1], "new", "it ends too early"},
		"empty":         {nil, "new", "this is not a backup of Recto"},
		"text":          {[]byte("this is some text"), "new", "this is not a backup of Recto"},
		"hostile":       {forge(t, `{"format":1}`)[:40], "new", "the backup is damaged"},
		"too large":     {forge(t, `{"format":1,"bytes":9000000000000000000}`), "new", "Free some space, or name a folder on another disk"},
		"full":          {data, "full", "full is not empty"},
		"a file":        {data, "full/x", "not a directory"},
		"bad events":    {withEvents(t), "new", "restore the stream EVENTS"},
		"no space left": {forge(t, `{"format":1,"bytes":9000000000000000000}`), "deep/er/new", "bytes free"},
	} {
		if _, err := Restore(t.Context(), bytes.NewReader(tc.data), filepath.Join(parent, tc.target), nil); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	if err := os.RemoveAll(filepath.Join(parent, "deep")); err != nil { // the parent of the target is created
		t.Fatal(err)
	}
	if after := describe(t, parent); !maps.Equal(after, before) {
		t.Errorf("there was %q, there is %q", before, after)
	}
	empty := filepath.Join(parent, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(t.Context(), bytes.NewReader(data), empty, nil); err != nil {
		t.Errorf("into an empty folder: %v", err)
	}
}

// withEvents returns an archive whose events are not what NATS has written.
func withEvents(t *testing.T) []byte {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, eventsName), []byte("{}\nx"), 0o600); err != nil {
		t.Fatal(err)
	}
	return archive(t, root)
}
