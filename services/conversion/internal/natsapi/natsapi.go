// Package natsapi answers the endpoints of the conversion service on the bus.
package natsapi

import (
	"context"
	"errors"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// Register answers every endpoint of conversionapi with s.
func Register(server *bus.Server, s *domain.Service) error {
	return errors.Join(
		bus.Handle(server, conversionapi.Stored, s.Stored),
		bus.Handle(server, conversionapi.Inline, s.Inline),
	)
}

// Contents asks the document service over conn.
func Contents(conn *bus.Conn) domain.Contents {
	return func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
		return bus.Call(ctx, conn, documentapi.Contents, p, r)
	}
}
