package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// containers skips a test unless this run is in containers mode.
func containers(t *testing.T) {
	t.Helper()
	if harness.ModeOfRun() != harness.Containers {
		t.Skip("needs containers: make test-containers runs it")
	}
}

// scene is a system under load, and the faults that it undergoes.
type scene struct {
	t       *testing.T
	cluster *harness.Cluster
	load    *load
	begin   time.Time
}

// TestFaults kills, restarts, pauses and disconnects one part after the other. The
// system must keep every promise that it made in its responses.
func TestFaults(t *testing.T) {
	containers(t)
	s, cluster := harness.StartCluster(t, harness.Options{Rate: "unlimited", Replicas: 2, NATS: 3, Env: []string{"CONVERSION_WORKERS=1", "GATEWAY_DRAIN_DELAY=2s"}})
	l := newLoad(s)
	sc := &scene{t: t, cluster: cluster, load: l, begin: time.Now()}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { l.run(ctx) })
	sc.faults()
	cancel()
	running.Wait()
	if err := cluster.WaitReady(); err != nil {
		t.Error(err)
	}
	l.check(t)
	sc.checkEvents()
}

// faults runs all faults in order. The load is strict during those in which no request
// may fail.
func (sc *scene) faults() {
	sc.strictly("nothing", func() { time.Sleep(3 * time.Second) })
	for _, service := range []string{"document", "conversion", "annotation", "insight", "gateway"} {
		sc.during("kill one "+service, func() { sc.kill(service) })
	}
	sc.during("restart the NATS servers one by one", sc.restartNATS)
	sc.strictly("restart Redis", sc.restartRedis)
	sc.during("pause MongoDB for 5 s", func() { sc.pause(sc.cluster.MongoDB) })
	sc.during("pause the object store for 5 s", func() { sc.pause(sc.cluster.Objects) })
	sc.during("disconnect one document service for 10 s", func() { sc.cut(sc.cluster.Services["document"][0]) })
	sc.strictly("restart all instances of all services one by one", sc.restartServices)
	sc.strictly("nothing", func() { time.Sleep(3 * time.Second) })
}

// during runs a fault, waits until the system recovers on its own, and prints both
// times.
func (sc *scene) during(what string, do func()) {
	sc.t.Helper()
	begin := time.Now()
	do()
	after := time.Since(begin)
	if err := sc.cluster.WaitReady(); err != nil {
		sc.t.Fatalf("%s: %v", what, err)
	}
	sc.load.mu.Lock()
	wrong := len(sc.load.wrong)
	sc.load.mu.Unlock()
	fmt.Printf("%5.1fs  %s: %.1fs, all ready %.1fs later, %d failures so far\n", time.Since(sc.begin).Seconds(), what, after.Seconds(), (time.Since(begin) - after).Seconds(), wrong)
}

// strictly is like during, but no request of the load may fail.
func (sc *scene) strictly(what string, do func()) {
	sc.t.Helper()
	time.Sleep(2 * time.Second) // requests that the previous fault has broken are answered by then
	sc.load.strict.Store(true)
	sc.during(what+" (nothing may fail)", do)
	sc.load.strict.Store(false)
}

// must ends the test if an operation of the test itself fails.
func (sc *scene) must(err error) {
	sc.t.Helper()
	if err != nil {
		sc.t.Fatal(err)
	}
}

// kill kills one instance and starts it again a little later, as an orchestrator would.
func (sc *scene) kill(service string) {
	c := sc.cluster.Services[service][0]
	sc.load.dying.Store(service == "gateway")
	sc.must(c.Kill())
	time.Sleep(3 * time.Second)
	sc.must(c.Start())
	sc.must(sc.cluster.WaitReady())
	sc.load.dying.Store(false)
}

func (sc *scene) restartNATS() {
	for _, server := range sc.cluster.NATS {
		_ = server.Stop() // nats-server exits with status 1 after SIGTERM
		time.Sleep(time.Second)
		sc.must(server.Start())
		sc.must(sc.cluster.WaitNATS())
	}
}

