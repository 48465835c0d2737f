package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// standalone is a running standalone program.
type standalone struct {
	*program
	binary, dir, metrics string
}

// launchStandalone starts recto up.
func launchStandalone(o Options) (*System, error) {
	binary, err := Binary()
	if err != nil {
		return nil, err
	}
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "recto-test-"); err != nil {
			return nil, err
		}
	}
	args := append([]string{"up", "--data", o.Dir, "--addr", "127.0.0.1:0", "--objects-addr", "127.0.0.1:0"}, o.Args...)
	metrics, err := freeAddr()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(o.Args, "--metrics-addr") {
		args = append(args, "--metrics-addr", metrics)
	}
	if o.Rate != "" {
		args = append(args, "--rate", o.Rate)
	}
	command := append([]string{binary}, args...)
	if o.Files > 0 {
		command = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, o.Files)}, command...)
	}
	p, err := run(o.Env, command[0], command[1:]...)
	if err != nil {
		return nil, err
	}
	r := &standalone{program: p, binary: binary, dir: o.Dir, metrics: metrics}
	s := &System{Dir: o.Dir, running: r}
	if err = r.waitReady(&s.Credentials); err == nil {
		err = s.Reach()
	}
	if err != nil {
		_ = r.kill()
		return nil, fmt.Errorf("%w\n%s", err, r.output())
	}
	return s, nil
}

// waitReady waits for the line that recto up prints when it is ready. The credentials
// file alone proves nothing: it may be left from an earlier run.
func (r *standalone) waitReady(c *Credentials) error {
	deadline := time.After(startTimeout())
	for !bytes.Contains(r.log.Bytes(), []byte("Try it.")) {
		select {
		case <-r.done:
			return fmt.Errorf("recto up ended: %w", errors.Join(r.waitErr))
		case <-deadline:
			return errors.New("recto up does not become ready")
		case <-time.After(5 * time.Millisecond):
		}
	}
	content, err := os.ReadFile(filepath.Join(r.dir, "credentials.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(content, c)
}

func (r *standalone) output() string { return r.log.String() }

func (r *standalone) remove() error { return os.RemoveAll(r.dir) }

func (r *standalone) probes(string) []string { return []string{r.metrics} }

func (r *standalone) pid() (int, error) { return r.cmd.Process.Pid, nil }

func (r *standalone) command(ctx context.Context, args ...string) (string, error) {
	return output(exec.CommandContext(ctx, r.binary, append(args, "--data", r.dir)...))
}

// output runs a command and returns its standard output. If the command fails, the
// error holds its standard error.
func output(cmd *exec.Cmd) (string, error) {
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%w: %s", err, problems.String())
	}
	return out.String(), nil
}
