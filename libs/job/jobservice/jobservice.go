// Package jobservice runs a service that answers requests and does jobs. It owns the
// order in which that begins and ends, so that nothing that was taken is lost: requests
// wait for jobs, and workers go on until the last of them is answered.
package jobservice

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/derived"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

// Service is what a service of documents does, beside opening its stores.
type Service struct {
	Name      string
	Bus       *bus.Conn
	Telemetry *telemetry.Telemetry
	// InFlight is how many requests are answered at a time.
	InFlight int
	// Grace is how long what was taken may go on after the end.
	Grace time.Duration
	// Register registers the endpoints.
	Register func(*bus.Server) error
	// Purged deals with the event that a document is gone. It is called again after
	// an error.
	Purged func(context.Context, contract.Event) error
	// Pool hands jobs to Work, until the last request is answered.
	Pool *job.Pool
	Work job.Work
	// Files go when they are old.
	Files derived.Keeper
	// Checks are those of the stores: the service is ready while all are nil.
	Checks []func(context.Context) error
}

// Run answers requests, does jobs, and cleans up, until ctx ends. Then it answers what
// it has taken, and returns.
func Run(ctx context.Context, s Service) error {
	health := s.Telemetry.Health.Part(s.Name)
	server, err := s.Bus.Serve(s.Name, runner.Version, s.InFlight)
	if err != nil {
		return err
	}
	working, rest := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	defer work.Wait()
	defer rest()
	stop := func() {}
	if err = s.Register(server); err == nil {
		stop, err = Listen(ctx, s.Bus, s.Name, s.Pool, s.Purged)
	}
	if err == nil {
		work.Go(func() { s.Pool.Run(working, s.Grace, s.Work) })
		work.Go(func() { derived.Run(ctx, s.Files, s.Telemetry.Log.With("service", s.Name)) })
		health.Up(append([]func(context.Context) error{s.Bus.Check}, s.Checks...)...)
		<-ctx.Done()
		health.Down("stopping")
		stop()
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Grace)
	defer cancel()
	return errors.Join(err, server.Shutdown(grace))
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

// Status asks the document service over conn whether a document was deleted.
func Status(conn *bus.Conn) job.Status {
	return func(ctx context.Context, p contract.Principal, documentID string) (deleted bool, err error) {
		s, err := bus.Call(ctx, conn, documentapi.Status, p, documentapi.StatusRequest{DocumentID: documentID})
		return s.Deleted, err
	}
}
