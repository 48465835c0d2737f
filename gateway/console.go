package gateway

import (
	"context"
	"errors"

	"github.com/rectohq/recto/gateway/internal/console"
	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/config"
)

// ErrInvalidKey is returned for an API key that is unknown, revoked or expired.
var ErrInvalidKey = identity.ErrInvalidKey

// PublicURL returns the URL of the API that the environment configures, without /v2.
func PublicURL(environ []string) (string, error) {
	var cfg struct {
		PublicURL string `env:"GATEWAY_PUBLIC_URL" envDefault:"https://127.0.0.1:8443"`
	}
	err := config.Load(environ, "", &cfg)
	return cfg.PublicURL, err
}

// ConsoleURL returns the URL of the console of the API at publicURL, without /v2.
func ConsoleURL(publicURL string) string { return publicURL + console.Root }

// SignInLink creates a link that signs in to the console with the API key, once and within
// 10 minutes. publicURL is the URL of the API, without /v2. If the key is not valid, the
// error is ErrInvalidKey. It can run next to a running gateway.
func SignInLink(ctx context.Context, cfg IdentityConfig, apiKey, publicURL string) (link string, err error) {
	store, peppers, err := openForCommand(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	secret, err := identity.NewAdmin(store, peppers).CreateLinkFor(ctx, apiKey)
	if err != nil {
		return "", err
	}
	return signInURL(publicURL, secret), nil
}

// signInURL returns the URL of a sign-in link. The secret is in the fragment, which
// browsers do not send, so that no log contains it.
func signInURL(publicURL, secret string) string { return ConsoleURL(publicURL) + "#sign-in=" + secret }
