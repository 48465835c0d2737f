package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

type accepted struct{ ID, State string }

type shownJob struct {
	ID, Kind, State string
	Progress        float64
	Result          *converted
	Error           *harness.Problem
}

// later requests a conversion asynchronously.
func later(c *harness.Client, path string) *harness.Answer {
	return c.Do(harness.Request{Method: http.MethodPost, Path: path, Header: map[string]string{"Prefer": "respond-async"}})
}

// ended waits until a job has ended and returns it.
func ended(t *testing.T, c *harness.Client, id string) shownJob {
	t.Helper()
	var j shownJob
	for end := time.Now().Add(patience.Scale(3 * time.Minute)); time.Now().Before(end); {
		c.Get("/jobs/" + id).OK(&j)
		if j.State == "succeeded" || j.State == "failed" || j.State == "canceled" {
			return j
		}
		if j.Result != nil || j.Error != nil || j.Progress < 0 || j.Progress >= 1 {
			t.Fatalf("a job that has not ended is %+v", j)
		}
		pause()
	}
	t.Fatalf("the job does not end: %+v", j)
	return j
}

// TestJobs converts documents asynchronously, with success and without.
func TestJobs(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	path := "/documents/" + d.ID + "/convert"
	var job accepted
	a := later(c, path).Accepted(&job)
	if job.ID == "" || a.Header.Get("Location") != "/v2/jobs/"+job.ID || a.Header.Get("Preference-Applied") != "respond-async" {
		t.Errorf("the accepted response is %s, %v", a.Body, a.Header)
	}
	j := ended(t, c, job.ID)
	if j.State != "succeeded" || j.Kind != "convert" || j.Progress != 1 || j.Error != nil || j.Result == nil {
		t.Fatalf("the job ended as %+v", j)
	}
	if text := pdfText(t, c.Raw(http.MethodGet, j.Result.DownloadURL, nil, nil).Body); !strings.Contains(text, "Consulting Agreement") {
		t.Errorf("the PDF says %q", text)
	}
	var again accepted
	if later(c, path).Accepted(&again); again.ID != job.ID || again.State != "succeeded" {
		t.Errorf("the repeated request is accepted as %+v", again)
	}
	damaged := upload(t, c, "b.docx", []byte("no document"))
	later(c, "/documents/"+damaged.ID+"/convert").Accepted(&job)
	if j := ended(t, c, job.ID); j.State != "failed" || j.Result != nil || j.Error == nil || j.Error.Code != 3001 || j.Error.Docs == "" || !strings.Contains(j.Error.Detail, "b.docx") {
		t.Errorf("the job ended as %+v", j)
	}
	c.Get("/jobs/job_x").Fails(404, 1001)
	shared.NewClient(t).Get("/jobs/"+job.ID).Fails(404, 1001)
	shared.NewClient(t, "--scopes", "documents:write").Get("/jobs/"+job.ID).Fails(403, 2004)
	later(c, "/documents/"+create(t, c, valid()).ID+"/convert").Fails(400, 3001)
	later(c, path+"?format=docx").FailsWith(3001, "format format_unsupported")
}

// TestSameConversion requests the same conversion many times at once. It runs once, and
// every request gets its result.
func TestSameConversion(t *testing.T) {
	s := harness.Start(t, harness.Options{Rate: "unlimited"})
	c := s.Client(t)
	d := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { c.Post("/documents/"+d.ID+"/convert", nil).OK(nil) })
	}
	wg.Wait()
	metrics := s.Metrics(t, "conversion")
	if !strings.Contains(metrics, `recto_jobs_total{kind="convert",outcome="succeeded"} 1`+"\n") {
		t.Errorf("the metrics say\n%s", metrics)
	}
	for _, name := range []string{"recto_conversions_waiting 0", "recto_conversions_running 0"} {
		// Waiting requests are answered before the converter counts as free.
		patience.Until(t, "the metrics say "+name, func() bool { return strings.Contains(s.Metrics(t, "conversion"), "\n"+name+"\n") })
	}
	for _, name := range []string{"recto_jobs_unfinished", "recto_jobs_running", "recto_jobs_waiting_requests", "recto_job_duration_seconds_count"} {
		if !strings.Contains(metrics, name+`{kind="convert"}`) {
			t.Errorf("there is no metric %s", name)
		}
	}
}