var fallbacks = regexp.MustCompile(`(?m)^recto_ratelimit_fallback_total (\d+)$`)

// fallen returns how many requests the gateways have counted without Redis.
func (sc *scene) fallen() int {
	sum := 0
	for _, m := range fallbacks.FindAllStringSubmatch(sc.load.system.Metrics(sc.t, "gateway"), -1) {
		n, err := strconv.Atoi(m[1])
		sc.must(err)
		sum += n
	}
	return sum
}

// restartRedis sends requests while Redis is down. They must succeed, and the metric of
// the fallback must count them until Redis is used again.
func (sc *scene) restartRedis() {
	c := sc.load.system.NewClient(sc.t, "--rate", "100000/min") // requests of an unlimited key are not counted
	get := func() {
		if a := c.Get("/me"); a.Status != http.StatusOK {
			sc.t.Errorf("without Redis: %d %s", a.Status, a.Body)
		}
	}
	get()
	before := sc.fallen()
	sc.must(sc.cluster.Redis.Stop())
	for range 30 {
		get()
		time.Sleep(100 * time.Millisecond)
	}
	if after := sc.fallen(); after == before {
		sc.t.Error("the metric does not count requests limited without Redis")
	}
	sc.must(sc.cluster.Redis.Start())
	for deadline := time.Now().Add(patience.Limit()); ; time.Sleep(time.Second) {
		before := sc.fallen()
		for range 6 {
			get()
		}
		if sc.fallen() == before {
			return
		}
		if time.Now().After(deadline) {
			sc.t.Error("the gateways do not return to Redis")
			return
		}
	}
}

func (sc *scene) pause(c *harness.Container) {
	sc.must(c.Pause())
	time.Sleep(5 * time.Second)
	sc.must(c.Unpause())
}

func (sc *scene) cut(c *harness.Container) {
	sc.must(c.Disconnect())
	time.Sleep(10 * time.Second)
	sc.must(c.Connect())
}

// restartServices restarts every instance, as a rolling update does: it waits until one
// is ready before it restarts the next.
func (sc *scene) restartServices() {
	for _, service := range []string{"document", "conversion", "annotation", "insight", "gateway"} {
		for _, c := range sc.cluster.Services[service] {
			sc.must(c.Stop())
			sc.must(c.Start())
			sc.must(sc.cluster.WaitReady())
			time.Sleep(300 * time.Millisecond) // until the balancer has noticed it too
		}
	}
}

// checkEvents checks that no event was lost or published twice.
func (sc *scene) checkEvents() {
	seen, created, read := map[string]int{}, map[string]int{}, map[string]int{}
	deadline := time.Now().Add(patience.Limit())
	for missing := 1; missing > 0 && time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		clear(seen)
		clear(created)
		clear(read)
		events, err := sc.cluster.Events(sc.t.Context())
		sc.must(err)
		for _, data := range events {
			var e struct {
				ID, Type, Subject string
				Data              struct {
					JobID string `json:"job_id"`
				}
			}
			sc.must(json.Unmarshal(data, &e))
			seen[e.ID]++
			switch e.Type {
			case "document.created":
				created[e.Subject]++
			case "insight.completed":
				read[e.Data.JobID]++
			}
		}
		missing = 0
		for id := range sc.load.documents {
			if created[id] == 0 {
				missing++
			}
		}
		for id := range sc.load.readings {
			if read[id] == 0 {
				missing++
			}
		}
	}
	for id := range sc.load.readings {
		if read[id] != 1 {
			sc.t.Errorf("job %s has %d insight.completed events, want 1", id, read[id])
		}
	}
	for id, n := range seen {
		if n != 1 {
			sc.t.Errorf("event %s is in the stream %d times, want 1", id, n)
		}
	}
	for id := range sc.load.documents {
		if created[id] != 1 {
			sc.t.Errorf("document %s has %d document.created events, want 1", id, created[id])
		}
	}
}
