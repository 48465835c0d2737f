package annotation_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job/jobcommand/jobcommandtest"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/annotation"
)

// submit submits a job.
func (s *system) submit(id, body string) (jobapi.Job, error) {
	s.T.Helper()
	return bus.Call(patience.Context(s.T), s.Caller, annotationapi.Submit, principal, s.payload(annotationapi.AnnotateRequest{DocumentID: id}, body))
}

// ended waits until a job has finished.
func (s *system) ended(id string) (j jobapi.Job) {
	s.T.Helper()
	patience.Until(s.T, "the end of job "+id, func() bool {
		var err error
		if j, err = bus.Call(patience.Context(s.T), s.Caller, annotationapi.Job, principal, jobapi.GetRequest{ID: id}); err != nil {
			s.T.Fatal(err)
		}
		return j.State.Ended()
	})
	return j
}

// TestJob fills a document in a job, and checks that its values are not kept afterwards.
func TestJob(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	accepted, err := s.submit(id, good)
	if err != nil || accepted.Kind != jobapi.Annotate || accepted.State != jobapi.Queued {
		t.Fatalf("got %+v, %v", accepted, err)
	}
	second, err := s.submit(id, good)
	if err != nil || second.ID == accepted.ID {
		t.Errorf("the same request again: %+v, %v", second, err)
	}
	for _, id := range []string{accepted.ID, second.ID} {
		done := s.ended(id)
		var result map[string]any
		if err := json.Unmarshal(done.Result, &result); err != nil || done.State != jobapi.Succeeded || len(result) != 2 {
			t.Fatalf("the job ended as %+v, %v", done, err)
		}
		if content, _ := s.Download(result["download_url"].(string)); !strings.Contains(xmlOf(t, content), "Zoë") {
			t.Error("the document is not filled")
		}
	}
	dry, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Submit, principal, s.payload(annotationapi.AnnotateRequest{DocumentID: id, DryRun: true}, good))
	if err != nil {
		t.Fatal(err)
	}
	if done := s.ended(dry.ID); string(done.Result) != `{"valid":true}` {
		t.Errorf("a dry run ended as %+v", done)
	}
	patience.Until(s.T, "all bodies are removed", func() bool { return s.Count("pending/org_1.") == 0 })
	for _, who := range []contract.Principal{stranger, {Organization: "org_3"}} {
		if _, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Job, who, jobapi.GetRequest{ID: accepted.ID}); !problem.Is(err, problem.RouteNotFound) {
			t.Errorf("the job of another organization: %v", err)
		}
	}
	if _, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Job, principal, jobapi.GetRequest{ID: "job_none"}); !problem.Is(err, problem.RouteNotFound) {
		t.Errorf("an unknown job: %v", err)
	}
	s.documents.Delete(id)
	for _, endpoint := range []contract.Endpoint[jobapi.GetRequest, jobapi.Job]{annotationapi.Job, annotationapi.CancelJob} {
		j, err := bus.Call(patience.Context(t), s.Caller, endpoint, principal, jobapi.GetRequest{ID: accepted.ID})
		if err != nil || j.State != jobapi.Succeeded || string(j.Result) != "null" {
			t.Errorf("the job of a deleted document: %+v, %v", j, err)
		}
	}
	s.documents.Purge(id)
	if _, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Job, principal, jobapi.GetRequest{ID: accepted.ID}); !problem.Is(err, problem.RouteNotFound) {
		t.Errorf("the job of a purged document: %v", err)
	}
}

