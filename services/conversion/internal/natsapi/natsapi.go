// Package natsapi serves the endpoints of the conversion service on the bus.
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

// Register serves every endpoint of conversionapi with s, except that it puts inline
// files into the queue.
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

// pollEvery is the polling interval for inline files whose wakeup was lost.
const pollEvery = time.Second

// ConvertInline returns a function that converts inline files one after the other. It
// takes a file from the queue only when a converter is free, so that a waiting file
// stays where any replica can take it.
func ConvertInline(s *domain.Service, inline *bus.Requests, log *slog.Logger) func(context.Context, *bus.Server) {
	return func(ctx context.Context, server *bus.Server) {
		for ctx.Err() == nil {
			convertNext(ctx, server, s, inline, log)
		}
	}
}

// convertNext converts one inline file, or waits for a while if there is none.
func convertNext(ctx context.Context, server *bus.Server, s *domain.Service, inline *bus.Requests, log *slog.Logger) {
	release, err := s.Acquire(ctx)
	if err != nil {
		return // ctx has ended
	}
	taken, err := bus.Take(ctx, server, inline, s.Inline)
	release()
	if err != nil && ctx.Err() == nil {
		log.Warn("cannot take an inline file from the queue; retrying", "error", err)
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

// Documents returns a domain.Documents that queries the document service over conn.
func Documents(conn *bus.Conn) domain.Documents {
	return domain.Documents{
		Contents: func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
			return bus.Call(ctx, conn, documentapi.Contents, p, r)
		},
		Status: jobrun.Status(conn),
	}
}
