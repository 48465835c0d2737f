// Package sqlitestore stores fields in SQLite.
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/sqlite"
	"github.com/rectohq/recto/services/annotation/internal/domain"
)

// Store is a domain.Store in a SQLite database.
type Store struct{ db *sqlite.DB }

var _ domain.Store = (*Store)(nil)

// migrations are the scripts that bring a database to the current schema. Members that
// are queried have their own column; the rest is JSON. The primary keys begin with the
// document, so that all records of a document are stored together.
var migrations = []string{`
CREATE TABLE found (
	organization TEXT NOT NULL,
	document     TEXT NOT NULL,
	sha256       TEXT NOT NULL,
	version      TEXT NOT NULL,
	used_at      INTEGER NOT NULL,
	record       BLOB NOT NULL,
	PRIMARY KEY (organization, document, sha256, version)
) STRICT;
CREATE INDEX found_used ON found (used_at);

CREATE TABLE registries (
	organization TEXT NOT NULL,
	document     TEXT NOT NULL,
	revision     INTEGER NOT NULL,
	record       BLOB NOT NULL,
	PRIMARY KEY (organization, document)
) STRICT;
`}

// Open returns a Store in the database file at path, and creates the file if it does not
// exist. The caller closes the Store.
func Open(ctx context.Context, path string) (*Store, error) {
	db, err := sqlite.Open(ctx, path, migrations)
	if err != nil {
		return nil, err
	}
	return &Store{db}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Check returns nil if the database answers.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// Found implements domain.Store.
func (s *Store) Found(ctx context.Context, organization string, c domain.Content) (f domain.Found, err error) {
	var data []byte
	err = s.db.Read.QueryRowContext(ctx, "SELECT used_at, record FROM found WHERE organization = ? AND document = ? AND sha256 = ? AND version = ?",
		organization, c.DocumentID, c.SHA256, c.Version).Scan(&f.UsedAt, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return f, domain.ErrNotFound
	}
	if err != nil {
		return f, fmt.Errorf("read the fields of document %s: %w", c.DocumentID, sqlite.Unavailable(err))
	}
	return f, domain.Decode(data, &f)
}

// KeepFound implements domain.Store.
func (s *Store) KeepFound(ctx context.Context, organization string, c domain.Content, f domain.Found) error {
	data, err := domain.Encode(f)
	if err != nil {
		return err
	}
	_, err = s.db.Write.ExecContext(ctx, `
		INSERT INTO found (organization, document, sha256, version, used_at, record) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET used_at = excluded.used_at, record = excluded.record`,
		organization, c.DocumentID, c.SHA256, c.Version, f.UsedAt, data)
	if err != nil {
		return fmt.Errorf("store the fields of document %s: %w", c.DocumentID, sqlite.Unavailable(err))
	}
	return nil
}

// Registry implements domain.Store.
func (s *Store) Registry(ctx context.Context, organization, documentID string) (r domain.Registry, err error) {
	var data []byte
	err = s.db.Read.QueryRowContext(ctx, "SELECT revision, record FROM registries WHERE organization = ? AND document = ?",
		organization, documentID).Scan(&r.Revision, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return domain.Registry{}, nil
	}
	if err != nil {
		return r, fmt.Errorf("read the registry of document %s: %w", documentID, sqlite.Unavailable(err))
	}
	return r, domain.Decode(data, &r.Definitions)
}

// PutRegistry implements domain.Store.
func (s *Store) PutRegistry(ctx context.Context, organization, documentID string, definitions []annotationapi.Definition) (domain.Registry, error) {
	r := domain.Registry{Definitions: definitions}
	data, err := domain.Encode(definitions)
	if err != nil {
		return r, err
	}
	err = s.db.Write.QueryRowContext(ctx, `
		INSERT INTO registries (organization, document, revision, record) VALUES (?, ?, 1, ?)
		ON CONFLICT DO UPDATE SET revision = revision + 1, record = excluded.record
		RETURNING revision`, organization, documentID, data).Scan(&r.Revision)
	if err != nil {
		return r, fmt.Errorf("replace the registry of document %s: %w", documentID, sqlite.Unavailable(err))
	}
	return r, nil
}

// Forget implements domain.Store.
func (s *Store) Forget(ctx context.Context, organization, documentID string) error {
	err := s.db.Update(ctx, func(tx *sql.Tx) error {
		for _, table := range []string{"found", "registries"} {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE organization = ? AND document = ?", organization, documentID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("delete the fields of document %s: %w", documentID, sqlite.Unavailable(err))
	}
	return nil
}

// Expire implements domain.Store.
func (s *Store) Expire(ctx context.Context, before int64, limit int) (int, error) {
	result, err := s.db.Write.ExecContext(ctx, "DELETE FROM found WHERE rowid IN (SELECT rowid FROM found WHERE used_at < ? LIMIT ?)", before, limit)
	if err != nil {
		return 0, fmt.Errorf("remove expired fields: %w", sqlite.Unavailable(err))
	}
	n, err := result.RowsAffected()
	return int(n), err
}
