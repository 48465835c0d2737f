// Package jobrun runs a service that answers requests and does jobs. It owns the order
// in which that begins and ends, so that nothing that was taken is lost: requests wait
// for jobs, and workers go on until the last of them is answered.
package jobrun

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/derived"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

// Config is what the operator decides for every service that does jobs. The names of its
// variables begin with that of the service: it is a field of the service's
// configuration, with the tag envPrefix.
type Config struct {
	Jobs  job.Config
	Pool  int           `env:"POOL" envDefault:"256" desc:"requests that wait at a time; more are answered 5003"`
	Grace time.Duration `env:"SHUTDOWN_GRACE" envDefault:"60s" desc:"time for the requests in work at the end"`
}

// Check adds the problems of the variables, whose names begin with prefix.
func (c Config) Check(p *config.Problems, prefix string) {
	c.Jobs.Check(p, prefix)
	config.AtLeast(p, prefix+"POOL", c.Pool, 1)
	p.Positive(prefix+"SHUTDOWN_GRACE", c.Grace)
}

// Deps is what a service is given. It closes none of it.
type Deps struct {
	Telemetry *telemetry.Telemetry
	Bus       *bus.Conn
	Blobs     *blob.Store
}

// Process is what a service does, beside opening its stores.
type Process struct {
	Name string
	Config
	Deps
	// Register registers the endpoints.
	Register func(*bus.Server) error
	// Purged deals with the event that a document is gone. It is called again after
	// an error.
	Purged func(context.Context, contract.Event) error
	// Pool hands jobs to Work, until the last request is answered.
	Pool *job.Pool
	Work job.Work
	// Takers take requests that wait in a queue, until ctx ends. What they took is
	// answered before the server ends.
	Takers []func(ctx context.Context, server *bus.Server)
	// Files go when they are old.
	Files derived.Keeper
	// Checks are those of the stores: the service is ready while all are nil.
	Checks []func(context.Context) error
}

// Run answers requests, does jobs, and cleans up, until ctx ends. Then it answers what
// it has taken, and returns.
func Run(ctx context.Context, p Process) error {
	health := p.Telemetry.Health.Part(p.Name)
	server, err := p.Bus.Serve(p.Name, runner.Version, p.Config.Pool)
	if err != nil {
		return err
	}
	// Jobs in work go on until the end of the grace, and workers take others until the
	// last request is answered.
	inGrace, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	working, rest := context.WithCancel(context.WithoutCancel(ctx))
	var work, takers sync.WaitGroup
	defer work.Wait()
	defer rest()
	stop := func() {}
	if err = p.Register(server); err == nil {
		stop, err = Listen(ctx, p.Bus, p.Name, p.Pool, p.Purged)
	}
	if err == nil {
		work.Go(func() { p.Pool.Run(working, inGrace, p.Work) })
		for _, take := range p.Takers {
			takers.Go(func() { take(ctx, server) })
		}
		work.Go(func() { derived.Run(ctx, p.Files, p.Telemetry.Log.With("service", p.Name)) })
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

// waitFor waits for the group, or until ctx ends.
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

// Listen hears of documents for the service of that name, until stop is called: of one
// that is deleted it cancels the jobs, of one that is gone it calls purged. Each has a
// consumer of its own, so that NATS can see who asks for which events.
func Listen(ctx context.Context, conn *bus.Conn, name string, pool *job.Pool, purged func(context.Context, contract.Event) error) (stop func(), err error) {
	stopDeleted, err := conn.Consume(ctx, name+"-deleted", []string{documentapi.EventDeleted}, func(ctx context.Context, e contract.Event) error {
		return pool.CancelAll(ctx, e.Organization, e.Subject)
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
