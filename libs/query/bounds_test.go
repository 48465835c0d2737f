package query_test

import (
	"math"
	"testing"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// TestBounded checks the errors for values that are not integers, repeated or out of range.
func TestBounded(t *testing.T) {
	for _, tc := range []struct {
		raw                 string
		limit               int64
		message, resolution string
	}{
		{"size=7", 100, "", ""}, {"size=100", 100, "", ""},
		{"size=ten", 100, "size must be an integer", "Send size as an integer."},
		{"size=1&size=2", 100, "size must be one integer", "Send size as one integer."},
		{"size=0", 100, "size must be from 1 to 100", "Send an integer from 1 to 100."},
		{"size=101", 100, "size must be from 1 to 100", "Send an integer from 1 to 100."},
		{"size=0", math.MaxInt64 / 500, "size must be at least 1", "Send an integer of at least 1."},
		{"size=-9223372036854775809", math.MaxInt64 / 500, "size must be at least 1", "Send an integer of at least 1."},
		{"size=9223372036854775808", math.MaxInt64 / 500, "size must be from 1 to 18446744073709551", "Send an integer from 1 to 18446744073709551."},
		{"size=9223372036854775807", math.MaxInt64 / 500, "size must be from 1 to 18446744073709551", "Send an integer from 1 to 18446744073709551."},
	} {
		var problems problem.List
		_, ok := query.Bounded(query.Find(tc.raw, "size"), tc.limit, &problems)
		if ok != (tc.message == "") {
			t.Errorf("%s: %v", tc.raw, ok)
		}
		for _, e := range problems.Entries() {
			if e.Message != tc.message || e.Resolution != tc.resolution {
				t.Errorf("%s: %q, %q; want %q, %q", tc.raw, e.Message, e.Resolution, tc.message, tc.resolution)
			}
		}
	}
}
