package sqlitestore

import (
	"context"
	"database/sql"
	"strings"

	"github.com/rectohq/recto/gateway/internal/identity"
)

// CreateSession implements identity.Sessions.
func (s *Store) CreateSession(ctx context.Context, n identity.Session) error {
	err := s.db.Update(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM sessions WHERE expires_at < ?", millis(n.CreatedAt)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO sessions (kind, digest, api_key, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
			n.Kind, n.Digest[:], n.KeyID, millis(n.CreatedAt), millis(n.ExpiresAt))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			DELETE FROM sessions WHERE rowid IN
				(SELECT rowid FROM sessions WHERE api_key = ? AND kind = ? ORDER BY created_at DESC LIMIT -1 OFFSET ?)`,
			n.KeyID, n.Kind, identity.MaxSessions)
		return err
	})
	return wrap("add the session", err)
}

const sessionColumns = `s.kind, s.digest, s.api_key, s.created_at, s.expires_at`

// sessionTargets returns the scan targets for the session columns of a row. The digest is
// scanned into a slice.
func sessionTargets(n *identity.Session, digest *[]byte) []any {
	return []any{(*string)(&n.Kind), digest, &n.KeyID, (*milliTime)(&n.CreatedAt), (*milliTime)(&n.ExpiresAt)}
}

// FindSession implements identity.Sessions.
func (s *Store) FindSession(ctx context.Context, digests []identity.Digest) (identity.Session, identity.Account, error) {
	var n identity.Session
	var digest []byte
	var a identity.Account
	in, args := anyDigest(digests)
	targets := append(sessionTargets(&n, &digest), accountTargets(&a)...)
	err := s.db.Read.QueryRowContext(ctx, "SELECT "+sessionColumns+", "+accountColumns+`
		FROM sessions s JOIN api_keys k ON k.id = s.api_key JOIN organizations o ON o.id = k.organization JOIN users u ON u.id = k.user
		WHERE s.digest IN `+in+" AND s.kind = ?", append(args, identity.SignedIn)...).Scan(targets...)
	copy(n.Digest[:], digest)
	return n, a, wrap("find the session", err)
}

// TakeSession implements identity.Sessions.
func (s *Store) TakeSession(ctx context.Context, kind identity.SessionKind, digests []identity.Digest) (identity.Session, error) {
	var n identity.Session
	var digest []byte
	in, args := anyDigest(digests)
	err := s.db.Write.QueryRowContext(ctx, "DELETE FROM sessions AS s WHERE s.digest IN "+in+" AND s.kind = ? RETURNING "+strings.ReplaceAll(sessionColumns, "s.", ""),
		append(args, kind)...).Scan(sessionTargets(&n, &digest)...)
	copy(n.Digest[:], digest)
	return n, wrap("remove the session", err)
}

// anyDigest returns a list of placeholders for the digests, and their values.
func anyDigest(digests []identity.Digest) (list string, args []any) {
	for _, d := range digests {
		args = append(args, d[:])
	}
	return "(?" + strings.Repeat(", ?", len(args)-1) + ")", args
}
