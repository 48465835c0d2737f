// Package harness brings Recto up for tests and speaks to it as clients do:
// over HTTPS, with the certificate authority that it has made. Every answer is
// held against the OpenAPI description that the service itself serves.
package harness

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Credentials are what credentials.json of the data folder holds.
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
	// Dir is the data folder; "" is a new one that goes with the test.
	Dir string
	// Args are further arguments of recto up.
	Args []string
	// Env are further environment variables, as NAME=value.
	Env []string
}

// System is a running standalone program.
type System struct {
	Credentials
	// Dir is its data folder.
	Dir string
	// Output is what it has written so far, to both streams.
	Output *SafeBuffer
	// Roots verifies its certificates.
	Roots *x509.CertPool

	cmd     *exec.Cmd
	done    chan struct{}
	waitErr error
	binary  string
	spec    *specification
}

// startTimeout is how long a start may take. It is generous: no time is tested
// with it.
const startTimeout = 60 * time.Second

// Start starts recto up and returns when it is ready. Whatever fails ends the
// test. The program ends with the test.
func Start(t testing.TB, o Options) *System {
	t.Helper()
	s, err := Launch(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("end Recto: %v\n%s", err, s.Output)
		}
	})
	return s
}

// Launch is Start outside of a test: who calls it calls Stop, and Remove if it
// named no folder.
func Launch(o Options) (*System, error) {
	binary, err := Binary()
	if err != nil {
		return nil, err
	}
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "recto-test-"); err != nil {
			return nil, err
		}
	}
	s := &System{Dir: o.Dir, Output: &SafeBuffer{}, binary: binary, done: make(chan struct{})}
	args := append([]string{"up", "--data", o.Dir, "--addr", "127.0.0.1:0", "--objects-addr", "127.0.0.1:0"}, o.Args...)
	s.cmd = exec.Command(binary, args...)
	s.cmd.Env = append(os.Environ(), o.Env...)
	s.cmd.Stdout, s.cmd.Stderr = s.Output, s.Output
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		s.waitErr = s.cmd.Wait()
		close(s.done)
	}()
	if err := s.waitReady(); err != nil {
		_ = s.Kill()
		return nil, fmt.Errorf("%w\n%s", err, s.Output)
	}
	return s, nil
}

// Shows waits until the program has written all of the texts: what it logs of a
// request may come after its answer. It returns all that was written so far.
func (s *System) Shows(t testing.TB, texts ...string) string {
	t.Helper()
	deadline := time.Now().Add(startTimeout)
	for _, text := range texts {
		for !bytes.Contains(s.Output.Bytes(), []byte(text)) {
			if time.Now().After(deadline) {
				t.Errorf("the program does not write %q:\n%s", text, s.Output)
				return s.Output.String()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	return s.Output.String()
}

// waitReady waits for the line that says so: the credentials of an earlier run
// may lie in the folder already.
func (s *System) waitReady() error {
	deadline := time.After(startTimeout)
	for !bytes.Contains(s.Output.Bytes(), []byte("To copy:")) {
		select {
		case <-s.done:
			return fmt.Errorf("recto up ended: %w", errors.Join(s.waitErr))
		case <-deadline:
			return errors.New("recto up is not ready")
		case <-time.After(5 * time.Millisecond):
		}
	}
	content, err := os.ReadFile(filepath.Join(s.Dir, "credentials.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, &s.Credentials); err != nil {
		return err
	}
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

// Stop sends SIGTERM and returns an error unless the program ends with 0. A
// system that has ended is stopped already.
func (s *System) Stop() error {
	select {
	case <-s.done:
		return nil
	default:
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.Wait()
}

// Wait returns when the program has ended, an error unless it ended with 0. It
// does not tell it to end.
func (s *System) Wait() error {
	select {
	case <-s.done:
		return s.waitErr
	case <-time.After(startTimeout):
		return errors.Join(errors.New("it does not end"), s.Kill())
	}
}

// Kill ends the program as a power cut would.
func (s *System) Kill() error {
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.done
	return nil
}

// Remove deletes the data folder.
func (s *System) Remove() error { return os.RemoveAll(s.Dir) }

// PID returns the process id of the program.
func (s *System) PID() int { return s.cmd.Process.Pid }

// Recto runs the program with the arguments on the data folder and returns what
// it prints.
func (s *System) Recto(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.binary, append(args, "--data", s.Dir)...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("recto %v: %w: %s", args, err, problems.String())
	}
	return out.String(), nil
}

// Transport returns a transport that trusts the system's certificates.
func (s *System) Transport() *http.Transport {
	return &http.Transport{TLSClientConfig: s.TLS(), MaxIdleConnsPerHost: 64}
}

// TLS returns a client configuration that trusts the system's certificates.
func (s *System) TLS() *tls.Config { return &tls.Config{RootCAs: s.Roots} }

// SafeBuffer is a buffer that one goroutine writes and others read.
type SafeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (s *SafeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// Bytes returns a copy of what was written.
func (s *SafeBuffer) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.b.Bytes())
}

func (s *SafeBuffer) String() string { return string(s.Bytes()) }

var _ io.Writer = (*SafeBuffer)(nil)
