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

// TestScaleConversion queues jobs for one conversion instance, starts three more, and keeps
// the queue from running dry until each of the four has finished a job: a warm instance
// would else have done them all before the others have started.
func TestScaleConversion(t *testing.T) {
	containers(t)
	s, cluster := harness.StartCluster(t, harness.Options{Rate: "unlimited", Env: []string{"CONVERSION_WORKERS=1"}})
	const batch = 40
	c := s.Client(t)
	waiting := queueConversions(c, batch)
	if err := cluster.Scale("conversion", 4); err != nil {
		t.Fatal(err)
	}
	if err := cluster.WaitReady(); err != nil {
		t.Fatal(err)
	}
	counts := func() [][]string { return done.FindAllStringSubmatch(s.Metrics(t, "conversion"), -1) }
	for deadline := time.Now().Add(patience.Scale(3 * time.Minute)); len(counts()) < 4; {
		if time.Now().After(deadline) {
			t.Fatalf("%d of 4 instances have finished jobs: %v", len(counts()), counts())
		}
		waiting = append(waiting, queueConversions(c, batch)...)
	}
	for deadline := time.Now().Add(patience.Scale(3 * time.Minute)); len(waiting) > 0; {
		var job struct{ State string }
		switch c.Get("/jobs/" + waiting[0]).OK(&job); {
		case job.State == "succeeded":
			waiting = waiting[1:]
		case job.State == "failed" || time.Now().After(deadline):
			t.Fatalf("a job is %s, %d are left", job.State, len(waiting))
		default:
			time.Sleep(100 * time.Millisecond)
		}
	}
	t.Logf("jobs by instance: %v", counts())
}

// queueConversions queues the conversions of n new text files and returns the ids of the jobs.
func queueConversions(c *harness.Client, n int) []string {
	ids := uploadTexts(c, n)
	for i, id := range ids {
		var job struct{ ID string }
		c.Do(harness.Request{Method: http.MethodPost, Path: "/documents/" + id + "/convert", Header: map[string]string{"Prefer": "respond-async"}}).Accepted(&job)
		ids[i] = job.ID
	}
	return ids
}

// uploadTexts creates n documents with a text file each and returns their ids.
func uploadTexts(c *harness.Client, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		var d document
		c.Post("/documents", map[string]any{"name": "x", "files": []map[string]string{{"name": "a.txt", "type": "text/plain"}}}).OK(&d)
		c.Raw(http.MethodPut, d.Files[0].UploadURL, fmt.Appendf(nil, "text %d", i), nil).OK(nil)
		ids[i] = d.ID
	}
	return ids
}
