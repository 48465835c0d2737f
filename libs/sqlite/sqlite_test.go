package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/sqlite"
)

func open(t *testing.T, path string, migrations ...string) (*sqlite.DB, error) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, migrations)
	if err == nil {
		t.Cleanup(func() { _ = db.Close() })
	}
	return db, err
}

func count(t *testing.T, db *sqlite.DB, table string) (n int) {
	t.Helper()
	if err := db.Read.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b%20?#.db")
	first := "CREATE TABLE a (x INTEGER PRIMARY KEY); INSERT INTO a VALUES (1);"
	second := "INSERT INTO a VALUES (2);"
	for _, step := range []struct {
		migrations []string
		want       int
	}{{[]string{first}, 1}, {[]string{first}, 1}, {[]string{first, second}, 2}, {[]string{first, second}, 2}} {
		db, err := open(t, path, step.migrations...)
		if err != nil {
			t.Fatal(err)
		}
		if n := count(t, db, "a"); n != step.want {
			t.Errorf("after %d migrations there are %d rows", len(step.migrations), n)
		}
	}
	if _, err := open(t, path, first); err == nil || !strings.Contains(err.Error(), "later version") {
		t.Errorf("an older program: %v", err)
	}
	if _, err := open(t, path, first, second, "INSERT INTO a VALUES (3); nonsense"); err == nil || !strings.Contains(err.Error(), "migration 3") {
		t.Errorf("a broken migration: %v", err)
	}
	db, err := open(t, path, first, second)
	if err != nil || count(t, db, "a") != 2 {
		t.Errorf("a broken migration left a trace: %v", err)
	}
	if err := db.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := open(t, t.TempDir()); err == nil {
		t.Error("a folder is opened as a database")
	}
}

func TestUpdate(t *testing.T) {
	db, err := open(t, filepath.Join(t.TempDir(), "x.db"), "CREATE TABLE a (x INTEGER PRIMARY KEY, y TEXT UNIQUE)")
	if err != nil {
		t.Fatal(err)
	}
	insert := func(x int, y string) error {
		return db.Update(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.Exec("INSERT INTO a VALUES (?, ?)", x, y)
			return err
		})
	}
	if err := insert(1, "a"); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{insert(1, "b"), insert(2, "a")} {
		if !sqlite.IsDuplicate(err) {
			t.Errorf("a duplicate: %v", err)
		}
	}
	failure := errors.New("no")
	err = db.Update(t.Context(), func(tx *sql.Tx) error {
		_, _ = tx.Exec("INSERT INTO a VALUES (9, 'z')")
		return failure
	})
	if !errors.Is(err, failure) || sqlite.IsDuplicate(err) || count(t, db, "a") != 1 {
		t.Errorf("a failed change: %v, %d rows", err, count(t, db, "a"))
	}
}

// TestUnavailable writes to a full database: that is a transient error and not the
// caller's fault.
func TestUnavailable(t *testing.T) {
	db, err := open(t, filepath.Join(t.TempDir(), "x.db"), "CREATE TABLE a (x TEXT UNIQUE)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Write.Exec("PRAGMA max_page_count = 5"); err != nil {
		t.Fatal(err)
	}
	_, err = db.Write.Exec("INSERT INTO a VALUES (?)", strings.Repeat("x", 1<<20))
	if err == nil || !problem.Is(sqlite.Unavailable(err), problem.Unavailable) || !errors.Is(sqlite.Unavailable(err), err) {
		t.Errorf("a full disk: %v", err)
	}
	for range 2 {
		_, err = db.Write.Exec("INSERT INTO a VALUES ('a')")
	}
	for _, err := range []error{err, context.DeadlineExceeded, nil} {
		if got := sqlite.Unavailable(err); got != err { //nolint:errorlint // must be identical, not a wrapper
			t.Errorf("%v became %v", err, got)
		}
	}
}

// TestTwoWriters has two programs write to one file concurrently.
func TestTwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	var dbs []*sqlite.DB
	for range 2 {
		db, err := open(t, path, "CREATE TABLE a (x INTEGER PRIMARY KEY AUTOINCREMENT)")
		if err != nil {
			t.Fatal(err)
		}
		dbs = append(dbs, db)
	}
	var wg sync.WaitGroup
	for _, db := range dbs {
		for range 4 {
			wg.Go(func() {
				for range 25 {
					if _, err := db.Write.ExecContext(context.Background(), "INSERT INTO a DEFAULT VALUES"); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	if n := count(t, dbs[0], "a"); n != 200 {
		t.Errorf("%d of 200 rows", n)
	}
}
