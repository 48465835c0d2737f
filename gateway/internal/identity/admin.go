package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/formats/fields"
)

// Names of what is made where nobody said how it is called.
const (
	DefaultOrganization = "Default organization"
	defaultEmail        = "admin@localhost"
	defaultUserName     = "Administrator"
)

// Admin makes and ends keys and users, for the command line.
type Admin struct {
	store   Store
	peppers Peppers
	now     func() time.Time
}

// NewAdmin returns an Admin over the store.
func NewAdmin(store Store, peppers Peppers) *Admin {
	return &Admin{store: store, peppers: peppers, now: time.Now}
}

// InvalidError says which argument of an Admin is invalid, and what to send instead.
// Nothing was done.
type InvalidError struct{ text string }

func (e InvalidError) Error() string { return e.text }

func invalid(format string, args ...any) error { return InvalidError{fmt.Sprintf(format, args...)} }

// NewKey says what key is to be made.
type NewKey struct {
	// Organization is the name or id of the organization, "" for the oldest
	// one. One that is not known is made.
	Organization string
	// Email is of the user that the key acts for, "" for the organization's
	// oldest one. One that is not known is made, with that Name; it has to be a
	// valid address.
	Email, Name string
	// Scopes are what the key may do, at least one. Repeated ones count once.
	Scopes []contract.Scope
	Rate   Rate
	// Expires is when the key ends, the zero time for never.
	Expires time.Time
	// Test makes a key for tests.
	Test bool
	// Deliver, if it is not nil, is given the key before it is stored: what
	// was delivered may then be unknown for want of the rest, but a key that
	// works is never lost.
	Deliver func(Account, string) error
}

// CreateKey makes a key, and the organization and user that it acts for unless
// they are known. The secret is told this once.
func (a *Admin) CreateKey(ctx context.Context, n NewKey) (Account, string, error) {
	scopes, err := checkScopes(n.Scopes)
	if err != nil {
		return Account{}, "", err
	}
	organization, user, err := a.ensureUser(ctx, n.Organization, n.Email, n.Name)
	if err != nil {
		return Account{}, "", err
	}
	key, secret := a.newKey(Key{
		OrganizationID: organization.ID, UserID: user.ID, Scopes: scopes, Rate: n.Rate, ExpiresAt: n.Expires,
	}, !n.Test)
	account := Account{Key: key, Organization: organization, User: user}
	if n.Deliver != nil {
		if err := n.Deliver(account, secret); err != nil {
			return Account{}, "", err
		}
	}
	return account, secret, a.store.CreateKey(ctx, key)
}

// checkScopes returns the scopes, each once. None is an error and not a default: a
// list that was left empty by mistake must not make a key that may do everything.
func checkScopes(scopes []contract.Scope) ([]contract.Scope, error) {
	if len(scopes) == 0 {
		return nil, invalid("--scopes: a key needs at least one scope; the scopes are %v", contract.Scopes())
	}
	var unique []contract.Scope
	for _, s := range scopes {
		if !slices.Contains(contract.Scopes(), s) {
			return nil, invalid("--scopes: there is no scope %q; the scopes are %v", s, contract.Scopes())
		}
		if !slices.Contains(unique, s) {
			unique = append(unique, s)
		}
	}
	return unique, nil
}

// newKey completes a key and returns it with its secret.
func (a *Admin) newKey(k Key, live bool) (Key, string) {
	secret := NewSecret(live)
	k.ID = contract.NewID(contract.KeyPrefix)
	k.CreatedAt = a.now()
	k.PepperID, k.Digest = a.peppers[0].ID, a.peppers[0].Digest(secret)
	return k, secret
}

// ensureOrganization finds an organization by its id or name, and makes one of
// that name if there is none. Of "" it is the oldest one.
func (a *Admin) ensureOrganization(ctx context.Context, idOrName string) (Organization, error) {
	o, err := a.store.FindOrganization(ctx, idOrName)
	if !errors.Is(err, ErrNotFound) {
		return o, err
	}
	o = Organization{ID: contract.NewID(contract.OrganizationPrefix), Name: idOrName}
	if o.Name == "" {
		o.Name = DefaultOrganization
	}
	return o, a.store.CreateOrganization(ctx, o)
}

