// Package natsapi answers the endpoints of the insight service on the bus.
package natsapi

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// Register answers every endpoint of insightapi with s.
func Register(server *bus.Server, s *domain.Service) error {
	return errors.Join(
		bus.Handle(server, insightapi.Create, s.Create),
		bus.Handle(server, insightapi.Begin, s.Begin),
		bus.Handle(server, insightapi.Submit, s.Submit),
		bus.Handle(server, insightapi.Job, s.Job),
		bus.Handle(server, insightapi.CancelJob, s.CancelJob),
		bus.Handle(server, insightapi.Sign, s.Sign),
	)
}

// Document asks the document service for documents over conn.
func Document(conn *bus.Conn) domain.Document {
	return func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.Document, error) {
		return bus.Call(ctx, conn, documentapi.Get, p, r)
	}
}

// Contents asks the document service for contents over conn.
func Contents(conn *bus.Conn) domain.Contents {
	return func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
		return bus.Call(ctx, conn, documentapi.Contents, p, r)
	}
}

// Completed tells of the end of a job, as an event of its document. What was read
// and is no document has none, and one that was canceled has completed nothing.
func Completed(conn *bus.Conn) func(context.Context, job.Record) error {
	return func(ctx context.Context, r job.Record) error {
		if r.Subject == "" || r.State == jobapi.Canceled {
			return nil
		}
		data, err := json.Marshal(insightapi.Completed{JobID: r.ID, State: r.State})
		if err != nil {
			return fmt.Errorf("encode the event: %w", err)
		}
		_, err = conn.PublishEvent(ctx, contract.Event{
			ID: fmt.Sprintf("%s.%d", r.ID, r.Attempt), Type: insightapi.EventCompleted, Organization: r.Principal.Organization,
			Subject: r.Subject, At: r.EndedAt, Data: data,
		})
		return err
	}
}

// Forget deals with the event that a document is gone: its jobs go, and then what
// was found in it.
func Forget(s *domain.Service, jobs job.Store) func(context.Context, contract.Event) error {
	return func(ctx context.Context, e contract.Event) error {
		ids, err := jobs.Forget(ctx, e.Organization, e.Subject)
		if err != nil {
			return err
		}
		return s.Forget(ctx, e.Organization, e.Subject, ids)
	}
}
