// Package sqlite opens the databases that services store their records in when
// they run without MongoDB: one file each, in WAL mode.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"time"

	"modernc.org/sqlite" // the driver, and its errors
	sqlitelib "modernc.org/sqlite/lib"

	"github.com/rectohq/recto/libs/problem"
)

// DB is an open database. SQLite has one writer at a time, so writes go over
// one connection, where they queue in order instead of failing as busy.
type DB struct {
	// Write is the connection for writes. Its transactions are immediate.
	Write *sql.DB
	// Read are the connections for reads. They never wait for a writer.
	Read *sql.DB
}

// busyTimeout, in milliseconds, is how long a statement waits for another
// process: the command line writes beside the running program.
const busyTimeout = 10_000

// Open opens the database at path, which is made if it is not there, and brings
// it to the latest of the migrations: each is one script, applied once, in
// order; their number is kept in user_version. What is committed is on the disk
// (synchronous=FULL).
func Open(ctx context.Context, path string, migrations []string) (*DB, error) {
	write, err := open(path, "immediate", 1)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	read, err := open(path, "deferred", max(4, runtime.NumCPU()))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), write.Close())
	}
	db := &DB{Write: write, Read: read}
	if err := db.migrate(ctx, migrations); err != nil {
		return nil, errors.Join(fmt.Errorf("migrate %s: %w", path, err), db.Close())
	}
	return db, nil
}

// open returns a pool of connections to the file. Lock is how transactions
// begin. Every commit is synced to the disk: what was answered survives a loss
// of power.
func open(path, lock string, connections int) (*sql.DB, error) {
	q := url.Values{"_txlock": {lock}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout), "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
		"cache_size(-16000)", "temp_store(MEMORY)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// migrate runs the scripts that the database has not seen, all in one
// transaction. A database of a later program is refused and not touched.
func (db *DB) migrate(ctx context.Context, migrations []string) error {
	return db.Update(ctx, func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if version > len(migrations) {
			return fmt.Errorf("the database has version %d, this program knows %d: it was written by a later one", version, len(migrations))
		}
		for i, script := range migrations[version:] {
			if _, err := tx.ExecContext(ctx, script); err != nil {
				return fmt.Errorf("migration %d: %w", version+i+1, err)
			}
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(migrations)))
		return err
	})
}

// Update runs change in one transaction, which is on the disk when Update
// returns nil and has left no trace when it returns an error.
func (db *DB) Update(ctx context.Context, change func(*sql.Tx) error) error {
	tx, err := db.Write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := change(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Check returns nil if the database answers. It is a check of health.
func (db *DB) Check(ctx context.Context) error {
	var one int
	if err := db.Read.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("the database does not answer: %w", err)
	}
	return nil
}

// Close closes the database.
func (db *DB) Close() error {
	return errors.Join(db.Read.Close(), db.Write.Close())
}

// retryAfter is what a caller is told to wait when the database cannot be used.
const retryAfter = time.Second

// Unavailable returns err as problem.Unavailable if it says that the database
// cannot be used at the moment: another process holds it, or the disk is full or
// fails. Any other error it returns as it is.
func Unavailable(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff { // the rest of a code says how it came to that
	case sqlitelib.SQLITE_BUSY, sqlitelib.SQLITE_LOCKED, sqlitelib.SQLITE_FULL, sqlitelib.SQLITE_IOERR, sqlitelib.SQLITE_CANTOPEN, sqlitelib.SQLITE_NOMEM:
		return problem.New(problem.Unavailable, "The database is unavailable. Retry later.").
			After(retryAfter).Because(err)
	}
	return err
}

// IsDuplicate reports whether err says that a key is there already.
func IsDuplicate(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) &&
		(e.Code() == sqlitelib.SQLITE_CONSTRAINT_PRIMARYKEY || e.Code() == sqlitelib.SQLITE_CONSTRAINT_UNIQUE)
}