// TestCanceledJobs cancels waiting and running jobs: nothing of them remains, and no
// completion is published.
func TestCanceledJobs(t *testing.T) {
	t.Parallel()
	s := start(t, "ANNOTATION_WORKERS=1")
	completed := make(chan contract.Event, 64)
	stop, err := s.Caller.Consume(t.Context(), "listener", []string{annotationapi.EventCompleted}, func(_ context.Context, e contract.Event) error {
		completed <- e
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	id := s.document(file{name: "a.docx", content: agreement})
	var accepted []string
	for range 12 {
		j, err := s.submit(id, good)
		if err != nil {
			t.Fatal(err)
		}
		accepted = append(accepted, j.ID)
	}
	for _, jobID := range accepted[:6] {
		if _, err := bus.Call(patience.Context(t), s.Caller, annotationapi.CancelJob, principal, jobapi.GetRequest{ID: jobID}); err != nil {
			t.Error(err)
		}
	}
	s.documents.Delete(id)
	_, err = s.Caller.PublishEvent(t.Context(), contract.Event{ID: "e1", Type: documentapi.EventDeleted, Organization: "org_1", Subject: id, At: 1})
	if err != nil {
		t.Fatal(err)
	}
	succeeded := map[string]bool{}
	for _, jobID := range accepted {
		switch j := s.ended(jobID); j.State {
		case jobapi.Succeeded:
			succeeded["annotated."+jobID] = true
		case jobapi.Canceled:
		default:
			t.Errorf("a job ended as %+v", j)
		}
	}
	patience.Until(s.T, "all bodies are removed", func() bool { return s.Count("pending/org_1.") == 0 })
	patience.Until(s.T, "only the results of successful jobs remain", func() bool { return s.Count("annotated/org_1/"+id+"/") == len(succeeded) })
	for range succeeded {
		if e := <-completed; !succeeded[e.ID] {
			t.Errorf("the event %s belongs to a canceled job", e.ID)
		}
	}
	if len(completed) > 0 {
		t.Errorf("there are %d more events", len(completed))
	}
	t.Logf("%d of %d jobs succeeded", len(succeeded), len(accepted))
}

// TestLateJob accepts a job whose document is deleted at that moment, after the event
// that cancels its jobs. The worker notices the deletion.
func TestLateJob(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	s.documents.AfterContents(s.documents.Delete) // after the request has passed its check
	accepted, err := s.submit(id, good)
	if err != nil {
		t.Fatal(err)
	}
	if done := s.ended(accepted.ID); done.State != jobapi.Canceled {
		t.Errorf("the job ended as %+v", done)
	}
	if n := s.Count("annotated/"); n > 0 {
		t.Errorf("there are %d results", n)
	}
}

// TestJobRefusals checks that what can be validated without the file is refused
// immediately, and that a job fails with the error that Annotate would have returned.
func TestJobRefusals(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	for _, tc := range []struct {
		id, body string
		code     problem.Code
	}{
		{"doc_none", good, problem.DocumentNotFound},
		{id, "{", problem.InvalidRequest},
		{id, "{}", problem.MissingFields},
		{id, `{"field_values":{"x":{"value":"y"}}}`, problem.InvalidRequest},
		{s.document(file{name: "a.docx", fault: "has not been uploaded"}), good, problem.InvalidRequest},
	} {
		if _, err := s.submit(tc.id, tc.body); !problem.Is(err, tc.code) {
			t.Errorf("%s %s: got %v", tc.id, tc.body, err)
		}
	}
	accepted, err := s.submit(id, values("term", `"never"`, "none", `"x"`))
	if err != nil {
		t.Fatal(err)
	}
	done := s.ended(accepted.ID)
	if done.State != jobapi.Failed || done.Error == nil || done.Error.Code != problem.InvalidRequest || len(done.Error.Entries) != 2 || string(done.Error.Entries[0].Value) != `"never"` {
		t.Errorf("the job ended as %+v", done)
	}
	patience.Until(s.T, "all bodies are removed", func() bool { return s.Count("pending/org_1.") == 0 })
	if n := s.Count("annotated/"); n != 0 {
		t.Errorf("refused requests left %d results", n)
	}
}

// TestJobWithLargeFaults checks a job whose error is too large for its record: each
// echoed value is shortened and keeps its type.
func TestJobWithLargeFaults(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	long := strings.Repeat("é", 4000)
	var pairs []string
	for n := range 1000 {
		pairs = append(pairs, fmt.Sprint("field-", n), []string{`"` + long + `"`, `["` + long + `","b"]`, `"short"`}[n%3])
	}
	accepted, err := s.submit(id, values(pairs...))
	if err != nil {
		t.Fatal(err)
	}
	done := s.ended(accepted.ID)
	if done.Error == nil || len(done.Error.Entries) != 1000 {
		t.Fatalf("the job ended as %+v, %.300v", done.State, done.Error)
	}
	cut := `"` + strings.Repeat("é", 128) + `…"`
	for n, want := range []string{cut, `[` + cut + `,"…"]`, `"short"`} {
		if got := string(done.Error.Entries[n].Value); got != want {
			t.Errorf("value %d is %s, want %s", n, got, want)
		}
	}
}

// TestPurge checks that nothing of a purged document remains, and everything of other
// documents does.
func TestPurge(t *testing.T) {
	t.Parallel()
	s := start(t)
	gone, other := s.document(file{name: "a.docx", content: agreement}), s.document(file{name: "a.docx", content: agreement})
	jobs := map[string]string{}
	for _, id := range []string{gone, other} {
		if _, err := s.annotate(id, good); err != nil {
			t.Fatal(err)
		}
		if _, err := bus.Call(patience.Context(t), s.Caller, annotationapi.PutFields, principal, annotationapi.PutFieldsRequest{DocumentID: id, Fields: []annotationapi.Definition{{FieldID: "agreementinput-x", Type: "text"}}}); err != nil {
			t.Fatal(err)
		}
		accepted, err := s.submit(id, good)
		if err != nil {
			t.Fatal(err)
		}
		jobs[id] = s.ended(accepted.ID).ID
		if err := s.Blobs.Put(t.Context(), "pending/org_1."+id+".job_left", strings.NewReader("x"), 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	left := s.Count("annotated/org_1/" + other + "/")
	_, err := s.Caller.PublishEvent(t.Context(), contract.Event{ID: "e1", Type: documentapi.EventPurged, Organization: "org_1", Subject: gone, At: 1})
	if err != nil {
		t.Fatal(err)
	}
	patience.Until(s.T, "the objects are removed", func() bool { return s.Count("annotated/org_1/"+gone+"/")+s.Count("pending/org_1."+gone+".") == 0 })
	if s.Count("annotated/org_1/"+other+"/") != left || s.Count("pending/org_1."+other+".") == 0 {
		t.Error("the purge removed objects of another document")
	}
	for id, jobID := range jobs {
		_, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Job, principal, jobapi.GetRequest{ID: jobID})
		if (id == gone) != problem.Is(err, problem.RouteNotFound) {
			t.Errorf("purged %t: the job: %v", id == gone, err)
		}
		listed, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Fields, principal, annotationapi.FieldsRequest{DocumentID: id})
		if err != nil || (id == gone) != (len(listed.Items) == 2) {
			t.Errorf("purged %t: %d fields, %v", id == gone, len(listed.Items), err)
		}
	}
}

// unreachable is the URL of a database on a port that nothing listens on.
const unreachable = "mongodb://user:pass%40word@127.0.0.1:1/annotation"

// TestCommands manages dead letters in each kind of database.
func TestCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	jobcommandtest.TestCommands(t, annotation.Commands, jobapi.Annotate, filepath.Join(dir, "fields.db"), filepath.Join(dir, "fields-jobs.db"))
}

// TestDatabase checks the errors for an invalid or unreachable database.
func TestDatabase(t *testing.T) {
	t.Parallel()
	var cfg annotation.Config
	if err := config.Load([]string{"ANNOTATION_DATABASE=" + unreachable}, "ANNOTATION_", &cfg); err != nil {
		t.Error(err)
	}
	err := config.Load([]string{"ANNOTATION_DATABASE=mongodb://user:pass%40word@127.0.0.1:1", "ANNOTATION_MEMORY=1", "ANNOTATION_KEEP_FIELDS=0s"}, "ANNOTATION_", &cfg)
	for _, want := range []string{"ANNOTATION_DATABASE names no database", "ANNOTATION_MEMORY must be at least 1048576", "ANNOTATION_KEEP_FIELDS must be"} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "word") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a command waits only as long as its context
	if _, err := jobcommandtest.Run(ctx, annotation.Commands, unreachable, "jobs", "dead", "list"); err == nil || !strings.Contains(err.Error(), "ANNOTATION_DATABASE") || strings.Contains(err.Error(), "word") {
		t.Errorf("got %v", err)
	}
}
