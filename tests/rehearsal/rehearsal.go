// Package rehearsal plays what a running Recto exports to the alerts in deploy/prometheus, and
// checks which of them fire. It owns the translation of scraped samples into a test of
// promtool, which evaluates the rules as Prometheus does, in simulated time: a fault of some
// seconds lasts for hours there.
package rehearsal

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"sigs.k8s.io/yaml"

	"github.com/rectohq/recto/tests/harness"
)

// Rehearsal is a sequence of phases. Each follows the previous one in the simulated time.
type Rehearsal struct {
	t        testing.TB
	promtool string
	rules    string          // path of the rules
	used     map[string]bool // names in the rules
	hold     int             // minutes of each phase: longer than any alert needs
	inhibit  string          // expression for the alerts that notify nobody
	scrape   func() []harness.Target

	begin  time.Time // of the real time
	now    int       // minutes of the simulated time
	series map[string]*series
	checks []check
	phases []string // their names, with their ends
}

// check is what the alerts are compared with at a minute of the simulated time.
type check struct {
	Expr     string   `json:"expr"`
	EvalTime string   `json:"eval_time"`
	Samples  []sample `json:"exp_samples"`
}

type sample struct {
	Labels string  `json:"labels"`
	Value  float64 `json:"value"`
}

// New returns a Rehearsal of the rules in deploy/prometheus, or in the file rules if that is
// not "", on what scrape returns.
func New(t testing.TB, rules string, scrape func() []harness.Target) *Rehearsal {
	t.Helper()
	r := &Rehearsal{t: t, promtool: Promtool(t), rules: rules, scrape: scrape, begin: time.Now(), series: map[string]*series{}}
	if rules == "" {
		r.rules = filepath.Join(harness.Root(), "deploy/prometheus/recto.rules.yaml")
	}
	content, err := os.ReadFile(r.rules)
	if err != nil {
		t.Fatal(err)
	}
	if r.used, r.hold, err = needs(content); err != nil {
		t.Fatal(err)
	}
	if r.inhibit, err = inhibited(filepath.Join(harness.Root(), "deploy/prometheus/recto.inhibit.yaml")); err != nil {
		t.Fatal(err)
	}
	return r
}

// Promtool returns the path of promtool.
func Promtool(t testing.TB) string {
	t.Helper()
	if own := filepath.Join(harness.Root(), ".cache/promtool"); exec.Command(own, "--version").Run() == nil {
		return own
	}
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatalf("promtool is missing; make install-test-packages provides it: %v", err)
	}
	return path
}

