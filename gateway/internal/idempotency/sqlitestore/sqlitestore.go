// Package sqlitestore keeps requests with an Idempotency-Key in SQLite.
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/libs/sqlite"
)

// Store is an idempotency.Store in a SQLite database.
type Store struct{ db *sqlite.DB }

var _ idempotency.Store = (*Store)(nil)

// migrations are the scripts that create and upgrade the schema. Times are Unix
// milliseconds, 0 for none. The answer is NULL until there is one.
var migrations = []string{`
CREATE TABLE requests (
	organization TEXT NOT NULL,
	key          TEXT NOT NULL,
	route        TEXT NOT NULL,
	value        TEXT NOT NULL,
	hash         BLOB NOT NULL,
	document     TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	owner        TEXT NOT NULL,
	lease_until  INTEGER NOT NULL,
	answer       BLOB,
	PRIMARY KEY (organization, key, route, value)
) STRICT;
CREATE INDEX requests_document ON requests (organization, document);
CREATE INDEX requests_expires_at ON requests (expires_at);
`}

// Open opens the Store in the database file at path, which it creates if necessary. The
// caller closes it.
func Open(ctx context.Context, path string) (*Store, error) {
	db, err := sqlite.Open(ctx, path, migrations)
	if err != nil {
		return nil, err
	}
	return &Store{db: db}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// inScope is the condition for the record of a scope.
const inScope = "organization = ? AND key = ? AND route = ? AND value = ?"

// scopeArgs are the arguments of inScope.
func scopeArgs(s idempotency.Scope) []any {
	return []any{s.Organization, s.Key, s.Route, s.Value}
}

// Begin implements idempotency.Store. Its transaction excludes other writers from before
// its first read.
func (s *Store) Begin(ctx context.Context, claim idempotency.Record, now time.Time) (idempotency.Record, idempotency.Outcome, error) {
	var record idempotency.Record
	var outcome idempotency.Outcome
	err := s.db.Update(ctx, func(tx *sql.Tx) error {
		known, err := find(ctx, tx, claim.Scope)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			outcome = idempotency.First
		case err != nil:
			return err
		default:
			outcome = known.Meets(claim, now)
		}
		switch outcome {
		case idempotency.First:
			record, err = claim, put(ctx, tx, claim)
			return err
		case idempotency.TakenOver:
			known.Owner, known.LeaseUntil = claim.Owner, claim.LeaseUntil
			record, err = known, put(ctx, tx, known)
			return err
		}
		record = known
		return nil
	})
	if err != nil {
		return record, "", fmt.Errorf("begin the request: %w", err)
	}
	return record, outcome, nil
}

// find returns the record of a scope, or sql.ErrNoRows.
func find(ctx context.Context, tx *sql.Tx, scope idempotency.Scope) (idempotency.Record, error) {
	r := idempotency.Record{Scope: scope}
	var hash []byte
	var created, expires, lease int64
	err := tx.QueryRowContext(ctx, "SELECT hash, document, created_at, expires_at, owner, lease_until, answer FROM requests WHERE "+inScope,
		scopeArgs(scope)...).Scan(&hash, &r.DocumentID, &created, &expires, &r.Owner, &lease, &r.Answer)
	copy(r.Hash[:], hash)
	r.CreatedAt, r.ExpiresAt, r.LeaseUntil = instant(created), instant(expires), instant(lease)
	return r, err
}

// put stores a record and replaces the one in its scope, if any.
func put(ctx context.Context, tx *sql.Tx, r idempotency.Record) error {
	_, err := tx.ExecContext(ctx, `
		INSERT OR REPLACE INTO requests (organization, key, route, value, hash, document, created_at, expires_at, owner, lease_until, answer)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Organization, r.Key, r.Route, r.Value, r.Hash[:], r.DocumentID, millis(r.CreatedAt), millis(r.ExpiresAt),
		r.Owner, millis(r.LeaseUntil), r.Answer)
	return err
}

// Renew implements idempotency.Store.
func (s *Store) Renew(ctx context.Context, r idempotency.Record, until time.Time) error {
	return s.change(ctx, r, "renew the lease", "UPDATE requests SET lease_until = ? WHERE answer IS NULL AND lease_until > 0 AND ", millis(until))
}

// Finish implements idempotency.Store.
func (s *Store) Finish(ctx context.Context, r idempotency.Record, answer []byte) error {
	return s.change(ctx, r, "keep the answer", "UPDATE requests SET answer = ?, lease_until = 0 WHERE answer IS NULL AND lease_until > 0 AND ", answer)
}

// Release implements idempotency.Store.
func (s *Store) Release(ctx context.Context, r idempotency.Record) error {
	return s.change(ctx, r, "end the lease", "UPDATE requests SET lease_until = 0 WHERE answer IS NULL AND lease_until > 0 AND ")
}

// Remove implements idempotency.Store.
func (s *Store) Remove(ctx context.Context, r idempotency.Record) error {
	return s.change(ctx, r, "remove the request", "DELETE FROM requests WHERE ")
}

// change runs a statement on the record with r's scope and owner. It appends the condition
// for them to the statement.
func (s *Store) change(ctx context.Context, r idempotency.Record, what, statement string, args ...any) error {
	args = append(append(args, scopeArgs(r.Scope)...), r.Owner)
	n, err := s.exec(ctx, statement+inScope+" AND owner = ?", args...)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	case n == 0:
		return fmt.Errorf("%s: %w", what, idempotency.ErrLost)
	}
	return nil
}

// ForgetDocument implements idempotency.Store.
func (s *Store) ForgetDocument(ctx context.Context, organization, documentID string) error {
	_, err := s.exec(ctx, "DELETE FROM requests WHERE organization = ? AND document = ?", organization, documentID)
	return err
}

// Expire implements idempotency.Store.
func (s *Store) Expire(ctx context.Context, now time.Time, limit int) (int, error) {
	return s.exec(ctx, `
		DELETE FROM requests WHERE rowid IN (
			SELECT rowid FROM requests WHERE expires_at <= ?1 AND lease_until <= ?1 ORDER BY expires_at LIMIT ?2
		)`, millis(now), limit)
}

// exec runs a statement and returns the number of changed records.
func (s *Store) exec(ctx context.Context, statement string, args ...any) (int, error) {
	result, err := s.db.Write.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// millis returns a time in Unix milliseconds, 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// instant is the inverse of millis.
func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}
