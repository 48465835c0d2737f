// Package identity knows who calls: organizations, their users, and the API
// keys that act for them. A key is told only once, when it is made; what is
// stored is its HMAC under a secret, the pepper, that is not in the database.
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
	// ExpiresAt is when the key ends, by itself or because it was revoked; the
	// zero time is never.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Revoked   bool      `json:"revoked"`
	// LastUsedAt lags behind by up to a minute; the zero time is never.
	LastUsedAt time.Time `json:"last_used_at,omitzero"`

	// Digest is the HMAC of the secret under the pepper of that id.
	Digest   Digest `json:"-"`
	PepperID string `json:"-"`
}

// Valid reports whether the key may be used at the time now.
func (k Key) Valid(now time.Time) bool {
	return k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt)
}

// Digest is what is stored of a secret.
type Digest [32]byte

// Account is a key with all that it acts for.
type Account struct {
	Key          Key
	Organization Organization
	User         contract.User
}

// Principal returns who the account acts as.
func (a Account) Principal() contract.Principal {
	return contract.Principal{Organization: a.Organization.ID, User: a.User, Key: a.Key.ID, Scopes: a.Key.Scopes}
}

// Rate is how many requests a minute a key may make, Unlimited for any number.
type Rate int

const (
	// Unlimited sets no limit.
	Unlimited Rate = 0
	// DefaultRate is the rate of a key that says nothing else.
	DefaultRate Rate = 1000
	// maxRate is the highest rate but Unlimited. Limiters divide a minute by it.
	maxRate = 1_000_000_000
)

// ParseRate reads "1000/min" or "unlimited".
func ParseRate(s string) (Rate, error) {
	if s == "unlimited" {
		return Unlimited, nil
	}
	count, unit, _ := strings.Cut(s, "/")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > maxRate || unit != "min" {
		return 0, fmt.Errorf(`%q is not a rate; write a number of requests from 1 to %d such as "1000/min", or "unlimited"`, s, maxRate)
	}
	return Rate(n), nil
}

// String writes a rate as ParseRate reads it.
func (r Rate) String() string {
	if r == Unlimited {
		return "unlimited"
	}
	return fmt.Sprintf("%d/min", int(r))
}

// MarshalText writes a rate as ParseRate reads it.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// The errors of a Store, beside those of its database.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")
)

// Directory keeps organizations and users. The suite in package storetest is
// the specification of it and of Keys.
type Directory interface {
	// CreateOrganization adds an organization. ErrExists if its id or name is
	// taken.
	CreateOrganization(ctx context.Context, o Organization) error
	// FindOrganization returns the organization of that id or else that name,
	// the oldest one if both are "". ErrNotFound if there is none.
	FindOrganization(ctx context.Context, idOrName string) (Organization, error)
	// CreateUser adds a user to an organization. ErrExists if the id is taken,
	// or, whatever its case, the e-mail address in this organization.
	CreateUser(ctx context.Context, organization string, u contract.User) error
	// FindUser returns the user of that id or else that e-mail address in the
	// organization, the oldest one if it is "". ErrNotFound if there is none.
	FindUser(ctx context.Context, organization, idOrEmail string) (contract.User, error)
	// ListUsers returns the users of an organization, the oldest first.
	ListUsers(ctx context.Context, organization string) ([]contract.User, error)
}

// Keys keeps API keys.
type Keys interface {
	// CreateKey adds a key. ErrExists if its id or digest is taken.
	CreateKey(ctx context.Context, k Key) error
	// FindAccount returns the key with one of the digests and what it acts
	// for, valid or not. ErrNotFound if there is none.
	FindAccount(ctx context.Context, digests []Digest) (Account, error)
	// GetKey returns the key of that id. ErrNotFound if there is none.
	GetKey(ctx context.Context, id string) (Key, error)
	// ListKeys returns the keys of an organization, of all if it is "", the
	// oldest first.
	ListKeys(ctx context.Context, organization string) ([]Key, error)
	// EndKey sets when a key ends, and whether it was revoked. ErrNotFound if
	// there is none of that id.
	EndKey(ctx context.Context, id string, at time.Time, revoked bool) error
	// TouchKeys raises the time of last use of keys by id.
	TouchKeys(ctx context.Context, used map[string]time.Time) error
}

// Store is both.
type Store interface {
	Directory
	Keys
}
