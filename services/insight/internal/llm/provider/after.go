package provider

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxAfter bounds how long a provider may ask to wait. Whether it can answer again is worth
// a request then.
const maxAfter = time.Hour

// retryAfter returns how long the header of a response asks to wait, 0 if it does not say.
// Azure and OpenAI send milliseconds in a header of their own, which is more precise.
func retryAfter(h http.Header, now time.Time) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if d, ok := amount(h.Get(name), time.Millisecond); ok {
			return d
		}
	}
	text := h.Get("Retry-After")
	if d, ok := amount(text, time.Second); ok {
		return d
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), maxAfter)
	}
	return 0
}

// amount returns a duration that is given as a number of units.
func amount(text string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(n) {
		return 0, false
	}
	return time.Duration(min(max(n*float64(unit), 0), float64(maxAfter))), true
}
