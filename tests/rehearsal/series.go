package rehearsal

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/rectohq/recto/tests/harness"
)

// value is one sample of a scrape.
type value struct {
	counter bool
	value   float64
}

// exported matches a line of the text format: a name, labels and a value.
var exported = regexp.MustCompile(`^(\w+)(?:\{(.*)\})? (\S+)$`)

// read returns the samples that the rules use, by their series with the labels that Prometheus
// adds. Times count from the begin of the rehearsal, as the simulated time does.
func (r *Rehearsal) read(targets []harness.Target) map[string]value {
	r.t.Helper()
	samples := map[string]value{}
	for _, t := range targets {
		target := fmt.Sprintf(`instance=%q,job=%q,namespace="recto"`, t.Instance, t.Job)
		up := 0.
		if t.Metrics != "" {
			up = 1
		}
		samples["up{"+target+"}"] = value{value: up}
		counter := false
		for line := range strings.Lines(t.Metrics) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "# TYPE ") {
				counter = strings.HasSuffix(line, " counter") || strings.HasSuffix(line, " histogram")
			}
			m := exported.FindStringSubmatch(line)
			if m == nil || !r.used[m[1]] {
				continue
			}
			v, err := strconv.ParseFloat(m[3], 64)
			if err != nil {
				r.t.Errorf("%s exports %s: %v", t.Job, line, err)
			}
			if math.IsNaN(v) {
				continue
			}
			if strings.HasSuffix(m[1], "_time_seconds") || strings.HasSuffix(m[1], "_timestamp_seconds") {
				v -= float64(r.begin.UnixMilli()) / 1000
			}
			labels := target
			if m[2] != "" {
				labels = m[2] + "," + target
			}
			samples[m[1]+"{"+labels+"}"] = value{counter, v}
		}
	}
	return samples
}

// series is one series with a value for each minute of the simulated time.
type series struct {
	text strings.Builder
	last float64 // the last value
	has  bool    // whether there is one
}

// newSeries returns a series that begins after so many minutes.
func newSeries(after int) *series {
	s := &series{}
	s.stop(after)
	return s
}

// String returns the values in the notation of promtool.
func (s *series) String() string { return strings.TrimSpace(s.text.String()) }

// stop has no values for some minutes.
func (s *series) stop(minutes int) {
	switch {
	case minutes == 0:
	case s.has: // Prometheus marks the end of a series at the next scrape
		fmt.Fprintf(&s.text, "stale _x%d ", minutes-1)
	default:
		fmt.Fprintf(&s.text, "_x%d ", minutes)
	}
	s.has = false
}

// stay has the same value for some minutes.
func (s *series) stay(v float64, minutes int) { s.add(v, 0, minutes) }

// grow continues a counter at a rate per minute. from is its value if it has none yet.
func (s *series) grow(from, rate float64, minutes int) {
	if s.has {
		from = s.last + rate
	}
	s.add(from, rate, minutes)
}

// add adds a value for each minute.
func (s *series) add(from, step float64, minutes int) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	fmt.Fprintf(&s.text, "%s+%sx%d ", number(from), number(step), minutes-1)
	s.last, s.has = from+step*float64(minutes-1), true
}
