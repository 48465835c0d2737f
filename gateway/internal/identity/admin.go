package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/formats/fields"
)

// Defaults for the names of a new organization and its user.
const (
	DefaultOrganization = "Default organization"
	defaultEmail        = "admin@localhost"
	defaultUserName     = "Administrator"
)

// Admin administers keys and users for the command line.
type Admin struct {
	// Created, if not nil, is called with each organization that the Admin creates: the
	// caller may have misspelled the name of another one.
	Created func(Organization)
	store   Store
	peppers Peppers
	now     func() time.Time
}

// NewAdmin returns an Admin over the store.
func NewAdmin(store Store, peppers Peppers) *Admin {
	return &Admin{store: store, peppers: peppers, now: time.Now}
}

// InvalidError reports an invalid argument of an Admin, and what to use instead. The
// operation has changed nothing.
type InvalidError struct{ text string }

func (e InvalidError) Error() string { return e.text }

func invalid(format string, args ...any) error { return InvalidError{fmt.Sprintf(format, args...)} }

// NewKey describes a key to be created.
type NewKey struct {
	// Organization is the name or id of the organization, "" for the oldest one. An
	// unknown organization is created with this name.
	Organization string
	// Email is the e-mail address of the user that the key acts for, "" for the oldest
	// user of the organization. An unknown user is created with this Name; the address
	// must then be valid.
	Email, Name string
	// Scopes are the permissions of the key. At least one is required. Duplicates are ignored.
	Scopes []contract.Scope
	Rate   Rate
	// Expires is when the key expires, the zero time for never.
	Expires time.Time
	// Test creates a test key.
	Test bool
	// Deliver, if not nil, is called with the key and its secret before the key is stored.
	// If the program crashes in between, the delivered key is not valid, but the secret of
	// a valid key is never lost.
	Deliver func(Account, string) error
}

// CreateKey creates a key, and its organization and user if they do not exist. It returns
// the key and its secret, which cannot be retrieved later.
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

// checkScopes returns the scopes without duplicates. An empty list is an error and does
// not mean a default: a list left empty by mistake must not create an all-powerful key.
func checkScopes(scopes []contract.Scope) ([]contract.Scope, error) {
	if len(scopes) == 0 {
		return nil, invalid("--scopes: a key needs at least one scope; the scopes are %s", ScopeNames())
	}
	var unique []contract.Scope
	for _, s := range scopes {
		if !slices.Contains(contract.Scopes(), s) {
			return nil, invalid("--scopes: unknown scope %q; the scopes are %s", s, ScopeNames())
		}
		if !slices.Contains(unique, s) {
			unique = append(unique, s)
		}
	}
	return unique, nil
}

// ScopeNames lists all scopes, for people.
func ScopeNames() string {
	var names []string
	for _, s := range contract.Scopes() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// newKey completes a key and returns it with its secret.
func (a *Admin) newKey(k Key, live bool) (Key, string) {
	secret := NewSecret(live)
	k.ID = contract.NewID(contract.KeyPrefix)
	k.CreatedAt = a.now()
	k.PepperID, k.Digest = a.peppers[0].ID, a.peppers[0].Digest(secret)
	return k, secret
}

// ensureOrganization finds an organization by its id or name, or creates one with that
// name. For "" it finds the oldest one, or creates the default organization.
func (a *Admin) ensureOrganization(ctx context.Context, idOrName string) (Organization, error) {
	o, err := a.store.FindOrganization(ctx, idOrName)
	if !errors.Is(err, ErrNotFound) {
		return o, err
	}
	o = Organization{ID: contract.NewID(contract.OrganizationPrefix), Name: idOrName}
	if o.Name == "" {
		o.Name = DefaultOrganization
	}
	if err := a.store.CreateOrganization(ctx, o); err != nil {
		return o, err
	}
	if a.Created != nil {
		a.Created(o)
	}
	return o, nil
}

// ensureUser finds an organization, and a user in it by e-mail address, and creates those
// that do not exist. "" means the oldest one. For an invalid address it creates nothing;
// the address of an existing user is not checked.
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

// checkEmail checks an address by the same rule as fields of type email.
func checkEmail(email string) error {
	if fields.ValidEmail(email) {
		return nil
	}
	return invalid("--email: %q is not an e-mail address; use an address such as name@example.com", email)
}

// CreateUser adds a user to an organization, which it creates if it does not exist. The
// e-mail address must not be in use there.
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

// Users returns an organization and its users. For "" it is the oldest organization.
func (a *Admin) Users(ctx context.Context, organization string) (Organization, []contract.User, error) {
	o, err := a.store.FindOrganization(ctx, organization)
	if err != nil {
		return o, nil, fmt.Errorf("organization %q: %w", organization, err)
	}
	users, err := a.store.ListUsers(ctx, o.ID)
	return o, users, err
}

// Keys returns the keys of an organization, or all keys for "".
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

// RevokeKey revokes a key at once.
func (a *Admin) RevokeKey(ctx context.Context, id string) error {
	if err := a.store.EndKey(ctx, id, a.now(), true); err != nil {
		return keyError(id, err)
	}
	return nil
}

// UnknownKeyError reports that there is no key with this id. It is an ErrNotFound.
type UnknownKeyError struct{ ID string }

func (e UnknownKeyError) Error() string { return fmt.Sprintf("key %q: %v", e.ID, ErrNotFound) }

// Unwrap returns ErrNotFound.
func (e UnknownKeyError) Unwrap() error { return ErrNotFound }

// keyError adds the id of the key to an error.
func keyError(id string, err error) error {
	if errors.Is(err, ErrNotFound) {
		return UnknownKeyError{id}
	}
	return fmt.Errorf("key %q: %w", id, err)
}

// RotateKey creates a key with the permissions of the key with that id, which expires
// after grace.
func (a *Admin) RotateKey(ctx context.Context, id string, grace time.Duration) (Account, string, error) {
	old, err := a.store.GetKey(ctx, id)
	if err != nil {
		return Account{}, "", keyError(id, err)
	}
	if !old.Valid(a.now()) {
		return Account{}, "", fmt.Errorf("key %s is no longer valid: create a new one with keys create", id)
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
