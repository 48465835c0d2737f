package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// cancelJob cancels a job.
func cancelJob(c *harness.Client, id string) *harness.Answer {
	return c.Do(harness.Request{Method: http.MethodDelete, Path: "/jobs/" + id})
}

// longText returns a text that takes a long time to convert.
func longText() []byte {
	var b bytes.Buffer
	for n := range 60_000 {
		fmt.Fprintf(&b, "Line %d of a text that fills a great many pages.\n", n)
	}
	return b.Bytes()
}

// laterInsights requests insights asynchronously.
func laterInsights(c *harness.Client, body object) *harness.Answer {
	return c.Do(harness.Request{Method: http.MethodPost, Path: "/insights", Body: body, Header: map[string]string{"Prefer": "respond-async"}})
}

// TestJobScopes reads and cancels a job of each kind with keys of each scope.
func TestJobScopes(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "form.docx", harness.DOCX(harness.Paragraph{Text: "{{agreementinput-a}}"}))
	jobs := map[string]accepted{}
	var job accepted
	later(c, "/documents/"+d.ID+"/convert").Accepted(&job)
	jobs["convert"] = job
	c.Do(harness.Request{
		Method: http.MethodPost, Path: "/documents/" + d.ID + "/annotate", Body: values("a", "x"), Header: map[string]string{"Prefer": "respond-async"},
	}).Accepted(&job)
	jobs["annotate"] = job
	laterInsights(c, about("doc_text", agreementText)).Accepted(&job)
	jobs["insights"] = job
	resultOf(t, c, job.ID)
	for _, kind := range []string{"convert", "annotate"} {
		if j := ended(t, c, jobs[kind].ID); j.State != "succeeded" {
			t.Fatalf("the job ended as %+v", j)
		}
	}
	for _, scopes := range []string{"documents:read", "documents:write", "convert", "annotate", "insights", "convert,insights", "*"} {
		key := shared.NewClient(t, "--organization", c.OrganizationID, "--scopes", scopes)
		for kind, job := range jobs {
			own := scopes == "*" || strings.Contains(scopes, kind)
			for _, method := range []string{http.MethodGet, http.MethodDelete} {
				a := key.Do(harness.Request{Method: method, Path: "/jobs/" + job.ID})
				if !own && (method == http.MethodDelete || scopes != "documents:read") {
					a.Fails(403, 2004)
					continue
				}
				var shown struct {
					State  string
					Result json.RawMessage
				}
				if a.OK(&shown); shown.State != "succeeded" || len(shown.Result) < 10 {
					t.Errorf("%s of the %s job with %s: %s", method, kind, scopes, a.Body)
				}
			}
		}
		unknown := key.Get("/jobs/job_01h455vb4pex5vsknk084sn02q")
		if scopes == "documents:write" {
			unknown.Fails(403, 2004)
		} else {
			unknown.Fails(404, 1001)
		}
	}
}

// TestCancelJobs cancels jobs that wait for a converter. Canceling takes effect at once
// and may be repeated. Sending the original request again restarts a canceled job.
func TestCancelJobs(t *testing.T) {
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{"CONVERSION_WORKERS=1"}})
	c := s.NewClient(t)
	const jobs = 24
	d := create(t, c, object{"name": "x", "files": []object{{"name": "0.txt", "type": "text/plain"}}})
	var ids []string
	for i := range jobs {
		if i > 0 {
			c.Post("/documents/"+d.ID+"/versions", object{"files": []object{{"name": fmt.Sprint(i) + ".txt", "type": "text/plain"}}}).OK(&d)
		}
		put(t, c, d.Files[0].UploadURL, fmt.Appendf(nil, "document %d", i))
		var job accepted
		repeat(c, fmt.Sprint("job ", i), "/documents/"+d.ID+"/convert", nil, "Prefer", "respond-async").Accepted(&job)
		ids = append(ids, job.ID)
	}
	stranger := s.NewClient(t)
	states := map[string]string{}
	for i := len(ids) - 1; i >= 0; i-- {
		cancelJob(stranger, ids[i]).Fails(404, 1001)
		var j shownJob
		a := cancelJob(c, ids[i]).OK(&j)
		if j.ID != ids[i] || j.Kind != "convert" || j.State != "canceled" && j.State != "succeeded" || (j.Result != nil) != (j.State == "succeeded") || j.Error != nil {
			t.Fatalf("the canceled job is %s", a.Body)
		}
		states[ids[i]] = j.State
	}
	last := ids[len(ids)-1]
	if states[last] != "canceled" {
		t.Fatalf("the last of %d jobs is %s", jobs, states[last])
	}
	for id, state := range states {
		for _, a := range []*harness.Answer{cancelJob(c, id), c.Get("/jobs/" + id)} {
			var j shownJob
			if a.OK(&j); j.State != state {
				t.Errorf("a job that was %s is now %s", state, a.Body)
			}
		}
	}
	cancelJob(c, "job_x").Fails(404, 1001)
	// A request with the same Idempotency-Key gets the first response; a new request
	// restarts the work.
	var job accepted
	a := repeat(c, fmt.Sprint("job ", jobs-1), "/documents/"+d.ID+"/convert", nil, "Prefer", "respond-async").Accepted(&job)
	if job.ID != last || a.Header.Get("Idempotency-Replayed") != "true" || c.Get("/jobs/"+last).State() != "canceled" {
		t.Errorf("the repeated request gets %s", a.Body)
	}
	var file converted
	c.Post("/documents/"+d.ID+"/convert", nil).OK(&file)
	if text := pdfText(t, c.Raw(http.MethodGet, file.DownloadURL, nil, nil).Body); !strings.Contains(text, fmt.Sprint("document ", jobs-1)) {
		t.Errorf("the PDF says %q", text)
	}
	if j := ended(t, c, last); j.State != "succeeded" || j.Result == nil {
		t.Errorf("the restarted job ended as %+v", j)
	}
}

