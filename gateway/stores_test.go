package gateway_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
)

// unreachable is the URL of a database on a server that does not exist.
const unreachable = "mongodb://user:pass%40word@127.0.0.1:1/gateway"

// run runs a command of the gateway on a database and returns its output.
func run(ctx context.Context, database string, args ...string) (string, error) {
	return runNoting(ctx, database, io.Discard, args...)
}

// runNoting runs a command of the gateway on a database, which writes notes, and returns its
// output.
func runNoting(ctx context.Context, database string, notes io.Writer, args ...string) (string, error) {
	load := func() (gateway.IdentityConfig, error) {
		return gateway.IdentityConfig{Database: database, Peppers: gateway.NewPepper()}, nil
	}
	publicURL := func() (string, error) { return "https://recto.example", nil }
	var out bytes.Buffer
	root := &cobra.Command{Use: "gateway", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(gateway.Commands(load, publicURL, nil)...)
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(notes)
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

// TestCommands creates and lists keys in each kind of database.
func TestCommands(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { testCommands(t, filepath.Join(t.TempDir(), "gateway.db")) })
	t.Run("MongoDB", func(t *testing.T) { testCommands(t, mongodbtest.URL(t)) })
}

func testCommands(t *testing.T, database string) {
	for _, c := range []struct{ args, want string }{
		{"users create --organization Acme --email zoe@acme.example --name Zoe", "zoe@acme.example"},
		{"keys create --email ZOE@acme.example", "Acme"}, {"keys list --json", `"scopes"`}, {"users list", "Zoe"},
	} {
		if out, err := run(t.Context(), database, strings.Fields(c.args)...); err != nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v\n%s", c.args, err, out)
		}
	}
}

// TestCommandWithoutDatabase checks that a command does not wait forever for an unavailable
// database, and that its error names the variable but not the password.
func TestCommandWithoutDatabase(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // a command waits at most until its context ends
	defer cancel()
	_, err := run(ctx, unreachable, "keys", "list")
	if err == nil || !strings.Contains(err.Error(), "GATEWAY_DATABASE") || strings.Contains(err.Error(), "word") {
		t.Errorf("got %v", err)
	}
}

// TestDatabases checks that MongoDB URLs without a database name are rejected at startup.
func TestDatabases(t *testing.T) {
	environ := []string{
		"GATEWAY_KEY_PEPPERS=" + gateway.NewPepper(), "GATEWAY_TLS=proxy", "GATEWAY_TRUSTED_PROXIES=10.0.0.0/8",
		"GATEWAY_DATABASE=" + unreachable, "GATEWAY_IDEMPOTENCY_DATABASE=" + unreachable,
	}
	var cfg gateway.Config
	if err := config.Load(environ, "GATEWAY_", &cfg); err != nil {
		t.Error(err)
	}
	for _, variable := range []string{"GATEWAY_DATABASE", "GATEWAY_IDEMPOTENCY_DATABASE"} {
		err := config.Load(append(environ, variable+"=mongodb://user:pass%40word@127.0.0.1:1"), "GATEWAY_", &cfg)
		if err == nil || !strings.Contains(err.Error(), variable+" names no database") || strings.Contains(err.Error(), "word") {
			t.Errorf("%s without a database: %v", variable, err)
		}
	}
}
