// Package gateway serves Recto's API over HTTPS. It authenticates callers by API key,
// limits their request rates, and calls the services on the bus. It owns organizations,
// users and keys, but no documents.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/rectohq/recto/gateway/internal/httpapi"
	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/gateway/internal/ratelimit"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/gatewayapi"
	"github.com/rectohq/recto/libs/listener"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

// Config is the configuration of the gateway.
type Config struct {
	Addr     string `env:"GATEWAY_ADDR" envDefault:":8443" desc:"address to serve the API on"`
	RedisURL string `env:"GATEWAY_REDIS_URL" secret:"true" desc:"URL of the Redis that counts requests for all gateways: redis://host:6379, a cluster as redis://host1:6379?addr=host2:6379, sentinels as redis://host1:26379?master_name=name. If not set, each gateway counts only its own requests"`
	Identity IdentityConfig
	HTTP     httpapi.Config
	// Idempotency configures how repeated requests are recognized.
	Idempotency idempotency.Config
}

// IdentityConfig configures the store of organizations, users and keys.
type IdentityConfig struct {
	Database string `env:"GATEWAY_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of organizations, users and keys, or the mongodb:// URL of a MongoDB database"`
	Peppers  string `env:"GATEWAY_KEY_PEPPERS,notEmpty" secret:"true" desc:"secrets for hashing API keys, each as id:base64 of at least 32 random bytes, separated by commas; new keys use the first, the others are for older keys"`
}

// Validate implements config.Validator.
func (c Config) Validate() []error {
	p := config.Problems(slices.Concat(c.Identity.Validate(), mongodb.Problems("GATEWAY_IDEMPOTENCY_DATABASE", c.Idempotency.Database),
		c.Idempotency.Validate(), c.HTTP.Validate()))
	p.Address("GATEWAY_ADDR", c.Addr)
	if c.RedisURL != "" {
		limiter, err := ratelimit.OpenRedis(c.RedisURL)
		p.Require(err == nil, "%v", err)
		if err == nil {
			_ = limiter.Close() // it has not dialed yet
		}
	}
	return p
}

// Validate implements config.Validator.
func (c IdentityConfig) Validate() []error {
	problems := mongodb.Problems("GATEWAY_DATABASE", c.Database)
	if _, err := identity.ParsePeppers(c.Peppers); err != nil && c.Peppers != "" {
		problems = append(problems, fmt.Errorf("  GATEWAY_KEY_PEPPERS: %w", err))
	}
	return problems
}

// Deps holds the gateway's dependencies. The gateway closes only the listener.
type Deps struct {
	Telemetry *telemetry.Telemetry
	Bus       *bus.Conn
	// Listener, if not nil, serves the API instead of a listener on Config.Addr.
	Listener net.Listener
}

// Run serves the API until ctx ends, finishes the requests in progress, and returns.
func Run(ctx context.Context, cfg Config, deps Deps) (err error) {
	opened, err := openStores(ctx, cfg, deps.Telemetry)
	if errors.Is(err, context.Canceled) {
		return nil // stopped while waiting for a database
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	var limiter ratelimit.Limiter // nil counts in this process
	if cfg.RedisURL != "" {
		redis, openErr := ratelimit.OpenRedis(cfg.RedisURL)
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, redis.Close()) }()
		limiter = ratelimit.NewPrepaid(redis)
	}
	auth := identity.NewAuthenticator(opened.identity, opened.peppers)
	return serve(ctx, cfg, deps, httpapi.Deps{
		Telemetry: deps.Telemetry, Bus: deps.Bus, Auth: auth, Directory: opened.identity,
		SignIn: identity.NewSignIn(opened.identity, auth, opened.peppers, cfg.HTTP.SessionLifetime),
		Ledger: idempotency.New(opened.requests, cfg.Idempotency, deps.Telemetry.Log), Limiter: limiter, Events: insightEvents{deps.Bus},
	})
}

