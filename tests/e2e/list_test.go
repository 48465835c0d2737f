package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// list is a page of documents.
type list struct {
	Items []document `json:"items"`
	Total int64      `json:"total"`
	Page  int64      `json:"page"`
	Size  int        `json:"size"`
	Pages int64      `json:"pages"`
}

// TestListPaging lists documents page by page.
func TestListPaging(t *testing.T) {
	c := shared.NewClient(t)
	var l list
	c.Get("/documents").OK(&l)
	if l.Items == nil || len(l.Items) != 0 || l.Total != 0 || l.Page != 1 || l.Size != 100 || l.Pages != 0 {
		t.Errorf("the empty list is %+v", l)
	}
	var ids []string
	for i := range 5 {
		ids = append(ids, create(t, c, with("name", fmt.Sprintf("n%d", i))).ID)
	}
	slices.Reverse(ids) // the default order is created_at DESC, and ids increase with time
	for _, tc := range []struct {
		query string
		want  []string
		page  int64
		size  int
		pages int64
	}{
		{"", ids, 1, 100, 1},
		{"?size=2", ids[:2], 1, 2, 3},
		{"?size=2&page=2", ids[2:4], 2, 2, 3},
		{"?page=3&size=2", ids[4:], 3, 2, 3},
		{"?page=4&size=2", nil, 4, 2, 3},
		{"?page=1000000000000&size=500", nil, 1000000000000, 500, 1},
		{"?size=500", ids, 1, 500, 1},
		{"?size=5&page=1", ids, 1, 5, 1},
		{"?size=%35", ids, 1, 5, 1},
	} {
		var l list
		c.Get("/documents" + tc.query).OK(&l)
		if got := idsOf(l); !slices.Equal(got, tc.want) || l.Total != 5 || l.Page != tc.page || l.Size != tc.size || l.Pages != tc.pages {
			t.Errorf("%s: got %v, total %d, page %d, size %d, pages %d", tc.query, got, l.Total, l.Page, l.Size, l.Pages)
		}
	}
	c.Get("/documents").OK(&l)
	if l.Items[0].Files != nil || l.Items[0].VersionNumber != 0 || l.Items[0].CreatedBy != c.User {
		t.Errorf("the first item is %+v", l.Items[0])
	}
}

func idsOf(l list) []string {
	var ids []string
	for _, d := range l.Items {
		ids = append(ids, d.ID)
	}
	return ids
}

