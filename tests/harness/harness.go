// Package harness starts Recto for tests and talks to it as clients do: over HTTPS,
// trusting the certificate authority that Recto or the harness created. It validates
// every response against the OpenAPI description that the gateway itself serves.
//
// Recto can be started in three modes. Standalone is the single program recto.
// Processes runs every service as its own program on this machine. Containers runs
// every service in a container, on top of servers in containers, as in a deployment.
// In a fourth mode, Kubernetes, all tests share a system that runs in a cluster already:
// package cluster sets it up. Tests run in every mode unless they say otherwise.
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

// Mode is a way to start Recto.
type Mode string

// The modes.
const (
	Standalone Mode = "standalone"
	Processes  Mode = "processes"
	Containers Mode = "containers"
	Kubernetes Mode = "kubernetes"
)

// ModeOfRun returns the mode that this run tests: the value of RECTO_TEST_MODE, or
// Standalone if it is not set.
func ModeOfRun() Mode {
	if mode := os.Getenv("RECTO_TEST_MODE"); mode != "" {
		return Mode(mode)
	}
	return Standalone
}

// StandaloneOnly skips a test unless this run is in Standalone mode. It is for tests of
// the program recto itself, its data folder or its command line.
func StandaloneOnly(t testing.TB) {
	t.Helper()
	if mode := ModeOfRun(); mode != Standalone {
		t.Skipf("tests the standalone program, not %s", mode)
	}
}

// Credentials are what a client needs to talk to a system.
type Credentials struct {
	BaseURL        string `json:"base_url"`
	CAFile         string `json:"ca_file"`
	APIKey         string `json:"api_key"`
	OrganizationID string `json:"organization_id"`
	User           User   `json:"user"`
}

// User is a user as the API returns it.
type User struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// Options configures how a system is started.
type Options struct {
	// Rate is the rate limit of the first key; "" is the default.
	Rate string
	// Env are further environment variables for every program, as NAME=value.
	Env []string
	// Dir is the data folder of the standalone program; "" is a new one that is
	// removed with the system.
	Dir string
	// Args are further arguments of recto up.
	Args []string
	// Files is the open files limit of the standalone program; 0 keeps the limit of
	// the test process.
	Files int
	// Proxied puts proxies that can be made to fail between processes and the object
	// store, and between processes and Redis.
	Proxied bool
	// Begun, if set, is called after the processes have been started and before they
	// are ready.
	Begun func(*Deployment)
	// Replicas is the number of instances of each service in containers; 0 means 1.
	Replicas int
	// NATS is the number of NATS servers in containers; 0 means 1.
	NATS int
	// Fill, if set, is called before the services start in containers. It can store
	// what an earlier cluster has left.
	Fill func(*Cluster) error
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

// instance is a running Recto in one of the modes.
type instance interface {
	// output returns what the programs have written so far.
	output() string
	// stop shuts all programs down gracefully. It returns an error if one that was
	// still running exits with a status other than 0.
	stop() error
	// kill kills all programs, as a power cut would.
	kill() error
	// remove deletes all stored data.
	remove() error
	// command runs a recto command, such as keys list, and returns its output.
	command(ctx context.Context, args ...string) (string, error)
	// probes returns the metrics and health addresses of all instances of a service.
	probes(service string) []string
	// pid returns the process id, on this machine, of the program that serves the API.
	pid() (int, error)
}

// startTimeout is how long a start may take. It is generous because no test checks how
// long a start takes.
func startTimeout() time.Duration { return patience.Scale(120 * time.Second) }

// Start starts a system and returns when it is ready. It fails the test if the system
// does not start. When the test ends, the system is stopped and its data deleted,
// unless Options.Dir names a folder. In Kubernetes mode it skips the test, because all
// tests share one system there.
func Start(t testing.TB, o Options) *System {
	t.Helper()
	if ModeOfRun() == Kubernetes {
		t.Skip("starts a system of its own, not the one in the cluster")
	}
	s, err := Launch(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("stop Recto: %v\n%s", err, s.Output())
		}
		if o.Dir == "" {
			_ = s.Remove()
		}
	})
	return s
}

