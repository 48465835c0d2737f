// Package sqlite opens the databases in which services store their records when they run
// without MongoDB: one file per database, in WAL mode.
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

// DB is an open database. SQLite allows one writer at a time, so all writes use one
// connection, where they queue in order instead of failing as busy.
type DB struct {
	// Write is the connection for writes. Its transactions are immediate.
	Write *sql.DB
	// Read is a pool of connections for reads. They never wait for a writer.
	Read *sql.DB
}

// busyTimeout, in milliseconds, is how long a statement waits for another process:
// terminal commands write while the program is running.
const busyTimeout = 10_000

// Open opens the database at path, creating it if it does not exist, and applies the
// migrations that it lacks. Each migration is a script that runs once, in order;
// user_version holds their number. Committed data is on disk (synchronous=FULL).
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

// open returns a connection pool for the file. lock is the transaction lock mode. Every
// commit is synced to disk, so acknowledged writes survive a power loss.
func open(path, lock string, connections int) (*sql.DB, error) {
	q := url.Values{"_txlock": {lock}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout), "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
		"cache_size(-16000)", "temp_store(MEMORY)",
	}}
	db, err := sql.Open("sqlite", uri(path, q))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// migrate runs the missing migrations in one transaction. It refuses the database of a
// later program version and leaves it unchanged.
func (db *DB) migrate(ctx context.Context, migrations []string) error {
	return db.Update(ctx, func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if version > len(migrations) {
			return fmt.Errorf("the database has schema version %d, but this program supports only %d: it was written by a later version of the program", version, len(migrations))
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

// Update runs change in one transaction. The transaction is on disk when Update returns
// nil, and rolled back when it returns an error.
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

// Check is a health check. It returns nil if the database answers.
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

// retryAfter is the retry delay suggested to callers when the database is unavailable.
const retryAfter = time.Second

// Unavailable returns err as problem.Unavailable if it means that the database cannot be
// used at the moment: another process has locked it, or the disk is full or failing. It
// returns any other error unchanged.
func Unavailable(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff { // the higher bits give details
	case sqlitelib.SQLITE_BUSY, sqlitelib.SQLITE_LOCKED, sqlitelib.SQLITE_FULL, sqlitelib.SQLITE_IOERR, sqlitelib.SQLITE_CANTOPEN, sqlitelib.SQLITE_NOMEM:
		return problem.New(problem.Unavailable, "The database is unavailable. Retry later.").
			After(retryAfter).Because(err)
	}
	return err
}

// IsDuplicate reports whether err means that a key exists already.
func IsDuplicate(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) &&
		(e.Code() == sqlitelib.SQLITE_CONSTRAINT_PRIMARYKEY || e.Code() == sqlitelib.SQLITE_CONSTRAINT_UNIQUE)
}
