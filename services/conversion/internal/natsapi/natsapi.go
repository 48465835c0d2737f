// Package natsapi answers the endpoints of the conversion service on the bus.
package natsapi

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
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
		bus.Handle(server, conversionapi.ListJobs, s.ListJobs),
		bus.Handle(server, conversionapi.Sign, s.Sign),
		bus.Forward(server, conversionapi.Inline, inline),
	)
}

// pollEvery is how often is looked for inline files that nobody told of.
const pollEvery = time.Second

// ConvertInline returns what converts inline files, one after the other: the
// next one is taken from the queue when there is a converter for it, so that it
// waits where any instance can take it.
func ConvertInline(s *domain.Service, inline *bus.Requests, log *slog.Logger) func(context.Context, *bus.Server) {
	return func(ctx context.Context, server *bus.Server) {
		for ctx.Err() == nil {
			convertNext(ctx, server, s, inline, log)
		}
	}
}

// convertNext converts one inline file, or waits a while for one.
func convertNext(ctx context.Context, server *bus.Server, s *domain.Service, inline *bus.Requests, log *slog.Logger) {
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
		return
	}
	select {
	case <-ctx.Done():
	case <-inline.Woken():
	case <-time.After(pollEvery):
	}
}

// Documents asks the document service over conn.
func Documents(conn *bus.Conn) domain.Documents {
	return domain.Documents{
		Contents: func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
			return bus.Call(ctx, conn, documentapi.Contents, p, r)
		},
		Status: jobrun.Status(conn),
	}
}