// ensureUser finds an organization, and a user of it by e-mail address, and makes
// what is not there. Of "" it is the oldest one. Nothing is made for an address
// that is not valid; one that is known is valid, whatever it looks like.
func (a *Admin) ensureUser(ctx context.Context, organization, email, name string) (Organization, contract.User, error) {
	o, err := a.store.FindOrganization(ctx, organization)
	var u contract.User
	if err == nil {
		u, err = a.store.FindUser(ctx, o.ID, email)
	}
	if !errors.Is(err, ErrNotFound) {
		return o, u, err
	}
	u = contract.User{ID: contract.NewID(contract.UserPrefix), Email: defaultEmail, Name: cmp.Or(name, defaultUserName)}
	if email != "" {
		if err := checkEmail(email); err != nil {
			return o, u, err
		}
		u.Email, u.Name = email, name
	}
	if o, err = a.ensureOrganization(ctx, organization); err != nil {
		return o, u, err
	}
	return o, u, a.store.CreateUser(ctx, o.ID, u)
}

// checkEmail accepts what a field of type email accepts.
func checkEmail(email string) error {
	if fields.ValidEmail(email) {
		return nil
	}
	return invalid("--email: %q is not an e-mail address; write one such as name@example.com", email)
}

// CreateUser adds a user to an organization, which is made if it is not known.
// The e-mail address must not be taken.
func (a *Admin) CreateUser(ctx context.Context, organization, email, name string) (Organization, contract.User, error) {
	if email == "" {
		return Organization{}, contract.User{}, invalid("--email is missing: a user needs an e-mail address")
	}
	if err := checkEmail(email); err != nil {
		return Organization{}, contract.User{}, err
	}
	o, err := a.ensureOrganization(ctx, organization)
	if err != nil {
		return o, contract.User{}, err
	}
	u := contract.User{ID: contract.NewID(contract.UserPrefix), Email: email, Name: name}
	if err := a.store.CreateUser(ctx, o.ID, u); err != nil {
		return o, u, fmt.Errorf("add %s to %s: %w", email, o.Name, err)
	}
	return o, u, nil
}

// Users returns an organization, the oldest one for "", and its users.
func (a *Admin) Users(ctx context.Context, organization string) (Organization, []contract.User, error) {
	o, err := a.store.FindOrganization(ctx, organization)
	if err != nil {
		return o, nil, fmt.Errorf("organization %q: %w", organization, err)
	}
	users, err := a.store.ListUsers(ctx, o.ID)
	return o, users, err
}

// Keys returns the keys of an organization, of all for "".
func (a *Admin) Keys(ctx context.Context, organization string) ([]Key, error) {
	if organization == "" {
		return a.store.ListKeys(ctx, "")
	}
	o, err := a.store.FindOrganization(ctx, organization)
	if err != nil {
		return nil, fmt.Errorf("organization %q: %w", organization, err)
	}
	return a.store.ListKeys(ctx, o.ID)
}

// RevokeKey ends a key at once.
func (a *Admin) RevokeKey(ctx context.Context, id string) error {
	if err := a.store.EndKey(ctx, id, a.now(), true); err != nil {
		return keyError(id, err)
	}
	return nil
}

// keyError says what is wrong with the key of that id.
func keyError(id string, err error) error {
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf("key %q: %w; keys list shows the ids of all keys", id, err)
	}
	return fmt.Errorf("key %q: %w", id, err)
}

// RotateKey makes a key like the one of that id, which ends after grace.
func (a *Admin) RotateKey(ctx context.Context, id string, grace time.Duration) (Account, string, error) {
	old, err := a.store.GetKey(ctx, id)
	if err != nil {
		return Account{}, "", keyError(id, err)
	}
	if !old.Valid(a.now()) {
		return Account{}, "", fmt.Errorf("key %s is no longer valid: make a new one with keys create", id)
	}
	user, err := a.store.FindUser(ctx, old.OrganizationID, old.UserID)
	if err != nil {
		return Account{}, "", fmt.Errorf("user %s: %w", old.UserID, err)
	}
	organization, err := a.store.FindOrganization(ctx, old.OrganizationID)
	if err != nil {
		return Account{}, "", fmt.Errorf("organization %s: %w", old.OrganizationID, err)
	}
	key, secret := a.newKey(Key{
		OrganizationID: old.OrganizationID, UserID: old.UserID, Scopes: old.Scopes, Rate: old.Rate, ExpiresAt: old.ExpiresAt,
	}, true)
	if err := a.store.CreateKey(ctx, key); err != nil {
		return Account{}, "", err
	}
	end := a.now().Add(grace)
	if old.ExpiresAt.IsZero() || end.Before(old.ExpiresAt) {
		err = a.store.EndKey(ctx, id, end, true)
	}
	return Account{Key: key, Organization: organization, User: user}, secret, err
}
