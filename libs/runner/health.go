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
	// healthTimeout bounds one readiness request. It is longer than the server's time
	// limit for the response, so that the response can still name a slow check.
	healthTimeout = 4 * time.Second
	// maxHealthBody bounds the response body, in bytes.
	maxHealthBody = 64 << 10
)

// HealthCommand returns the health command, for container health checks: it fails with a
// one-line reason unless the process is ready. locate returns where the process answers
// /readyz: its URL without a path, and the TLS configuration that verifies its
// certificate, or nil.
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

// locateHealth returns the origin of the service process that has the same environment as
// this one.
func locateHealth() (origin string, trust *tls.Config, err error) {
	var cfg telemetry.Config
	if err := config.Load(os.Environ(), "", &cfg); err != nil {
		return "", nil, err
	}
	return "http://" + Reachable(cfg.MetricsAddr), nil, nil
}

// askReady returns nil if the process at origin is ready. Otherwise the error says which
// of its parts are not.
func askReady(ctx context.Context, origin string, trust *tls.Config) error {
	state, err := AskReady(ctx, origin, trust)
	if err != nil || state.Ready {
		return err
	}
	return errors.New(state.Reasons())
}

// Readiness is the state that a process reports at /readyz.
type Readiness struct {
	Ready  bool              `json:"-"`
	Status string            `json:"status"`
	Parts  map[string]string `json:"parts"` // "ready", or why the part is not ready
}

// Reasons returns, in one line, why the process is not ready.
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

// AskReady requests the readiness of the process at origin, a URL without a path. A TLS
// certificate is verified with trust.
func AskReady(ctx context.Context, origin string, trust *tls.Config) (r Readiness, err error) {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/readyz", nil)
	if err != nil {
		return r, err
	}
	// Do not use the proxy from the environment: it is for external hosts.
	resp, err := (&http.Transport{TLSClientConfig: trust, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return r, fmt.Errorf("%s does not answer; is the process running? %w", req.URL, err)
	}
	defer resp.Body.Close()
	if err := json.UnmarshalRead(io.LimitReader(resp.Body, maxHealthBody), &r); err != nil {
		return r, fmt.Errorf("%s answered %s without a readiness state; is another program listening there? %w", req.URL, resp.Status, err)
	}
	r.Ready = resp.StatusCode == http.StatusOK
	return r, nil
}

// Reachable returns the address at which a client on this machine reaches a listen
// address: an unspecified host becomes 127.0.0.1.
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
