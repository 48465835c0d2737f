package jobrun

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
)

// Status returns a job.Status that asks the document service over conn.
func Status(conn *bus.Conn) job.Status {
	return func(ctx context.Context, p contract.Principal, documentID string) (deleted bool, err error) {
		s, err := bus.Call(ctx, conn, documentapi.Status, p, documentapi.StatusRequest{DocumentID: documentID})
		return s.Deleted, err
	}
}

// Completed returns a function that publishes the end of a job, as an event of type
// eventType about the job's document. Jobs without a document and canceled jobs produce
// no event.
func Completed(conn *bus.Conn, eventType string) func(context.Context, job.Record) error {
	return func(ctx context.Context, r job.Record) error {
		if r.Subject == "" || r.State == jobapi.Canceled {
			return nil
		}
		data, err := json.Marshal(jobapi.Completed{JobID: r.ID, State: r.State})
		if err != nil {
			return fmt.Errorf("encode the event: %w", err)
		}
		_, err = conn.PublishEvent(ctx, contract.Event{
			ID: fmt.Sprintf("%s.%d", r.ID, r.Attempt), Type: eventType, Organization: r.Principal.Organization,
			Subject: r.Subject, At: r.EndedAt, Data: data,
		})
		return err
	}
}

// Forget returns a handler for the event that a document was purged: it deletes the
// document's jobs and then calls forget with their IDs, to remove what was derived from
// the document.
func Forget(store job.Store, forget func(ctx context.Context, organization, documentID string, jobs []string) error) func(context.Context, contract.Event) error {
	return func(ctx context.Context, e contract.Event) error {
		ids, err := store.Forget(ctx, e.Organization, e.Subject)
		if err != nil {
			return err
		}
		return forget(ctx, e.Organization, e.Subject, ids)
	}
}
