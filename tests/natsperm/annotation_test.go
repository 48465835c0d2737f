package natsperm

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// annotation starts the annotation service: its endpoints, its jobs and its event
// consumers.
func (s *system) annotation() (purged <-chan contract.Event) {
	conn, tel := s.connect(annotationapi.Service)
	server := s.serve(conn, annotationapi.Service)
	store, err := sqlitestore.Open(s.t.Context(), filepath.Join(s.t.TempDir(), "jobs.db"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = store.Close() })
	s.openAndCloseQueue(conn, jobapi.Annotate) // so that opening it below changes its settings
	pool, err := job.Open(s.within(), string(jobapi.Annotate), job.Config{
		Workers: 1, AckWait: patience.Scale(10 * time.Second), Budget: patience.Limit(), MaxTries: 3, Limit: 100, Share: 10, KeepEnded: time.Hour, KeepDead: time.Hour,
	}, job.Deps{Conn: conn, Store: store, Telemetry: tel})
	if err != nil {
		s.t.Fatal(err)
	}
	err = errors.Join(
		bus.Handle(server, annotationapi.Annotate, func(ctx context.Context, p contract.Principal, in contract.Stream) (res annotationapi.AnnotateResponse, err error) {
			r, body, err := annotationapi.ReadAnnotate(in)
			if err != nil {
				return res, err
			}
			if answer, err := bus.Call(ctx, conn, documentapi.Contents, p, documentapi.GetRequest{DocumentID: r.DocumentID}); err != nil || !isLong(answer) {
				return res, errors.Join(errors.New("the contents are incomplete"), err)
			}
			if err := convertsInline(ctx, conn, p); err != nil {
				return res, err
			}
			_, err = conn.PublishEvent(ctx, contract.Event{ID: "annotated", Type: annotationapi.EventCompleted, Organization: p.Organization, Subject: "doc_1", At: 1})
			content, readErr := io.ReadAll(body.Body)
			return annotationapi.AnnotateResponse{DownloadURL: string(content)}, errors.Join(err, readErr)
		}),
		bus.Handle(server, annotationapi.Submit, func(ctx context.Context, p contract.Principal, _ contract.Stream) (jobapi.Job, error) {
			id := contract.NewID(contract.JobPrefix)
			record, err := pool.Submit(ctx, job.Record{ID: id, Principal: p, Key: id, Subject: "doc_1", Lane: jobapi.Bulk, Request: []byte("{}")},
				func(job.Record) bool { return true })
			if err == nil {
				record, err = pool.Wait(ctx, record)
			}
			return record.Job(jobapi.Annotate), err
		}),
		bus.Handle(server, annotationapi.Job, func(ctx context.Context, p contract.Principal, r jobapi.GetRequest) (res jobapi.Job, err error) {
			_, err = bus.Call(ctx, conn, documentapi.Status, p, documentapi.StatusRequest{DocumentID: "doc_1"})
			return res, err
		}),
		bus.Handle(server, annotationapi.CancelJob, nothing), bus.Handle(server, annotationapi.ListJobs, nothing), bus.Handle(server, annotationapi.Sign, nothing),
		bus.Handle(server, annotationapi.PutFields, nothing),
	)
	handle(s.t, server, annotationapi.Fields, func(annotationapi.FieldsRequest) annotationapi.FieldsResponse {
		return annotationapi.FieldsResponse{Items: []annotationapi.Field{{FieldID: long}}}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	working, rest := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		pool.Run(working, context.Background(), func(context.Context, job.Record, func(float64)) (any, error) { return "done", nil })
	})
	s.t.Cleanup(func() {
		rest()
		work.Wait()
		_ = pool.Close()
	})
	return s.listen(conn, annotationapi.Service, pool)
}

// openAndCloseQueue opens a job queue with settings that differ from the later ones.
func (s *system) openAndCloseQueue(conn *bus.Conn, kind jobapi.Kind) {
	s.t.Helper()
	queue, err := conn.OpenQueue(s.within(), bus.QueueConfig{Name: string(kind), Limit: 5, AckWait: patience.Scale(10 * time.Second)})
	if err == nil {
		err = queue.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// gatewayAnnotates calls the endpoints of the annotation service as the gateway does.
func (s *system) gatewayAnnotates(gateway *bus.Conn) {
	for _, text := range []string{"small", long} {
		payload, err := annotationapi.NewAnnotate(annotationapi.AnnotateRequest{DocumentID: "doc_1"}, strings.NewReader(text), int64(len(text)))
		if err != nil {
			s.t.Fatal(err)
		}
		call(s, gateway, annotationapi.Annotate, payload, func(r annotationapi.AnnotateResponse) bool { return r.DownloadURL == text })
	}
	call(s, gateway, annotationapi.Submit, contract.Stream{Body: strings.NewReader(long)}, func(j jobapi.Job) bool { return j.State == jobapi.Succeeded })
	call(s, gateway, annotationapi.Job, jobapi.GetRequest{ID: "job_1"}, nil)
	call(s, gateway, annotationapi.CancelJob, jobapi.GetRequest{ID: "job_1"}, nil)
	call(s, gateway, annotationapi.ListJobs, jobapi.ListRequest{Limit: 1}, nil)
	call(s, gateway, annotationapi.Sign, annotationapi.Result{}, nil)
	call(s, gateway, annotationapi.Fields, annotationapi.FieldsRequest{}, func(r annotationapi.FieldsResponse) bool { return r.Items[0].FieldID == long })
	call(s, gateway, annotationapi.PutFields, annotationapi.PutFieldsRequest{DocumentID: long}, nil)
}
