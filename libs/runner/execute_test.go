package runner_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/runner"
)

// tree returns a program with commands of each kind.
func tree() *cobra.Command {
	root := &cobra.Command{Use: "prog", Short: "Does it"}
	root.SetUsageFunc(func(c *cobra.Command) error {
		runner.PrintUsage(c)
		return nil
	})
	keys := &cobra.Command{Use: "keys", Short: "Keys"}
	list := &cobra.Command{Use: "list", Example: "keys list\nkeys list \\\n  --json", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return nil }}
	list.Flags().Bool("json", false, "print JSON")
	list.Flags().Duration("grace", 0, "time")
	keys.AddCommand(list,
		&cobra.Command{Use: "revoke KEY_ID", SuggestFor: []string{"delete"}, Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			return errors.New("no such key")
		}},
		&cobra.Command{Use: "create", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
			return runner.Usage(errors.New("--email is missing"))
		}},
	)
	root.AddCommand(keys, runner.VersionCommand())
	return root
}

// execute runs a command line and returns its exit code and output.
func execute(ctx context.Context, root *cobra.Command, line string) (code int, stdout, stderr string) {
	var out, problems bytes.Buffer
	root.SetArgs(strings.Fields(line))
	root.SetOut(&out)
	root.SetErr(&problems)
	code = runner.Execute(ctx, root)
	return code, out.String(), problems.String()
}

// TestExitCodes runs valid and invalid command lines. An invalid one is never taken for a
// call for help.
func TestExitCodes(t *testing.T) {
	for line, want := range map[string]struct {
		code           int
		stdout, stderr string
	}{
		"version":              {0, "prog " + runner.Version + "\n", ""},
		"keys list --json":     {0, "", ""},
		"keys revoke k":        {1, "", "prog: no such key\n"},
		"kyes":                 {2, "", `prog: unknown command "kyes". Did you mean keys? See prog --help.` + "\n"},
		"kyes --json list":     {2, "", `prog: unknown command "kyes". Did you mean keys? See prog --help.` + "\n"},
		"other":                {2, "", `prog: unknown command "other". See prog --help.` + "\n"},
		"keys revok KEY":       {2, "", `prog keys: unknown command "revok". Did you mean revoke? See prog keys --help.` + "\n"},
		"keys revok KEY --now": {2, "", `prog keys: unknown command "revok". Did you mean revoke? See prog keys --help.` + "\n"},
		"keys delete KEY":      {2, "", `prog keys: unknown command "delete". Did you mean revoke? See prog keys --help.` + "\n"},
		"help keys revok":      {2, "", `prog help: unknown command "revok". Did you mean revoke? See prog help --help.` + "\n"},
		"keys revoke":          {2, "", "prog keys revoke: KEY_ID is missing. See prog keys revoke --help.\n"},
		"keys revoke a b":      {2, "", `prog keys revoke: unexpected argument "b". See prog keys revoke --help.` + "\n"},
		"keys list x":          {2, "", `prog keys list: unexpected argument "x". See prog keys list --help.` + "\n"},
		"keys list --jsno":     {2, "", "prog keys list: unknown flag --jsno. Did you mean --json? See prog keys list --help.\n"},
		"keys list --yes":      {2, "", "prog keys list: unknown flag --yes. See prog keys list --help.\n"},
		"keys list --grace=x":  {2, "", `prog keys list: --grace: "x" is not a duration such as 30s or 24h. See prog keys list --help.` + "\n"},
		"keys create":          {2, "", "prog keys create: --email is missing. See prog keys create --help.\n"},
		"completion nushell":   {2, "", `prog completion: unknown command "nushell". See prog completion --help.` + "\n"},
	} {
		code, stdout, stderr := execute(t.Context(), tree(), line)
		if code != want.code || stdout != want.stdout || stderr != want.stderr {
			t.Errorf("%s: got %d, %q, %q, want %d, %q, %q", line, code, stdout, stderr, want.code, want.stdout, want.stderr)
		}
	}
}