// serve subscribes to the events of other services and serves the API, with the stores
// that Run has opened.
func serve(ctx context.Context, cfg Config, deps Deps, parts httpapi.Deps) error {
	err := deps.Bus.Subscribe(gatewayapi.KeyChanged, func(id []byte) { parts.Auth.Forget(string(id)) })
	if err != nil {
		return fmt.Errorf("subscribe to key changes: %w", err)
	}
	stop, err := deps.Bus.Consume(ctx, documentConsumer, []string{documentapi.EventPurged}, parts.Ledger.Forget)
	if err != nil {
		return fmt.Errorf("subscribe to purged documents: %w", err)
	}
	defer stop()
	cfg.HTTP.MaxConnections, err = listener.Fit("GATEWAY_MAX_CONNECTIONS", cfg.HTTP.MaxConnections, DescriptorsPerRequest, deps.Telemetry.Log)
	if err != nil {
		return err
	}
	server, err := httpapi.New(cfg.HTTP, parts)
	if err != nil {
		return err
	}
	ln := deps.Listener
	if ln == nil {
		if ln, err = net.Listen("tcp", cfg.Addr); err != nil {
			return fmt.Errorf("listen for the API: %w", err)
		}
	}
	var background sync.WaitGroup
	working, cancel := context.WithCancel(ctx)
	background.Go(func() { flushUses(working, parts.Auth, deps.Telemetry) })
	background.Go(func() { parts.Ledger.Sweep(working) })
	defer background.Wait()
	defer cancel() // Serve also ends when the listener fails
	return server.Serve(ctx, ln)
}

// DescriptorsPerRequest is the number of file descriptors that a request in progress
// uses: its own connection, and one for the connections to the databases and Redis.
const DescriptorsPerRequest = 2

// documentConsumer is the name under which gateways consume document events. Each event
// goes to one of them, which removes the idempotency records of the purged document.
const documentConsumer = "gateway"

const (
	// flushEvery is the interval at which the last uses of keys are stored.
	flushEvery = 30 * time.Second
	// flushTimeout bounds each flush.
	flushTimeout = 5 * time.Second
)

// flushUses stores when keys were last used, periodically and when ctx ends.
func flushUses(ctx context.Context, auth *identity.Authenticator, t *telemetry.Telemetry) {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		if err := auth.Flush(bounded); err != nil {
			t.Log.Warn("cannot store when keys were last used, will retry", "error", err)
		}
		cancel()
	}
}

// NewPepper returns a value for IdentityConfig.Peppers with one new pepper.
func NewPepper() string { return identity.NewPepper("1") }

// Credentials are what a client needs to use the API, apart from its address.
type Credentials struct {
	APIKey         string        `json:"api_key"`
	OrganizationID string        `json:"organization_id"`
	User           contract.User `json:"user"`
}

// Provision creates the first organization, user and key if there is no key yet, and
// reports whether it did. It calls deliver with the key before storing it, so that a
// crash never leaves an undelivered key. The rate has the form of the flag --rate;
// "" is the default.
func Provision(ctx context.Context, cfg IdentityConfig, rate string, deliver func(Credentials) error) (made bool, err error) {
	limit, err := parseRate(rate)
	if err != nil {
		return false, err
	}
	store, peppers, err := openForCommand(ctx, cfg)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	admin := identity.NewAdmin(store, peppers)
	keys, err := admin.Keys(ctx, "")
	if err != nil || len(keys) > 0 {
		return false, err
	}
	_, _, err = admin.CreateKey(ctx, identity.NewKey{Scopes: []contract.Scope{contract.ScopeAll}, Rate: limit, Deliver: func(a identity.Account, secret string) error {
		return deliver(Credentials{APIKey: secret, OrganizationID: a.Organization.ID, User: a.User})
	}})
	return err == nil, err
}

// CheckRate returns an error unless Provision accepts the rate.
func CheckRate(rate string) error {
	_, err := parseRate(rate)
	return err
}

// parseRate parses the flag --rate. "" is the default rate.
func parseRate(rate string) (identity.Rate, error) {
	if rate == "" {
		return identity.DefaultRate, nil
	}
	limit, err := identity.ParseRate(rate)
	if err != nil {
		return 0, runner.Usage(fmt.Errorf("--rate: %w", err))
	}
	return limit, nil
}
