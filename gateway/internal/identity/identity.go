// Package identity manages callers: organizations, their users, the API keys that act for
// them, and the sessions of people who signed in to the console with a key. A secret is
// shown only once, when it is created. The database stores its HMAC under another secret,
// the pepper, which is kept outside the database.
package identity

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/contract"
)

// Organization owns documents, users and keys.
type Organization struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Key is an API key without its secret.
type Key struct {
	ID             string           `json:"id"`
	OrganizationID string           `json:"organization_id"`
	UserID         string           `json:"user_id"`
	Scopes         []contract.Scope `json:"scopes"`
	Rate           Rate             `json:"rate"`
	CreatedAt      time.Time        `json:"created_at"`
	// ExpiresAt is when the key expires or was revoked; the zero time is never.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Revoked   bool      `json:"revoked"`
	// LastUsedAt lags behind by up to a minute; the zero time is never.
	LastUsedAt time.Time `json:"last_used_at,omitzero"`

	// Digest is the HMAC of the secret under the pepper with the id PepperID.
	Digest   Digest `json:"-"`
	PepperID string `json:"pepper"`
}

// Valid reports whether the key may be used at the time now.
func (k Key) Valid(now time.Time) bool {
	return k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt)
}

// Digest is the HMAC that is stored instead of a secret.
type Digest [32]byte

// Account is a key with the organization and user that it acts for.
type Account struct {
	Key          Key
	Organization Organization
	User         contract.User
}

// Principal returns the principal that the account acts as.
func (a Account) Principal() contract.Principal {
	return contract.Principal{Organization: a.Organization.ID, User: a.User, Key: a.Key.ID, Scopes: a.Key.Scopes}
}

// Rate is the number of requests that a key may make per minute, or Unlimited.
type Rate int

const (
	// Unlimited sets no limit.
	Unlimited Rate = 0
	// DefaultRate is the rate of a key if none is given.
	DefaultRate Rate = 1000
	// maxRate is the highest rate other than Unlimited. Limiters divide a minute by the
	// rate.
	maxRate = 1_000_000_000
)

// ParseRate parses a rate such as "1000/min", or "unlimited".
func ParseRate(s string) (Rate, error) {
	if s == "unlimited" {
		return Unlimited, nil
	}
	count, unit, _ := strings.Cut(s, "/")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > maxRate || unit != "min" {
		return 0, fmt.Errorf(`%q is not a rate; use a number of requests from 1 to %d such as "1000/min", or "unlimited"`, s, maxRate)
	}
	return Rate(n), nil
}

// String returns the rate in the form that ParseRate accepts.
func (r Rate) String() string {
	if r == Unlimited {
		return "unlimited"
	}
	return fmt.Sprintf("%d/min", int(r))
}

// MarshalText returns the rate in the form that ParseRate accepts.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Errors of a Store, in addition to those of its database.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("already exists")
)

// Directory stores organizations and users. The test suite in package storetest specifies
// Directory, Keys and Sessions.
type Directory interface {
	// CreateOrganization adds an organization. It returns ErrExists if the id or the name
	// is taken.
	CreateOrganization(ctx context.Context, o Organization) error
	// FindOrganization returns the organization with that id or, if there is none, with
	// that name. For "" it returns the oldest organization. It returns ErrNotFound if there
	// is none.
	FindOrganization(ctx context.Context, idOrName string) (Organization, error)
	// CreateUser adds a user to an organization. It returns ErrExists if the id is taken,
	// or if the organization has a user with the e-mail address, ignoring case.
	CreateUser(ctx context.Context, organization string, u contract.User) error
	// FindUser returns the user in the organization with that id or, if there is none, with
	// that e-mail address. For "" it returns the oldest user. It returns ErrNotFound if
	// there is none.
	FindUser(ctx context.Context, organization, idOrEmail string) (contract.User, error)
	// ListUsers returns the users of an organization, oldest first.
	ListUsers(ctx context.Context, organization string) ([]contract.User, error)
}

// Keys stores API keys.
type Keys interface {
	// CreateKey adds a key. It returns ErrExists if the id or the digest is taken.
	CreateKey(ctx context.Context, k Key) error
	// FindAccount returns the account of the key with one of the digests, valid or not. It
	// returns ErrNotFound if there is none.
	FindAccount(ctx context.Context, digests []Digest) (Account, error)
	// GetKey returns the key with that id, or ErrNotFound.
	GetKey(ctx context.Context, id string) (Key, error)
	// ListKeys returns the keys of an organization, or all keys for "", oldest first.
	ListKeys(ctx context.Context, organization string) ([]Key, error)
	// EndKey sets when a key expires and whether it was revoked. It returns ErrNotFound if
	// there is no key with that id.
	EndKey(ctx context.Context, id string, at time.Time, revoked bool) error
	// TouchKeys sets when keys were last used, by key id. It never moves a time back.
	TouchKeys(ctx context.Context, used map[string]time.Time) error
}

// Store is a Directory, and a store of Keys and of Sessions.
type Store interface {
	Directory
	Keys
	Sessions
}
