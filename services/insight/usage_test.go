package insight_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/insight"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/mongostore"
	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
)

// usage runs the usage command on a database.
func usage(ctx context.Context, database string, args ...string) (code int, stdout, stderr string) {
	var out, problems bytes.Buffer
	root := &cobra.Command{Use: "insight"}
	root.AddCommand(insight.Commands(func() (string, error) { return database, nil })...)
	root.SetArgs(append([]string{"usage"}, args...))
	root.SetOut(&out)
	root.SetErr(&problems)
	code = runner.Execute(ctx, root)
	return code, out.String(), problems.String()
}

// accounts are stored in the tests of the usage command. The last two have no usage to list:
// a reservation, and the account of a minute.
var accounts = []ledger.Account{
	{Organization: "org_b", Period: "2026-11-01", Models: map[string]ledger.Use{
		"openai/gpt-5": {Tokens: insightapi.Tokens{Requests: 1, InputTokens: 9, OutputTokens: 1}},
	}},
	{Organization: "org_a", Period: "2026-11-02", Models: map[string]ledger.Use{
		"openai/gpt-5": {Tokens: insightapi.Tokens{Requests: 12, InputTokens: 123456, CachedTokens: 100000, OutputTokens: 789}, CostMicroUSD: 1_234_560},
		"ollama/a":     {Tokens: insightapi.Tokens{Requests: 2, InputTokens: 20, OutputTokens: 3}},
	}},
	{Organization: "org_b", Period: "2026-11-02", Models: map[string]ledger.Use{
		"openai/gpt-5": {Tokens: insightapi.Tokens{Requests: 1, InputTokens: 100, OutputTokens: 10}, CostMicroUSD: 40},
	}},
	{Organization: "org_c", Period: "2026-11-02", Open: map[string]int64{"a": 5}},
	{Period: "2026-11-02T10:00Z", Models: map[string]ledger.Use{"openai/gpt-5": {Tokens: insightapi.Tokens{InputTokens: 1000}}}},
}

// TestUsage lists usage from each kind of database.
func TestUsage(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "insight.db")
		s, err := sqlitestore.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close() // the service may run
		testUsage(t, path, s)
	})
	t.Run("MongoDB", func(t *testing.T) {
		url := mongodbtest.URL(t)
		testUsage(t, url, mongodbtest.Open(t, url, mongostore.Open))
	})
}

func testUsage(t *testing.T, database string, store ledger.Store) {
	lists := func(want string, args ...string) {
		t.Helper()
		if code, stdout, stderr := usage(t.Context(), database, args...); code != 0 || stdout != want || stderr != "" {
			t.Errorf("%v: exit code %d, %s\ngot\n%s\nwant\n%s", args, code, stderr, stdout, want)
		}
	}
	lists("No language model was used.\n")
	lists("", "--json")
	for _, a := range accounts {
		if err := store.PutAccount(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	lists(`DAY         ORGANIZATION  MODEL         REQUESTS  INPUT   CACHED  OUTPUT  USD
2026-11-02  org_a         ollama/a      2         20      0       3       -
2026-11-02  org_a         openai/gpt-5  12        123456  100000  789     1.2346
2026-11-02  org_b         openai/gpt-5  1         100     0       10      0.0000
2026-11-01  org_b         openai/gpt-5  1         9       0       1       -
total                                   16        123585  100000  803     1.2346
`)
	lists(`DAY         ORGANIZATION  MODEL         REQUESTS  INPUT  CACHED  OUTPUT  USD
2026-11-01  org_b         openai/gpt-5  1         9      0       1       -
total                                   1         9      0       1       -
`, "--organization", "org_b", "--since", "2026-10-31", "--until", "2026-11-01")
	lists("No language model was used.\n", "--since", "2026-11-03")
	lists("No language model was used.\n", "--organization", "org_c")
	lists(`{"day":"2026-11-02","organization_id":"org_b","model":"openai/gpt-5","requests":1,"input_tokens":100,"cached_input_tokens":0,"output_tokens":10,"cost_usd":0.00004}
{"day":"2026-11-01","organization_id":"org_b","model":"openai/gpt-5","requests":1,"input_tokens":9,"cached_input_tokens":0,"output_tokens":1,"cost_usd":null}
`, "--organization", "org_b", "--json")
}

// TestUsageRefuses makes mistakes in the command line, which does nothing then.
func TestUsageRefuses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "insight.db")
	for args, want := range map[string]string{
		"--since yesterday":                     `--since: "yesterday" is not a date; write it as 2026-11-01`,
		"--until 2026-02-30":                    `--until: "2026-02-30" is not a date; write it as 2026-11-01`,
		"--since 2026-11-1":                     `--since: "2026-11-1" is not a date`,
		"--since=":                              `--since: "" is not a date`,
		"--organization=":                       "--organization must not be empty; omit it to list all organizations",
		"--since 2026-11-02 --until 2026-11-01": "--since must not be after --until",
		"--day":                                 "unknown flag",
		"org_a":                                 "org_a",
	} {
		if code, stdout, stderr := usage(t.Context(), path, strings.Fields(args)...); code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %q, %q; want %q", args, code, stdout, stderr, want)
		}
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the database was opened: %v", err)
	}
}

// TestUsageUnreadable shows that the error for a database that cannot be read names the
// variable, and no password.
func TestUsageUnreadable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "insight.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is not a database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a command waits no longer than its context
	for name, c := range map[string]struct {
		ctx      context.Context
		database string
	}{"no database": {t.Context(), path}, "a folder": {t.Context(), t.TempDir()}, "no server": {ctx, unreachable}} {
		if code, stdout, stderr := usage(c.ctx, c.database); code != 1 || stdout != "" || !strings.Contains(stderr, "INSIGHT_DATABASE") || strings.Contains(stderr, "word") {
			t.Errorf("%s: exit code %d, %q, %q", name, code, stdout, stderr)
		}
	}
}
