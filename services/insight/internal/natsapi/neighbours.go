package natsapi

import (
	"context"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/source"
)

// Neighbours returns functions that ask the other services about documents over conn.
func Neighbours(conn *bus.Conn) source.Neighbours {
	return source.Neighbours{
		Stored: func(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest) (conversionapi.StoredResponse, error) {
			return bus.Call(ctx, conn, conversionapi.Stored, p, r)
		},
		Inline: func(ctx context.Context, p contract.Principal, body contract.Stream) (contract.Stream, error) {
			return bus.Call(ctx, conn, conversionapi.Inline, p, body)
		},
		Fields: Fields(conn),
	}
}

// Fields returns a function that asks the annotation service for fields over conn.
func Fields(conn *bus.Conn) domain.Fields {
	return func(ctx context.Context, p contract.Principal, r annotationapi.FieldsRequest) (annotationapi.FieldsResponse, error) {
		return bus.Call(ctx, conn, annotationapi.Fields, p, r)
	}
}
