package faults

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
	"github.com/rectohq/recto/tests/rehearsal"
)

// queueLimit is the limit of the queue of conversions in TestAlerts.
const queueLimit = "20"

// observed is how long each outage of TestAlerts lasts. It is longer than the interval in which
// services count their jobs.
const observed = 7 * time.Second

// TestAlerts stops NATS and the object store, and fills the queue of conversions. Each time,
// exactly the alert of the cause notifies a person, and what the runbook says ends it.
func TestAlerts(t *testing.T) {
	containers(t)
	s, cluster := harness.StartCluster(t, harness.Options{Rate: "unlimited", Env: []string{"CONVERSION_WORKERS=1", "CONVERSION_QUEUE=" + queueLimit, "GATEWAY_DRAIN_DELAY=0s"}})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	l, c := newLoad(s), s.Client(t)
	r := rehearsal.New(t, "", s.Scrape)
	healthy := func(name string) {
		t.Helper()
		must(cluster.WaitReady())
		l.createAndUpload(t.Context()) // the object store works again
		work(t, c)                     // what was delayed is done
		r.Play(rehearsal.Phase{Name: name, During: func() { work(t, c) }})
	}
	// What users and callers see of an outage.
	effects := []string{"RectoAPIErrors", "RectoServiceUnavailable", "RectoJobsPostponed", "RectoQueueNotDrained", "RectoJobsOld"}

	healthy("healthy")
	ids := uploadTexts(c, 8)
	must(cluster.NATS[0].Kill())
	r.Play(rehearsal.Phase{Name: "NATS is down", During: func() { l.attempt(t.Context(), ids) },
		Alerts: []string{"RectoNATSUnavailable"}, Effects: append(effects, "RectoNotReady")})
	must(cluster.NATS[0].Start())
	must(cluster.WaitNATS())
	healthy("NATS is started")

	ids = uploadTexts(c, 8)
	must(cluster.Objects.Kill())
	r.Play(rehearsal.Phase{Name: "the object store is down", During: func() { l.attempt(t.Context(), ids) },
		Alerts: []string{"RectoObjectStoreErrors"}, Effects: effects})
	must(cluster.Objects.Start())
	healthy("the object store is started")

	end := flood(t, s, l)
	r.Play(rehearsal.Phase{Name: "the queue is full", During: func() { time.Sleep(observed) },
		Alerts: []string{"RectoQueueNearLimit"}, Effects: []string{"RectoAPIErrors", "RectoServiceUnavailable"}})
	must(cluster.Scale("conversion", 2))
	end()
	must(cluster.WaitReady())
	patience.Until(t, "the queue is drained", func() bool { return unfinished(t, s) == 0 })
	healthy("an instance is added")
	if err := r.Verify(); err != nil {
		t.Error(err)
	}
}

// work uses the system as clients of a healthy one do, often enough to show a rate. Every
// request must succeed.
func work(t *testing.T, c *harness.Client) {
	t.Helper()
	for range 5 {
		for _, id := range queueConversions(c, 1) {
			patience.Until(t, "a conversion is finished", func() bool {
				var job struct{ State string }
				c.Get("/jobs/" + id).OK(&job)
				return job.State == "succeeded"
			})
		}
		c.Get("/documents").OK(nil)
	}
}

// attempt sends requests about documents that are not converted yet for a while, whatever
// becomes of them.
func (l *load) attempt(ctx context.Context, ids []string) {
	ctx, cancel := context.WithTimeout(ctx, observed)
	defer cancel()
	var running sync.WaitGroup
	for _, id := range ids {
		running.Go(func() {
			until(ctx, func() bool {
				l.send(ctx, http.MethodGet, l.system.BaseURL+"/documents/"+id, nil, "x-api-key", l.system.APIKey)
				l.send(ctx, http.MethodPost, l.system.BaseURL+"/documents/"+id+"/convert", nil, "x-api-key", l.system.APIKey, "Prefer", "respond-async")
				return false
			})
		})
	}
	running.Wait()
}

// flood queues conversions until the returned function is called, and returns when the queue
// is full.
func flood(t *testing.T, s *harness.System, l *load) (end func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for ctx.Err() == nil {
				l.convertOnce(ctx)
			}
		})
	}
	limit, err := strconv.Atoi(queueLimit)
	if err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the queue is full", func() bool { return unfinished(t, s) >= limit*9/10 })
	return func() {
		cancel()
		running.Wait()
	}
}

// convertOnce requests the conversion of a new document, whether or not it is accepted.
func (l *load) convertOnce(ctx context.Context) {
	d, ok := l.create(ctx, "flood "+strconv.FormatInt(l.n.Add(1), 10))
	if !ok || !l.put(ctx, d.Files[0].UploadURL, "text of "+d.ID) {
		return
	}
	l.send(ctx, http.MethodPost, l.system.BaseURL+"/documents/"+d.ID+"/convert", nil, "x-api-key", l.system.APIKey, "Prefer", "respond-async")
}

var queued = regexp.MustCompile(`(?m)^recto_jobs_unfinished\{kind="convert"\} (\d+)$`)

// unfinished returns how many conversions are unfinished, as the first instance counts them.
func unfinished(t *testing.T, s *harness.System) int {
	t.Helper()
	m := queued.FindStringSubmatch(s.Metrics(t, "conversion"))
	if m == nil {
		t.Fatal("conversion does not export recto_jobs_unfinished")
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
