package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/sandbox/internal/confine"
)

// Report describes the restrictions in force for the children of a Sandbox.
type Report struct {
	confine.Report
	// Namespaces reports whether a child has its own namespaces.
	Namespaces bool
	// NoNamespaces is the reason if it has none.
	NoNamespaces string
}

// tryTimeout bounds the start of a child that only reports.
const tryTimeout = 30 * time.Second

// New returns a Sandbox that uses every restriction this machine permits. It starts a
// child once or twice to find out. It fails if a child cannot be restricted: running one
// unrestricted is not an option.
func New(ctx context.Context) (*Sandbox, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	s := &Sandbox{self: self, report: Report{Namespaces: true}}
	confined, refused := s.try(ctx)
	if refused != nil && ctx.Err() == nil {
		s.report = Report{NoNamespaces: reason(refused)}
		confined, err = s.try(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("start a child in the sandbox: %w", context.Cause(ctx))
	case err != nil:
		return nil, fmt.Errorf("start a child in the sandbox: %w", err)
	}
	s.report.Report = confined
	return s, nil
}

// reason returns the text of err without the path of this program.
func reason(err error) string {
	var start *os.PathError
	if errors.As(err, &start) {
		err = start.Err
	}
	return err.Error()
}

// try starts a child that reports the restrictions in force for it.
func (s *Sandbox) try(ctx context.Context) (r confine.Report, err error) {
	cmd, err := s.command(ctx, Policy{Memory: math.MaxUint64, CPUSeconds: 60, FileSize: 0, OpenFiles: 64})
	if err != nil {
		return r, err
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && len(exit.Stderr) > 0:
		return r, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

// try runs in the child that Sandbox.try starts.
func try(policy string) error {
	report, err := confine.Try(policy, confine.Enforce)
	if err != nil {
		return err
	}
	return json.MarshalWrite(os.Stdout, report)
}

// Report returns the restrictions in force.
func (s *Sandbox) Report() Report { return s.report }

// String describes the restrictions in force, for people.
func (r Report) String() string {
	said := []string{fmt.Sprintf("%d system calls are allowed", r.Calls)}
	switch {
	case r.Landlock == 0:
		said = append(said, "no Landlock: files are not hidden")
	case !r.Scopes:
		said = append(said, fmt.Sprintf("Landlock (ABI %d) hides files", r.Landlock))
	default:
		said = append(said, fmt.Sprintf("Landlock (ABI %d) hides files and blocks signals and abstract sockets", r.Landlock))
	}
	if r.Namespaces {
		said = append(said, "own user, PID, IPC, UTS and network namespaces")
	} else {
		said = append(said, "no namespaces: "+r.NoNamespaces)
	}
	return strings.Join(said, "; ")
}

// LogValue implements slog.LogValuer.
func (r Report) LogValue() slog.Value { return slog.StringValue(r.String()) }
