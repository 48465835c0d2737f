// Package sqlitestore keeps organizations, users, API keys and sessions in SQLite.
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/sqlite"
)

// Store is an identity.Store in a SQLite database.
type Store struct{ db *sqlite.DB }

var _ identity.Store = (*Store)(nil)

// migrations are the scripts that create and upgrade the schema. Times are Unix
// milliseconds, 0 for none.
var migrations = []string{`
CREATE TABLE organizations (
	id   TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE users (
	id           TEXT NOT NULL PRIMARY KEY,
	organization TEXT NOT NULL REFERENCES organizations (id),
	email        TEXT NOT NULL,
	email_folded TEXT NOT NULL,
	name         TEXT NOT NULL,
	UNIQUE (organization, email_folded)
) STRICT;
CREATE TABLE api_keys (
	id           TEXT NOT NULL PRIMARY KEY,
	digest       BLOB NOT NULL UNIQUE,
	pepper       TEXT NOT NULL,
	organization TEXT NOT NULL REFERENCES organizations (id),
	user         TEXT NOT NULL REFERENCES users (id),
	scopes       TEXT NOT NULL,
	rate         INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	revoked      INTEGER NOT NULL,
	last_used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_organization ON api_keys (organization, id);
`, `
CREATE TABLE sessions (
	digest     BLOB NOT NULL PRIMARY KEY,
	kind       TEXT NOT NULL,
	api_key    TEXT NOT NULL REFERENCES api_keys (id),
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_api_key ON sessions (api_key, kind, created_at);
CREATE INDEX sessions_expires_at ON sessions (expires_at);
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

// Check returns an error unless the database works.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// CreateOrganization implements identity.Directory.
func (s *Store) CreateOrganization(ctx context.Context, o identity.Organization) error {
	_, err := s.db.Write.ExecContext(ctx, "INSERT INTO organizations (id, name) VALUES (?, ?)", o.ID, o.Name)
	return wrap("add the organization", err)
}

// FindOrganization implements identity.Directory.
func (s *Store) FindOrganization(ctx context.Context, idOrName string) (identity.Organization, error) {
	var o identity.Organization
	err := s.db.Read.QueryRowContext(ctx, `
		SELECT id, name FROM organizations WHERE id = ?1 OR name = ?1 OR ?1 = ''
		ORDER BY id = ?1 DESC, rowid LIMIT 1`, idOrName).Scan(&o.ID, &o.Name)
	return o, wrap("find the organization", err)
}

// CreateUser implements identity.Directory.
func (s *Store) CreateUser(ctx context.Context, organization string, u contract.User) error {
	_, err := s.db.Write.ExecContext(ctx, "INSERT INTO users (id, organization, email, email_folded, name) VALUES (?, ?, ?, ?, ?)",
		u.ID, organization, u.Email, strings.ToLower(u.Email), u.Name)
	return wrap("add the user", err)
}

// FindUser implements identity.Directory.
func (s *Store) FindUser(ctx context.Context, organization, idOrEmail string) (contract.User, error) {
	var u contract.User
	err := s.db.Read.QueryRowContext(ctx, `
		SELECT id, email, name FROM users WHERE organization = ?1 AND (id = ?2 OR email_folded = ?3 OR ?2 = '')
		ORDER BY id = ?2 DESC, rowid LIMIT 1`, organization, idOrEmail, strings.ToLower(idOrEmail)).Scan(&u.ID, &u.Email, &u.Name)
	return u, wrap("find the user", err)
}

// ListUsers implements identity.Directory.
func (s *Store) ListUsers(ctx context.Context, organization string) ([]contract.User, error) {
	rows, err := s.db.Read.QueryContext(ctx, "SELECT id, email, name FROM users WHERE organization = ? ORDER BY rowid", organization)
	return scanAll(rows, err, func(u *contract.User) []any { return []any{&u.ID, &u.Email, &u.Name} })
}

// scanAll scans rows into values. Targets returns the scan targets of a value.
func scanAll[T any](rows *sql.Rows, err error, targets func(*T) []any) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var v T
		if err := rows.Scan(targets(&v)...); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// wrap maps database errors to the errors of identity.Store, and adds the operation to all
// others.
func wrap(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return identity.ErrNotFound
	case sqlite.IsDuplicate(err):
		return identity.ErrExists
	}
	return fmt.Errorf("%s: %w", what, err)
}
