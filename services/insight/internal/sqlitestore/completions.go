package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/sqlite"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// KeepCompletion implements domain.Completions.
func (s *Store) KeepCompletion(ctx context.Context, organization string, c domain.Completion) error {
	if err := c.Check(); err != nil {
		return err
	}
	_, err := s.db.Write.ExecContext(ctx, `
		INSERT INTO completions (organization, job, key, document, expires_at, data) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET document = excluded.document, expires_at = excluded.expires_at, data = excluded.data`,
		organization, c.JobID, c.Key, c.DocumentID, c.ExpiresAt, c.Data)
	if err != nil {
		return fmt.Errorf("store a completion of job %s: %w", c.JobID, sqlite.Unavailable(err))
	}
	return nil
}

// Completion implements domain.Completions.
func (s *Store) Completion(ctx context.Context, organization, jobID, key string) (data []byte, err error) {
	err = s.db.Read.QueryRowContext(ctx, "SELECT data FROM completions WHERE organization = ? AND job = ? AND key = ?",
		organization, jobID, key).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, domain.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a completion of job %s: %w", jobID, sqlite.Unavailable(err))
	}
	return data, nil
}

// ForgetCompletions implements domain.Completions.
func (s *Store) ForgetCompletions(ctx context.Context, organization, jobID string) error {
	_, err := s.db.Write.ExecContext(ctx, "DELETE FROM completions WHERE organization = ? AND job = ?", organization, jobID)
	if err != nil {
		return fmt.Errorf("remove the completions of job %s: %w", jobID, sqlite.Unavailable(err))
	}
	return nil
}
