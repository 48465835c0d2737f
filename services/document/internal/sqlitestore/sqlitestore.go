// Package sqlitestore stores the records of documents in SQLite.
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/sqlite"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// Store is a domain.Store in a SQLite database.
type Store struct {
	db  *sqlite.DB
	get *sql.Stmt // the most frequent query is prepared once
}

var _ domain.Store = (*Store)(nil)

// migrations are the scripts that bring a database to the current schema.
//
// Everything that lists show, filter and order by has its own column; the rest of a
// record is JSON. Each order has one index, which also contains every field that can be
// filtered by: whatever the filters, a list is one index scan that reads only the records
// of the page. Triggers count the documents of each state, so that the most common lists
// get their total without a scan. Outstanding work, which is events to publish and
// documents to purge, has partial indexes that contain nothing else.
var migrations = []string{`
CREATE TABLE documents (
	id               TEXT NOT NULL PRIMARY KEY,
	organization     TEXT NOT NULL,
	name             TEXT NOT NULL,
	state            TEXT NOT NULL,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	created_by       TEXT NOT NULL,
	created_by_email TEXT NOT NULL,
	created_by_name  TEXT NOT NULL,
	updated_by       TEXT NOT NULL,
	updated_by_email TEXT NOT NULL,
	updated_by_name  TEXT NOT NULL,
	revision         INTEGER NOT NULL,
	deleted_at       INTEGER NOT NULL,
	unpublished      INTEGER NOT NULL,
	record           BLOB NOT NULL
) STRICT;
CREATE INDEX documents_unpublished ON documents (unpublished) WHERE unpublished > 0;
CREATE INDEX documents_deleted     ON documents (deleted_at) WHERE deleted_at > 0;
CREATE INDEX documents_created_at ON documents (organization, created_at, id, state, updated_at, created_by, updated_by) WHERE deleted_at = 0;
CREATE INDEX documents_updated_at ON documents (organization, updated_at, id, state, created_at, created_by, updated_by) WHERE deleted_at = 0;
CREATE INDEX documents_name       ON documents (organization, name, id, state, created_at, updated_at, created_by, updated_by) WHERE deleted_at = 0;
CREATE INDEX documents_state      ON documents (organization, state, id, created_at, updated_at, created_by, updated_by) WHERE deleted_at = 0;

CREATE TABLE document_counts (
	organization TEXT NOT NULL,
	state        TEXT NOT NULL,
	n            INTEGER NOT NULL,
	PRIMARY KEY (organization, state)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER documents_added AFTER INSERT ON documents WHEN NEW.deleted_at = 0 BEGIN
	INSERT INTO document_counts VALUES (NEW.organization, NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER documents_removed AFTER DELETE ON documents WHEN OLD.deleted_at = 0 BEGIN
	UPDATE document_counts SET n = n - 1 WHERE organization = OLD.organization AND state = OLD.state;
END;
CREATE TRIGGER documents_changed AFTER UPDATE OF state, deleted_at ON documents BEGIN
	UPDATE document_counts SET n = n - 1 WHERE organization = OLD.organization AND state = OLD.state AND OLD.deleted_at = 0;
	INSERT INTO document_counts SELECT NEW.organization, NEW.state, 1 WHERE NEW.deleted_at = 0 ON CONFLICT DO UPDATE SET n = n + 1;
END;
`}

// Open returns a Store in the database file at path, and creates the file if it does not
// exist. The caller closes the Store.
func Open(ctx context.Context, path string) (*Store, error) {
	db, err := sqlite.Open(ctx, path, migrations)
	if err != nil {
		return nil, err
	}
	get, err := db.Read.PrepareContext(ctx, "SELECT "+summaryColumns+", record FROM documents WHERE id = ? AND organization = ?")
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{db: db, get: get}, nil
}

// Close closes the database.
func (s *Store) Close() error { return errors.Join(s.get.Close(), s.db.Close()) }

// Check returns nil if the database answers.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// record is the part of a document that has no columns.
type record struct {
	Access   domain.Access    `json:"access"`
	Versions []domain.Version `json:"versions"`
	Outbox   []domain.Event   `json:"outbox"`
}

