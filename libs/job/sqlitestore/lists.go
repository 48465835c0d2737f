package sqlitestore

import (
	"context"
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/sqlite"
)

// Overdue implements job.Store.
func (s *Store) Overdue(ctx context.Context, before int64, limit int) ([]job.Record, error) {
	return s.list(ctx, `ended_at = 0 AND queued_at > 0 AND
		(state = ? AND queued_at < ? OR state = ? AND lease_ends < ?) ORDER BY created_at LIMIT ?`,
		jobapi.Queued, before, jobapi.Running, before, limit)
}

// Dead implements job.Store.
func (s *Store) Dead(ctx context.Context, limit int) ([]job.Record, error) {
	return s.list(ctx, "dead = 1 AND ended_at > 0 ORDER BY ended_at DESC LIMIT ?", limit)
}

// Ended implements job.Store.
func (s *Store) Ended(ctx context.Context, before int64, dead bool, limit int) ([]job.Record, error) {
	return s.list(ctx, "dead = ? AND ended_at > 0 AND ended_at < ? ORDER BY ended_at LIMIT ?", dead, before, limit)
}

// List implements job.Store.
func (s *Store) List(ctx context.Context, organization string, f job.Filter, limit int) ([]job.Record, int64, error) {
	condition, args := "organization = ?", []any{organization}
	in := func(column string, n int, value func(int) any) {
		if n == 0 {
			return
		}
		condition += " AND " + column + " IN (?" + strings.Repeat(", ?", n-1) + ")"
		for i := range n {
			args = append(args, value(i))
		}
	}
	in("state", len(f.States), func(i int) any { return f.States[i] })
	in("subject", len(f.Subjects), func(i int) any { return f.Subjects[i] })
	var total int64
	if err := s.db.Read.QueryRowContext(ctx, "SELECT count(*) FROM jobs WHERE "+condition, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count jobs: %w", sqlite.Unavailable(err))
	}
	rows, err := s.db.Read.QueryContext(ctx,
		"SELECT id, subject, state, created_at, ended_at FROM jobs WHERE "+condition+" ORDER BY created_at DESC, id DESC LIMIT ?", append(args, limit)...)
	if err != nil {
		return nil, 0, fmt.Errorf("list jobs: %w", sqlite.Unavailable(err))
	}
	defer rows.Close()
	var records []job.Record
	for rows.Next() {
		var r job.Record
		if err := rows.Scan(&r.ID, &r.Subject, &r.State, &r.CreatedAt, &r.EndedAt); err != nil {
			return nil, 0, fmt.Errorf("read a job: %w", sqlite.Unavailable(err))
		}
		records = append(records, r)
	}
	return records, total, sqlite.Unavailable(rows.Err())
}

// list returns the jobs that meet a condition.
func (s *Store) list(ctx context.Context, condition string, args ...any) ([]job.Record, error) {
	rows, err := s.db.Read.QueryContext(ctx, "SELECT "+columns+" FROM jobs WHERE "+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", sqlite.Unavailable(err))
	}
	return scanAll(rows)
}

// Unfinished implements job.Store.
func (s *Store) Unfinished(ctx context.Context, organization string) (int64, error) {
	var n int64
	err := s.db.Read.QueryRowContext(ctx, "SELECT count(*) FROM jobs WHERE ended_at = 0 AND (organization = ? OR ? = '')", organization, organization).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count jobs: %w", sqlite.Unavailable(err))
	}
	return n, nil
}

// Oldest implements job.Store. Like the count, it reads the partial index, which has no more
// entries than the queue may have jobs.
func (s *Store) Oldest(ctx context.Context) (int64, error) {
	var at int64
	if err := s.db.Read.QueryRowContext(ctx, "SELECT coalesce(min(created_at), 0) FROM jobs WHERE ended_at = 0").Scan(&at); err != nil {
		return 0, fmt.Errorf("find the oldest job: %w", sqlite.Unavailable(err))
	}
	return at, nil
}

// Pending implements job.Store.
func (s *Store) Pending(ctx context.Context, organization, subject string, limit int) ([]job.Record, error) {
	return s.list(ctx, "organization = ? AND subject = ? AND ended_at = 0 LIMIT ?", organization, subject, limit)
}

// Remove implements job.Store.
func (s *Store) Remove(ctx context.Context, organization, id string) error {
	if _, err := s.db.Write.ExecContext(ctx, "DELETE FROM jobs WHERE id = ? AND organization = ?", id, organization); err != nil {
		return fmt.Errorf("remove job %s: %w", id, sqlite.Unavailable(err))
	}
	return nil
}

// Forget implements job.Store.
func (s *Store) Forget(ctx context.Context, organization, subject string) ([]string, error) {
	rows, err := s.db.Write.QueryContext(ctx, "DELETE FROM jobs WHERE organization = ? AND subject = ? RETURNING id", organization, subject)
	if err != nil {
		return nil, fmt.Errorf("remove the jobs of %s: %w", subject, sqlite.Unavailable(err))
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, sqlite.Unavailable(rows.Err())
}
