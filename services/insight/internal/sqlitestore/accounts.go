package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/sqlite"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
)

// columns are those that scan reads.
const columns = "organization, period, expires_at, revision, account"

// scan reads a row of columns.
func scan(row interface{ Scan(targets ...any) error }) (a ledger.Account, err error) {
	var data []byte
	if err := row.Scan(&a.Organization, &a.Period, &a.ExpiresAt, &a.Revision, &data); err != nil {
		return a, err
	}
	return a, a.Decode(data)
}

// Account implements ledger.Store.
func (s *Store) Account(ctx context.Context, organization, period string) (ledger.Account, error) {
	a, err := scan(s.db.Read.QueryRowContext(ctx, "SELECT "+columns+" FROM accounts WHERE organization = ? AND period = ?", organization, period))
	if errors.Is(err, sql.ErrNoRows) {
		return ledger.Account{Organization: organization, Period: period}, nil
	}
	if err != nil {
		return a, fmt.Errorf("read the account of %s: %w", period, sqlite.Unavailable(err))
	}
	return a, nil
}

// PutAccount implements ledger.Store.
func (s *Store) PutAccount(ctx context.Context, a ledger.Account) error {
	data, err := ledger.Encode(a)
	if err != nil {
		return err
	}
	n, err := s.putAccount(ctx, a, data)
	if err != nil {
		return fmt.Errorf("store the account of %s: %w", a.Period, sqlite.Unavailable(err))
	}
	if n == 0 {
		return ledger.ErrConflict
	}
	return nil
}

// putAccount writes an account if it is stored with its revision, and returns the number
// of records that were changed.
func (s *Store) putAccount(ctx context.Context, a ledger.Account, data []byte) (changed int64, err error) {
	var result sql.Result
	if a.Revision == 0 {
		result, err = s.db.Write.ExecContext(ctx, "INSERT INTO accounts ("+columns+") VALUES (?, ?, ?, 1, ?) ON CONFLICT DO NOTHING",
			a.Organization, a.Period, a.ExpiresAt, data)
	} else {
		result, err = s.db.Write.ExecContext(ctx, `
			UPDATE accounts SET expires_at = ?, revision = revision + 1, account = ?
			WHERE organization = ? AND period = ? AND revision = ?`, a.ExpiresAt, data, a.Organization, a.Period, a.Revision)
	}
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Accounts implements ledger.Store.
func (s *Store) Accounts(ctx context.Context, f ledger.Filter, limit int) (accounts []ledger.Account, err error) {
	rows, err := s.db.Read.QueryContext(ctx, `
		SELECT `+columns+` FROM accounts
		WHERE organization > '' AND (organization = ?1 OR ?1 = '') AND period >= ?2 AND (period <= ?3 OR ?3 = '')
		ORDER BY period DESC, organization LIMIT ?4`, f.Organization, f.Since, f.Until, limit)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", sqlite.Unavailable(err))
	}
	defer rows.Close()
	for rows.Next() {
		a, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("list accounts: %w", sqlite.Unavailable(err))
		}
		accounts = append(accounts, a)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list accounts: %w", sqlite.Unavailable(err))
	}
	return accounts, nil
}
