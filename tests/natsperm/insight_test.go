package natsperm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// insight starts the insight service: its endpoints, its jobs and their progress, its
// calls to other services and its event consumers.
func (s *system) insight() (purged, sealed <-chan contract.Event) {
	conn, tel := s.connect(insightapi.Service)
	server := s.serve(conn, insightapi.Service)
	store, err := sqlitestore.Open(s.t.Context(), filepath.Join(s.t.TempDir(), "jobs.db"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = store.Close() })
	s.openAndCloseQueue(conn, jobapi.Analyze) // so that opening it below changes its settings
	progress := s.openLog(conn)
	pool, err := job.Open(s.within(), string(jobapi.Analyze), job.Config{
		Workers: 1, AckWait: patience.Scale(10 * time.Second), Budget: patience.Limit(), MaxTries: 3, Limit: 100, Share: 10, KeepEnded: time.Hour, KeepDead: time.Hour,
	}, job.Deps{Conn: conn, Store: store, Telemetry: tel, Ended: func(ctx context.Context, r job.Record) error {
		_, err := conn.PublishEvent(ctx, contract.Event{ID: r.ID, Type: insightapi.EventCompleted, Organization: "org_1", Subject: "doc_1", At: 1})
		return err
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	submit := func(ctx context.Context, p contract.Principal, r insightapi.CreateRequest) (jobapi.Job, error) {
		id := contract.NewID(contract.JobPrefix)
		record, err := pool.Submit(ctx, job.Record{ID: id, Principal: p, Key: id, Subject: "doc_1", Lane: jobapi.Interactive, Request: []byte("{}")},
			func(job.Record) bool { return true })
		return record.Job(jobapi.Analyze), err
	}
	err = errors.Join(
		bus.Handle(server, insightapi.Create, func(ctx context.Context, p contract.Principal, r insightapi.CreateRequest) (res insightapi.CreateResponse, err error) {
			if err := asksAll(ctx, conn, p); err != nil {
				return res, err
			}
			return insightapi.CreateResponse{Result: insightapi.Result{JobID: r.Value}}, nil
		}),
		bus.Handle(server, insightapi.Begin, submit), bus.Handle(server, insightapi.Submit, submit),
		bus.Handle(server, insightapi.Job, func(ctx context.Context, _ contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
			record, err := pool.Get(ctx, "org_1", r.ID)
			if err == nil {
				record, err = pool.Wait(ctx, record)
			}
			return record.Job(jobapi.Analyze), errors.Join(err, progress.Remove(ctx, "org_1", r.ID))
		}),
		bus.Handle(server, insightapi.CancelJob, nothing), bus.Handle(server, insightapi.ListJobs, nothing), bus.Handle(server, insightapi.Sign, nothing),
	)
	if err != nil {
		s.t.Fatal(err)
	}
	working, rest := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		pool.Run(working, context.Background(), func(ctx context.Context, r job.Record, _ func(float64)) (any, error) {
			return "done", progress.Append(ctx, "org_1", r.ID, 1, []byte("begun"))
		})
	})
	s.t.Cleanup(func() {
		rest()
		work.Wait()
		_ = pool.Close()
	})
	return s.listen(conn, insightapi.Service, pool), s.consume(conn, "insight-sealed", documentapi.EventSealed)
}

// openLog opens the progress log twice, so that the second time changes its settings.
func (s *system) openLog(conn *bus.Conn) (progress *bus.Log) {
	s.t.Helper()
	for _, age := range []time.Duration{time.Minute, time.Hour} {
		var err error
		if progress, err = conn.OpenLog(s.within(), bus.LogConfig{Name: insightapi.ProgressLog, MaxAge: age, MaxBytes: 1 << 20}); err != nil {
			s.t.Fatal(err)
		}
	}
	return progress
}

// asksAll makes all calls of the insight service to other services.
func asksAll(ctx context.Context, conn *bus.Conn, p contract.Principal) error {
	get := documentapi.GetRequest{DocumentID: "doc_1"}
	document, documentErr := bus.Call(ctx, conn, documentapi.Get, p, get)
	contents, contentsErr := bus.Call(ctx, conn, documentapi.Contents, p, get)
	_, statusErr := bus.Call(ctx, conn, documentapi.Status, p, documentapi.StatusRequest{DocumentID: "doc_1"})
	fields, fieldsErr := bus.Call(ctx, conn, annotationapi.Fields, p, annotationapi.FieldsRequest{DocumentID: "doc_1"})
	stored, storedErr := bus.Call(ctx, conn, conversionapi.Stored, p, conversionapi.StoredRequest{DocumentID: "doc_1"})
	err := errors.Join(documentErr, contentsErr, statusErr, fieldsErr, storedErr)
	if err == nil && (document.Name != "doc_1" || !isLong(contents) || fields.Items[0].FieldID != long || stored.DownloadURL != string(jobapi.Succeeded)) {
		err = fmt.Errorf("a response is incomplete: %.100q %.100q", document.Name, stored.DownloadURL)
	}
	return errors.Join(err, convertsInline(ctx, conn, p))
}

// convertsInline has files converted inline: one that fits into a message, and one that
// needs a claim check.
func convertsInline(ctx context.Context, conn *bus.Conn, p contract.Principal) (err error) {
	for _, text := range []string{"small", long} {
		inline, inlineErr := bus.Call(ctx, conn, conversionapi.Inline, p, contract.Stream{Body: strings.NewReader(text)})
		if inlineErr != nil {
			return errors.Join(err, inlineErr)
		}
		got, readErr := io.ReadAll(inline.Body)
		if !bytes.Equal(got, []byte(text)) {
			readErr = errors.Join(readErr, errors.New("an inline file is incomplete"))
		}
		err = errors.Join(err, readErr, inline.Close())
	}
	return err
}

// gatewayAnalyzes calls the endpoints of the insight service and follows a job, as the
// gateway does.
func (s *system) gatewayAnalyzes(gateway *bus.Conn) {
	for _, text := range []string{"small", long} {
		call(s, gateway, insightapi.Create, insightapi.CreateRequest{Source: insightapi.DocText, Value: text}, func(r insightapi.CreateResponse) bool { return r.Result.JobID == text })
	}
	call(s, gateway, insightapi.Submit, insightapi.CreateRequest{}, nil)
	begun, err := bus.Call(s.within(), gateway, insightapi.Begin, principal, insightapi.CreateRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	follower, err := gateway.Follow(s.within(), insightapi.ProgressLog, "org_1", begun.ID, 1)
	if err != nil {
		s.t.Fatal(err)
	}
	if n, data, err := follower.Next(s.within()); n != 1 || string(data) != "begun" {
		s.t.Errorf("the gateway receives %d %q, %v", n, data, err)
	}
	follower.Close()
	call(s, gateway, insightapi.Job, jobapi.GetRequest{ID: begun.ID}, func(j jobapi.Job) bool { return j.State == jobapi.Succeeded })
	call(s, gateway, insightapi.CancelJob, jobapi.GetRequest{ID: begun.ID}, nil)
	call(s, gateway, insightapi.ListJobs, jobapi.ListRequest{Limit: 1}, nil)
	call(s, gateway, insightapi.Sign, insightapi.Result{}, nil)
}