// TestFullQueue fills the queue with one slow job. Documents that are already converted
// are still served, and no new job is accepted until the slow one is canceled. A client
// that waits for the canceled job is asked to retry.
func TestFullQueue(t *testing.T) {
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{"CONVERSION_WORKERS=1", "CONVERSION_QUEUE=1"}})
	c := s.NewClient(t)
	known, slow := upload(t, c, "a.txt", []byte("A text.")), upload(t, c, "b.txt", longText())
	fresh := upload(t, c, "c.txt", []byte("Another text."))
	convert := func(d document) *harness.Answer { return c.Post("/documents/"+d.ID+"/convert", nil) }
	convert(known).OK(nil)
	var job accepted
	later(c, "/documents/"+slow.ID+"/convert").Accepted(&job)
	waited := make(chan *harness.Answer)
	go func() { waited <- convert(slow) }()
	for state := ""; state != "running"; state = c.Get("/jobs/" + job.ID).State() {
		if state == "succeeded" || state == "failed" {
			t.Fatalf("the slow job is already %s", state)
		}
		pause()
	}
	convert(known).OK(nil)
	var again accepted
	if later(c, "/documents/"+known.ID+"/convert").Accepted(&again); again.State != "succeeded" {
		t.Errorf("converting a converted document again is accepted as %+v", again)
	}
	full := convert(fresh)
	if full.Fails(503, 5003); full.Header.Get("Retry-After") == "" {
		t.Errorf("a full queue returns %v", full.Header)
	}
	time.Sleep(100 * time.Millisecond) // until the other request waits for the job
	if state := cancelJob(c, job.ID).State(); state != "canceled" {
		t.Fatalf("the running job is %s after canceling", state)
	}
	told := <-waited
	if told.Fails(503, 5003); told.Header.Get("Retry-After") == "" {
		t.Errorf("the waiting request gets %v", told.Header)
	}
	for range 300 {
		if a := convert(fresh); a.Status != http.StatusServiceUnavailable {
			a.OK(nil) // the converter is free again
			break
		}
		pause()
	}
	var j shownJob
	if c.Get("/jobs/" + job.ID).OK(&j); j.State != "canceled" || j.Result != nil || j.Error != nil {
		t.Errorf("the job is %+v", j)
	}
}

