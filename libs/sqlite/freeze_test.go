package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/sqlite"
)

// counted opens a database with one table of numbers.
func counted(t *testing.T, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, []string{"CREATE TABLE numbers (n INTEGER)"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func insert(ctx context.Context, db *sqlite.DB, n int) error {
	return db.Update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO numbers VALUES (?)", n)
		return err
	})
}

func rows(t *testing.T, db *sqlite.DB) (n int) {
	t.Helper()
	if err := db.Read.QueryRow("SELECT count(*) FROM numbers").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFreeze freezes a database while a writer writes without a pause. The writer waits
// until Thaw, and the copy has what was committed before Freeze and nothing that was
// committed later.
func TestFreeze(t *testing.T) {
	dir := t.TempDir()
	db := counted(t, filepath.Join(dir, "it's 100%.db"))
	ctx, stop := context.WithCancel(t.Context())
	ended, begun := make(chan error, 1), make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			if err := insert(ctx, db, n); err != nil {
				ended <- err
				return
			}
			if n == 100 {
				close(begun)
			}
		}
	}()
	<-begun
	frozen, err := sqlite.Freeze(t.Context(), filepath.Join(dir, "it's 100%.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	before := rows(t, db)
	other := counted(t, filepath.Join(dir, "other.db"))
	for n := range 100 { // the same work elsewhere takes longer than a commit that does not wait
		if err := insert(t.Context(), other, n); err != nil {
			t.Fatal(err)
		}
	}
	if after := rows(t, db); after != before || before < 100 {
		t.Errorf("%d rows at the moment of Freeze, %d later", before, after)
	}
	if err := frozen.Thaw(); err != nil {
		t.Fatal(err)
	}
	for rows(t, db) < before+100 {
		if err := ctx.Err(); err != nil {
			t.Fatal(err)
		}
	}
	copied := filepath.Join(dir, "copy.db")
	if err := frozen.CopyTo(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the writer ended with %v", err)
	}
	if _, err := os.Stat(copied + "-wal"); !os.IsNotExist(err) {
		t.Errorf("the copy needs another file: %v", err)
	}
	if n := rows(t, counted(t, copied)); n != before {
		t.Errorf("the copy has %d rows, want %d", n, before)
	}
}

// TestFreezeErrors checks what Freeze says about a database that stays locked, does not
// exist, or is something else, and that it leaves no lock and no file behind.
func TestFreezeErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	db := counted(t, path)
	first, err := sqlite.Freeze(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := sqlite.Freeze(short, path); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), path) {
		t.Errorf("while it is frozen: %v", err)
	}
	if err := first.CopyTo(short, filepath.Join(dir, "copy.db")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("CopyTo after the end of its context: %v", err)
	}
	if err := errors.Join(first.Close(), first.Close()); err != nil {
		t.Error(err)
	}
	if err := insert(t.Context(), db, 1); err != nil {
		t.Errorf("after Close: %v", err)
	}
	if _, err := sqlite.Freeze(t.Context(), filepath.Join(dir, "none.db")); err == nil {
		t.Error("a database that does not exist can be frozen")
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); !os.IsNotExist(err) {
		t.Errorf("Freeze created the database: %v", err)
	}
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte("this is no database, and long enough to be seen as none"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Freeze(t.Context(), text); err == nil {
		t.Error("a text can be frozen")
	}
}
