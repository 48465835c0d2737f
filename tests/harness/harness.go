// Package harness brings Recto up for tests and speaks to it as clients do:
// over HTTPS, with the certificate authority that it has made. Every answer is
// held against the OpenAPI description that the service itself serves.
//
// There are three ways to bring it up. Standalone is the program recto, alone.
// Processes is every service as a program of its own on this machine. Containers
// is every service in a container, over servers in containers, as it is
// deployed. A test that says nothing else runs in each of them.
package harness

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// Mode is a way to bring Recto up.
type Mode string

// The modes.
const (
	Standalone Mode = "standalone"
	Processes  Mode = "processes"
	Containers Mode = "containers"
)

// ModeOfRun returns the mode that this run tests: that of RECTO_TEST_MODE,
// Standalone if it is not set.
func ModeOfRun() Mode {
	if mode := os.Getenv("RECTO_TEST_MODE"); mode != "" {
		return Mode(mode)
	}
	return Standalone
}

// StandaloneOnly ends a test that is about the program recto itself, its folder
// or its command line, in a run of another mode.
func StandaloneOnly(t testing.TB) {
	t.Helper()
	if mode := ModeOfRun(); mode != Standalone {
		t.Skipf("about the standalone program, not about %s", mode)
	}
}

// Credentials are what a client needs to speak to a system.
type Credentials struct {
	BaseURL        string `json:"base_url"`
	CAFile         string `json:"ca_file"`
	APIKey         string `json:"api_key"`
	OrganizationID string `json:"organization_id"`
	User           User   `json:"user"`
}

// User is a user as the API shows one.
type User struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// Options say how a system is started.
type Options struct {
	// Rate is that of the first key, "" for the default.
	Rate string
	// Env are further environment variables, as NAME=value, of every program.
	Env []string
	// Dir is the data folder of the standalone program; "" is a new one that
	// goes with the system.
	Dir string
	// Args are further arguments of recto up.
	Args []string
	// Files is the limit on open files of the standalone program; 0 is that of the
	// test.
	Files int
	// Proxied puts proxies, which can fail, on the way of processes to the object
	// store and to Redis.
	Proxied bool
	// Begun is called when processes have been started and are not waited for
	// yet.
	Begun func(*Deployment)
	// Replicas is how many instances there are of each service in containers; 0
	// is one.
	Replicas int
	// NATS is how many servers the bus has in containers; 0 is one.
	NATS int
}

// System is a running Recto.
type System struct {
	Credentials
	// Dir is the data folder of the standalone program.
	Dir string
	// Roots verifies its certificates.
	Roots *x509.CertPool

	running instance
	spec    *specification
}

// instance is what runs, in one of the modes.
type instance interface {
	// output is what the programs have written so far.
	output() string
	// stop ends all in order. An error unless all ended with 0, or had ended.
	stop() error
	// kill ends all as a power cut would.
	kill() error
	// remove removes what was kept.
	remove() error
	// command runs a command of the command line of recto, such as keys list,
	// and returns what it prints.
	command(ctx context.Context, args ...string) (string, error)
	// probes are the addresses for metrics and health of what serves as the
	// service.
	probes(service string) []string
	// pid is the process id, on this machine, of what serves the API.
	pid() (int, error)
}

// startTimeout is how long a start may take. It is generous: no time is tested
// with it.
func startTimeout() time.Duration { return patience.Scale(120 * time.Second) }

// Start starts a system and returns when it is ready. Whatever fails ends the
// test. The system ends with the test, and what it kept goes, unless
// Options.Dir names a folder.
func Start(t testing.TB, o Options) *System {
	t.Helper()
	s, err := Launch(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("end Recto: %v\n%s", err, s.Output())
		}
		if o.Dir == "" {
			_ = s.Remove()
		}
	})
	return s
}

// Launch is Start outside of a test: who calls it calls Stop, and Remove if it
// named no folder.
func Launch(o Options) (*System, error) {
	switch mode := ModeOfRun(); mode {
	case Standalone:
		return launchStandalone(o)
	case Processes:
		return launchProcesses(o)
	case Containers:
		return launchContainers(o)
	default:
		return nil, fmt.Errorf("RECTO_TEST_MODE must be standalone, processes or containers: %q", mode)
	}
}

// Reach gets what is known of a system only when it serves. A test that has
// started one by itself, and knows its Credentials, calls it.
func (s *System) Reach() (err error) {
	pem, err := os.ReadFile(s.CAFile)
	if err != nil {
		return err
	}
	s.Roots = x509.NewCertPool()
	if !s.Roots.AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s holds no certificate", s.CAFile)
	}
	s.spec, err = loadSpecification(s)
	return err
}

// Output returns what the programs have written so far.
func (s *System) Output() string { return s.running.output() }

// Shows waits until the programs have written all of the texts: what they log of
// a request may come after its answer. It returns all that was written so far.
func (s *System) Shows(t testing.TB, texts ...string) string {
	t.Helper()
	deadline := time.Now().Add(startTimeout())
	for _, text := range texts {
		for !strings.Contains(s.Output(), text) {
			if time.Now().After(deadline) {
				t.Errorf("it does not write %q:\n%s", text, s.Output())
				return s.Output()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	return s.Output()
}

// Stop sends SIGTERM and returns an error unless every program ends with 0. A
// system that has ended is stopped already.
func (s *System) Stop() error { return s.running.stop() }

// Kill ends the programs as a power cut would.
func (s *System) Kill() error { return s.running.kill() }

// Remove removes what the system has kept.
func (s *System) Remove() error { return s.running.remove() }

// Metrics returns the metrics of all programs that serve as the service.
func (s *System) Metrics(t testing.TB, service string) string {
	t.Helper()
	var all strings.Builder
	for _, addr := range s.running.probes(service) {
		response, err := http.Get("http://" + addr + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(&all, response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("the metrics of %s: status %d, %v", service, response.StatusCode, err)
		}
	}
	return all.String()
}

// Probe returns the address for metrics and health of what serves the API.
func (s *System) Probe() string { return s.running.probes("gateway")[0] }

// PID returns the process id of the program that serves the API.
func (s *System) PID(t testing.TB) int {
	t.Helper()
	pid, err := s.running.pid()
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// Wait returns when the standalone program has ended, an error unless it ended
// with 0. It does not tell it to end.
func (s *System) Wait() error {
	program, ok := s.running.(*standalone)
	if !ok {
		return errors.New("only the standalone program is waited for")
	}
	return program.wait()
}

// Recto runs a command of the command line of recto on the system, wherever it
// is in this mode, and returns what it prints.
func (s *System) Recto(ctx context.Context, args ...string) (string, error) {
	out, err := s.running.command(ctx, args...)
	if err != nil {
		return out, fmt.Errorf("%v: %w", args, err)
	}
	return out, nil
}

// Certificate returns the files of the certificate that the API is served with,
// and of its key, where they are on this machine.
func (s *System) Certificate() (cert, key string) {
	dir := filepath.Dir(s.CAFile)
	return filepath.Join(dir, "server.pem"), filepath.Join(dir, "server-key.pem")
}

// Transport returns a transport that trusts the system's certificates.
func (s *System) Transport() *http.Transport {
	return &http.Transport{TLSClientConfig: s.TLS(), MaxIdleConnsPerHost: 64}
}

// TLS returns a client configuration that trusts the system's certificates.
func (s *System) TLS() *tls.Config { return &tls.Config{RootCAs: s.Roots} }
