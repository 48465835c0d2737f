// Package usagecommand implements the usage command, which tells the operator how much of a
// language model was used. It can be used while the service runs.
package usagecommand

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
)

// maxListed is the maximum number of accounts that are listed, so that a listing fits in
// memory. It is that of 250 organizations in 400 days.
const maxListed = 100_000

// Store is a store of accounts that the command closes.
type Store interface {
	ledger.Store
	Close() error
}

// New returns the usage command. open opens the store of the accounts.
func New(open func(ctx context.Context) (Store, error)) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "usage", Short: "List how much of the language model was used, latest day first", Args: cobra.NoArgs,
		Long: "Lists how much of the language model was used, per day (UTC), organization and model, latest day first.\n" +
			"Usage is kept for 400 days. The costs are those of the prices that were configured at the time.",
		Example: "usage\nusage --organization org_01k9 --since 2026-11-01 --until 2026-11-30",
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := f.filter(cmd.Flags().Changed)
			if err != nil {
				return runner.Usage(err)
			}
			lines, err := read(cmd.Context(), open, filter)
			if err != nil {
				return err
			}
			if f.json {
				return printJSON(cmd.OutOrStdout(), lines)
			}
			return printTable(cmd.OutOrStdout(), lines)
		},
	}
	cmd.Flags().StringVar(&f.organization, "organization", "", "id of an organization (default: all)")
	cmd.Flags().StringVar(&f.since, "since", "", "first day to list, such as 2026-11-01 (default: the first that is kept)")
	cmd.Flags().StringVar(&f.until, "until", "", "last day to list (default: today)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a line of JSON for each day, organization and model")
	return cmd
}

// flags are the flags of the command.
type flags struct {
	organization, since, until string
	json                       bool
}

// filter returns the accounts that the flags select. set reports whether a flag was set.
// One that was set to nothing, such as --since "$SINCE" with the variable unset, is refused:
// a listing of everything is not what the operator meant.
func (f flags) filter(set func(flag string) bool) (ledger.Filter, error) {
	if set("organization") && f.organization == "" {
		return ledger.Filter{}, errors.New("--organization must not be empty; omit it to list all organizations")
	}
	for _, flag := range []struct{ name, day string }{{"since", f.since}, {"until", f.until}} {
		if _, err := time.Parse(time.DateOnly, flag.day); set(flag.name) && err != nil {
			return ledger.Filter{}, fmt.Errorf("--%s: %q is not a date; write it as 2026-11-01", flag.name, flag.day)
		}
	}
	if f.until != "" && f.since > f.until {
		return ledger.Filter{}, errors.New("--since must not be after --until")
	}
	return ledger.Filter{Organization: f.organization, Since: f.since, Until: f.until}, nil
}

// read returns the lines for the selected accounts.
func read(ctx context.Context, open func(context.Context) (Store, error), f ledger.Filter) (lines []line, err error) {
	store, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	accounts, err := store.Accounts(ctx, f, maxListed+1)
	if err != nil {
		return nil, err
	}
	if len(accounts) > maxListed {
		return nil, fmt.Errorf("there are more than %d days and organizations; select fewer with --organization, --since and --until", maxListed)
	}
	for _, a := range accounts {
		lines = append(lines, newLines(a)...)
	}
	return lines, nil
}
