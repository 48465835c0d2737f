// Package natsapi serves the endpoints of the annotation service on the bus.
package natsapi

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/services/annotation/internal/domain"
)

// Register serves every endpoint of annotationapi with s.
func Register(server *bus.Server, s *domain.Service) error {
	return errors.Join(
		bus.Handle(server, annotationapi.Annotate, s.Annotate),
		bus.Handle(server, annotationapi.Submit, s.Submit),
		bus.Handle(server, annotationapi.Job, s.Job),
		bus.Handle(server, annotationapi.CancelJob, s.CancelJob),
		bus.Handle(server, annotationapi.ListJobs, s.ListJobs),
		bus.Handle(server, annotationapi.Sign, s.Sign),
		bus.Handle(server, annotationapi.Fields, s.Fields),
		bus.Handle(server, annotationapi.PutFields, s.PutFields),
	)
}

// Contents returns a domain.Contents that asks the document service over conn.
func Contents(conn *bus.Conn) domain.Contents {
	return func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
		return bus.Call(ctx, conn, documentapi.Contents, p, r)
	}
}

// Convert returns a function that asks the conversion service over conn to convert a file.
func Convert(conn *bus.Conn) func(context.Context, contract.Principal, contract.Stream) (contract.Stream, error) {
	return func(ctx context.Context, p contract.Principal, file contract.Stream) (contract.Stream, error) {
		return bus.Call(ctx, conn, conversionapi.Inline, p, file)
	}
}

// Completed returns a function that publishes that a file was filled, as an event of its
// document. Repeated calls for the same file publish only one event.
func Completed(conn *bus.Conn) func(context.Context, domain.Filled) error {
	return func(ctx context.Context, f domain.Filled) error {
		data, err := json.Marshal(annotationapi.Completed{Fields: f.Fields})
		if err != nil {
			return fmt.Errorf("encode the event: %w", err)
		}
		_, err = conn.PublishEvent(ctx, contract.Event{
			ID: "annotated." + f.Name, Type: annotationapi.EventCompleted, Organization: f.Organization,
			Subject: f.DocumentID, At: f.At.UnixMilli(), Data: data,
		})
		return err
	}
}
