// Package sqlitestore stores insights and the fingerprints of documents in SQLite, and what
// is known about the use of a language model.
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/sqlite"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
)

// Store is a domain.Store, a domain.Completions, a domain.Fingerprints and a ledger.Store in
// a SQLite database.
type Store struct{ db *sqlite.DB }

var (
	_ domain.Store        = (*Store)(nil)
	_ domain.Completions  = (*Store)(nil)
	_ domain.Fingerprints = (*Store)(nil)
	_ ledger.Store        = (*Store)(nil)
)

// migrations are the scripts that bring a database to the current schema. Each property
// that is queried has its own column; the rest is JSON.
var migrations = []string{`
CREATE TABLE insights (
	organization TEXT NOT NULL,
	job          TEXT NOT NULL,
	document     TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	analysis     BLOB NOT NULL,
	PRIMARY KEY (organization, job)
) STRICT;
CREATE INDEX insights_document ON insights (organization, document);
CREATE INDEX insights_expiry ON insights (expires_at);
`, `
CREATE TABLE completions (
	organization TEXT NOT NULL,
	job          TEXT NOT NULL,
	key          TEXT NOT NULL,
	document     TEXT NOT NULL,
	expires_at   INTEGER NOT NULL,
	data         BLOB NOT NULL,
	PRIMARY KEY (organization, job, key)
) STRICT;
CREATE INDEX completions_document ON completions (organization, document);
CREATE INDEX completions_expiry ON completions (expires_at);
CREATE TABLE accounts (
	organization TEXT NOT NULL,
	period       TEXT NOT NULL,
	expires_at   INTEGER NOT NULL,
	revision     INTEGER NOT NULL,
	account      BLOB NOT NULL,
	PRIMARY KEY (organization, period)
) STRICT;
CREATE INDEX accounts_period ON accounts (period);
CREATE INDEX accounts_expiry ON accounts (expires_at);
`, `
CREATE TABLE fingerprints (
	id           INTEGER PRIMARY KEY,
	organization TEXT NOT NULL,
	document     TEXT NOT NULL,
	version      INTEGER NOT NULL,
	source       TEXT NOT NULL,
	signature    BLOB NOT NULL,
	UNIQUE (organization, document)
) STRICT;
CREATE TABLE fingerprint_keys (
	key         INTEGER NOT NULL,
	fingerprint INTEGER NOT NULL,
	PRIMARY KEY (key, fingerprint)
) STRICT, WITHOUT ROWID;
CREATE INDEX fingerprint_keys_of ON fingerprint_keys (fingerprint);
`}

// Open returns a Store in the database file at path, which it creates if necessary. The
// caller must close the Store.
func Open(ctx context.Context, path string) (*Store, error) {
	db, err := sqlite.Open(ctx, path, migrations)
	if err != nil {
		return nil, err
	}
	return &Store{db}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Check returns an error unless the database answers.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// Insight implements domain.Store.
func (s *Store) Insight(ctx context.Context, organization, jobID string) (i domain.Insight, err error) {
	var data []byte
	err = s.db.Read.QueryRowContext(ctx, "SELECT document, created_at, expires_at, analysis FROM insights WHERE organization = ? AND job = ?",
		organization, jobID).Scan(&i.DocumentID, &i.CreatedAt, &i.ExpiresAt, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return i, domain.ErrNotFound
	}
	if err != nil {
		return i, fmt.Errorf("read the insights of job %s: %w", jobID, sqlite.Unavailable(err))
	}
	i.Analysis, err = domain.Decode(data)
	return i, err
}

// Keep implements domain.Store.
func (s *Store) Keep(ctx context.Context, organization, jobID string, i domain.Insight) error {
	data, err := domain.Encode(i.Analysis)
	if err != nil {
		return err
	}
	_, err = s.db.Write.ExecContext(ctx, `
		INSERT INTO insights (organization, job, document, created_at, expires_at, analysis) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET document = excluded.document, created_at = excluded.created_at, expires_at = excluded.expires_at, analysis = excluded.analysis`,
		organization, jobID, i.DocumentID, i.CreatedAt, i.ExpiresAt, data)
	if err != nil {
		return fmt.Errorf("store the insights of job %s: %w", jobID, sqlite.Unavailable(err))
	}
	return nil
}

// Forget implements domain.Store.
func (s *Store) Forget(ctx context.Context, organization, documentID string) error {
	err := s.db.Update(ctx, func(tx *sql.Tx) error {
		for _, table := range []string{"insights", "completions"} {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE organization = ? AND document = ?", organization, documentID); err != nil {
				return err
			}
		}
		return forgetFingerprint(ctx, tx, organization, documentID)
	})
	if err != nil {
		return fmt.Errorf("remove the insights of document %s: %w", documentID, sqlite.Unavailable(err))
	}
	return nil
}

// Expire implements domain.Store.
func (s *Store) Expire(ctx context.Context, before int64, limit int) (removed int, err error) {
	for _, table := range []string{"insights", "completions", "accounts"} {
		query := "DELETE FROM " + table + " WHERE rowid IN (SELECT rowid FROM " + table + " WHERE expires_at < ? LIMIT ?)"
		result, err := s.db.Write.ExecContext(ctx, query, before, limit-removed)
		if err != nil {
			return removed, fmt.Errorf("remove expired %s: %w", table, sqlite.Unavailable(err))
		}
		n, err := result.RowsAffected()
		if err != nil {
			return removed, err
		}
		removed += int(n)
	}
	return removed, nil
}