// TestDeadLetters makes jobs fail for a reason other than their documents until they are
// dead-lettered. After the fault is fixed, one is retried and succeeds, and one is dropped.
func TestDeadLetters(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Env: []string{"CONVERSION_MAX_TRIES=2", "CONVERSION_WORKERS=1"}})
	c := s.Client(t)
	// A file in place of the folder for converted files prevents storing any.
	wall := filepath.Join(s.Dir, "objects", "buckets", "recto", "derived")
	if err := os.WriteFile(wall, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	dropped := upload(t, c, "b.docx", testdata(t, "agreement.docx"))
	var first, second accepted
	later(c, "/documents/"+d.ID+"/convert").Accepted(&first)
	later(c, "/documents/"+dropped.ID+"/convert").Accepted(&second)
	c.Post("/documents/convert", inlineBody("a.pdf", onePagePDF())).OK(nil) // other work is not blocked
	for _, id := range []string{first.ID, second.ID} {
		if j := ended(t, c, id); j.State != "failed" || j.Error.Code != 5000 || !strings.Contains(j.Error.Detail, id) {
			t.Errorf("the job ended as %+v", j)
		}
	}
	type letter struct {
		ID         string
		DocumentID string `json:"document_id"`
		Tries      int
	}
	list := func() []letter { return decode[[]letter](t, recto(t, s, "jobs", "dead", "list", "--json")) }
	if l := list(); len(l) != 2 || l[0].Tries != 2 {
		t.Fatalf("dead letters are %+v", l)
	}
	if out := recto(t, s, "jobs", "dead", "list"); !strings.Contains(out, first.ID) || !strings.Contains(out, d.ID) {
		t.Errorf("the table is\n%s", out)
	}
	if err := os.Remove(wall); err != nil {
		t.Fatal(err)
	}
	recto(t, s, "jobs", "dead", "drop", second.ID)
	recto(t, s, "jobs", "dead", "retry", first.ID)
	if l := list(); len(l) != 0 {
		t.Errorf("dead letters are %+v", l)
	}
	if _, err := s.Recto(t.Context(), "jobs", "dead", "retry", "job_x"); err == nil {
		t.Error("retrying an unknown job succeeds")
	}
	if j := ended(t, c, first.ID); j.State != "succeeded" {
		t.Errorf("the job ended as %+v", j)
	}
	c.Get("/jobs/"+second.ID).Fails(404, 1001)
}

// TestBulkWaits fills the queue with bulk jobs of one organization, which take longer than to
// submit them. A synchronous request of another organization does not wait for them.
func TestBulkWaits(t *testing.T) {
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{"CONVERSION_WORKERS=1"}})
	many, other := s.NewClient(t), s.NewClient(t)
	const jobs = 200
	long := strings.Repeat("A line of a long document.\n", 20000)
	var ids []string
	d := create(t, many, object{"name": "x", "files": []object{{"name": "0.txt", "type": "text/plain"}}})
	for i := range jobs {
		if i > 0 {
			many.Post("/documents/"+d.ID+"/versions", object{"files": []object{{"name": fmt.Sprint(i) + ".txt", "type": "text/plain"}}}).OK(&d)
		}
		put(t, many, d.Files[0].UploadURL, fmt.Appendf(nil, "document %d\n%s", i, long))
		var job accepted
		later(many, "/documents/"+d.ID+"/convert").Accepted(&job)
		ids = append(ids, job.ID)
	}
	mine := upload(t, other, "a.docx", testdata(t, "agreement.docx"))
	done := func() (n int) {
		for _, id := range ids {
			var j shownJob
			if many.Get("/jobs/" + id).OK(&j); j.State == "succeeded" {
				n++
			}
		}
		return n
	}
	before := done()
	other.Post("/documents/"+mine.ID+"/convert", nil).OK(nil)
	if after := done(); after == jobs {
		t.Errorf("%d of %d bulk jobs had finished before the synchronous request, and %d after it", before, jobs, after)
	}
}
