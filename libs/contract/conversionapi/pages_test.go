package conversionapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// outcome formats a result, or the entries of an error.
func outcome(result any, err error) string {
	if err == nil {
		return fmt.Sprint(result)
	}
	e := problem.Of(err)
	text := fmt.Sprint(int(e.Code))
	for _, entry := range e.Entries {
		text += " " + entry.Path + ":" + string(entry.Code)
	}
	return text
}

func TestParsePages(t *testing.T) {
	for raw, want := range map[string]string{
		"":                          "{ {0 false} 1 100}",
		"page=3&size=7":             "{ {0 false} 3 7}",
		"version_number=2&size=500": "{ {2 true} 1 500}",
		"size=501&page=0":           "3001 size:out_of_range page:out_of_range",
		"size=a&version_number=b":   "3003 size:invalid_type version_number:version_invalid",
		"order_by=page_number":      "3001 order_by:unknown_parameter",
		"page=18446744073709551":    "{ {0 false} 18446744073709551 100}",
		"page=9223372036854775807":  "3001 page:out_of_range",
	} {
		r, err := conversionapi.ParsePages(raw)
		if got := outcome(r, err); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
		if err == nil && r.Validate() != nil {
			t.Errorf("%s is accepted, but not valid: %v", raw, r.Validate())
		}
	}
	if got := outcome(nil, conversionapi.PagesRequest{}.Validate()); got != "3001 size:out_of_range page:out_of_range" {
		t.Errorf("the zero request: %s", got)
	}
}

func TestParseWidth(t *testing.T) {
	for raw, want := range map[string]string{
		"":                           "1000",
		"width=16":                   "16",
		"width=4000":                 "4000",
		"width=15":                   "3001 width:out_of_range",
		"width=4001":                 "3001 width:out_of_range",
		"width=-100":                 "3001 width:out_of_range",
		"width=99999999999999999999": "3001 width:out_of_range",
		"width=":                     "3003 width:invalid_type",
		"width=1e3":                  "3003 width:invalid_type",
		"width=100&width=100":        "3003 width:invalid_type",
	} {
		var problems problem.List
		width := conversionapi.ParseWidth(query.Find(raw, conversionapi.WidthParameter), &problems)
		if got := outcome(width, problems.Err()); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
		valid := conversionapi.PageImageRequest{Width: width}.Validate() == nil
		if accepted := problems.Err() == nil; accepted != valid {
			t.Errorf("%s: accepted %v, valid %v", raw, accepted, valid)
		}
	}
}

func TestParsePageNumber(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1", "2000": "2000", "007": "7", "0": "0", "-1": "0", strings.Repeat("9", 30): "0",
		"": "3003 page_number:invalid_type", "one": "3003 page_number:invalid_type", "1.5": "3003 page_number:invalid_type", "+1": "3003 page_number:invalid_type",
	} {
		var problems problem.List
		number := conversionapi.ParsePageNumber(text, &problems)
		if got := outcome(number, problems.Err()); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// FuzzParsePages checks that every accepted query is valid, and that every refusal is the
// client's fault.
func FuzzParsePages(f *testing.F) {
	for _, seed := range []string{"size=1&page=2&version_number=3", "size=%31&page=%", "page=-9223372036854775809", "&&=&width=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := conversionapi.ParsePages(raw)
		if err != nil {
			if e := problem.Of(err); e.Code == problem.Internal || len(e.Entries) == 0 {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		if err := r.Validate(); err != nil {
			t.Errorf("%q is accepted but not valid: %v", raw, err)
		}
	})
}
