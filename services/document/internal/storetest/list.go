package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// defaults completes a request as the parser would.
func defaults(r documentapi.ListRequest) documentapi.ListRequest {
	r.Page, r.Size = max(r.Page, 1), cmp.Or(r.Size, documentapi.MaxPageSize)
	if r.Order == nil {
		r.Order = []documentapi.Order{{Field: documentapi.FieldCreatedAt, Descending: true}}
	}
	return r
}

// list returns a page and the total, and fails the test on an error.
func list(t *testing.T, s domain.Store, organization string, r documentapi.ListRequest) ([]domain.Document, int64) {
	t.Helper()
	items, total, err := s.List(t.Context(), organization, defaults(r))
	if err != nil {
		t.Fatalf("List(%+v): %v", r, err)
	}
	return items, total
}

// testPaging reads pages up to and beyond the last one: every document occurs once, and
// the total is that of all pages.
func testPaging(t *testing.T, s domain.Store) {
	const n = 7
	for i := range n {
		d := document(fmt.Sprintf("doc_%d", i))
		d.CreatedAt = 1 // all equal: only the id decides
		create(t, s, d)
	}
	for _, tc := range []struct {
		page int64
		want string
	}{
		{1, "doc_6 doc_5 doc_4"}, {2, "doc_3 doc_2 doc_1"}, {3, "doc_0"}, {4, ""}, {1 << 50, ""},
	} {
		items, total := list(t, s, organization, documentapi.ListRequest{Page: tc.page, Size: 3})
		if got := ids(items); got != tc.want || total != n {
			t.Errorf("page %d: got %q of %d, want %q of %d", tc.page, got, total, tc.want, n)
		}
	}
}

// ids joins the ids of documents in order, for comparison.
func ids(items []domain.Document) string {
	var out []string
	for _, d := range items {
		out = append(out, d.ID)
	}
	return strings.Join(out, " ")
}

// testListModel compares lists with a naive model over random documents, conditions,
// orders and pages.
func testListModel(t *testing.T, s domain.Store) {
	r := rand.New(rand.NewPCG(1, 2))
	var all []domain.Document
	for i := range 120 {
		d := document(fmt.Sprintf("doc_%03d", (i*37)%120))
		d.Name = pick(r, "a", "B", "b", "é", "e\u0301", "zz", "Z", " ")
		d.State = pick(r, documentapi.Draft, documentapi.Agreement)
		d.CreatedAt, d.UpdatedAt = r.Int64N(9), r.Int64N(9)
		d.CreatedBy = contract.User{ID: pick(r, "u1", "u2", "U1")}
		d.UpdatedBy = contract.User{ID: pick(r, "u1", "u2", "U1")}
		create(t, s, d)
		all = append(all, d)
	}
	for range 1500 {
		request := randomRequest(r)
		items, total := list(t, s, organization, request)
		wantItems, wantTotal := model(all, request)
		if ids(items) != ids(wantItems) || total != wantTotal {
			t.Fatalf("%+v\ngot  %s of %d\nwant %s of %d", request, ids(items), total, ids(wantItems), wantTotal)
		}
	}
}

func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// randomRequest returns a list request with a few conditions, any order, and any page.
func randomRequest(r *rand.Rand) documentapi.ListRequest {
	request := documentapi.ListRequest{Page: 1 + r.Int64N(6), Size: 1 + r.IntN(60)}
	for range 1 + r.IntN(3) {
		request.Order = append(request.Order, documentapi.Order{
			Field:      pick(r, documentapi.FieldCreatedAt, documentapi.FieldUpdatedAt, documentapi.FieldName, documentapi.FieldState),
			Descending: r.IntN(2) == 0,
		})
	}
	for range r.IntN(4) {
		request.Where = append(request.Where, randomCondition(r))
	}
	return request
}

// randomCondition returns a condition on any field, with values that some documents have.
func randomCondition(r *rand.Rand) documentapi.Condition {
	switch r.IntN(4) {
	case 0:
		op := pick(r, documentapi.GreaterOrEqual, documentapi.Greater, documentapi.LessOrEqual, documentapi.Less)
		return documentapi.Condition{Field: pick(r, documentapi.FieldCreatedAt, documentapi.FieldUpdatedAt), Op: op, Times: []int64{r.Int64N(9)}}
	case 1:
		c := documentapi.Condition{Field: pick(r, documentapi.FieldCreatedAt, documentapi.FieldUpdatedAt), Op: documentapi.In}
		for range r.IntN(4) {
			c.Times = append(c.Times, r.Int64N(9))
		}
		return c
	default:
		c := documentapi.Condition{Op: documentapi.In, Field: pick(r, documentapi.FieldState, documentapi.FieldCreatedBy, documentapi.FieldUpdatedBy, documentapi.FieldOrganization)}
		for range r.IntN(4) {
			c.Values = append(c.Values, pick(r, "draft", "agreement", "u1", "u2", "U1", "active", organization, ""))
		}
		return c
	}
}

// model implements List in memory.
func model(all []domain.Document, r documentapi.ListRequest) ([]domain.Document, int64) {
	matching := slices.DeleteFunc(slices.Clone(all), func(d domain.Document) bool {
		return slices.ContainsFunc(r.Where, func(c documentapi.Condition) bool { return !meets(d, c) })
	})
	slices.SortFunc(matching, func(a, b domain.Document) int {
		for _, o := range append(slices.Clone(r.Order), documentapi.Order{Field: "id", Descending: r.Order[0].Descending}) {
			n := compare(a, b, o.Field)
			if o.Descending {
				n = -n
			}
			if n != 0 {
				return n
			}
		}
		return 0
	})
	total := int64(len(matching))
	begin := min((r.Page-1)*int64(r.Size), total)
	return matching[begin:min(begin+int64(r.Size), total)], total
}

// meets reports whether a document meets the condition.
func meets(d domain.Document, c documentapi.Condition) bool {
	at := d.CreatedAt
	if c.Field == documentapi.FieldUpdatedAt {
		at = d.UpdatedAt
	}
	switch c.Op {
	case documentapi.GreaterOrEqual:
		return at >= c.Times[0]
	case documentapi.Greater:
		return at > c.Times[0]
	case documentapi.LessOrEqual:
		return at <= c.Times[0]
	case documentapi.Less:
		return at < c.Times[0]
	}
	switch c.Field {
	case documentapi.FieldState:
		return slices.Contains(c.Values, string(d.State))
	case documentapi.FieldCreatedBy:
		return slices.Contains(c.Values, d.CreatedBy.ID)
	case documentapi.FieldUpdatedBy:
		return slices.Contains(c.Values, d.UpdatedBy.ID)
	case documentapi.FieldOrganization:
		return slices.Contains(c.Values, d.Organization)
	default:
		return slices.Contains(c.Times, at)
	}
}

// compare compares two documents by one field.
func compare(a, b domain.Document, f documentapi.Field) int {
	switch f {
	case documentapi.FieldCreatedAt:
		return cmp.Compare(a.CreatedAt, b.CreatedAt)
	case documentapi.FieldUpdatedAt:
		return cmp.Compare(a.UpdatedAt, b.UpdatedAt)
	case documentapi.FieldName:
		return strings.Compare(a.Name, b.Name)
	case documentapi.FieldState:
		return strings.Compare(string(a.State), string(b.State))
	default:
		return strings.Compare(a.ID, b.ID)
	}
}