func encodeRecord(d domain.Document) ([]byte, error) {
	return json.Marshal(record{Access: d.Access, Versions: d.Versions, Outbox: d.Outbox})
}

// Create implements domain.Store.
func (s *Store) Create(ctx context.Context, organization string, d domain.Document) error {
	data, err := encodeRecord(d)
	if err != nil {
		return fmt.Errorf("encode document %s: %w", d.ID, err)
	}
	_, err = s.db.Write.ExecContext(ctx, `
		INSERT INTO documents (id, organization, name, state, created_at, updated_at,
			created_by, created_by_email, created_by_name, updated_by, updated_by_email, updated_by_name,
			revision, deleted_at, unpublished, record)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)`,
		d.ID, organization, d.Name, d.State, d.CreatedAt, d.UpdatedAt,
		d.CreatedBy.ID, d.CreatedBy.Email, d.CreatedBy.Name, d.UpdatedBy.ID, d.UpdatedBy.Email, d.UpdatedBy.Name,
		d.DeletedAt, len(d.Outbox), data)
	if sqlite.IsDuplicate(err) {
		return domain.ErrExists
	}
	if err != nil {
		return fmt.Errorf("insert document %s: %w", d.ID, sqlite.Unavailable(err))
	}
	return nil
}

const summaryColumns = `id, organization, name, state, created_at, updated_at,
	created_by, created_by_email, created_by_name, updated_by, updated_by_email, updated_by_name, revision, deleted_at`

// summaryTargets returns the scan destinations of the summary columns.
func summaryTargets(d *domain.Document) []any {
	return []any{
		&d.ID, &d.Organization, &d.Name, &d.State, &d.CreatedAt, &d.UpdatedAt,
		&d.CreatedBy.ID, &d.CreatedBy.Email, &d.CreatedBy.Name,
		&d.UpdatedBy.ID, &d.UpdatedBy.Email, &d.UpdatedBy.Name, &d.Revision, &d.DeletedAt,
	}
}

// Get implements domain.Store.
func (s *Store) Get(ctx context.Context, organization, id string) (domain.Document, error) {
	var d domain.Document
	var data []byte
	err := s.get.QueryRowContext(ctx, id, organization).Scan(append(summaryTargets(&d), &data)...)
	if errors.Is(err, sql.ErrNoRows) {
		return d, domain.ErrNotFound
	}
	if err != nil {
		return d, fmt.Errorf("read document %s: %w", id, sqlite.Unavailable(err))
	}
	return d, decodeRecord(data, &d)
}

// decodeRecord completes a document with the parts that have no columns.
func decodeRecord(data []byte, d *domain.Document) error {
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("decode document %s: %w", d.ID, err)
	}
	d.Access, d.Versions, d.Outbox = r.Access, r.Versions, r.Outbox
	return nil
}

// Replace implements domain.Store.
func (s *Store) Replace(ctx context.Context, organization string, d domain.Document) error {
	data, err := encodeRecord(d)
	if err != nil {
		return fmt.Errorf("encode document %s: %w", d.ID, err)
	}
	result, err := s.db.Write.ExecContext(ctx, `
		UPDATE documents SET name = ?, state = ?, updated_at = ?,
			updated_by = ?, updated_by_email = ?, updated_by_name = ?,
			revision = revision + 1, deleted_at = ?, unpublished = ?, record = ?
		WHERE id = ? AND organization = ? AND revision = ?`,
		d.Name, d.State, d.UpdatedAt, d.UpdatedBy.ID, d.UpdatedBy.Email, d.UpdatedBy.Name,
		d.DeletedAt, len(d.Outbox), data, d.ID, organization, d.Revision)
	if err != nil {
		return fmt.Errorf("update document %s: %w", d.ID, sqlite.Unavailable(err))
	}
	if changed, err := result.RowsAffected(); err != nil || changed == 1 {
		return err
	}
	if _, err := s.Get(ctx, organization, d.ID); err != nil {
		return err
	}
	return domain.ErrConflict
}
