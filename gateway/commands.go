package gateway

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/runner"
)

// Commands returns the commands keys and users, which can run next to a running gateway.
// Load returns the configuration of the key store, and publicURL the URL of the API as
// clients use it, without /v2. Changed, if not nil, notifies running gateways of a key that
// was revoked or rotated. Without it, they notice within seconds.
func Commands(load func() (IdentityConfig, error), publicURL func() (string, error), changed func(ctx context.Context, keyID string)) []*cobra.Command {
	if changed == nil {
		changed = func(context.Context, string) {}
	}
	c := &commands{load: load, publicURL: publicURL, changed: changed}
	keys := &cobra.Command{Use: "keys", Short: "Create, list, rotate and revoke API keys, and sign in to the console with one"}
	keys.AddCommand(c.createKey(), c.listKeys(), c.revokeKey(), c.rotateKey(), c.linkKey())
	users := &cobra.Command{Use: "users", Short: "Create and list users"}
	users.AddCommand(c.createUser(), c.listUsers())
	return []*cobra.Command{keys, users}
}

// commands builds the commands that administer keys and users, for the gateway and the
// standalone program alike. Load returns the configuration of the key store, and publicURL
// the URL of the API; changed notifies running gateways that their cached copy of a key is
// outdated.
type commands struct {
	load      func() (IdentityConfig, error)
	publicURL func() (string, error)
	changed   func(ctx context.Context, keyID string)
}

// run calls do with an Admin over the store, and closes the store afterwards.
func (c *commands) run(cmd *cobra.Command, do func(ctx context.Context, a *identity.Admin) error) (err error) {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	store, peppers, err := openForCommand(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	a := identity.NewAdmin(store, peppers)
	a.Created = func(o identity.Organization) { cmd.PrintErrf("Created the organization %s (%s).\n", o.Name, o.ID) }
	err = do(ctx, a)
	switch {
	case errors.As(err, new(identity.InvalidError)):
		return runner.Usage(err)
	case errors.As(err, new(identity.UnknownKeyError)):
		return fmt.Errorf("%w; %s keys list shows the ids of all keys", err, cmd.Root().Name())
	}
	return err
}

// keyFlags are the flags of keys create.
type keyFlags struct {
	organization, email, name string
	scopes                    []string
	rate, expires             string
	test, json                bool
}

// createKey returns the command keys create.
func (c *commands) createKey() *cobra.Command {
	var f keyFlags
	cmd := &cobra.Command{
		Use: "create", Short: "Create an API key, and its organization and user if they do not exist", Args: cobra.NoArgs,
		Example: "keys create --organization Acme --email zoe@acme.example --name 'Zoë Ünal' --scopes documents:read,convert --rate 600/min --expires 90d",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := refuseEmpty(cmd); err != nil {
				return err
			}
			n, err := f.newKey(time.Now())
			if err != nil {
				return runner.Usage(err)
			}
			return c.run(cmd, func(ctx context.Context, a *identity.Admin) error {
				account, secret, err := a.CreateKey(ctx, n)
				if err != nil {
					return err
				}
				return printSecret(cmd.OutOrStdout(), account, secret, f.json)
			})
		},
	}
	cmd.Flags().StringVar(&f.organization, "organization", "", "name or id of the organization, which is created if it does not exist (default: the oldest one)")
	cmd.Flags().StringVar(&f.email, "email", "", "e-mail address of the user (default: the organization's oldest user)")
	cmd.Flags().StringVar(&f.name, "name", "", "full name of the user, if the user is new")
	cmd.Flags().StringSliceVar(&f.scopes, "scopes", []string{"*"}, "scopes of the key: "+identity.ScopeNames())
	cmd.Flags().StringVar(&f.rate, "rate", identity.DefaultRate.String(), "rate limit of the key: N/min, or unlimited")
	cmd.Flags().StringVar(&f.expires, "expires", "", "when the key expires: in 12h, in 90d, or on 2027-01-31 (default: never)")
	cmd.Flags().BoolVar(&f.test, "test", false, "create a test key, which begins with rk_test_")
	jsonFlag(cmd, &f.json)
	return cmd
}

// refuseEmpty returns an error for each flag that was set to an empty value, such as
// --scopes "$SCOPES" with the variable unset. Falling back to the default could grant far
// more than the operator meant.
func refuseEmpty(cmd *cobra.Command) error {
	var empty []error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if v := f.Value.String(); v == "" || v == "[]" {
			empty = append(empty, fmt.Errorf("--%s must not be empty; omit it to use its default", f.Name))
		}
	})
	return runner.Usage(errors.Join(empty...))
}

