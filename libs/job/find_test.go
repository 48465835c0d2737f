package job_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// known are jobs by organization and id.
type known map[string]job.Record

// Get implements job.Finder.
func (k known) Get(_ context.Context, organization, id string) (job.Record, error) {
	if r, ok := k[organization+" "+id]; ok {
		return r, nil
	}
	return job.Record{}, job.ErrNotFound
}

// TestFind finds the jobs of documents that may be read. One that may not be seen
// is like one that is not there.
func TestFind(t *testing.T) {
	jobs := known{"org_1 job_1": {Subject: "doc_1"}, "org_1 job_2": {Subject: "doc_2"}, "org_1 job_3": {Subject: "doc_3"}}
	away := errors.New("away")
	mayRead := func(_ context.Context, p contract.Principal, documentID string) error {
		switch p.Organization + " " + documentID {
		case "org_1 doc_1":
			return nil
		case "org_1 doc_3":
			return away
		}
		return problem.New(problem.DocumentNotFound, "There is no document %s.", documentID)
	}
	find := func(organization, id string) error {
		r, err := job.Find(t.Context(), jobs, contract.Principal{Organization: organization}, id, mayRead)
		if err == nil && r.Subject != "doc_1" {
			t.Errorf("%s is %+v", id, r)
		}
		return err
	}
	if err := find("org_1", "job_1"); err != nil {
		t.Error(err)
	}
	for _, who := range [][2]string{{"org_1", "job_2"}, {"org_1", "job_4"}, {"org_2", "job_1"}} {
		if err := find(who[0], who[1]); err == nil || err.Error() != jobapi.NotFound(who[1]).Error() {
			t.Errorf("%s: %v", who, err)
		}
	}
	if err := find("org_1", "job_3"); !errors.Is(err, away) {
		t.Errorf("while documents are away: %v", err)
	}
}

// TestSlots lets no more work at a time than there are slots for.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := job.NewSlots(2, "hands")
		load := func(waiting, running int) {
			t.Helper()
			synctest.Wait()
			if w, r := slots.Load(); w != waiting || r != running {
				t.Errorf("%d wait and %d run, want %d and %d", w, r, waiting, running)
			}
		}
		first, _ := slots.Acquire(t.Context())
		second, _ := slots.Acquire(t.Context())
		load(0, 2)
		ctx, cancel := context.WithCancel(t.Context())
		refused := make(chan error, 1)
		go func() {
			_, err := slots.Acquire(ctx)
			refused <- err
		}()
		load(1, 2)
		metrics := prometheus.NewRegistry()
		job.Measure(metrics, "hands", "They wait.", "They work.", slots.Load)
		families, err := metrics.Gather()
		if err != nil || len(families) != 2 || families[0].GetName() != "hands_running" || families[0].GetMetric()[0].GetGauge().GetValue() != 2 ||
			families[1].GetName() != "hands_waiting" || families[1].GetMetric()[0].GetGauge().GetValue() != 1 {
			t.Errorf("the gauges are %v, %v", families, err)
		}
		cancel()
		if err := <-refused; !problem.Is(err, problem.Unavailable) {
			t.Errorf("got %v", err)
		}
		load(0, 2)
		first()
		third, err := slots.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second()
		third()
		load(0, 0)
	})
}