// TestHelp checks where help goes: to standard output if it was requested, and to
// standard error if a command is missing.
func TestHelp(t *testing.T) {
	for _, line := range []string{"--help", "help", "keys --help", "help keys"} {
		code, stdout, stderr := execute(t.Context(), tree(), line)
		if code != 0 || !strings.Contains(stdout, "[command]") || stderr != "" {
			t.Errorf("%s: %d\n%s\n%s", line, code, stdout, stderr)
		}
	}
	for _, line := range []string{"", "keys", "completion"} {
		code, stdout, stderr := execute(t.Context(), tree(), line)
		if code != 2 || stdout != "" || !strings.Contains(stderr, "Commands:") {
			t.Errorf("%q: %d\n%s\n%s", line, code, stdout, stderr)
		}
	}
	if _, stdout, _ := execute(t.Context(), tree(), "keys list --help"); !strings.Contains(stdout, "\nExamples:\n  prog keys list\n  prog keys list \\\n    --json\n\n") {
		t.Errorf("the help of keys list is\n%s", stdout)
	}
	_, stdout, _ := execute(t.Context(), tree(), "--help")
	for _, want := range []string{"Exit codes:", "  2  usage error", "  completion"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the help lacks %q:\n%s", want, stdout)
		}
	}
	if _, stdout, _ := execute(t.Context(), tree(), "keys --help"); strings.Contains(stdout, "Exit codes:") || !strings.HasPrefix(stdout, "Keys\n\nUsage:\n  prog keys [command]\n\nCommands:\n") {
		t.Errorf("the help of keys is\n%s", stdout)
	}
}

// TestCompletion requests completions as a shell does.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{"__complete keys rev": "revoke\n", "__complete keys list --js": "--json\tprint JSON\n", "__complete keys revoke k": ":4\n"} {
		if code, stdout, _ := execute(t.Context(), tree(), line); code != 0 || !strings.HasPrefix(stdout, want) {
			t.Errorf("%s: %d, %q", line, code, stdout)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, stdout, _ := execute(t.Context(), tree(), "completion "+shell); code != 0 || !strings.Contains(stdout, "prog") {
			t.Errorf("%s: %d, %d bytes", shell, code, len(stdout))
		}
	}
}

// TestServiceHelp checks the help of a service's program.
func TestServiceHelp(t *testing.T) {
	var cfg struct {
		Own struct {
			Pool     int    `env:"TEST_POOL" envDefault:"4" desc:"requests"`
			Database string `env:"TEST_DATABASE,notEmpty" desc:"where"`
		}
		Process runner.Config
		Wait    time.Duration `env:"TEST_WAIT" desc:"how long"`
	}
	newCommand := func() *cobra.Command {
		return runner.Command("test", "TEST_", "Run the test service.", &cfg, func(context.Context) error { return errors.New("it runs") })
	}
	code, stdout, _ := execute(t.Context(), newCommand(), "--help")
	last := 0
	for _, want := range []string{
		"Usage:\n  test [flags]\n  test [command]\n", "Commands:", "completion", "health", "version", "Exit codes:",
		"Environment (test):", "TEST_DATABASE", "TEST_POOL", "TEST_WAIT", "Environment (logs, metrics and traces):", "LOG_LEVEL", "Environment (NATS):", "NATS_URL",
	} {
		at := strings.Index(stdout, want)
		if code != 0 || at < last {
			t.Errorf("the help ends with %d and lacks %q, or has it too early:\n%s", code, want, stdout)
		}
		last = max(at, last)
	}
	for _, f := range config.Fields(&cfg) {
		if !strings.Contains(stdout, "\n  "+f.Name+" ") {
			t.Errorf("the help lacks %s", f.Name)
		}
	}
	if code, _, stderr := execute(t.Context(), newCommand(), "helth"); code != 2 || stderr != `test: unknown command "helth". Did you mean health? See test --help.`+"\n" {
		t.Errorf("a misspelled command: %d, %s", code, stderr)
	}
	t.Setenv("TEST_DATABASE", "x")
	if code, _, stderr := execute(t.Context(), newCommand(), ""); code != 1 || stderr != "test: it runs\n" {
		t.Errorf("without a command: %d, %s", code, stderr)
	}
}
