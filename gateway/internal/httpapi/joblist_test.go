package httpapi_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// jobsOf starts a service with jobs of a kind. Created maps their ids to the times when they
// were submitted.
func (g *gateway) jobsOf(t *testing.T, kind jobapi.Kind, get contract.Endpoint[jobapi.GetRequest, jobapi.Job],
	list contract.Endpoint[jobapi.ListRequest, jobapi.ListResponse], created map[string]int64,
) {
	t.Helper()
	server, err := bustest.Connect(t, g.nats, get.Service).Serve(get.Service, "1.0.0", 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience.Limit())
		defer cancel()
		_ = server.Shutdown(ctx)
	})
	err = errors.Join(
		bus.Handle(server, get, func(_ context.Context, _ contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
			if _, ok := created[r.ID]; !ok {
				return jobapi.Job{}, jobapi.NotFound(r.ID)
			}
			return jobapi.Job{ID: r.ID, Kind: kind, State: jobapi.Queued}, nil
		}),
		bus.Handle(server, list, func(_ context.Context, _ contract.Principal, r jobapi.ListRequest) (jobapi.ListResponse, error) {
			if slices.Contains(r.States, jobapi.Failed) || slices.Contains(r.Documents, "doc_none") {
				return jobapi.ListResponse{}, nil
			}
			l := jobapi.ListResponse{Total: int64(len(created))}
			for id, at := range created {
				l.Items = append(l.Items, jobapi.Summary{ID: id, Kind: kind, State: jobapi.Queued, CreatedAt: at})
			}
			slices.SortFunc(l.Items, func(a, b jobapi.Summary) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
			l.Items = l.Items[:min(len(l.Items), r.Limit)]
			return l, nil
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
}

// ids returns the ids of the items in a body and its total, as "id id of total".
func ids(body string) string {
	var found []string
	for _, part := range strings.Split(body, `{"id":"`)[1:] {
		found = append(found, part[:strings.IndexByte(part, '"')])
	}
	_, total, _ := strings.Cut(body, `"total":`)
	return fmt.Sprintf("%s of %s", strings.Join(found, " "), total[:max(strings.IndexAny(total, ",}"), 0)])
}

// TestListJobs checks that the jobs of all services are merged, latest first, and that each
// key gets only the jobs that it may read.
func TestListJobs(t *testing.T) {
	g := serve(t)
	g.jobsOf(t, jobapi.Convert, conversionapi.Job, conversionapi.ListJobs, map[string]int64{"c1": 10, "c2": 40})
	g.jobsOf(t, jobapi.Annotate, annotationapi.Job, annotationapi.ListJobs, map[string]int64{"a1": 30})
	g.jobsOf(t, jobapi.Analyze, insightapi.Job, insightapi.ListJobs, map[string]int64{"i1": 20, "i2": 50, "i3": 30})
	for _, test := range []struct{ scope, query, want string }{
		{"*", "", "i2 c2 i3 a1 i1 c1 of 6"},
		{"*", "?size=2", "i2 c2 of 6"},
		{"*", "?size=2&page=2", "i3 a1 of 6"},
		{"*", "?size=4&page=2", "i1 c1 of 6"},
		{"*", "?size=4&page=3", " of 6"},
		{"*", "?kind=annotate,analyze", "i2 i3 a1 i1 of 4"},
		{"*", "?state=failed", " of 0"},
		{"*", "?document_id=doc_none", " of 0"},
		{"documents:read", "", "i2 c2 i3 a1 i1 c1 of 6"},
		{"convert", "", "c2 c1 of 2"},
		{"convert", "?kind=annotate,convert", "c2 c1 of 2"},
		{"insights", "?kind=convert", "2004"},
		{"documents:write", "", "2004"},
		{"*", "?page=101", "3001"},
		{"*", "?kinds=convert", "3001"},
	} {
		_, secret, err := identity.NewAdmin(g.store, peppers).CreateKey(t.Context(), identity.NewKey{Scopes: []contract.Scope{contract.Scope(test.scope)}})
		if err != nil {
			t.Fatal(err)
		}
		g.key = secret
		status, body := g.get(t, "/v2/jobs"+test.query)
		if status == 200 && ids(body) != test.want || status != 200 && !strings.Contains(body, `"code":`+test.want) {
			t.Errorf("%s with %s: %d %s, want %s", test.query, test.scope, status, body, test.want)
		}
	}
}

// TestListWithoutService checks that listing fails while a service is unavailable: the
// client could not tell a partial list from a complete one. A list that does not need the
// service succeeds.
func TestListWithoutService(t *testing.T) {
	g := serve(t)
	g.jobsOf(t, jobapi.Convert, conversionapi.Job, conversionapi.ListJobs, map[string]int64{"c1": 10})
	if status, body := g.get(t, "/v2/jobs"); status != 503 || !strings.Contains(body, `"code":5003`) {
		t.Errorf("got %d %s", status, body)
	}
	if status, body := g.get(t, "/v2/jobs?kind=convert"); status != 200 || ids(body) != "c1 of 1" {
		t.Errorf("jobs of one kind: %d %s", status, body)
	}
}

// TestJobOfUnavailableServices gets jobs while the other services are unavailable. For an id
// that contains the kind, only its service is called. For an older id without a kind, all
// services are called.
func TestJobOfUnavailableServices(t *testing.T) {
	g := serve(t)
	id, older := jobapi.NewID(jobapi.Annotate), contract.NewID(contract.JobPrefix)
	g.jobsOf(t, jobapi.Annotate, annotationapi.Job, annotationapi.ListJobs, map[string]int64{id: 10, older: 5})
	for path, want := range map[string]int{
		id: 200, older: 200,
		jobapi.NewID(jobapi.Annotate): 404, contract.NewID(contract.JobPrefix): 503, jobapi.NewID(jobapi.Convert): 503,
	} {
		if status, body := g.get(t, "/v2/jobs/"+path); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
}
