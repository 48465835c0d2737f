// Package jobrun runs a service that answers requests and runs jobs. It controls the
// order of startup and shutdown, so that no accepted work is lost: requests wait for
// jobs, and workers continue until the last request is answered.
package jobrun

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/derived"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/runner"
)

// Config holds the operator's settings that every service with jobs has. The names of its
// variables begin with the name of the service: it is a field of the service's
// configuration, with the tag envPrefix.
type Config struct {
	Jobs  job.Config
	Pool  int           `env:"POOL" envDefault:"256" desc:"maximum number of concurrent requests; more wait for half a second at most, and then fail with 5003"`
	Grace time.Duration `env:"SHUTDOWN_GRACE" envDefault:"60s" desc:"how long shutdown waits for requests in progress"`
}

// Check adds the problems of the variables; their names begin with prefix.
func (c Config) Check(p *config.Problems, prefix string) {
	c.Jobs.Check(p, prefix)
	config.AtLeast(p, prefix+"POOL", c.Pool, 1)
	p.Positive(prefix+"SHUTDOWN_GRACE", c.Grace)
}

// Process describes what a service does, apart from opening its stores.
type Process struct {
	Name string
	// Role says which of the fields below Run uses.
	Role Role
	Config
	runner.Deps
	// Register registers the endpoints. A Worker has none.
	Register func(*bus.Server) error
	// Deleted handles the event that a document was deleted, after its jobs were canceled. It
	// may be nil. Purged handles the event that a document was purged. They are called again
	// after an error. A Worker does not receive these events.
	Deleted, Purged func(context.Context, contract.Event) error
	// Pool passes jobs to Work until the last request is answered. It also fills the
	// queue, so it runs in every role.
	Pool *job.Pool
	Work job.Work
	// Takers take requests from a queue until ctx ends. Requests that they have taken are
	// answered before the server stops.
	Takers []func(ctx context.Context, server *bus.Server)
	// Files are the derived files, removed when they expire. A Worker removes none.
	Files derived.Keeper
	// Checks are the health checks of the stores: the service is ready while all return
	// nil.
	Checks []func(context.Context) error
}

// Run answers requests, runs jobs and cleans up until ctx ends. Then it answers the
// requests that it has accepted, and returns.
func Run(ctx context.Context, p Process) error {
	health := p.Telemetry.Health.Part(p.Name)
	server, err := p.Bus.Serve(p.Name, runner.Version, p.Config.Pool)
	if err != nil {
		return err
	}
	// Jobs in progress may continue until the end of the shutdown grace period, and
	// workers take further jobs until the last request is answered.
	inGrace, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	working, rest := context.WithCancel(context.WithoutCancel(ctx))
	var work, takers sync.WaitGroup
	defer work.Wait()
	defer rest()
	stop, err := p.accept(ctx, server, &work)
	if err == nil {
		work.Go(func() { p.Pool.Run(working, inGrace, p.Work) })
		for _, take := range p.Takers {
			takers.Go(func() { take(ctx, server) })
		}
		if p.Role == API || p.Role == Worker {
			health.Note("role", string(p.Role))
		}
		health.Up(append([]func(context.Context) error{p.Bus.Check}, p.Checks...)...)
		<-ctx.Done()
		health.Down("stopping")
		stop()
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.Grace)
	defer cancel()
	time.AfterFunc(p.Grace, cut)
	waitFor(grace, &takers)
	return errors.Join(err, server.Shutdown(grace))
}

// accept does what Worker does not: it answers requests and consumes events until stop is
// called, and removes expired files until ctx ends.
func (p Process) accept(ctx context.Context, server *bus.Server, background *sync.WaitGroup) (stop func(), err error) {
	if !p.Role.accepts() {
		return func() {}, nil
	}
	if err := p.Register(server); err != nil {
		return func() {}, err
	}
	stop, err = Listen(ctx, p.Bus, p.Name, p.Pool, p.Deleted, p.Purged)
	if err == nil {
		background.Go(func() { derived.Run(ctx, p.Files, p.Telemetry.Log.With("part", p.Name)) })
	}
	return stop, err
}

// waitFor waits until the group is done or ctx ends.
func waitFor(ctx context.Context, group *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Listen consumes document events for the service called name until stop is called: it
// cancels the jobs of a deleted document and then calls deleted, which may be nil, and calls
// purged for a purged one. Each event type has its own consumer, so that NATS permissions can
// restrict who consumes which events.
func Listen(ctx context.Context, conn *bus.Conn, name string, pool *job.Pool, deleted, purged func(context.Context, contract.Event) error) (stop func(), err error) {
	stopDeleted, err := conn.Consume(ctx, name+"-deleted", []string{documentapi.EventDeleted}, func(ctx context.Context, e contract.Event) error {
		if err := pool.CancelAll(ctx, e.Organization, e.Subject); err != nil || deleted == nil {
			return err
		}
		return deleted(ctx, e)
	})
	if err != nil {
		return func() {}, err
	}
	stopPurged, err := conn.Consume(ctx, name, []string{documentapi.EventPurged}, purged)
	if err != nil {
		stopDeleted()
		return func() {}, err
	}
	return func() { stopDeleted(); stopPurged() }, nil
}
