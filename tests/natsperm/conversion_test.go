package natsperm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// conversion starts the conversion service: its endpoints, its jobs, the queue of inline
// files and its event consumers.
func (s *system) conversion() (conn *bus.Conn, purged <-chan contract.Event) {
	conn, tel := s.connect(conversionapi.Service)
	server := s.serve(conn, conversionapi.Service)
	store, err := sqlitestore.Open(s.t.Context(), filepath.Join(s.t.TempDir(), "jobs.db"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = store.Close() })
	s.openQueues(conn, 5) // so that opening them below changes their settings
	pool, err := job.Open(s.within(), string(jobapi.Convert), job.Config{
		Workers: 1, AckWait: patience.Scale(10 * time.Second), Budget: patience.Limit(), MaxTries: 3, Limit: 100, Share: 10, KeepEnded: time.Hour, KeepDead: time.Hour,
	}, job.Deps{Conn: conn, Store: store, Telemetry: tel, Ended: func(ctx context.Context, r job.Record) error {
		_, err := conn.PublishEvent(ctx, contract.Event{ID: r.ID, Type: conversionapi.EventCompleted, Organization: "org_1", Subject: r.Subject, At: 1})
		return err
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	inline, err := conn.OpenRequests(s.within(), conversionapi.Inline.Subject(), 10, patience.Scale(10*time.Second))
	if err != nil {
		s.t.Fatal(err)
	}
	derive, err := conn.OpenRequests(s.within(), conversionapi.Derive.Subject(), 10, patience.Scale(10*time.Second))
	if err != nil {
		s.t.Fatal(err)
	}
	submit := func(lane jobapi.Lane) func(context.Context, documentapi.GetRequest) (job.Record, error) {
		return func(ctx context.Context, r documentapi.GetRequest) (job.Record, error) {
			return pool.Submit(ctx, job.Record{ID: contract.NewID(contract.JobPrefix), Principal: principal, Key: contract.NewID(contract.JobPrefix), Subject: r.DocumentID, Lane: lane, Request: []byte("{}")},
				func(job.Record) bool { return true })
		}
	}
	err = errors.Join(
		bus.Handle(server, conversionapi.Stored, func(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest) (res conversionapi.StoredResponse, err error) {
			contents := documentapi.GetRequest{DocumentID: r.DocumentID}
			if answer, err := bus.Call(ctx, conn, documentapi.Contents, p, contents); err != nil || !isLong(answer) {
				return res, fmt.Errorf("the contents are %.100q: %w", answer.DocumentID, err)
			}
			record, err := submit(jobapi.Interactive)(ctx, contents)
			if err == nil {
				record, err = pool.Wait(ctx, record)
			}
			return conversionapi.StoredResponse{DownloadURL: string(record.State)}, err
		}),
		bus.Handle(server, conversionapi.Submit, func(ctx context.Context, _ contract.Principal, r conversionapi.StoredRequest) (jobapi.Job, error) {
			record, err := submit(jobapi.Bulk)(ctx, documentapi.GetRequest{DocumentID: r.DocumentID})
			return record.Job(jobapi.Convert), err
		}),
		bus.Handle(server, conversionapi.Job, func(ctx context.Context, _ contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
			record, err := pool.Get(ctx, "org_1", r.ID)
			return record.Job(jobapi.Convert), err
		}),
		bus.Handle(server, conversionapi.CancelJob, func(ctx context.Context, p contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
			if _, err := bus.Call(ctx, conn, documentapi.Status, p, documentapi.StatusRequest{DocumentID: "doc_1"}); err != nil {
				return jobapi.Job{}, err
			}
			record, err := pool.Cancel(ctx, "org_1", r.ID)
			return record.Job(jobapi.Convert), err
		}),
		bus.Handle(server, conversionapi.ListJobs, nothing),
		bus.Handle(server, conversionapi.Sign, nothing),
		bus.Forward(server, conversionapi.Inline, inline),
		bus.Handle(server, conversionapi.Pages, nothing),
		bus.Handle(server, conversionapi.PageImage, func(ctx context.Context, p contract.Principal, _ conversionapi.PageImageRequest) (conversionapi.PageImageResponse, error) {
			_, err := bus.Call(ctx, conn, conversionapi.Derive, p, conversionapi.DeriveRequest{Key: "x"})
			return conversionapi.PageImageResponse{ETag: "derived"}, err
		}),
		bus.Handle(server, conversionapi.PageWords, func(context.Context, contract.Principal, conversionapi.PageWordsRequest) (conversionapi.PageWordsResponse, error) {
			return conversionapi.PageWordsResponse{Text: long}, nil
		}),
		bus.Forward(server, conversionapi.Derive, derive),
	)
	if err != nil {
		s.t.Fatal(err)
	}
	working, rest := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		pool.Run(working, context.Background(), func(_ context.Context, _ job.Record, report func(float64)) (any, error) {
			report(0.5)
			return "done", nil
		})
	})
	work.Go(func() {
		take(working, s, server, inline, func(_ context.Context, _ contract.Principal, in contract.Stream) (contract.Stream, error) {
			content, err := io.ReadAll(in.Body)
			return contract.Stream{Body: bytes.NewReader(content)}, err
		})
	})
	work.Go(func() {
		take(working, s, server, derive, func(_ context.Context, _ contract.Principal, r conversionapi.DeriveRequest) (res conversionapi.DeriveResponse, err error) {
			if r.Key != "x" {
				err = fmt.Errorf("derive %+v", r)
			}
			return res, err
		})
	})
	s.t.Cleanup(func() {
		rest()
		work.Wait()
		_ = errors.Join(inline.Close(), derive.Close(), pool.Close())
	})
	return conn, s.listen(conn, conversionapi.Service, pool)
}

// openQueues opens and closes the queues of the conversion service.
func (s *system) openQueues(conn *bus.Conn, limit int64) {
	s.t.Helper()
	queue, err := conn.OpenQueue(s.within(), bus.QueueConfig{Name: string(jobapi.Convert), Limit: limit, AckWait: patience.Scale(10 * time.Second)})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := queue.Close(); err != nil {
		s.t.Error(err)
	}
	for _, name := range []string{conversionapi.Inline.Subject(), conversionapi.Derive.Subject()} {
		requests, err := conn.OpenRequests(s.within(), name, limit, patience.Scale(10*time.Second))
		if err != nil {
			s.t.Fatal(err)
		}
		if err := requests.Close(); err != nil {
			s.t.Error(err)
		}
	}
}

// take answers the requests of a queue with h until ctx ends.
func take[Req, Res any](ctx context.Context, s *system, server *bus.Server, queue *bus.Requests, h func(context.Context, contract.Principal, Req) (Res, error)) {
	for ctx.Err() == nil {
		if _, err := bus.Take(ctx, server, queue, h); err != nil && ctx.Err() == nil {
			s.t.Errorf("take a request: %v", err)
		}
		select {
		case <-queue.Woken():
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}
