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
// in work: the client's connection, both ends of the connection to versitygw, an
// object, and the file that takes its place.
const DescriptorsPerRequest = 5

// Limits are what clients have to keep to. The deadlines are those of
// listener.Deadlines.
type Limits struct {
	MaxConnections int           `env:"OBJECTS_MAX_CONNECTIONS" envDefault:"4096" desc:"connections at a time to the object store of the standalone program; fewer if the limit on open files is low. When there are as many, a new one takes the place of the one that has been idle for longest"`
	PerAddress     int           `env:"OBJECTS_CONNECTIONS_PER_ADDRESS" envDefault:"1024" desc:"connections at a time from one address; 0: no limit"`
	Trusted        []string      `env:"OBJECTS_TRUSTED_NETWORKS" envDefault:"127.0.0.0/8,::1/128" desc:"networks that OBJECTS_CONNECTIONS_PER_ADDRESS does not apply to, such as those of proxies, separated by commas"`
	HeadTimeout    time.Duration `env:"OBJECTS_HEAD_TIMEOUT" envDefault:"10s" desc:"time for the TLS handshake, and for the head of a request"`
	IdleTimeout    time.Duration `env:"OBJECTS_IDLE_TIMEOUT" envDefault:"2m" desc:"time that an idle connection is kept"`
	StallTimeout   time.Duration `env:"OBJECTS_STALL_TIMEOUT" envDefault:"30s" desc:"time in which an upload or a download has to move 1 KiB for each second of it; slower clients are cut. There is no limit for a whole upload"`
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

// deadlines returns the deadlines of l.
func (l Limits) deadlines() listener.Deadlines {
	return listener.Deadlines{Head: l.HeadTimeout, Idle: l.IdleTimeout, Stall: l.StallTimeout}
}

// withDefaults returns c with an absolute folder, with the default limits unless it
// has others, and with no more connections than there are file descriptors for.
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

// limit returns ln with the limits on connections.
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

// errEnded is why a server has ended that gives no reason.
var errEnded = errors.New("it ended by itself")

// Run returns when ctx ends and the requests in work are done, or, with an error,
// when the server cannot go on. It stops the server.
func (s *Server) Run(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return s.Stop()
	case err := <-s.done: // versitygw's listener, among others, does not survive a lack of file descriptors
		s.done <- err
		_ = s.Stop()
		return fmt.Errorf("the object store has ended: %w", cmp.Or(err, errEnded))
	case err := <-s.admission.done:
		s.admission.done <- err
		_ = s.Stop()
		return fmt.Errorf("the listener of the object store has failed: %w", err)
	}
}