// TestJobsOfDeletedDocuments deletes a document that has finished and unfinished jobs.
// Finished jobs keep their state, the others are canceled, and none has a result.
func TestJobsOfDeletedDocuments(t *testing.T) {
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{"CONVERSION_WORKERS=1"}})
	c := s.NewClient(t)
	d := upload(t, c, "a.txt", []byte("A text."))
	path := "/documents/" + d.ID + "/convert"
	var job accepted
	want := map[string]string{}
	later(c, path).Accepted(&job)
	want[job.ID] = ended(t, c, job.ID).State
	laterInsights(c, about("document_id", d.ID)).Accepted(&job)
	resultOf(t, c, job.ID)
	want[job.ID] = "succeeded"
	versioned := func(name string, content []byte) {
		var v document
		c.Post("/documents/"+d.ID+"/versions", object{"files": []object{{"name": name, "type": "text/plain"}}}).OK(&v)
		put(t, c, v.Files[0].UploadURL, content)
	}
	versioned("b.docx", []byte("PK\x03\x04 no document"))
	later(c, path).Accepted(&job)
	want[job.ID] = "failed"
	failed := ended(t, c, job.ID)
	versioned("c.txt", longText())
	later(c, path).Accepted(&job)
	want[job.ID] = "canceled"
	laterInsights(c, about("document_id", d.ID)).Accepted(&job) // waits for the conversion
	want[job.ID] = "canceled"
	waited := make(chan *harness.Answer)
	go func() { waited <- c.Post(path, nil) }()
	time.Sleep(100 * time.Millisecond) // until the other request waits for the job
	c.Do(harness.Request{Method: http.MethodDelete, Path: "/documents/" + d.ID}).OK(nil)
	for range 3 {
		for id, state := range want {
			var j struct {
				State  string
				Result *json.RawMessage
				Error  *harness.Problem
			}
			a := c.Get("/jobs/" + id).OK(&j)
			if j.State != state || j.Result != nil || (j.Error != nil) != (state == "failed") || j.Error != nil && j.Error.Detail != failed.Error.Detail {
				t.Errorf("a job that should be %s is %s", state, a.Body)
			}
		}
		pause()
	}
	(<-waited).Fails(404, 4001)
	shared.NewClient(t).Get("/jobs/"+job.ID).Fails(404, 1001)
	cancelJob(c, job.ID).OK(nil)
	later(c, path).Fails(404, 4001)
}

// TestJobsOfPurgedDocuments checks that the jobs of a document are deleted when it is
// purged.
func TestJobsOfPurgedDocuments(t *testing.T) {
	s := harness.Start(t, harness.Options{Env: []string{"DOCUMENT_PURGE_AFTER=1ms", "DOCUMENT_PURGE_EVERY=200ms"}})
	c := s.NewClient(t)
	d := upload(t, c, "a.txt", []byte("A text."))
	var job accepted
	later(c, "/documents/"+d.ID+"/convert").Accepted(&job)
	ended(t, c, job.ID)
	c.Do(harness.Request{Method: http.MethodDelete, Path: "/documents/" + d.ID}).OK(nil)
	for range 600 {
		if c.Get("/jobs/"+job.ID).Status == http.StatusNotFound {
			break
		}
		pause()
	}
	c.Get("/jobs/"+job.ID).Fails(404, 1001)
	cancelJob(c, job.ID).Fails(404, 1001)
}

// TestSignedURLDoesNotOutliveItsFile keeps converted files for a shorter time than insights.
// When the file has expired the document is converted again. No presigned URL is valid
// for longer than its file exists.
func TestSignedURLDoesNotOutliveItsFile(t *testing.T) {
	const keep, valid = 2, 60 // seconds
	s := harness.Start(t, harness.Options{Env: []string{
		fmt.Sprintf("CONVERSION_KEEP=%ds", keep), fmt.Sprintf("CONVERSION_DOWNLOAD_URL_TTL=%ds", valid),
	}})
	c := s.NewClient(t)
	d := upload(t, c, "a.txt", []byte(agreementText))
	read := func() (made time.Time, expires int) {
		t.Helper()
		var answer struct {
			SignedURL string `json:"signed_url"`
		}
		c.Post("/insights", about("document_id", d.ID)).OK(&answer)
		a := c.Raw(http.MethodGet, answer.SignedURL, nil, nil)
		u, err := url.Parse(answer.SignedURL)
		if err != nil || a.Status != http.StatusOK {
			t.Fatalf("%s leads to %d %.200s, %v", answer.SignedURL, a.Status, a.Body, err)
		}
		expires, err = strconv.Atoi(u.Query().Get("X-Amz-Expires"))
		if err != nil {
			t.Fatal(err)
		}
		if made, err = http.ParseTime(a.Header.Get("Last-Modified")); err != nil {
			t.Fatal(err)
		}
		return made, expires
	}
	first, expires := read()
	if expires > keep+valid {
		t.Errorf("a URL is valid for %d s, but its file exists for %d s", expires, keep+valid)
	}
	time.Sleep((keep + 1) * time.Second)
	second, expires := read()
	if !second.After(first) || expires > keep+valid {
		t.Errorf("the file was created at %s, then at %s, and the URL is valid for %d s", first, second, expires)
	}
}
