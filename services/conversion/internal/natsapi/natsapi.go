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

// Register serves every endpoint of conversionapi with s and pages, except that it puts
// inline files and requests for derived files into their queues.
func Register(server *bus.Server, s *domain.Service, pages *domain.Pages, inline, derive *bus.Requests) error {
	return errors.Join(
		bus.Handle(server, conversionapi.Stored, s.Stored),
		bus.Handle(server, conversionapi.Submit, s.Submit),
		bus.Handle(server, conversionapi.Job, s.Job),
		bus.Handle(server, conversionapi.CancelJob, s.CancelJob),
		bus.Handle(server, conversionapi.ListJobs, s.ListJobs),
		bus.Handle(server, conversionapi.Sign, s.Sign),
		bus.Forward(server, conversionapi.Inline, inline),
		bus.Handle(server, conversionapi.Pages, pages.List),
		bus.Handle(server, conversionapi.PageImage, pages.Image),
		bus.Handle(server, conversionapi.PageWords, pages.Words),
		bus.Forward(server, conversionapi.Derive, derive),
	)
}

// Derive returns a function that has a worker of any instance make a derived file.
func Derive(conn *bus.Conn) func(context.Context, contract.Principal, conversionapi.DeriveRequest) error {
	return func(ctx context.Context, p contract.Principal, r conversionapi.DeriveRequest) error {
		_, err := bus.Call(ctx, conn, conversionapi.Derive, p, r)
		return err
	}
}

// DeriveFiles returns a function that makes derived files one after the other. How often
// it runs bounds how many PDFs are read for them at once; they do not wait for conversions,
// which take much longer.
func DeriveFiles(s *domain.Service, derive *bus.Requests, log *slog.Logger) func(context.Context, *bus.Server) {
	return func(ctx context.Context, server *bus.Server) {
		for ctx.Err() == nil {
			taken, err := bus.Take(ctx, server, derive, s.Derive)
			if err != nil && ctx.Err() == nil {
				log.Warn("cannot take a request about pages from the queue; retrying", "error", err)
			}
			if !taken {
				await(ctx, derive)
			}
		}
	}
}

// await returns when there may be a request in the queue, or ctx ends.
func await(ctx context.Context, queue *bus.Requests) {
	select {
	case <-ctx.Done():
	case <-queue.Woken():
	case <-time.After(pollEvery):
	}
}

// pollEvery is the polling interval for requests whose wakeup was lost.
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
	if !taken {
		await(ctx, inline)
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
