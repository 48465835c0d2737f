package jobapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem/problemtest"
)

// TestKindOf shows that KindOf returns the kind of new ids, and none for older ids without
// a kind and for strings that are not job ids.
func TestKindOf(t *testing.T) {
	for _, kind := range jobapi.Kinds() {
		for _, id := range []string{jobapi.NewID(kind), jobapi.DeriveID(kind, "seed")} {
			if got, ok := jobapi.KindOf(id); !ok || got != kind || len(id) != len(contract.NewID(contract.JobPrefix)) {
				t.Errorf("KindOf(%s) = %q, %v; want %s", id, got, ok, kind)
			}
		}
	}
	if a, b := jobapi.DeriveID(jobapi.Analyze, "a"), jobapi.DeriveID(jobapi.Analyze, "b"); a == b || a != jobapi.DeriveID(jobapi.Analyze, "a") {
		t.Errorf("ids derived from two seeds: %s and %s", a, b)
	}
	document := strings.Replace(jobapi.NewID(jobapi.Convert), "job_", "doc_", 1)
	for _, id := range []string{contract.NewID(contract.JobPrefix), document, "job_1", "job_", "", "job_ZZZZZZZZZZZZZZZZZZZZZZZZZZ"} {
		if kind, ok := jobapi.KindOf(id); ok {
			t.Errorf("KindOf(%q) = %s, want none", id, kind)
		}
	}
}

// TestIDsSort shows that job ids of different kinds sort by time.
func TestIDsSort(t *testing.T) {
	var ids []string
	for range 50 {
		for _, kind := range []jobapi.Kind{jobapi.Analyze, jobapi.Convert} {
			ids = append(ids, jobapi.NewID(kind)[:len("job_")+10]) // the milliseconds
		}
	}
	if !slices.IsSorted(ids) {
		t.Errorf("ids are not in order: %v", ids)
	}
}

// TestParseList shows that paging and filters are parsed, and every problem is reported.
func TestParseList(t *testing.T) {
	list, err := jobapi.ParseList("state=queued,failed&kind=convert&document_id=doc_1&size=7&page=2")
	if err != nil || list.Page != 2 || list.Size != 7 || !slices.Equal(list.States, []jobapi.State{jobapi.Queued, jobapi.Failed}) ||
		!slices.Equal(list.Kinds, []jobapi.Kind{jobapi.Convert}) || !slices.Equal(list.Documents, []string{"doc_1"}) {
		t.Errorf("ParseList = %+v, %v", list, err)
	}
	if list, err := jobapi.ParseList(""); err != nil || list.Page != 1 || list.Size != jobapi.DefaultPageSize {
		t.Errorf("without parameters: %+v, %v", list, err)
	}
	if _, err := jobapi.ParseList("page=20&size=500"); err != nil {
		t.Errorf("the last page: %v", err)
	}
	for query, want := range map[string]string{
		"size=0":                 "3001 size:out_of_range",
		"size=501&page=x":        "3001 size:out_of_range page:invalid_type",
		"page=x":                 "3003 page:invalid_type",
		"size=1&size=2":          "3003 size:invalid_type",
		"page=21&size=500":       "3001 page:out_of_range",
		"state=done":             "3001 state:invalid_enum",
		"kind=insight":           "3001 kind:invalid_enum",
		"kind=convert,,annotate": "3001 kind:filter_invalid",
		"document_id=":           "3001 document_id:filter_invalid",
		"STATE=queued":           "3001 STATE:unknown_parameter",
		"document_id=" + strings.Repeat("a,", 100) + "a": "3001 document_id:filter_invalid",
	} {
		_, err := jobapi.ParseList(query)
		if got := problemtest.Entries(t, err); got != want {
			t.Errorf("%.40s: got %s, want %s", query, got, want)
		}
	}
}

// FuzzParseList checks that every accepted list is within its limits and survives encoding.
func FuzzParseList(f *testing.F) {
	for _, query := range []string{"", "state=queued,failed&kind=convert&document_id=doc_1&size=7&page=2", "document_id=%ff,%00", "page=21&size=500", "a=b&&=", "size=%31"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		list, err := jobapi.ParseList(query)
		if err != nil {
			problemtest.Entries(t, err)
			return
		}
		request := jobapi.ListRequest{States: list.States, Documents: list.Documents, Limit: list.Page * list.Size}
		if err := request.Validate(); err != nil {
			t.Errorf("%q is accepted but not valid: %v", query, err)
		}
		data, err := json.Marshal(request)
		var arrived jobapi.ListRequest
		if err == nil {
			err = json.Unmarshal(data, &arrived)
		}
		if err != nil || !slices.Equal(arrived.Documents, list.Documents) || !slices.Equal(arrived.States, list.States) {
			t.Errorf("%q: %+v arrives as %+v, %v", query, request, arrived, err)
		}
	})
}

// FuzzKindOf checks that KindOf handles any string.
func FuzzKindOf(f *testing.F) {
	f.Add(jobapi.NewID(jobapi.Convert))
	f.Add("job_")
	f.Fuzz(func(t *testing.T, id string) {
		if kind, ok := jobapi.KindOf(id); ok != slices.Contains(jobapi.Kinds(), kind) {
			t.Errorf("KindOf(%q) = %q, %v", id, kind, ok)
		}
	})
}

// TestCompare shows that jobs sort by time, the latest first, and then by descending id.
func TestCompare(t *testing.T) {
	jobs := []jobapi.Summary{{ID: "a", CreatedAt: 1}, {ID: "b", CreatedAt: 2}, {ID: "c", CreatedAt: 2}, {ID: "d", CreatedAt: 1 << 40}}
	slices.SortFunc(jobs, jobapi.Summary.Compare)
	var ids string
	for _, j := range jobs {
		ids += j.ID
	}
	if ids != "dcba" {
		t.Errorf("the order is %s, want dcba", ids)
	}
}
