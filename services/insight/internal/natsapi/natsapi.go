// Package natsapi serves the endpoints of the insight service on the bus.
package natsapi

import (
	"context"
	"errors"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// Register serves every endpoint of insightapi with s.
func Register(server *bus.Server, s *domain.Service) error {
	return errors.Join(
		bus.Handle(server, insightapi.Create, s.Create),
		bus.Handle(server, insightapi.Begin, s.Begin),
		bus.Handle(server, insightapi.Submit, s.Submit),
		bus.Handle(server, insightapi.Job, s.Job),
		bus.Handle(server, insightapi.CancelJob, s.CancelJob),
		bus.Handle(server, insightapi.ListJobs, s.ListJobs),
		bus.Handle(server, insightapi.Sign, s.Sign),
	)
}

// Document returns a function that asks the document service for documents over conn.
func Document(conn *bus.Conn) domain.Document {
	return func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.Document, error) {
		return bus.Call(ctx, conn, documentapi.Get, p, r)
	}
}

// Contents returns a function that asks the document service for contents over conn.
func Contents(conn *bus.Conn) domain.Contents {
	return func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
		return bus.Call(ctx, conn, documentapi.Contents, p, r)
	}
}
