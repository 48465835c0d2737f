package mongostore_test

import (
	"testing"

	"github.com/rectohq/recto/libs/contract/documentapi"
)

// BenchmarkList reads pages of an organization with 100 000 documents in a database with
// two smaller organizations.
func BenchmarkList(b *testing.B) {
	s := open(b)
	fill(b, s, 5_000, "org_b", "org_c")
	fill(b, s, 100_000, "org_a")
	for _, order := range orders {
		for _, filter := range []string{"none", "state", "created_by", "range of updated_at"} {
			for name, page := range map[string]int64{"first": 1, "last": 1000} {
				b.Run(string(order)+"/"+filter+"/"+name, func(b *testing.B) {
					for b.Loop() {
						_, _, err := s.List(b.Context(), "org_a", documentapi.ListRequest{
							Page: page, Size: 100, Where: filters[filter], Order: []documentapi.Order{{Field: order, Descending: true}},
						})
						if err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
