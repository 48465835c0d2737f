// Package sqlitestore stores jobs in SQLite.
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/sqlite"
)

// Store is a job.Store in a SQLite database.
type Store struct{ db *sqlite.DB }

var _ job.Store = (*Store)(nil)

// migrations are the scripts that bring a database to the current schema. Fields used in
// queries have a column each; the rest of a record is JSON. The indexes for unfinished
// work are partial, so they stay small no matter how many jobs have ended.
var migrations = []string{`
CREATE TABLE jobs (
	id           TEXT NOT NULL PRIMARY KEY,
	organization TEXT NOT NULL,
	key          TEXT NOT NULL,
	subject      TEXT NOT NULL,
	lane         TEXT NOT NULL,
	state        TEXT NOT NULL,
	dead         INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	queued_at    INTEGER NOT NULL,
	lease_ends   INTEGER NOT NULL,
	ended_at     INTEGER NOT NULL,
	revision     INTEGER NOT NULL,
	record       BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX jobs_key ON jobs (organization, key);
CREATE INDEX jobs_subject    ON jobs (organization, subject);
CREATE INDEX jobs_unfinished ON jobs (organization, lane, queued_at, created_at, id) WHERE ended_at = 0;
CREATE INDEX jobs_ended      ON jobs (dead, ended_at) WHERE ended_at > 0;
`, `
ALTER TABLE jobs ADD COLUMN queued_lane TEXT NOT NULL DEFAULT '';
UPDATE jobs SET queued_lane = lane WHERE ended_at = 0 AND queued_at > 0;
CREATE INDEX jobs_queued ON jobs (organization, queued_lane) WHERE ended_at = 0 AND queued_at > 0;
`, `
CREATE INDEX jobs_created          ON jobs (organization, created_at, id);
CREATE INDEX jobs_state_created    ON jobs (organization, state, created_at, id);
CREATE INDEX jobs_subject_created  ON jobs (organization, subject, created_at, id);
DROP INDEX jobs_subject;
`}

// Open returns a Store in the database file at path, creating the file if it does not
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

const columns = "id, organization, key, subject, lane, state, dead, created_at, queued_at, lease_ends, ended_at, revision, record"

// scan reads a row of columns.
func scan(row interface{ Scan(targets ...any) error }) (job.Record, error) {
	var r job.Record
	var organization string
	var data []byte
	err := row.Scan(&r.ID, &organization, &r.Key, &r.Subject, &r.Lane, &r.State, &r.Dead, &r.CreatedAt, &r.QueuedAt, &r.LeaseEnds, &r.EndedAt, &r.Revision, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return r, job.ErrNotFound
	}
	if err != nil {
		return r, fmt.Errorf("read a job: %w", sqlite.Unavailable(err))
	}
	return r, r.SetBody(organization, data)
}

// Add implements job.Store.
func (s *Store) Add(ctx context.Context, r job.Record) (job.Record, bool, error) {
	data, err := r.Body()
	if err != nil {
		return r, false, err
	}
	organization := r.Principal.Organization
	result, err := s.db.Write.ExecContext(ctx, `
		INSERT INTO jobs (`+columns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
		ON CONFLICT (organization, key) DO NOTHING`,
		r.ID, organization, r.Key, r.Subject, r.Lane, r.State, r.Dead, r.CreatedAt, r.QueuedAt, r.LeaseEnds, r.EndedAt, data)
	if err != nil {
		return r, false, fmt.Errorf("insert job %s: %w", r.ID, sqlite.Unavailable(err))
	}
	added, err := result.RowsAffected()
	if err != nil {
		return r, false, err
	}
	there, err := scan(s.db.Write.QueryRowContext(ctx, "SELECT "+columns+" FROM jobs WHERE organization = ? AND key = ?", organization, r.Key))
	return there, added == 1, err
}

// Lookup implements job.Store.
func (s *Store) Lookup(ctx context.Context, organization, key string) (job.Record, error) {
	return scan(s.db.Read.QueryRowContext(ctx, "SELECT "+columns+" FROM jobs WHERE organization = ? AND key = ?", organization, key))
}

// Get implements job.Store.
func (s *Store) Get(ctx context.Context, organization, id string) (job.Record, error) {
	return scan(s.db.Read.QueryRowContext(ctx, "SELECT "+columns+" FROM jobs WHERE id = ? AND organization = ?", id, organization))
}

// Replace implements job.Store.
func (s *Store) Replace(ctx context.Context, r job.Record) (job.Record, error) {
	data, err := r.Body()
	if err != nil {
		return r, err
	}
	result, err := s.db.Write.ExecContext(ctx, `
		UPDATE jobs SET lane = ?, state = ?, dead = ?, created_at = ?, queued_at = ?, lease_ends = ?, ended_at = ?, record = ?, revision = revision + 1
		WHERE id = ? AND organization = ? AND revision = ?`,
		r.Lane, r.State, r.Dead, r.CreatedAt, r.QueuedAt, r.LeaseEnds, r.EndedAt, data, r.ID, r.Principal.Organization, r.Revision)
	if err != nil {
		return r, fmt.Errorf("update job %s: %w", r.ID, sqlite.Unavailable(err))
	}
	changed, err := result.RowsAffected()
	if err == nil && changed == 0 {
		err = job.ErrConflict
	}
	if err == nil {
		r.Revision++
	}
	return r, err
}

// Promote implements job.Store, in one transaction.
func (s *Store) Promote(ctx context.Context, organization string, limit int, now int64) ([]job.Record, error) {
	var promoted []job.Record
	err := s.db.Update(ctx, func(tx *sql.Tx) error {
		for _, lane := range []jobapi.Lane{jobapi.Interactive, jobapi.Bulk} {
			organizations, err := waiting(ctx, tx, organization, lane)
			if err != nil {
				return err
			}
			for _, o := range organizations {
				records, err := promote(ctx, tx, o, lane, limit, now)
				if err != nil {
					return err
				}
				promoted = append(promoted, records...)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("promote jobs: %w", sqlite.Unavailable(err))
	}
	return promoted, nil
}

// waiting returns the organizations with jobs waiting in a lane: all, or only the given
// one.
func waiting(ctx context.Context, tx *sql.Tx, organization string, lane jobapi.Lane) ([]string, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT DISTINCT organization FROM jobs
		WHERE ended_at = 0 AND queued_at = 0 AND lane = ? AND (organization = ? OR ? = '')`, lane, organization, organization)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var o string
		if err := rows.Scan(&o); err != nil {
			return nil, err
		}
		found = append(found, o)
	}
	return found, rows.Err()
}

// promote sets queued_at of an organization's jobs in a lane whose turn it is, and
// returns them.
func promote(ctx context.Context, tx *sql.Tx, organization string, lane jobapi.Lane, limit int, now int64) ([]job.Record, error) {
	var queued int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM jobs WHERE ended_at = 0 AND queued_at > 0 AND queued_lane = ? AND organization = ?", lane, organization).Scan(&queued)
	if err != nil || queued >= limit {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, `
		UPDATE jobs SET queued_at = ?, queued_lane = lane, revision = revision + 1 WHERE id IN (
			SELECT id FROM jobs WHERE ended_at = 0 AND queued_at = 0 AND lane = ? AND organization = ?
			ORDER BY created_at, id LIMIT ?
		) RETURNING `+columns, now, lane, organization, limit-queued)
	if err != nil {
		return nil, err
	}
	return scanAll(rows)
}

// scanAll reads all rows of columns and closes them.
func scanAll(rows *sql.Rows) ([]job.Record, error) {
	defer rows.Close()
	var records []job.Record
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, sqlite.Unavailable(rows.Err())
}
