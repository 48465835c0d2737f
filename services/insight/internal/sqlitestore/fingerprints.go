package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/rectohq/recto/libs/sqlite"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// KeepFingerprint implements domain.Fingerprints.
func (s *Store) KeepFingerprint(ctx context.Context, organization string, f domain.Fingerprint) error {
	err := s.db.Update(ctx, func(tx *sql.Tx) error {
		var later bool
		err := tx.QueryRowContext(ctx, "SELECT version > ? FROM fingerprints WHERE organization = ? AND document = ?",
			f.Version, organization, f.DocumentID).Scan(&later)
		if err != nil && !errors.Is(err, sql.ErrNoRows) || later {
			return err
		}
		if err := forgetFingerprint(ctx, tx, organization, f.DocumentID); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, "INSERT INTO fingerprints (organization, document, version, source, signature) VALUES (?, ?, ?, ?, ?)",
			organization, f.DocumentID, f.Version, f.Source, f.Signature)
		if err != nil {
			return err
		}
		id, err := result.LastInsertId()
		if err != nil {
			return err
		}
		return insertKeys(ctx, tx, id, f.Keys)
	})
	if err != nil {
		return fmt.Errorf("store the fingerprint of document %s: %w", f.DocumentID, sqlite.Unavailable(err))
	}
	return nil
}

// insertKeys inserts the keys of a fingerprint.
func insertKeys(ctx context.Context, tx *sql.Tx, id int64, keys []int64) error {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO fingerprint_keys (key, fingerprint) VALUES (?, ?) ON CONFLICT DO NOTHING")
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }()
	for _, key := range keys {
		if _, err := insert.ExecContext(ctx, key, id); err != nil {
			return err
		}
	}
	return nil
}

// forgetFingerprint removes the fingerprint of a document, if there is one.
func forgetFingerprint(ctx context.Context, tx *sql.Tx, organization, documentID string) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM fingerprint_keys WHERE fingerprint IN (SELECT id FROM fingerprints WHERE organization = ? AND document = ?)",
		organization, documentID)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM fingerprints WHERE organization = ? AND document = ?", organization, documentID)
	return err
}

// Fingerprint implements domain.Fingerprints.
func (s *Store) Fingerprint(ctx context.Context, organization, documentID string) (f domain.Fingerprint, err error) {
	err = s.db.Read.QueryRowContext(ctx, "SELECT document, version, source, signature FROM fingerprints WHERE organization = ? AND document = ?",
		organization, documentID).Scan(&f.DocumentID, &f.Version, &f.Source, &f.Signature)
	if errors.Is(err, sql.ErrNoRows) {
		return f, domain.ErrNotFound
	}
	if err != nil {
		return f, fmt.Errorf("read the fingerprint of document %s: %w", documentID, sqlite.Unavailable(err))
	}
	return f, nil
}

// Candidates implements domain.Fingerprints.
func (s *Store) Candidates(ctx context.Context, organization string, keys []int64, limit int) ([]domain.Fingerprint, error) {
	var ids []int64
	for _, key := range keys {
		of, err := s.withKey(ctx, organization, key, limit)
		if err != nil {
			return nil, fmt.Errorf("look for fingerprints: %w", sqlite.Unavailable(err))
		}
		ids = append(ids, of...)
	}
	slices.Sort(ids)
	var found []domain.Fingerprint
	for _, id := range slices.Compact(ids) {
		var f domain.Fingerprint
		err := s.db.Read.QueryRowContext(ctx, "SELECT document, version, source, signature FROM fingerprints WHERE organization = ? AND id = ?",
			organization, id).Scan(&f.DocumentID, &f.Version, &f.Source, &f.Signature)
		if errors.Is(err, sql.ErrNoRows) {
			continue // it was removed meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("read fingerprints: %w", sqlite.Unavailable(err))
		}
		found = append(found, f)
	}
	slices.SortFunc(found, func(a, b domain.Fingerprint) int { return cmp.Compare(a.DocumentID, b.DocumentID) })
	return found, nil
}

// withKey returns the ids of up to limit fingerprints with a key.
func (s *Store) withKey(ctx context.Context, organization string, key int64, limit int) (ids []int64, err error) {
	// The order of a CROSS JOIN is fixed: a key has few fingerprints, an organization many.
	rows, err := s.db.Read.QueryContext(ctx, `
		SELECT id FROM fingerprint_keys CROSS JOIN fingerprints ON id = fingerprint
		WHERE key = ? AND organization = ? ORDER BY fingerprint LIMIT ?`, key, organization, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// ForgetFingerprint implements domain.Fingerprints.
func (s *Store) ForgetFingerprint(ctx context.Context, organization, documentID string) error {
	err := s.db.Update(ctx, func(tx *sql.Tx) error { return forgetFingerprint(ctx, tx, organization, documentID) })
	if err != nil {
		return fmt.Errorf("remove the fingerprint of document %s: %w", documentID, sqlite.Unavailable(err))
	}
	return nil
}
