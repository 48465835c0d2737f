package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// NATSUsers are the users of deploy/nats/recto.conf.
var NATSUsers = []string{"gateway", "document", "conversion", "annotation", "insight", "admin", "system"}

// NATSPassword returns the password of a user on NATS servers of tests.
func NATSPassword(user string) string { return "password-of-" + user }

// NATS starts a NATS server on loopback from a configuration file of deploy/nats, and
// stops it when the test ends. Env holds the variables, as NAME=value, that the file
// needs in addition to the passwords.
func NATS(t testing.TB, file string, env ...string) *server.Server {
	t.Helper()
	s := StartNATS(t, NATSOptions(t, file, env...))
	if !s.ReadyForConnections(startTimeout()) {
		t.Fatal("NATS does not start")
	}
	return s
}

// NATSOptions reads a configuration file of deploy/nats and changes it to listen on a
// free loopback port.
func NATSOptions(t testing.TB, file string, env ...string) *server.Options {
	t.Helper()
	options, err := natsOptions(file, env...)
	if err != nil {
		t.Fatal(err)
	}
	if options.StoreDir == "" {
		options.StoreDir = t.TempDir()
	}
	return options
}

// natsOptions is NATSOptions without a test.
func natsOptions(file string, env ...string) (*server.Options, error) {
	for _, user := range NATSUsers {
		env = append(env, "NATS_"+strings.ToUpper(user)+"_PASSWORD="+NATSPassword(user))
	}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
		defer func() { _ = os.Unsetenv(name) }() // so that programs that the test starts don't inherit it
	}
	options, err := server.ProcessConfigFile(filepath.Join(Root(), "deploy", "nats", file))
	if err != nil {
		return nil, err
	}
	options.Host, options.Port, options.HTTPPort, options.NoSigs = "127.0.0.1", server.RANDOM_PORT, 0, true
	options.JetStream = true
	return options, nil
}

// StartNATS starts a server and stops it when the test ends. It does not wait until the
// server is ready.
func StartNATS(t testing.TB, options *server.Options) *server.Server {
	t.Helper()
	s, err := server.NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}
