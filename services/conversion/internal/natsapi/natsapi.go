// Package natsapi answers the endpoints of the conversion service on the bus.
package natsapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/jobservice"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// Register answers every endpoint of conversionapi with s, but for inline files:
// these wait in the queue.
func Register(server *bus.Server, s *domain.Service, inline *bus.Requests) error {
	return errors.Join(
		bus.Handle(server, conversionapi.Stored, s.Stored),
		bus.Handle(server, conversionapi.Submit, s.Submit),
		bus.Handle(server, conversionapi.Job, s.Job),
		bus.Handle(server, conversionapi.CancelJob, s.CancelJob),
		bus.Handle(server, conversionapi.Sign, s.Sign),
		bus.Forward(server, conversionapi.Inline, inline),
	)
}

// pollEvery is how often is looked for inline files that nobody told of.
const pollEvery = time.Second

// ConvertInline converts inline files, one after the other, until ctx ends: the
// next one is taken from the queue when there is a converter for it, so that it
// waits where any instance can take it.
func ConvertInline(ctx context.Context, server *bus.Server, s *domain.Service, inline *bus.Requests, log *slog.Logger) {
	for ctx.Err() == nil {
		release, err := s.Acquire(ctx)
		if err != nil {
			return // ctx has ended
		}
		taken, err := bus.Take(ctx, server, inline, s.Inline)
		release()
		if err != nil && ctx.Err() == nil {
			log.Warn("no inline file was taken; it is tried again", "error", err)
		}
		if taken {
			continue
		}
		select {
		case <-ctx.Done():
		case <-inline.Woken():
		case <-time.After(pollEvery):
		}
	}
}

// Documents asks the document service over conn.
func Documents(conn *bus.Conn) domain.Documents {
	return domain.Documents{
		Contents: func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
			return bus.Call(ctx, conn, documentapi.Contents, p, r)
		},
		Status: jobservice.Status(conn),
	}
}

// Completed tells of the end of a job, as an event of its document. One that was
// canceled has completed nothing.
func Completed(conn *bus.Conn) func(context.Context, job.Record) error {
	return func(ctx context.Context, r job.Record) error {
		if r.State == jobapi.Canceled {
			return nil
		}
		data, err := json.Marshal(conversionapi.Completed{JobID: r.ID, State: r.State})
		if err != nil {
			return fmt.Errorf("encode the event: %w", err)
		}
		_, err = conn.PublishEvent(ctx, contract.Event{
			ID: fmt.Sprintf("%s.%d", r.ID, r.Attempt), Type: conversionapi.EventCompleted, Organization: r.Principal.Organization,
			Subject: r.Subject, At: r.EndedAt, Data: data,
		})
		return err
	}
}

// Forget deals with the event that a document is gone: its jobs go, and then
// what was made of it.
func Forget(s *domain.Service, jobs job.Store) func(context.Context, contract.Event) error {
	return func(ctx context.Context, e contract.Event) error {
		if _, err := jobs.Forget(ctx, e.Organization, e.Subject); err != nil {
			return err
		}
		return s.Forget(ctx, e.Organization, e.Subject)
	}
}
