// Package natsapi answers the endpoints of the conversion service on the bus.
package natsapi

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// Register answers every endpoint of conversionapi with s.
func Register(server *bus.Server, s *domain.Service) error {
	return errors.Join(
		bus.Handle(server, conversionapi.Stored, s.Stored),
		bus.Handle(server, conversionapi.Submit, s.Submit),
		bus.Handle(server, conversionapi.Job, s.Job),
		bus.Handle(server, conversionapi.Sign, s.Sign),
		bus.Handle(server, conversionapi.Inline, s.Inline),
	)
}

// Contents asks the document service over conn.
func Contents(conn *bus.Conn) domain.Contents {
	return func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
		return bus.Call(ctx, conn, documentapi.Contents, p, r)
	}
}

// Forget deals with the event that a document is gone: its jobs go, and then
// what was made of it.
func Forget(s *domain.Service, jobs job.Store) func(context.Context, contract.Event) error {
	return func(ctx context.Context, e contract.Event) error {
		var purged documentapi.Purged
		if err := json.Unmarshal(e.Data, &purged); err != nil {
			return fmt.Errorf("decode the event: %w", err)
		}
		if _, err := jobs.Forget(ctx, e.Organization, e.Subject); err != nil {
			return err
		}
		return s.Forget(ctx, e.Organization, purged)
	}
}
