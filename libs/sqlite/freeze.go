package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"
)

// Frozen is a database that no connection can write to until Thaw. Its content at the
// moment of Freeze can be copied until Close, also after Thaw, while others write.
// A Frozen is not safe for concurrent use.
type Frozen struct {
	path        string
	lock, read  *sql.DB
	writer, own *sql.Conn // writer is nil after Thaw
}

// freezeRetry is the pause between two attempts to get the write lock. It is much shorter
// than a transaction, so that a database that is written to all the time gets frozen.
const freezeRetry = time.Millisecond

// Freeze freezes the existing database at path, also one that other connections of this
// process or other processes write to. Transactions in progress end first; Freeze waits
// for them until ctx ends. Other writers wait until Thaw, up to their busy timeout of 10 s.
func Freeze(ctx context.Context, path string) (*Frozen, error) {
	f := &Frozen{path: path}
	if err := f.freeze(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("freeze %s: %w", path, err), f.Close())
	}
	return f, nil
}

// Path returns the path of the database.
func (f *Frozen) Path() string { return f.path }

// freeze opens both connections, and begins a transaction on each: writer keeps others
// from writing, and own keeps the content as it is now.
func (f *Frozen) freeze(ctx context.Context) (err error) {
	lock, writer, err := connect(ctx, f.path)
	f.lock = lock
	if err != nil {
		return err
	}
	if err := begin(ctx, writer); err != nil {
		return errors.Join(err, writer.Close())
	}
	f.writer = writer
	if f.read, f.own, err = connect(ctx, f.path); err != nil {
		return err
	}
	if _, err = f.own.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	var n int // the first read fixes what the transaction sees
	return f.own.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n)
}

// begin begins a transaction that keeps others from writing.
func begin(ctx context.Context, conn *sql.Conn) error {
	for {
		_, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE")
		if err == nil || !isBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("other writers keep it locked: %w", ctx.Err())
		case <-time.After(freezeRetry):
		}
	}
}

// connect opens one connection to an existing database in a mode in which it never waits.
func connect(ctx context.Context, path string) (*sql.DB, *sql.Conn, error) {
	query := url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(0)"}}
	db, err := sql.Open("sqlite", uri(path, query))
	if err != nil {
		return nil, nil, err
	}
	conn, err := db.Conn(ctx)
	return db, conn, err
}

// uri returns the name of a database file for the driver.
func uri(path string, query url.Values) string {
	return (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: query.Encode()}).String()
}

// isBusy reports whether err means that another connection holds the lock.
func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlitelib.SQLITE_BUSY
}

// Thaw lets others write again. It is not an error if they can already.
func (f *Frozen) Thaw() error {
	if f.writer == nil {
		return nil
	}
	// No deadline: a database that stays frozen stops all writers.
	_, err := f.writer.ExecContext(context.Background(), "ROLLBACK")
	err = errors.Join(err, f.writer.Close(), f.lock.Close())
	f.writer, f.lock = nil, nil
	return err
}

// copyPages is how many pages CopyTo copies before it looks whether ctx has ended.
const copyPages = 1024

// CopyTo writes the content at the moment of Freeze to a new database at path, which is
// complete and needs no other file when CopyTo returns nil.
func (f *Frozen) CopyTo(ctx context.Context, path string) error {
	err := f.own.Raw(func(driverConn any) error {
		source, ok := driverConn.(interface {
			NewBackup(string) (*sqlite.Backup, error)
		})
		if !ok {
			return errors.New("the driver cannot copy databases")
		}
		// The copy is worth nothing after a crash, so it needs no sync of its own.
		backup, err := source.NewBackup(uri(path, url.Values{"_pragma": {"synchronous(OFF)", "journal_mode(OFF)"}}))
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			if err = ctx.Err(); err == nil {
				more, err = backup.Step(copyPages)
			}
		}
		return errors.Join(err, backup.Finish())
	})
	if err != nil {
		return fmt.Errorf("copy %s: %w", f.path, err)
	}
	return nil
}

// Close thaws the database and ends the use of its content. It may be called again.
func (f *Frozen) Close() error {
	err := f.Thaw()
	if f.lock != nil { // the transaction never began
		err = errors.Join(err, f.lock.Close())
	}
	if f.own != nil {
		err = errors.Join(err, f.own.Close())
	}
	if f.read != nil {
		err = errors.Join(err, f.read.Close()) // ends the transaction
	}
	*f = Frozen{path: f.path}
	return err
}
