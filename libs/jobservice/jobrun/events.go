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

// Status asks the document service over conn whether a document was deleted.
func Status(conn *bus.Conn) job.Status {
	return func(ctx context.Context, p contract.Principal, documentID string) (deleted bool, err error) {
		s, err := bus.Call(ctx, conn, documentapi.Status, p, documentapi.StatusRequest{DocumentID: documentID})
		return s.Deleted, err
	}
}

// Completed tells of the end of a job, as an event of that type of its document. A job
// of no document has none, and one that was canceled has completed nothing.
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

// Forget deals with the event that a document is gone: its jobs go, and then forget
// removes what was made of it. Jobs are the ids of its jobs.
func Forget(store job.Store, forget func(ctx context.Context, organization, documentID string, jobs []string) error) func(context.Context, contract.Event) error {
	return func(ctx context.Context, e contract.Event) error {
		ids, err := store.Forget(ctx, e.Organization, e.Subject)
		if err != nil {
			return err
		}
		return forget(ctx, e.Organization, e.Subject, ids)
	}
}
