package runner

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/telemetry"
)

const (
	// healthTimeout bounds one question for readiness. It is longer than the
	// time that the answer may take, so that a slow check is told by its name.
	healthTimeout = 4 * time.Second
	// maxHealthBody bounds its answer, in bytes.
	maxHealthBody = 64 << 10
)

// HealthCommand returns the command health, for those who watch a process from
// within its container: it fails, and says why in one line, unless the process
// is ready. Where that process answers /readyz is found by locate: its URL
// without a path, and what its certificate is verified by, if it has one.
func HealthCommand(locate func() (origin string, trust *tls.Config, err error)) *cobra.Command {
	return &cobra.Command{
		Use: "health", Short: "Ask the running process whether it is ready", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			origin, trust, err := locate()
			if err == nil {
				err = askReady(cmd.Context(), origin, trust)
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "ready")
			return nil
		},
	}
}

// locateHealth returns where the process of a service answers that has the
// same environment as this one.
func locateHealth() (origin string, trust *tls.Config, err error) {
	var cfg telemetry.Config
	if err := config.Load(os.Environ(), "", &cfg); err != nil {
		return "", nil, err
	}
	return "http://" + Reachable(cfg.MetricsAddr), nil, nil
}

// askReady returns nil if what answers at origin is ready, and otherwise which
// of its parts are not.
func askReady(ctx context.Context, origin string, trust *tls.Config) error {
	state, err := AskReady(ctx, origin, trust)
	if err != nil || state.Ready {
		return err
	}
	return errors.New(state.Reasons())
}

// Readiness is what a process says of itself at /readyz.
type Readiness struct {
	Ready  bool              `json:"-"`
	Status string            `json:"status"`
	Parts  map[string]string `json:"parts"` // "ready", or why it is not
}

// Reasons says in one line why the process is not ready.
func (r Readiness) Reasons() string {
	var reasons []string
	for _, part := range slices.Sorted(maps.Keys(r.Parts)) {
		if reason := r.Parts[part]; reason != "ready" {
			reasons = append(reasons, part+": "+reason)
		}
	}
	if len(reasons) == 0 {
		reasons = []string{r.Status}
	}
	return strings.Join(strings.Fields(strings.Join(reasons, "; ")), " ")
}

// AskReady asks the process that answers at origin, a URL without a path, for
// its readiness. Its certificate, if it has one, is verified by trust.
func AskReady(ctx context.Context, origin string, trust *tls.Config) (r Readiness, err error) {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/readyz", nil)
	if err != nil {
		return r, err
	}
	// A proxy that the environment names is for what lies outside.
	resp, err := (&http.Transport{TLSClientConfig: trust, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return r, fmt.Errorf("%s does not answer; is the process running? %w", req.URL, err)
	}
	defer resp.Body.Close()
	if err := json.UnmarshalRead(io.LimitReader(resp.Body, maxHealthBody), &r); err != nil {
		return r, fmt.Errorf("%s answers %s, but no state: is another program there? %w", req.URL, resp.Status, err)
	}
	r.Ready = resp.StatusCode == http.StatusOK
	return r, nil
}

// Reachable returns the address that a client on this machine uses for one that
// is listened on: all addresses are no address.
func Reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
