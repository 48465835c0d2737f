package objectserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/listener"
)

// DescriptorsPerRequest is how many file descriptors a request takes while it is
// in progress: the client's connection, both ends of the connection to versitygw,
// an object, and the file that replaces it.
const DescriptorsPerRequest = 5

// Limits are the limits for clients. The timeouts become listener.Deadlines.
type Limits struct {
	MaxConnections int           `env:"OBJECTS_MAX_CONNECTIONS" envDefault:"4096" desc:"maximum concurrent connections to the object store of the standalone program; fewer if the open-file limit is low. At the limit, a new connection replaces the one that has been idle longest"`
	PerAddress     int           `env:"OBJECTS_CONNECTIONS_PER_ADDRESS" envDefault:"1024" desc:"maximum concurrent connections from one address; 0: no limit"`
	Trusted        []string      `env:"OBJECTS_TRUSTED_NETWORKS" envDefault:"127.0.0.0/8,::1/128" desc:"networks, such as those of proxies, that are exempt from OBJECTS_CONNECTIONS_PER_ADDRESS, separated by commas"`
	HeadTimeout    time.Duration `env:"OBJECTS_HEAD_TIMEOUT" envDefault:"10s" desc:"time limit for the TLS handshake, and for the header of a request"`
	IdleTimeout    time.Duration `env:"OBJECTS_IDLE_TIMEOUT" envDefault:"2m" desc:"how long an idle connection is kept open"`
	StallTimeout   time.Duration `env:"OBJECTS_STALL_TIMEOUT" envDefault:"30s" desc:"period over which an upload or download must average 1 KiB per second; slower clients are disconnected. The total time of an upload is not limited"`
}

// Validate implements config.Validator.
func (l Limits) Validate() []error {
	var p config.Problems
	config.AtLeast(&p, "OBJECTS_MAX_CONNECTIONS", l.MaxConnections, 1)
	config.AtLeast(&p, "OBJECTS_CONNECTIONS_PER_ADDRESS", l.PerAddress, 0)
	p.Networks("OBJECTS_TRUSTED_NETWORKS", l.Trusted)
	p.Positive("OBJECTS_HEAD_TIMEOUT", l.HeadTimeout)
	p.Positive("OBJECTS_IDLE_TIMEOUT", l.IdleTimeout)
	p.Positive("OBJECTS_STALL_TIMEOUT", l.StallTimeout)
	return p
}

// deadlines returns the timeouts of l.
func (l Limits) deadlines() listener.Deadlines {
	return listener.Deadlines{Head: l.HeadTimeout, Idle: l.IdleTimeout, Stall: l.StallTimeout}
}

// withDefaults returns c with an absolute folder, with the default limits if it has
// none, and with the connections limited to the available file descriptors.
func (c Config) withDefaults() (Config, error) {
	var err error
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return c, err
	}
	if c.Limits.MaxConnections == 0 {
		if err := config.Load(nil, "", &c.Limits); err != nil {
			return c, err
		}
	}
	if c.Metrics == nil {
		c.Metrics = prometheus.NewRegistry()
	}
	c.Limits.MaxConnections, err = listener.Fit("OBJECTS_MAX_CONNECTIONS", c.Limits.MaxConnections, DescriptorsPerRequest, c.log())
	return c, err
}

// limit returns ln with limits on connections.
func (c Config) limit(ln net.Listener) (*listener.Listener, error) {
	trusted, err := config.ParseNetworks(c.Limits.Trusted)
	if err != nil {
		return nil, err
	}
	return listener.New(ln, listener.Options{
		Name: "objects", Max: c.Limits.MaxConnections, PerAddress: c.Limits.PerAddress, Trusted: trusted, Stall: c.Limits.StallTimeout,
		Log: c.log(), Metrics: c.Metrics,
	})
}

// Check returns nil if clients can connect.
func (s *Server) Check(ctx context.Context) error { return s.listener.Check(ctx) }

// errEnded stands in for the reason if the server stops without an error.
var errEnded = errors.New("no error was reported")

// Run waits until ctx ends or the server fails, then stops the server and waits for
// requests in progress. It returns an error if the server failed.
func (s *Server) Run(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return s.Stop()
	case err := <-s.done: // versitygw's listener, among others, does not survive a lack of file descriptors
		s.done <- err
		_ = s.Stop()
		return fmt.Errorf("the object store stopped: %w", cmp.Or(err, errEnded))
	case err := <-s.admission.done:
		s.admission.done <- err
		_ = s.Stop()
		return fmt.Errorf("the listener of the object store failed: %w", err)
	}
}
