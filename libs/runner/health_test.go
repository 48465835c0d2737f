package runner_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

// health executes the health command of a service with the current METRICS_ADDR, and
// returns its output.
func health(t *testing.T) (said string, err error) {
	t.Helper()
	run := func(context.Context) error { return errors.New("the service was started") }
	cmd := runner.Command("example", "EXAMPLE_", "Run an example.", &struct{}{}, run)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetArgs([]string{"health"})
	err = cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestHealthOfService(t *testing.T) {
	tel, err := telemetry.New(t.Context(), "example", telemetry.Config{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", ":0") // as in a container: all addresses
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- tel.Serve(ctx, ln) }()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	t.Setenv("METRICS_ADDR", ":"+port)
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // must not be used

	document, database := tel.Health.Part("document"), tel.Health.Part("database")
	document.Up()
	if said, err := health(t); err == nil || err.Error() != "database: starting" {
		t.Errorf("while a part starts: %q, %v", said, err)
	}
	database.Up(func(context.Context) error { return errors.New("the bus\nis down") })
	document.Down("stopping")
	if said, err := health(t); err == nil || err.Error() != "database: the bus is down; document: stopping" {
		t.Errorf("while two parts are down: %q, %v", said, err)
	}
	document.Up()
	database.Up()
	if said, err := health(t); err != nil || said != "ready\n" {
		t.Errorf("while all parts are up: %q, %v", said, err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if said, err := health(t); err == nil || !strings.Contains(err.Error(), "is the process running?") {
		t.Errorf("after the process has ended: %q, %v", said, err)
	}
}

// TestHealthTrustsOnlyItsCertificate has another program listen on the port, and then a process
// with an untrusted certificate.
func TestHealthTrustsOnlyItsCertificate(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>ready")
	}))
	defer other.Close()
	t.Setenv("METRICS_ADDR", other.Listener.Addr().String())
	if said, err := health(t); err == nil || !strings.Contains(err.Error(), "is another program listening there?") {
		t.Errorf("another program: %q, %v", said, err)
	}

	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			_, _ = io.WriteString(w, `{"status":"ready","parts":{}}`)
		}
	}))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it would report failed handshakes
	secure.StartTLS()
	defer secure.Close()
	ask := func(trust *tls.Config) error {
		cmd := runner.HealthCommand(func() (string, *tls.Config, error) { return secure.URL, trust, nil })
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetOut(io.Discard)
		cmd.SetArgs(nil)
		return cmd.ExecuteContext(t.Context())
	}
	pool := x509.NewCertPool()
	if err := ask(&tls.Config{RootCAs: pool}); err == nil {
		t.Error("an untrusted certificate is accepted")
	}
	pool.AddCert(secure.Certificate())
	if err := ask(&tls.Config{RootCAs: pool}); err != nil {
		t.Errorf("with the certificate of the process trusted: %v", err)
	}
}

func TestReachable(t *testing.T) {
	for addr, want := range map[string]string{
		":9464": "127.0.0.1:9464", "0.0.0.0:1": "127.0.0.1:1", "[::]:1": "127.0.0.1:1",
		"10.0.0.1:1": "10.0.0.1:1", "[::1]:1": "[::1]:1", "document:1": "document:1", "none": "none",
	} {
		if got := runner.Reachable(addr); got != want {
			t.Errorf("Reachable(%q) = %q, want %q", addr, got, want)
		}
	}
}