// Launch is Start without a test. The caller must call Stop, and also Remove if
// Options.Dir is "".
func Launch(o Options) (*System, error) {
	switch mode := ModeOfRun(); mode {
	case Standalone:
		return launchStandalone(o)
	case Processes:
		return launchProcesses(o)
	case Containers:
		return launchContainers(o)
	case Kubernetes:
		return reachKubernetes(o)
	default:
		return nil, fmt.Errorf("RECTO_TEST_MODE must be standalone, processes, containers or kubernetes: %q", mode)
	}
}

// Reach loads the certificate authority and the OpenAPI description of a running
// system. A test that has started a system on its own calls it after setting
// Credentials.
func (s *System) Reach() (err error) {
	pem, err := os.ReadFile(s.CAFile)
	if err != nil {
		return err
	}
	s.Roots = x509.NewCertPool()
	if !s.Roots.AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s contains no certificate", s.CAFile)
	}
	s.spec, err = loadSpecification(s)
	return err
}

// Output returns what the programs have written so far.
func (s *System) Output() string { return s.running.output() }

// Shows waits until the programs have written all of the texts, and returns everything
// written so far. It waits because a request may be logged after its response is sent.
func (s *System) Shows(t testing.TB, texts ...string) string {
	t.Helper()
	deadline := time.Now().Add(startTimeout())
	for _, text := range texts {
		for !strings.Contains(s.Output(), text) {
			if time.Now().After(deadline) {
				t.Errorf("the output does not contain %q:\n%s", text, s.Output())
				return s.Output()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	return s.Output()
}

// Stop sends SIGTERM and returns an error unless every program exits with status 0. It
// does nothing for programs that have already ended.
func (s *System) Stop() error { return s.running.stop() }

// Kill kills the programs without warning, as a power cut would.
func (s *System) Kill() error { return s.running.kill() }

// Remove deletes the system's stored data.
func (s *System) Remove() error { return s.running.remove() }

// Metrics returns the metrics of all instances of a service.
func (s *System) Metrics(t testing.TB, service string) string {
	t.Helper()
	var all strings.Builder
	for _, addr := range s.running.probes(service) {
		text, err := scrape(addr)
		if err != nil {
			t.Fatalf("metrics of %s: %v", service, err)
		}
		all.WriteString(text)
	}
	return all.String()
}

// Target is one program as Prometheus sees it.
type Target struct {
	// Job is the name of the service, or recto for the standalone program.
	Job string
	// Instance is the address that serves its metrics.
	Instance string
	// Metrics is what it exports, in the text format; "" if it does not answer.
	Metrics string
}

// Scrape returns the metrics of every program, as Prometheus would scrape them: a program
// that does not answer is no error.
func (s *System) Scrape() []Target {
	if _, ok := s.running.(*standalone); ok {
		return scrapeAll("recto", s.running.probes("gateway"))
	}
	var all []Target
	for _, service := range services {
		all = append(all, scrapeAll(service, s.running.probes(service))...)
	}
	return all
}

// scrapeAll returns the instances of a service as targets.
func scrapeAll(job string, addresses []string) []Target {
	targets := make([]Target, len(addresses))
	for i, addr := range addresses {
		metrics, err := scrape(addr)
		if err != nil {
			metrics = ""
		}
		targets[i] = Target{Job: job, Instance: addr, Metrics: metrics}
	}
	return targets
}

// maxMetrics bounds the metrics of one program, in bytes.
const maxMetrics = 16 << 20

// scrape returns the metrics that are served at an address.
func scrape(addr string) (string, error) {
	client := http.Client{Timeout: patience.Scale(10 * time.Second), Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + addr + "/metrics")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxMetrics))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers with status %d", addr, response.StatusCode)
	}
	return string(text), err
}

// Probe returns the metrics and health address of the program that serves the API.
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

// Wait waits until the standalone program ends on its own. It returns an error unless
// the program exits with status 0.
func (s *System) Wait() error {
	program, ok := s.running.(*standalone)
	if !ok {
		return errors.New("Wait needs the standalone program")
	}
	return program.wait()
}

// Recto runs a recto command on the system, with the program that has the command in
// this mode, and returns its output.
func (s *System) Recto(ctx context.Context, args ...string) (string, error) {
	out, err := s.running.command(ctx, args...)
	if err != nil {
		return out, fmt.Errorf("%v: %w", args, err)
	}
	return out, nil
}

// Certificate returns the paths, on this machine, of the API's certificate and of its
// private key.
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
