package cluster

import (
	"bytes"
	"encoding/json"
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

// soaking skips a test unless this run has the time for it, and the cluster KEDA and
// metrics-server.
func soaking(t *testing.T) {
	t.Helper()
	inCluster(t)
	if os.Getenv("RECTO_SOAK") == "" {
		t.Skip("takes minutes and needs with-cluster --extras: make soak runs it")
	}
}

// replicasLimit is how many replicas tests let autoscalers create.
const replicasLimit = 3

// impatient are patches with which KEDA and the autoscalers react within seconds.
const impatient = `patches:
  - target: {kind: ScaledObject}
    patch: |
      - {op: replace, path: /spec/maxReplicaCount, value: 3}
      - {op: replace, path: /spec/pollingInterval, value: 2}
      - {op: add, path: /spec/cooldownPeriod, value: 10}
      - {op: add, path: /spec/advanced/horizontalPodAutoscalerConfig, value: {behavior: {scaleDown: {stabilizationWindowSeconds: 10}}}}
`

// autoscaled applies the dev overlay with components until the test ends.
func autoscaled(t *testing.T, more string, components ...string) {
	t.Helper()
	use := func(more string, components ...string) {
		t.Helper()
		dir, err := devOverlay(t.TempDir(), more, components...)
		if err == nil {
			err = apply(dir, strings.Join(append([]string{"dev"}, components...), " and "))
		}
		if err == nil {
			err = waitRolledOut(time.Now())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		must(t, "delete", "horizontalpodautoscalers,scaledobjects", "--all")
		must(t, "delete", "deployments", "--ignore-not-found", "conversion-api", "insight-api")
		use("")
		scale(t, 1, services...)
	})
	use(more, components...)
}

// replicasOf returns how many replicas a Deployment is to have.
func replicasOf(t *testing.T, service string) int {
	t.Helper()
	all, err := list[workload]("deployments", "--field-selector", "metadata.name="+service)
	if err != nil {
		t.Fatal(err)
	}
	return all[0].Spec.Replicas
}

// become waits until a Deployment has a number of replicas.
func become(t *testing.T, service string, replicas int) {
	t.Helper()
	begin, last := time.Now(), -1
	for end := begin.Add(rolloutLimit()); ; time.Sleep(500 * time.Millisecond) {
		n := replicasOf(t, service)
		if n != last {
			say("%s: %d replicas after %.0f s", service, n, time.Since(begin).Seconds())
			last = n
		}
		if n == replicas {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s has %d replicas, want %d:\n%s", service, n, replicas, must(t, "describe", "hpa"))
		}
	}
}

// peak returns how many ready replicas a Deployment had at most while do ran.
func peak(t *testing.T, service string, do func()) int {
	t.Helper()
	stop, most := make(chan struct{}), make(chan int, 1)
	go func() {
		n := 0
		for {
			if all, err := list[workload]("deployments", "--field-selector", "metadata.name="+service); err == nil {
				n = max(n, all[0].Status.ReadyReplicas)
			}
			select {
			case <-stop:
				most <- n
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	}()
	func() {
		defer close(stop) // even if do ends the test
		do()
	}()
	return <-most
}

// TestScaling queues 200 conversions. KEDA starts more replicas for them and stops these
// afterwards. Every job is done, once.
func TestScaling(t *testing.T) {
	soaking(t)
	autoscaled(t, impatient, "keda")
	become(t, "conversion", 1)
	c := system.NewClient(t)
	const jobs = 200
	content := harness.LongContract(20, 10)
	var documents, ids []string
	for range jobs {
		documents = append(documents, upload(t, c, "a.docx", content))
	}
	begin := time.Now()
	most := peak(t, "conversion", func() {
		for _, id := range documents {
			ids = append(ids, begun(t, c, "conversion", id))
		}
		say("%d conversions were accepted in %.1f s", jobs, time.Since(begin).Seconds())
		waitJobs(t, c, "conversion", ids)
	})
	if most != replicasLimit {
		t.Errorf("conversion had at most %d replicas, want %d", most, replicasLimit)
	}
	say("all were done %.1f s after the first was accepted", time.Since(begin).Seconds())
	become(t, "conversion", 1)
	for _, id := range ids {
		var job struct {
			Result struct {
				DownloadURL string `json:"download_url"`
			}
		}
		c.Get("/jobs/" + id).OK(&job)
		if a := c.Raw(http.MethodGet, job.Result.DownloadURL, nil, nil); !bytes.HasPrefix(a.Body, []byte("%PDF-")) {
			t.Errorf("the result of job %s is %d %.40q", id, a.Status, a.Body)
		}
	}
	once(t, ids)
}

// once checks that each of the jobs has one event that it was completed.
func once(t *testing.T, jobs []string) {
	t.Helper()
	secrets := filepath.Join(harness.Root(), "k8s", "overlays", "dev", "secrets")
	passwords, err := os.ReadFile(filepath.Join(secrets, "nats", "passwords.env"))
	if err != nil {
		t.Fatal(err)
	}
	_, password, _ := strings.Cut(string(passwords), "NATS_ADMIN_PASSWORD=")
	password, _, _ = strings.Cut(password, "\n")
	completed := map[string]int{}
	patience.Until(t, "every job has an event", func() bool {
		events, err := harness.Events(t.Context(), "tls://"+toNATS, password, filepath.Join(secrets, "tls", "ca.crt"))
		if err != nil {
			t.Fatal(err)
		}
		clear(completed)
		for _, data := range events {
			var e struct {
				Type string
				Data struct {
					JobID string `json:"job_id"`
				}
			}
			if err := json.Unmarshal(data, &e); err != nil {
				t.Fatal(err)
			}
			if e.Type == "conversion.completed" {
				completed[e.Data.JobID]++
			}
		}
		for _, id := range jobs {
			if completed[id] == 0 {
				return false
			}
		}
		return true
	})
	for _, id := range jobs {
		if completed[id] != 1 {
			t.Errorf("job %s has %d events, want 1", id, completed[id])
		}
	}
}

// TestScaleToZero converts a document and reads another while no worker runs. KEDA starts
// one for each, and stops it afterwards.
func TestScaleToZero(t *testing.T) {
	soaking(t)
	autoscaled(t, impatient, "keda", "scale-to-zero")
	c := system.NewClient(t)
	for _, service := range []string{"conversion", "insight"} {
		become(t, service, 0)
	}
	for _, service := range []string{"conversion", "insight"} {
		begin := time.Now()
		waitJobs(t, c, service, []string{begun(t, c, service, upload(t, c, "a.txt", []byte("CONSULTING AGREEMENT\nThe only text.")))})
		say("the first job of %s took %.1f s", service, time.Since(begin).Seconds())
	}
	for _, service := range []string{"conversion", "insight"} {
		become(t, service, 0)
	}
}

// TestAutoscaler sends the gateway more requests than two replicas should serve. It gets
// another one.
func TestAutoscaler(t *testing.T) {
	soaking(t)
	autoscaled(t, fmt.Sprintf(`patches:
  - target: {kind: HorizontalPodAutoscaler}
    patch: |
      - {op: replace, path: /spec/maxReplicas, value: %d}
`, replicasLimit), "hpa")
	become(t, "gateway", 2)
	var clients sync.WaitGroup
	defer clients.Wait()
	done := make(chan struct{})
	defer close(done)
	for range 8 {
		c := system.NewClient(t)
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					_, _ = c.Try(harness.Request{Path: "/documents"})
				}
			}
		})
	}
	become(t, "gateway", replicasLimit)
}
