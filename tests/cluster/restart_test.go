package cluster

import (
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// replicas is how many pods of each service run in tests that end some of them: the
// least that the production overlay has.
const replicas = 2

// TestRollingRestart restarts every Deployment, one after the other, while clients send
// requests. No request fails.
func TestRollingRestart(t *testing.T) {
	inCluster(t)
	scale(t, replicas, services...)
	l := startLoad(t)
	answered := func(n int) {
		for end := l.total() + n; l.total() < end; {
			from := l.total()
			patience.Until(t, "a request is answered", func() bool { return l.total() > from })
		}
	}
	answered(500)
	for _, service := range services {
		l.during.Store("the restart of " + service)
		begin := time.Now()
		must(t, "rollout", "restart", "deployment/"+service)
		rolledOut(t, service)
		answered(200)
		say("%s was restarted in %.1f s", service, time.Since(begin).Seconds())
	}
	l.during.Store("nothing")
	answered(200)
	l.stop()
	l.check()
}

// TestKilledPod kills the pod that works on a conversion. Another one does it.
func TestKilledPod(t *testing.T) {
	inCluster(t)
	scale(t, replicas, "conversion")
	c := system.NewClient(t)
	var job struct{ ID, State string }
	d := upload(t, c, "a.txt", longText())
	c.Do(harness.Request{Method: http.MethodPost, Path: "/documents/" + d + "/convert", Header: map[string]string{"Prefer": "respond-async"}}).Accepted(&job)
	var at pod
	patience.Until(t, "a pod converts the document", func() bool {
		for _, p := range pods(t, "conversion") {
			if gauge(t, p, `recto_jobs_running{kind="convert"}`) > 0 {
				at = p
				return true
			}
		}
		return false
	})
	must(t, "delete", "pod", at.Metadata.Name, "--grace-period=0", "--force")
	if c.Get("/jobs/" + job.ID).OK(&job); job.State != "running" && job.State != "queued" {
		t.Fatalf("the job is already %s", job.State)
	}
	killed := time.Now()
	end := killed.Add(patience.Scale(3 * time.Minute))
	for job.State != "succeeded" {
		if job.State == "failed" || time.Now().After(end) {
			t.Fatalf("the job is %s", job.State)
		}
		time.Sleep(200 * time.Millisecond)
		c.Get("/jobs/" + job.ID).OK(&job)
	}
	say("another pod did the job %.1f s after %s was killed", time.Since(killed).Seconds(), at.Metadata.Name)
	for _, p := range pods(t, "conversion") {
		if p.Metadata.UID == at.Metadata.UID {
			t.Errorf("%s was not killed", p.Metadata.Name)
		}
	}
}

// gauge returns the value of a metric of a pod, and 0 if the pod does not have it or
// cannot be asked, as while it starts.
func gauge(t *testing.T, p pod, name string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\d+)$`).FindStringSubmatch(metricsOf(p))
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