// needs returns the names that the expressions of rules contain, and for how many minutes a
// state must last until every alert that it causes fires, and every other one has ended.
func needs(rules []byte) (names map[string]bool, minutes int, err error) {
	var file struct {
		Groups []struct {
			Rules []struct {
				Expr string         `json:"expr"`
				For  model.Duration `json:"for"`
			} `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.Unmarshal(rules, &file); err != nil {
		return nil, 0, err
	}
	names = map[string]bool{}
	var longest time.Duration
	for _, g := range file.Groups {
		for _, rule := range g.Rules {
			for _, name := range identifier.FindAllString(rule.Expr, -1) {
				names[name] = true
			}
			takes := time.Duration(rule.For)
			for _, m := range window.FindAllStringSubmatch(rule.Expr, -1) {
				d, err := model.ParseDuration(m[1])
				if err != nil {
					return nil, 0, err
				}
				takes = max(takes, time.Duration(rule.For)+time.Duration(d))
			}
			longest = max(longest, takes)
		}
	}
	return names, int(longest/time.Minute) + 5, nil
}

var (
	identifier = regexp.MustCompile(`\w+`)
	window     = regexp.MustCompile(`(?:\[|offset )(\w+)`)
)

// inhibited returns an expression for the alerts that the inhibition rules in a file suppress
// in Alertmanager.
func inhibited(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var file struct {
		Rules []struct {
			Sources []string `json:"source_matchers"`
			Targets []string `json:"target_matchers"`
			Equal   []string `json:"equal"`
		} `json:"inhibit_rules"`
	}
	if err := yaml.UnmarshalStrict(content, &file); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	var all []string
	for _, r := range file.Rules {
		all = append(all, fmt.Sprintf("(%s and on (%s) %s)", firing(r.Targets...), strings.Join(r.Equal, ", "), firing(r.Sources...)))
	}
	if len(all) == 0 {
		return "", errors.New(path + " has no rules")
	}
	return strings.Join(all, " or "), nil
}

// slowness matches the alerts about durations. They are not compared, because they fire
// rightly if the machine that runs the test is slow.
const slowness = "Recto.*(Slow|WaitLong)"

// firing returns a selector for the alerts that fire and meet the matchers.
func firing(matchers ...string) string {
	return "ALERTS{" + strings.Join(append([]string{`alertstate="firing"`, `alertname!~"` + slowness + `"`}, matchers...), ", ") + "}"
}

// Phase is a state of the system that lasts.
type Phase struct {
	Name string
	// During lets the system work in that state, for at least some seconds, so that its
	// counters show at what rate they grow.
	During func()
	// Alerts are all alerts that notify a person at the end, except those about durations.
	Alerts []string
	// Effects are the alerts that may fire too because they describe what users see. The
	// inhibition rules suppress them.
	Effects []string
}

// Play lets the system work and records a phase of hours in which its counters grow as they do
// meanwhile, and everything else stays as it is at the end.
func (r *Rehearsal) Play(p Phase) {
	r.t.Helper()
	before, begin := r.read(r.scrape()), time.Now()
	p.During()
	after, took := r.read(r.scrape()), time.Since(begin)
	for id := range after {
		if r.series[id] == nil {
			r.series[id] = newSeries(r.now)
		}
	}
	for id, s := range r.series {
		old, known := before[id]
		now, there := after[id]
		switch {
		case !there:
			s.stop(r.hold)
		case !now.counter:
			s.stay(now.value, r.hold)
		case !known || old.value > now.value: // it began meanwhile
			s.grow(now.value, rate(now.value, took), r.hold)
		default:
			s.grow(old.value, rate(now.value-old.value, took), r.hold)
		}
	}
	r.now += r.hold
	r.phases = append(r.phases, fmt.Sprintf("until %s: %s", time.Duration(r.now)*time.Minute, p.Name))
	r.expect(fmt.Sprintf("group by (alertname) (%s unless (%s))", firing(), r.inhibit), p.Alerts)
	allowed := strings.Join(slices.Concat(p.Alerts, p.Effects), "|")
	r.expect(fmt.Sprintf("group by (alertname) (%s)", firing(`alertname!~"`+allowed+`"`)), nil)
}

// rate returns the rate per minute of events that were counted in a period. Between n events
// are n-1 intervals: a single one, such as an event that is delivered again, shows no rate.
func rate(events float64, period time.Duration) float64 {
	return max(0, events-1) / period.Minutes()
}

// expect adds a check that an expression has a value for each alert at the end of the phase.
func (r *Rehearsal) expect(expr string, alerts []string) {
	c := check{Expr: expr, EvalTime: fmt.Sprintf("%dm", r.now-1), Samples: []sample{}}
	for _, a := range alerts {
		c.Samples = append(c.Samples, sample{fmt.Sprintf("{alertname=%q}", a), 1})
	}
	r.checks = append(r.checks, c)
}

// Verify evaluates the rules. It returns an error with the output of promtool if other alerts
// fire in a phase than it says.
func (r *Rehearsal) Verify() error {
	type input struct {
		Series string `json:"series"`
		Values string `json:"values"`
	}
	var inputs []input
	for _, id := range slices.Sorted(maps.Keys(r.series)) {
		inputs = append(inputs, input{id, r.series[id].String()})
	}
	content, err := yaml.Marshal(map[string]any{
		"rule_files": []string{r.rules}, "evaluation_interval": "1m",
		"tests": []any{map[string]any{"interval": "1m", "input_series": inputs, "promql_expr_test": r.checks}},
	})
	if err != nil {
		return err
	}
	file := filepath.Join(r.t.TempDir(), "test.yaml")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return err
	}
	if out, err := exec.Command(r.promtool, "test", "rules", file).CombinedOutput(); err != nil {
		return fmt.Errorf("other alerts fire: %w\n%s\n%s", err, strings.Join(r.phases, "\n"), out)
	}
	return nil
}
