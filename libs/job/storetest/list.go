package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
)

// testList lists the jobs of an organization, the latest first: by state, by document and
// by both. It also checks the total count.
func testList(t *testing.T, s job.Store) {
	jobs := []struct {
		organization, id, subject string
		state                     jobapi.State
		created                   int64
	}{
		{"org_a", "job_1", "doc_1", jobapi.Succeeded, 10},
		{"org_a", "job_2", "doc_2", jobapi.Queued, 30},
		{"org_a", "job_4", "doc_1", jobapi.Failed, 20},
		{"org_a", "job_3", "doc_1", jobapi.Queued, 20},
		{"org_a", "job_5", "", jobapi.Canceled, 5},
		{"org_b", "job_6", "doc_1", jobapi.Queued, 40},
	}
	for _, j := range jobs {
		r := record(j.organization, j.id, jobapi.Bulk)
		r.Subject, r.State, r.CreatedAt = j.subject, j.state, j.created
		if j.state.Ended() {
			r.EndedAt = j.created + 1
		}
		add(t, s, r)
	}
	for name, test := range map[string]struct {
		organization string
		filter       job.Filter
		limit        int
		want         string
	}{
		"all":                  {"org_a", job.Filter{}, 10, "job_2 job_4 job_3 job_1 job_5 of 5"},
		"the latest":           {"org_a", job.Filter{}, 2, "job_2 job_4 of 5"},
		"a state":              {"org_a", job.Filter{States: []jobapi.State{jobapi.Queued}}, 10, "job_2 job_3 of 2"},
		"states":               {"org_a", job.Filter{States: []jobapi.State{jobapi.Failed, jobapi.Succeeded}}, 1, "job_4 of 2"},
		"a document":           {"org_a", job.Filter{Subjects: []string{"doc_1"}}, 10, "job_4 job_3 job_1 of 3"},
		"documents":            {"org_a", job.Filter{Subjects: []string{"doc_2", "doc_1", "doc_9"}}, 10, "job_2 job_4 job_3 job_1 of 4"},
		"both":                 {"org_a", job.Filter{States: []jobapi.State{jobapi.Queued}, Subjects: []string{"doc_1"}}, 10, "job_3 of 1"},
		"none":                 {"org_a", job.Filter{Subjects: []string{"doc_9"}}, 10, " of 0"},
		"another organization": {"org_b", job.Filter{}, 10, "job_6 of 1"},
		"no jobs":              {"org_c", job.Filter{}, 10, " of 0"},
	} {
		records, total, err := s.List(t.Context(), test.organization, test.filter, test.limit)
		var ids []string
		for _, r := range records {
			ids = append(ids, r.ID)
			for _, j := range jobs {
				ended := int64(0)
				if j.state.Ended() {
					ended = j.created + 1
				}
				if j.id == r.ID && (r.Subject != j.subject || r.State != j.state || r.CreatedAt != j.created || r.EndedAt != ended) {
					t.Errorf("%s: job %s is listed as %+v", name, j.id, r)
				}
			}
		}
		if got := fmt.Sprintf("%s of %d", strings.Join(ids, " "), total); err != nil || got != test.want {
			t.Errorf("%s: List = %s, %v; want %s", name, got, err, test.want)
		}
	}
}

// testOldest finds when the first unfinished job was created, whatever its organization,
// lane and state. Finished jobs do not count.
func testOldest(t *testing.T, s job.Store) {
	check := func(want int64) {
		t.Helper()
		if at, err := s.Oldest(t.Context()); err != nil || at != want {
			t.Errorf("Oldest = %d, %v; want %d", at, err, want)
		}
	}
	check(0)
	created := func(r job.Record, at int64) job.Record {
		r.CreatedAt = at
		return add(t, s, r)
	}
	created(record("org_a", "job_1", jobapi.Bulk), 30)
	second := created(record("org_b", "job_2", jobapi.Interactive), 20)
	first := created(record("org_a", "job_3", jobapi.Bulk), 10)
	check(10)
	first.State, first.EndedAt = jobapi.Failed, 40
	replace(t, s, first)
	check(20)
	second.State, second.LeaseEnds = jobapi.Running, 50
	replace(t, s, second)
	check(20)
}
