package sqlitestore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/contract"
)

// CreateKey implements identity.Keys.
func (s *Store) CreateKey(ctx context.Context, k identity.Key) error {
	_, err := s.db.Write.ExecContext(ctx, `
		INSERT INTO api_keys (id, digest, pepper, organization, user, scopes, rate, created_at, expires_at, revoked, last_used_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		k.ID, k.Digest[:], k.PepperID, k.OrganizationID, k.UserID, joinScopes(k.Scopes), int(k.Rate),
		millis(k.CreatedAt), millis(k.ExpiresAt), k.Revoked, millis(k.LastUsedAt))
	return wrap("add the key", err)
}

const keyColumns = `k.id, k.pepper, k.organization, k.user, k.scopes, k.rate, k.created_at, k.expires_at, k.revoked, k.last_used_at`

// keyTargets returns the scan targets for the key columns of a row.
func keyTargets(k *identity.Key) []any {
	return []any{
		&k.ID, &k.PepperID, &k.OrganizationID, &k.UserID, (*scopeList)(&k.Scopes), (*int)(&k.Rate),
		(*milliTime)(&k.CreatedAt), (*milliTime)(&k.ExpiresAt), &k.Revoked, (*milliTime)(&k.LastUsedAt),
	}
}

// accountColumns are the columns of an account: of a key k, its organization o and its
// user u.
const accountColumns = keyColumns + `, o.id, o.name, u.id, u.email, u.name`

// accountTargets returns the scan targets for the account columns of a row.
func accountTargets(a *identity.Account) []any {
	return append(keyTargets(&a.Key), &a.Organization.ID, &a.Organization.Name, &a.User.ID, &a.User.Email, &a.User.Name)
}

// FindAccount implements identity.Keys.
func (s *Store) FindAccount(ctx context.Context, digests []identity.Digest) (identity.Account, error) {
	var a identity.Account
	in, args := anyDigest(digests)
	err := s.db.Read.QueryRowContext(ctx, "SELECT "+accountColumns+`
		FROM api_keys k JOIN organizations o ON o.id = k.organization JOIN users u ON u.id = k.user
		WHERE k.digest IN `+in, args...).Scan(accountTargets(&a)...)
	return a, wrap("find the key", err)
}

// GetKey implements identity.Keys.
func (s *Store) GetKey(ctx context.Context, id string) (identity.Key, error) {
	var k identity.Key
	err := s.db.Read.QueryRowContext(ctx, "SELECT "+keyColumns+" FROM api_keys k WHERE k.id = ?", id).Scan(keyTargets(&k)...)
	return k, wrap("find the key", err)
}

// ListKeys implements identity.Keys.
func (s *Store) ListKeys(ctx context.Context, organization string) ([]identity.Key, error) {
	rows, err := s.db.Read.QueryContext(ctx,
		"SELECT "+keyColumns+" FROM api_keys k WHERE k.organization = ?1 OR ?1 = '' ORDER BY k.rowid", organization)
	return scanAll(rows, err, keyTargets)
}

// EndKey implements identity.Keys.
func (s *Store) EndKey(ctx context.Context, id string, at time.Time, revoked bool) error {
	result, err := s.db.Write.ExecContext(ctx, "UPDATE api_keys SET expires_at = ?, revoked = ? WHERE id = ?", millis(at), revoked, id)
	if err != nil {
		return fmt.Errorf("end the key: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return identity.ErrNotFound
}

// TouchKeys implements identity.Keys.
func (s *Store) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	return s.db.Update(ctx, func(tx *sql.Tx) error {
		for id, at := range used {
			if _, err := tx.ExecContext(ctx, "UPDATE api_keys SET last_used_at = max(last_used_at, ?) WHERE id = ?", millis(at), id); err != nil {
				return err
			}
		}
		return nil
	})
}

// joinScopes joins scopes with spaces, as scopeList reads them.
func joinScopes(scopes []contract.Scope) string {
	texts := make([]string, len(scopes))
	for i, s := range scopes {
		texts[i] = string(s)
	}
	return strings.Join(texts, " ")
}

// scopeList reads scopes from their column.
type scopeList []contract.Scope

// Scan implements sql.Scanner.
func (l *scopeList) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("scopes are %T, not text", value)
	}
	*l = nil
	for _, s := range strings.Fields(text) {
		*l = append(*l, contract.Scope(s))
	}
	return nil
}

// millis returns a time in Unix milliseconds, 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// milliTime reads a time from its column.
type milliTime time.Time

// Scan implements sql.Scanner. It is the inverse of millis.
func (t *milliTime) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("time is %T, not an integer", value)
	}
	*t = milliTime{}
	if n != 0 {
		*t = milliTime(time.UnixMilli(n).UTC())
	}
	return nil
}