// TestListRefusals breaks every validation rule of query parameters.
func TestListRefusals(t *testing.T) {
	c := shared.NewClient(t)
	for _, tc := range []struct {
		query   string
		code    int
		entries []string
	}{
		{"size=0", 3001, []string{"size out_of_range"}},
		{"size=501", 3001, []string{"size out_of_range"}},
		{"size=-1", 3001, []string{"size out_of_range"}},
		{"size=99999999999999999999", 3001, []string{"size out_of_range"}},
		{"page=0", 3001, []string{"page out_of_range"}},
		{"page=-3", 3001, []string{"page out_of_range"}},
		{"page=99999999999999999999", 3001, []string{"page out_of_range"}},
		{"size=abc", 3003, []string{"size invalid_type"}},
		{"size=", 3003, []string{"size invalid_type"}},
		{"size", 3003, []string{"size invalid_type"}},
		{"size=1.5", 3003, []string{"size invalid_type"}},
		{"page=1e2", 3003, []string{"page invalid_type"}},
		{"size=5&size=5", 3003, []string{"size invalid_type"}},
		{"page=1&page=2", 3003, []string{"page invalid_type"}},
		{"size=abc&page=x", 3003, []string{"size invalid_type", "page invalid_type"}},
		{"size=abc&page=0", 3001, []string{"size invalid_type", "page out_of_range"}},
		{"order_by=", 3001, []string{"order_by order_by_invalid"}},
		{"order_by=id", 3001, []string{"order_by order_by_invalid"}},
		{"order_by=created_by", 3001, []string{"order_by order_by_invalid"}},
		{"order_by=name%20UP", 3001, []string{"order_by order_by_invalid"}},
		{"order_by=name%20ASC%20x", 3001, []string{"order_by order_by_invalid"}},
		{"order_by=name,", 3001, []string{"order_by order_by_invalid"}},
		{"order_by=Name", 3001, []string{"order_by order_by_invalid"}},
		{"order_by=name&order_by=state", 3001, []string{"order_by order_by_invalid"}},
		{"order_by=name%zz", 3001, []string{"order_by order_by_invalid"}},
		{"order_by=name;drop", 3001, []string{"order_by order_by_invalid"}},
		{"order_by=" + strings.Repeat("name,", 8) + "name", 3001, []string{"order_by order_by_invalid"}},
		{"state=", 3001, []string{"state filter_invalid"}},
		{"state", 3001, []string{"state filter_invalid"}},
		{"state=draft,", 3001, []string{"state filter_invalid"}},
		{"state=,draft", 3001, []string{"state filter_invalid"}},
		{"state=draft,,agreement", 3001, []string{"state filter_invalid"}},
		{"state=draft+", 3001, []string{"state filter_invalid"}},
		{"state=%2Bdraft", 3001, []string{"state filter_invalid"}},
		{"state=draft%20%20agreement", 3001, []string{"state filter_invalid"}},
		{"state=draft,%20agreement", 3001, []string{"state filter_invalid"}},
		{"created_by=", 3001, []string{"created_by filter_invalid"}},
		{"created_by=%zz", 3003, []string{"created_by filter_invalid"}},
		{"created_at=yesterday", 3003, []string{"created_at invalid_type"}},
		{"created_at=1,x", 3003, []string{"created_at invalid_type"}},
		{"created_at=1.5", 3003, []string{"created_at invalid_type"}},
		{"created_at=", 3001, []string{"created_at filter_invalid"}},
		{"updated_at=2026-01-01", 3003, []string{"updated_at invalid_type"}},
		{"created_at[gte]=x", 3003, []string{"created_at[gte] invalid_type"}},
		{"created_at%5Blt%5D=1,2", 3001, []string{"created_at[lt] filter_invalid"}},
		{"updated_at[gt]=1+2", 3001, []string{"updated_at[gt] filter_invalid"}},
		{"updated_at[lte]=", 3001, []string{"updated_at[lte] filter_invalid"}},
		{"stat=draft", 3001, []string{"stat unknown_parameter"}},
		{"State=draft", 3001, []string{"State unknown_parameter"}},
		{"created_at[ne]=1", 3001, []string{"created_at[ne] unknown_parameter"}},
		{"state[gte]=1", 3001, []string{"state[gte] unknown_parameter"}},
		{"version_number=1", 3001, []string{"version_number unknown_parameter"}},
		{"=x", 3001, []string{" unknown_parameter"}},
		{"zz=1&size=0&state=&page=x", 3001, []string{"zz unknown_parameter", "size out_of_range", "state filter_invalid", "page invalid_type"}},
	} {
		t.Run(tc.query, func(t *testing.T) { c.Get("/documents?"+tc.query).FailsWith(tc.code, tc.entries...) })
	}
	p := c.Get("/documents?creatd_at=1").Fails(400, 3001)
	if !strings.Contains(p.Errors[0].Resolution, "created_at") {
		t.Errorf("the resolution of a misspelt parameter is %q", p.Errors[0].Resolution)
	}
	var broad []string
	for i := range 1001 {
		broad = append(broad, strconv.Itoa(i))
	}
	c.Get("/documents?created_at="+strings.Join(broad, ",")).FailsWith(3001, "created_at filter_invalid")
	c.Get("/documents?created_at=" + strings.Join(broad[1:], ",")).OK(nil)
}