// newKey parses the flags. Errors name the flag.
func (f keyFlags) newKey(now time.Time) (identity.NewKey, error) {
	n := identity.NewKey{Organization: f.organization, Email: f.email, Name: f.name, Test: f.test}
	for _, s := range f.scopes {
		n.Scopes = append(n.Scopes, contract.Scope(strings.TrimSpace(s)))
	}
	var err error
	if n.Rate, err = identity.ParseRate(f.rate); err != nil {
		return n, fmt.Errorf("--rate: %w", err)
	}
	n.Expires, err = parseExpiry(f.expires, now)
	return n, err
}

// maxDays, 1000 years, keeps the expiry of a key within the years that JSON can encode.
const maxDays = 365_000

// parseExpiry parses a duration from now, "12h" or "90d", or a date or time in RFC 3339.
// For "" it returns the zero time: never.
func parseExpiry(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= maxDays {
			return now.AddDate(0, 0, n), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return now.Add(d), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil && t.After(now) {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--expires: %q is not a time in the future; use the form 12h, 90d, 2027-01-31 or 2027-01-31T12:00:00Z", s)
}

// listKeys returns the command keys list.
func (c *commands) listKeys() *cobra.Command {
	var organization string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List API keys, without their secrets", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.run(cmd, func(ctx context.Context, a *identity.Admin) error {
				keys, err := a.Keys(ctx, organization)
				if err != nil {
					return err
				}
				return printKeys(cmd.OutOrStdout(), keys, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&organization, "organization", "", "name or id of the organization (default: all)")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// revokeKey returns the command keys revoke. It revokes the key in the store before it
// notifies the gateways. A gateway that misses the message notices when its cached copy
// of the key expires.
func (c *commands) revokeKey() *cobra.Command {
	return &cobra.Command{
		Use: "revoke KEY_ID", Short: "Revoke an API key; running gateways reject it within seconds", Args: cobra.ExactArgs(1),
		SuggestFor: []string{"delete", "remove", "rm", "end"}, ValidArgsFunction: c.completeKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, func(ctx context.Context, a *identity.Admin) error {
				if err := a.RevokeKey(ctx, args[0]); err != nil {
					return err
				}
				c.changed(ctx, args[0])
				fmt.Fprintf(cmd.OutOrStdout(), "%s is revoked\n", args[0])
				return nil
			})
		},
	}
}

// rotateKey returns the command keys rotate.
func (c *commands) rotateKey() *cobra.Command {
	var grace time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use: "rotate KEY_ID", Short: "Replace an API key with a new one that has the same permissions", Args: cobra.ExactArgs(1),
		ValidArgsFunction: c.completeKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			if grace < 0 {
				return runner.Usage(fmt.Errorf("--grace must not be negative: %s", grace))
			}
			return c.run(cmd, func(ctx context.Context, a *identity.Admin) error {
				account, secret, err := a.RotateKey(ctx, args[0], grace)
				if err != nil {
					return err
				}
				c.changed(ctx, args[0])
				return printSecret(cmd.OutOrStdout(), account, secret, asJSON)
			})
		},
	}
	cmd.Flags().DurationVar(&grace, "grace", 0, "how long the old key stays valid, for example 24h")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// linkKey returns the command keys link.
func (c *commands) linkKey() *cobra.Command {
	return &cobra.Command{
		Use: "link KEY_ID", Short: "Print a link that signs in to the console once, within 10 minutes", Args: cobra.ExactArgs(1),
		SuggestFor: []string{"open", "sign-in", "login"}, ValidArgsFunction: c.completeKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			publicURL, err := c.publicURL()
			if err != nil {
				return err
			}
			return c.run(cmd, func(ctx context.Context, a *identity.Admin) error {
				secret, err := a.CreateLink(ctx, args[0])
				if err == nil {
					fmt.Fprintln(cmd.OutOrStdout(), signInURL(publicURL, secret))
				}
				return err
			})
		},
	}
}

// completeKey completes the id of a key for a shell.
func (c *commands) completeKey(cmd *cobra.Command, args []string, _ string) (ids []cobra.Completion, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	err := c.run(cmd, func(ctx context.Context, a *identity.Admin) error {
		keys, err := a.Keys(ctx, "")
		for _, k := range keys {
			if !k.Revoked {
				ids = append(ids, cobra.CompletionWithDesc(k.ID, k.OrganizationID+", "+joined(k.Scopes)))
			}
		}
		return err
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
