package cluster

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// usage is what a pod has used.
type usage struct {
	cpu    time.Duration // since its start
	memory int           // MiB now, as the kubelet counts it for evictions
}

// sample matches a metric of the kubelet about a container.
var sample = regexp.MustCompile(`(?m)^container_(cpu_usage_seconds_total|memory_working_set_bytes)\{container="[^"]*",namespace="` + harness.Namespace + `",pod="([^"]*)"\} ([0-9.e+-]+)`)

// usages returns what each pod has used, by its name.
func usages(t testing.TB) map[string]usage {
	t.Helper()
	node := strings.Fields(must(t, "get", "nodes", "--output", "jsonpath={.items[*].metadata.name}"))[0]
	all := map[string]usage{}
	for _, m := range sample.FindAllStringSubmatch(must(t, "get", "--raw", "/api/v1/nodes/"+node+"/proxy/metrics/resource"), -1) {
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		u := all[m[2]]
		if m[1] == "cpu_usage_seconds_total" {
			u.cpu += time.Duration(value * float64(time.Second))
		} else {
			u.memory += int(value) >> 20
		}
		all[m[2]] = u
	}
	return all
}

// of returns the sum of the CPU time of the pods of a service, and the memory of the
// largest.
func of(all map[string]usage, service string) usage {
	var sum usage
	for name, u := range all {
		if strings.HasPrefix(name, service+"-") {
			sum.cpu += u.cpu
			sum.memory = max(sum.memory, u.memory)
		}
	}
	return sum
}

// settle waits until the kubelet has counted what has happened until now. It counts every
// 10 to 15 s.
func settle() { time.Sleep(20 * time.Second) }

// TestFigures prints how many documents conversion and insight do per second with one to
// three replicas, the CPU time of each document, and the memory of the pods.
func TestFigures(t *testing.T) {
	inCluster(t)
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("set RECTO_BENCH=1 to measure")
	}
	scale(t, 1, services...)
	settle()
	idle := usages(t)
	for _, service := range services {
		fmt.Printf("  %s idle: %d MiB\n", service, of(idle, service).memory)
	}
	content, err := os.ReadFile(filepath.Join(harness.Root(), "tests", "testdata", "agreement.docx"))
	if err != nil {
		t.Fatal(err)
	}
	const documents = 60
	for _, service := range []string{"conversion", "insight"} {
		for n := 1; n <= 3; n++ {
			scale(t, n, service)
			measure(t, service, n, documents, content)
		}
		scale(t, 1, service)
	}
}

// measure prints how fast the replicas of a service do jobs.
func measure(t *testing.T, service string, replicas, documents int, content []byte) {
	t.Helper()
	c := system.NewClient(t)
	var ids []string
	for range documents {
		ids = append(ids, upload(t, c, "agreement.docx", content))
	}
	settle()
	before := usages(t)
	begin := time.Now()
	var jobs []string
	for _, id := range ids {
		jobs = append(jobs, begun(t, c, service, id))
	}
	peak := waitJobs(t, c, service, jobs)
	took := time.Since(begin)
	settle()
	after := usages(t)
	fmt.Printf("  %s with %d replicas: %.2f documents/s, at most %d MiB per pod; CPU per document:", service, replicas, float64(documents)/took.Seconds(), peak)
	for _, part := range []string{"conversion", "insight", "gateway", "document", "nats", "mongodb", "objects"} {
		fmt.Printf(" %s %.3f s", part, (of(after, part).cpu-of(before, part).cpu).Seconds()/float64(documents))
	}
	fmt.Println()
}

// begun starts a job of a service for a document and returns its id.
func begun(t testing.TB, c *harness.Client, service, document string) string {
	t.Helper()
	r := harness.Request{Method: http.MethodPost, Path: "/documents/" + document + "/convert", Header: map[string]string{"Prefer": "respond-async"}}
	if service == "insight" {
		r.Path, r.Body = "/insights", map[string]any{"document_id": document, "insights": []any{
			map[string]string{"type": "document_title"}, map[string]string{"type": "document_signers"}, map[string]string{"type": "document_clauses"}, map[string]string{"type": "document_dates"},
		}}
	}
	var job struct{ ID string }
	c.Do(r).Accepted(&job)
	return job.ID
}

// waitJobs waits until all jobs have succeeded and returns the peak of the memory of a
// pod of the service, in MiB.
func waitJobs(t testing.TB, c *harness.Client, service string, jobs []string) (peak int) {
	t.Helper()
	end := time.Now().Add(patience.Scale(10 * time.Minute))
	for sampled := time.Now(); len(jobs) > 0; time.Sleep(20 * time.Millisecond) {
		var job struct{ State string }
		if c.Get("/jobs/" + jobs[0]).OK(&job); job.State == "succeeded" {
			jobs = jobs[1:]
		} else if job.State == "failed" || time.Now().After(end) {
			t.Fatalf("job %s is %s, %d are left", jobs[0], job.State, len(jobs))
		}
		if time.Since(sampled) > 5*time.Second {
			sampled = time.Now()
			peak = max(peak, of(usages(t), service).memory)
		}
	}
	return peak
}