// TestListMatchesNothing checks valid filters that match no document, and others that
// match the only one.
func TestListMatchesNothing(t *testing.T) {
	c := shared.NewClient(t)
	other := shared.NewClient(t)
	d := create(t, c, valid())
	for _, query := range []string{
		"state=active", "state=draft+agreement", "state=active+draft", "created_by=nobody", "organization_id=" + other.OrganizationID,
		"organization_id=" + c.OrganizationID + "+" + other.OrganizationID, "created_at=1", "created_at=99999999999999999999",
		"updated_at[lt]=0", "created_at[gte]=99999999999999999999", "state=draft&state=agreement", "created_by=%ff",
		fmt.Sprintf("created_at=%d&updated_at=1", d.CreatedAt), "state=draft&created_by=x",
	} {
		var l list
		c.Get("/documents?" + query).OK(&l)
		if l.Total != 0 || len(l.Items) != 0 || l.Pages != 0 {
			t.Errorf("%s: got %d of %d, want none", query, len(l.Items), l.Total)
		}
	}
	for _, query := range []string{
		"organization_id=" + c.OrganizationID, "state=draft+draft", "state=active,draft", "state=agreement+active,draft",
		"state=draft%2Cagreement", "state=draft%2Bdraft", "state=draft%20draft", fmt.Sprintf("created_at=%d", d.CreatedAt),
		fmt.Sprintf("created_at[gte]=%d&created_at[lte]=%d", d.CreatedAt, d.CreatedAt), "created_at[gt]=-99999999999999999999",
		"created_by=" + c.User.ID + "&updated_by=" + c.User.ID, fmt.Sprintf("created_at=1,0%d", d.CreatedAt),
	} {
		var l list
		c.Get("/documents?" + query).OK(&l)
		if l.Total != 1 || len(l.Items) != 1 {
			t.Errorf("%s: got %d of %d, want the only document", query, len(l.Items), l.Total)
		}
	}
}

