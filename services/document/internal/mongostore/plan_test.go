package mongostore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/services/document/internal/mongostore"
)

// fill stores n documents in each of the organizations, so that the server has a choice
// of plans.
func fill(t testing.TB, s *mongostore.Store, n int, organizations ...string) {
	t.Helper()
	for _, organization := range organizations {
		for begin := 0; begin < n; begin += 1000 {
			var batch []any
			for i := begin; i < min(begin+1000, n); i++ {
				user := bson.D{{Key: "id", Value: fmt.Sprintf("user_%d", i%50)}, {Key: "email", Value: "a@example.com"}, {Key: "name", Value: "Ann"}}
				batch = append(batch, bson.D{
					{Key: "_id", Value: fmt.Sprintf("doc_%s_%08d", organization, i)}, {Key: "organization", Value: organization},
					{Key: "name", Value: fmt.Sprintf("Agreement %d.docx", i*7919%n)}, {Key: "state", Value: []string{"draft", "agreement"}[i%2]},
					{Key: "created_at", Value: int64(i)}, {Key: "updated_at", Value: int64(i * 31 % n)},
					{Key: "created_by", Value: user}, {Key: "updated_by", Value: user}, {Key: "access", Value: bson.D{{Key: "organization", Value: "edit"}}},
					{Key: "versions", Value: bson.A{bson.D{{Key: "number", Value: 1}, {Key: "files", Value: bson.A{}}}}},
					{Key: "revision", Value: int64(1)}, {Key: "outbox", Value: bson.A{}}, {Key: "deleted_at", Value: int64(0)},
				})
			}
			if _, err := s.Documents().InsertMany(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// filters has one condition of each kind, and none.
var filters = map[string][]documentapi.Condition{
	"none":                nil,
	"state":               {{Field: documentapi.FieldState, Op: documentapi.In, Values: []string{"draft"}}},
	"created_by":          {{Field: documentapi.FieldCreatedBy, Op: documentapi.In, Values: []string{"user_7"}}},
	"updated_by":          {{Field: documentapi.FieldUpdatedBy, Op: documentapi.In, Values: []string{"user_7", "user_8"}}},
	"created_at":          {{Field: documentapi.FieldCreatedAt, Op: documentapi.In, Times: []int64{7, 8}}},
	"range of created_at": {{Field: documentapi.FieldCreatedAt, Op: documentapi.GreaterOrEqual, Times: []int64{10}}, {Field: documentapi.FieldCreatedAt, Op: documentapi.Less, Times: []int64{100}}},
	"range of updated_at": {{Field: documentapi.FieldUpdatedAt, Op: documentapi.Greater, Times: []int64{10}}, {Field: documentapi.FieldUpdatedAt, Op: documentapi.LessOrEqual, Times: []int64{100}}},
}

var orders = []documentapi.Field{documentapi.FieldCreatedAt, documentapi.FieldUpdatedAt, documentapi.FieldName, documentapi.FieldState}

// TestPlans checks the server's plan for each filter with each order: it uses the
// intended index, and never scans the collection.
func TestPlans(t *testing.T) {
	s := open(t)
	fill(t, s, 4000, "org_a", "org_b", "org_c")
	for filter, where := range filters {
		for _, order := range orders {
			for _, descending := range []bool{false, true} {
				plans, err := s.ListPlans(t.Context(), "org_b", documentapi.ListRequest{
					Page: 1, Size: 100, Where: where, Order: []documentapi.Order{{Field: order, Descending: descending}},
				})
				if err != nil {
					t.Fatal(err)
				}
				for index, plan := range plans {
					checkPlan(t, fmt.Sprintf("filter %s, order %s, descending %v", filter, order, descending), index, plan)
				}
			}
		}
	}
	plans, err := s.BacklogPlans(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for index, plan := range plans {
		checkPlan(t, "backlog", index, plan)
	}
}

// checkPlan checks that a plan uses only the index. MongoDB names the stages of its plan;
// a DocumentDB behind FerretDB returns PostgreSQL's plan.
func checkPlan(t *testing.T, what, index string, plan bson.M) {
	t.Helper()
	var stages, used []string
	walk(plan, func(key, value string) {
		switch key {
		case "stage", "Node Type":
			stages = append(stages, value)
		case "indexName", "Index Name":
			used = append(used, value)
		}
	})
	name := strings.TrimPrefix(index, "count ")
	if len(used) == 0 || slices.ContainsFunc(used, func(n string) bool { return n != name }) {
		t.Errorf("%s: the plan uses the indexes %q, want only %s; the stages are %q", what, used, name, stages)
	}
	if slices.Contains(stages, "COLLSCAN") || slices.Contains(stages, "Seq Scan") {
		t.Errorf("%s: the plan scans the collection: %q", what, stages)
	}
	if slices.Contains(stages, "SORT") {
		t.Errorf("%s: the plan sorts although %s is in order: %q", what, name, stages)
	}
}

// walk calls each for the strings in a plan, except for rejected plans and the costs of
// indexes.
func walk(value any, each func(key, text string)) {
	switch v := value.(type) {
	case bson.M:
		for key, inner := range v {
			if text, ok := inner.(string); ok {
				each(key, text)
			} else if key != "rejectedPlans" && key != "IndexCosts" && key != "command" {
				walk(inner, each)
			}
		}
	case bson.D:
		for _, e := range v {
			walk(bson.M{e.Key: e.Value}, each)
		}
	case bson.A:
		for _, inner := range v {
			walk(inner, each)
		}
	}
}
