package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
)

// TestJobScopes reads and cancels jobs of each kind, with a key for each scope.
func TestJobScopes(t *testing.T) {
	g := serve(t)
	s := &services{}
	g.serveServices(t, s)
	g.readInsights(t).set(func(s *insightService) { s.state = jobapi.Failed })
	jobs := map[string]contract.Scope{"job_done": contract.ScopeConvert, "job_annotated": contract.ScopeAnnotate, "job_read": contract.ScopeInsights}
	ask := func(method, path string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), method, g.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return g.do(t, request)
	}
	for _, scope := range contract.Scopes() {
		_, secret, err := identity.NewAdmin(g.store, peppers).CreateKey(t.Context(), identity.NewKey{Scopes: []contract.Scope{scope}})
		if err != nil {
			t.Fatal(err)
		}
		g.key = secret
		for _, method := range []string{"GET", "HEAD", "DELETE"} {
			none := scope == contract.ScopeDocumentsWrite || scope == contract.ScopeDocumentsRead && method == "DELETE"
			for id, kind := range jobs {
				want := 403
				if scope == contract.ScopeAll || scope == kind || scope == contract.ScopeDocumentsRead && method != "DELETE" {
					want = 200
				}
				status, body := ask(method, "/v2/jobs/"+id)
				if status != want || method != "HEAD" && want == 403 && !strings.Contains(body, `"code":2004`) || want == 200 && method != "HEAD" && !strings.Contains(body, `"id":"`+id+`"`) {
					t.Errorf("%s %s with %s: %d %s, want %d", method, id, scope, status, body, want)
				}
				if method != "HEAD" && want == 403 && !strings.Contains(body, string(kind)) {
					t.Errorf("%s %s with %s: %s does not name the scope %s", method, id, scope, body, kind)
				}
			}
			want := 404
			if none {
				want = 403
			}
			if status, body := ask(method, "/v2/jobs/job_none"); status != want {
				t.Errorf("%s of an unknown job with %s: %d %s, want %d", method, scope, status, body, want)
			}
		}
	}
}

// TestCancelJob checks the response for jobs in each state.
func TestCancelJob(t *testing.T) {
	g, _ := serveAll(t)
	for id, want := range map[string]string{
		"job_queued":    `{"id":"job_queued","kind":"convert","state":"canceled","progress":0,"result":null,"error":null}`,
		"job_done":      `{"id":"job_done","kind":"convert","state":"succeeded","progress":1,"result":{"download_url":"u","expires_at":1},"error":null}`,
		"job_failed":    `{"id":"job_failed","kind":"convert","state":"failed","progress":0.5,"result":null,"error":{"code":3001,`,
		"job_annotated": `{"id":"job_annotated","kind":"annotate","state":"succeeded","progress":1,"result":{"download_url":"v","expires_at":2},"error":null}`,
		"job_none":      `{"code":1001,`,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, g.url+"/v2/jobs/"+id, strings.NewReader("ignored"))
		if err != nil {
			t.Fatal(err)
		}
		if _, body := g.do(t, request); !strings.HasPrefix(body, want) {
			t.Errorf("got %s\nwant %s", body, want)
		}
	}
}
