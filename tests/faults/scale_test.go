package faults

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

var done = regexp.MustCompile(`(?m)^recto_jobs_total\{kind="convert",outcome="succeeded"\} (\d+)$`)

// TestScaleConversion queues jobs for one conversion instance, then starts three more.
// All four must share the queued jobs.
func TestScaleConversion(t *testing.T) {
	containers(t)
	s, cluster := harness.StartCluster(t, harness.Options{Rate: "unlimited", Env: []string{"CONVERSION_WORKERS=1"}})
	const jobs = 80
	c := s.Client(t)
	var ids []string
	for i := range jobs {
		var d document
		c.Post("/documents", map[string]any{"name": "x", "files": []map[string]string{{"name": "a.txt", "type": "text/plain"}}}).OK(&d)
		if a := c.Raw(http.MethodPut, d.Files[0].UploadURL, fmt.Appendf(nil, "text %d", i), nil); a.Status != http.StatusOK {
			t.Fatalf("upload: status %d", a.Status)
		}
		ids = append(ids, d.ID)
	}
	var waiting []string
	for _, id := range ids {
		var job struct{ ID string }
		c.Do(harness.Request{Method: http.MethodPost, Path: "/documents/" + id + "/convert", Header: map[string]string{"Prefer": "respond-async"}}).Accepted(&job)
		waiting = append(waiting, job.ID)
	}
	if err := cluster.Scale("conversion", 4); err != nil {
		t.Fatal(err)
	}
	if err := cluster.WaitReady(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience.Scale(3 * time.Minute)); len(waiting) > 0; time.Sleep(100 * time.Millisecond) {
		var job struct{ State string }
		if c.Get("/jobs/" + waiting[0]).OK(&job); job.State == "succeeded" {
			waiting = waiting[1:]
		} else if job.State == "failed" || time.Now().After(deadline) {
			t.Fatalf("a job is %s, %d are left", job.State, len(waiting))
		}
	}
	counts := done.FindAllStringSubmatch(s.Metrics(t, "conversion"), -1)
	t.Logf("jobs by instance: %v", counts)
	if len(counts) != 4 {
		t.Errorf("%d of 4 instances have finished jobs", len(counts))
	}
}
