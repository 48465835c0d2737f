package gateway

import (
	"context"
	"errors"
	"fmt"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	mongorequests "github.com/rectohq/recto/gateway/internal/idempotency/mongostore"
	sqliterequests "github.com/rectohq/recto/gateway/internal/idempotency/sqlitestore"
	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/gateway/internal/identity/mongostore"
	"github.com/rectohq/recto/gateway/internal/identity/sqlitestore"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

// identityStore is a closable store of organizations, users and keys.
type identityStore interface {
	identity.Store
	Close() error
}

// requestStore is a closable store of idempotency records.
type requestStore interface {
	idempotency.Store
	Close() error
}

// openIdentity opens the key store and parses the peppers of its hashes. It waits for a
// database server that is not available yet. Errors name the environment variable.
func openIdentity(ctx context.Context, cfg IdentityConfig, t *telemetry.Telemetry) (store identityStore, peppers identity.Peppers, err error) {
	if peppers, err = identity.ParsePeppers(cfg.Peppers); err != nil {
		return nil, nil, fmt.Errorf("GATEWAY_KEY_PEPPERS: %w", err)
	}
	if mongodb.IsURL(cfg.Database) {
		store, err = mongostore.Open(ctx, cfg.Database, t)
	} else {
		store, err = sqlitestore.Open(ctx, cfg.Database)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open the key store, GATEWAY_DATABASE: %w", err)
	}
	return store, peppers, nil
}

// openRequests opens the idempotency store. It waits for a database server that is not
// available yet.
func openRequests(ctx context.Context, database string, t *telemetry.Telemetry) (store requestStore, err error) {
	if mongodb.IsURL(database) {
		store, err = mongorequests.Open(ctx, database, t)
	} else {
		store, err = sqliterequests.Open(ctx, database)
	}
	if err != nil {
		return nil, fmt.Errorf("open the idempotency store, GATEWAY_IDEMPOTENCY_DATABASE: %w", err)
	}
	return store, nil
}

// stores holds the open stores of the gateway.
type stores struct {
	identity identityStore
	peppers  identity.Peppers
	requests requestStore
}

// openStores opens the stores. On error it leaves none of them open.
func openStores(ctx context.Context, cfg Config, t *telemetry.Telemetry) (opened stores, err error) {
	if opened.identity, opened.peppers, err = openIdentity(ctx, cfg.Identity, t); err != nil {
		return stores{}, err
	}
	if opened.requests, err = openRequests(ctx, cfg.Idempotency.Database, t); err != nil {
		return stores{}, errors.Join(err, opened.identity.Close())
	}
	return opened, nil
}

// Close closes the stores.
func (s stores) Close() error { return errors.Join(s.requests.Close(), s.identity.Close()) }

// openForCommand is openIdentity for a command-line tool.
func openForCommand(ctx context.Context, cfg IdentityConfig) (identityStore, identity.Peppers, error) {
	var peppers identity.Peppers
	store, err := runner.OpenStore(ctx, "gateway", "GATEWAY_DATABASE", func(ctx context.Context, t *telemetry.Telemetry) (store identityStore, err error) {
		store, peppers, err = openIdentity(ctx, cfg, t)
		return store, err
	})
	return store, peppers, err
}
