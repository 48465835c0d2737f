package provider_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

// now is the time at which headers are read.
var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func TestRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		header http.Header
		want   time.Duration
	}{
		"none":                 {http.Header{}, 0},
		"seconds":              {http.Header{"Retry-After": {"20"}}, 20 * time.Second},
		"a part of a second":   {http.Header{"Retry-After": {" 0.5 "}}, 500 * time.Millisecond},
		"a date":               {http.Header{"Retry-After": {"Fri, 01 May 2026 12:00:30 GMT"}}, 30 * time.Second},
		"a date that is past":  {http.Header{"Retry-After": {"Fri, 01 May 2020 12:00:30 GMT"}}, 0},
		"a date that is far":   {http.Header{"Retry-After": {"Fri, 01 May 2099 12:00:30 GMT"}}, provider.MaxAfter},
		"negative":             {http.Header{"Retry-After": {"-20"}}, 0},
		"too long":             {http.Header{"Retry-After": {"1e300"}}, provider.MaxAfter},
		"infinite":             {http.Header{"Retry-After": {"Inf"}}, provider.MaxAfter},
		"no number":            {http.Header{"Retry-After": {"NaN"}}, 0},
		"nonsense":             {http.Header{"Retry-After": {"soon"}}, 0},
		"milliseconds first":   {http.Header{"Retry-After": {"20"}, "Retry-After-Ms": {"19500"}}, 19500 * time.Millisecond},
		"milliseconds (Azure)": {http.Header{"X-Ms-Retry-After-Ms": {"250"}}, 250 * time.Millisecond},
	} {
		if got := provider.RetryAfter(c.header, now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, text := range []string{"", "1", "-1", "1e999", "nan", "0x1p-2", "Fri, 01 May 2026 12:00:30 GMT", "Friday, 01-May-26 12:00:30 GMT"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, seconds, milliseconds string) {
		for _, h := range []http.Header{{"Retry-After": {seconds}}, {"Retry-After": {seconds}, "Retry-After-Ms": {milliseconds}}} {
			if d := provider.RetryAfter(h, now); d < 0 || d > provider.MaxAfter {
				t.Errorf("%v: %v", h, d)
			}
		}
	})
}