// TestListModel compares lists with a naive model of the specification, for random
// documents, filters, orders and pages.
func TestListModel(t *testing.T) {
	c := shared.NewClient(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	var all []document
	for range 60 {
		all = append(all, create(t, c, object{
			"name": pick(r, "a", "B", "b", "é", "zz", "Z z", "10", "9"), "files": valid()["files"], "state": pick(r, "draft", "agreement"),
			"created_by": pick(r, "u1", "u2", "U1"), "updated_by": pick(r, "u1", "u2", c.User.ID),
		}))
	}
	for range 400 {
		q := randomQuery(r, c, all)
		var got list
		c.Get("/documents" + q.encode(r)).OK(&got)
		want := q.model(all)
		if !slices.Equal(idsOf(got), idsOf(want)) || got.Total != want.Total || got.Pages != want.Pages || got.Page != want.Page || got.Size != want.Size {
			t.Fatalf("%+v\ngot  %v of %d\nwant %v of %d", q, idsOf(got), got.Total, idsOf(want), want.Total)
		}
	}
}

func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// listQuery is a query before it is encoded. The values of a filter are an OR of ANDs.
type listQuery struct {
	page, size int
	order      []string // "field", or "-field" for descending
	filters    []listFilter
}

type listFilter struct {
	name   string
	groups [][]string
}

func randomQuery(r *rand.Rand, c *harness.Client, all []document) listQuery {
	q := listQuery{page: 1 + r.IntN(5), size: 1 + r.IntN(40)}
	for range r.IntN(4) {
		q.order = append(q.order, pick(r, "", "-")+pick(r, "created_at", "updated_at", "name", "state"))
	}
	for range r.IntN(4) {
		q.filters = append(q.filters, randomFilter(r, c, all))
	}
	return q
}

func randomFilter(r *rand.Rand, c *harness.Client, all []document) listFilter {
	someTime := func() string { return strconv.FormatInt(all[r.IntN(len(all))].CreatedAt+r.Int64N(2), 10) }
	f := listFilter{name: pick(r, "state", "created_by", "updated_by", "organization_id", "created_at", "updated_at", "created_at[gte]", "created_at[lt]", "updated_at[gt]", "updated_at[lte]")}
	value := map[string]func() string{
		"state":           func() string { return pick(r, "draft", "agreement", "active") },
		"created_by":      func() string { return pick(r, "u1", "u2", "U1", "u9") },
		"updated_by":      func() string { return pick(r, "u1", "u2", c.User.ID) },
		"organization_id": func() string { return pick(r, c.OrganizationID, "org_x") },
	}[f.name]
	if value == nil {
		value = someTime
	}
	if strings.Contains(f.name, "[") {
		f.groups = [][]string{{value()}}
		return f
	}
	for range 1 + r.IntN(3) {
		var group []string
		for range 1 + r.IntN(4)/3 { // mostly one value, because an AND of two rarely matches
			group = append(group, value())
		}
		f.groups = append(f.groups, group)
	}
	return f
}

// encode returns the query string. It chooses randomly among the valid ways to write each
// operator, and shuffles the parameters.
func (q listQuery) encode(r *rand.Rand) string {
	params := []string{fmt.Sprintf("page=%d", q.page), fmt.Sprintf("size=%d", q.size)}
	var terms []string
	for _, o := range q.order {
		field, descending := strings.CutPrefix(o, "-")
		term := field + pick(r, "", " ASC", " asc", " Asc")
		if descending {
			term = field + pick(r, " DESC", " desc", "  dEsC ")
		}
		terms = append(terms, pick(r, url.QueryEscape, url.PathEscape)(term))
	}
	if len(terms) > 0 {
		params = append(params, "order_by="+strings.Join(terms, pick(r, ",", "%2C", "%2c")))
	}
	for _, f := range q.filters {
		var groups []string
		for _, group := range f.groups {
			groups = append(groups, strings.Join(group, pick(r, "+", "%2B", "%2b", "%20")))
		}
		params = append(params, pick(r, f.name, url.QueryEscape(f.name))+"="+strings.Join(groups, pick(r, ",", "%2C")))
	}
	r.Shuffle(len(params), func(i, j int) { params[i], params[j] = params[j], params[i] })
	return "?" + strings.Join(params, "&")
}

// model returns the result of the query, computed without a database.
func (q listQuery) model(all []document) list {
	matching := slices.DeleteFunc(slices.Clone(all), func(d document) bool {
		return slices.ContainsFunc(q.filters, func(f listFilter) bool { return !f.matches(d) })
	})
	order := q.order
	if len(order) == 0 {
		order = []string{"-created_at"}
	}
	last := "id"
	if strings.HasPrefix(order[0], "-") {
		last = "-id"
	}
	slices.SortFunc(matching, func(a, b document) int {
		for _, o := range append(slices.Clone(order), last) {
			field, descending := strings.CutPrefix(o, "-")
			n := strings.Compare(sortKey(a, field), sortKey(b, field))
			if descending {
				n = -n
			}
			if n != 0 {
				return n
			}
		}
		return 0
	})
	total := len(matching)
	begin := min((q.page-1)*q.size, total)
	return list{
		Items: matching[begin:min(begin+q.size, total)], Total: int64(total),
		Page: int64(q.page), Size: q.size, Pages: int64((total + q.size - 1) / q.size),
	}
}

func sortKey(d document, field string) string {
	switch field {
	case "created_at":
		return fmt.Sprintf("%020d", d.CreatedAt)
	case "updated_at":
		return fmt.Sprintf("%020d", d.UpdatedAt)
	case "name":
		return d.Name
	case "state":
		return d.State
	}
	return d.ID
}

func (f listFilter) matches(d document) bool {
	field, operator, isBound := strings.Cut(strings.TrimSuffix(f.name, "]"), "[")
	value := map[string]string{
		"state": d.State, "created_by": d.CreatedBy.ID, "updated_by": d.UpdatedBy.ID, "organization_id": d.OrganizationID,
		"created_at": strconv.FormatInt(d.CreatedAt, 10), "updated_at": strconv.FormatInt(d.UpdatedAt, 10),
	}[field]
	if isBound {
		n := strings.Compare(value, f.groups[0][0]) // all times have 13 digits
		return map[string]bool{"gte": n >= 0, "gt": n > 0, "lte": n <= 0, "lt": n < 0}[operator]
	}
	return slices.ContainsFunc(f.groups, func(group []string) bool {
		return !slices.ContainsFunc(group, func(v string) bool { return v != value })
	})
}
