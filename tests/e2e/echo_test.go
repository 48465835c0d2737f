package e2e

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// TestEchoKeepsTheShape sends values that are too large to echo. The echoed value has
// the same JSON shape, with truncated strings; it is not JSON within a string.
func TestEchoKeepsTheShape(t *testing.T) {
	c := shared.NewClient(t)
	path := form(t, c)
	long := strings.Repeat("aé", 4000)
	cut := long[:8192-1] + "…" // the limit falls inside a character
	type list = []any
	for _, tc := range []struct{ sent, want any }{
		{long, cut}, {list{long, "b", long}, list{cut, "b", cut}}, {object{"a": long, "b": list{1, long}}, map[string]any{"a": cut, "b": list{1.0, cut}}},
		{list{list{long}}, list{list{cut}}},
	} {
		got := c.Post(path, values("none", tc.sent)).Fails(400, 3001).Errors[0].Value
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%.40v… is echoed as %.60v…, want %.60v…", tc.sent, got, tc.want)
		}
	}
	many := make(list, 150)
	for i := range many {
		many[i] = long
	}
	if got, ok := c.Post(path, values("checkbox", many)).Fails(400, 3001).Errors[0].Value.(list); !ok || len(got) != 101 || got[99] != cut || got[100] != "…" {
		t.Errorf("150 strings are echoed as %d items, want 101", len(got))
	}
}

// TestEchoOfJobs makes a job fail with more values than its record can hold. They are
// truncated further.
func TestEchoOfJobs(t *testing.T) {
	c := shared.NewClient(t)
	long := strings.Repeat("é", 4000)
	var pairs []any
	for n := range 800 {
		pairs = append(pairs, fmt.Sprint("none-", n), []any{long, []string{"b", long}}[n%2])
	}
	var job accepted
	c.Do(harness.Request{Method: http.MethodPost, Path: form(t, c), Body: values(pairs...), Header: map[string]string{"Prefer": "respond-async"}}).Accepted(&job)
	done := ended(t, c, job.ID)
	if done.Error == nil || len(done.Error.Errors) != 800 {
		t.Fatalf("the job ended as %.300v", done)
	}
	cut := strings.Repeat("é", 128) + "…"
	for n, want := range []any{cut, []any{"b", cut}} {
		if got := done.Error.Errors[n].Value; !reflect.DeepEqual(got, want) {
			t.Errorf("value %d is %.80v…, want %.80v…", n, got, want)
		}
	}
}
