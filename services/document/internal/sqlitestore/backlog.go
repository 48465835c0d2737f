package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/rectohq/recto/libs/sqlite"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// Remove implements domain.Store.
func (s *Store) Remove(ctx context.Context, organization string, d domain.Document) error {
	result, err := s.db.Write.ExecContext(ctx, "DELETE FROM documents WHERE id = ? AND organization = ? AND revision = ?", d.ID, organization, d.Revision)
	if err != nil {
		return fmt.Errorf("remove document %s: %w", d.ID, sqlite.Unavailable(err))
	}
	if removed, err := result.RowsAffected(); err != nil || removed == 1 {
		return err
	}
	if _, err := s.Get(ctx, organization, d.ID); !errors.Is(err, domain.ErrNotFound) {
		return errors.Join(err, domain.ErrConflict)
	}
	return nil
}

// Unpublished implements domain.Backlog.
func (s *Store) Unpublished(ctx context.Context, limit int) ([]domain.Document, error) {
	return s.backlog(ctx, "unpublished > 0 ORDER BY rowid LIMIT ?", limit)
}

// Deleted implements domain.Backlog.
func (s *Store) Deleted(ctx context.Context, before int64, limit int) ([]domain.Document, error) {
	return s.backlog(ctx, "deleted_at > 0 AND deleted_at < ? ORDER BY deleted_at LIMIT ?", before, limit)
}

// backlog returns the records that match a condition, with the fields of a
// domain.Backlog.
func (s *Store) backlog(ctx context.Context, condition string, args ...any) ([]domain.Document, error) {
	rows, err := s.db.Read.QueryContext(ctx, "SELECT id, organization, revision, deleted_at, record FROM documents WHERE "+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("read documents: %w", sqlite.Unavailable(err))
	}
	defer rows.Close()
	var found []domain.Document
	for rows.Next() {
		var d domain.Document
		var data []byte
		if err := rows.Scan(&d.ID, &d.Organization, &d.Revision, &d.DeletedAt, &data); err != nil {
			return nil, fmt.Errorf("read documents: %w", sqlite.Unavailable(err))
		}
		complete := domain.Document{ID: d.ID}
		if err := decodeRecord(data, &complete); err != nil {
			return nil, err
		}
		d.Outbox = complete.Outbox
		found = append(found, d)
	}
	return found, sqlite.Unavailable(rows.Err())
}

// Published implements domain.Backlog, for all records in one transaction.
func (s *Store) Published(ctx context.Context, documents []domain.Document) error {
	err := s.db.Update(ctx, func(tx *sql.Tx) error {
		for _, d := range documents {
			if err := clearOutbox(ctx, tx, d); err != nil {
				return fmt.Errorf("clear the outbox of document %s: %w", d.ID, err)
			}
		}
		return nil
	})
	return sqlite.Unavailable(err)
}

// clearOutbox removes the events in the Outbox of sent from its record.
func clearOutbox(ctx context.Context, tx *sql.Tx, sent domain.Document) error {
	var data []byte
	err := tx.QueryRowContext(ctx, "SELECT record FROM documents WHERE id = ? AND organization = ?", sent.ID, sent.Organization).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	d := domain.Document{ID: sent.ID}
	if err := decodeRecord(data, &d); err != nil {
		return err
	}
	d.Outbox = slices.DeleteFunc(d.Outbox, func(e domain.Event) bool {
		return slices.ContainsFunc(sent.Outbox, func(s domain.Event) bool { return s.ID == e.ID })
	})
	if data, err = encodeRecord(d); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE documents SET revision = revision + 1, unpublished = ?, record = ? WHERE id = ? AND organization = ?",
		len(d.Outbox), data, sent.ID, sent.Organization)
	return err
}
