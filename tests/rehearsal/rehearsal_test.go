package rehearsal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
	"github.com/rectohq/recto/tests/rehearsal"
)

// rules have alerts for each way in which samples can cause one.
const rules = `
groups:
  - name: test
    rules:
      - {alert: Down, expr: up == 0, for: 5m}
      - {alert: Gone, expr: absent(level), for: 5m}
      - {alert: High, expr: level > 5, for: 30m}
      - {alert: Failing, expr: 'increase(tries_total{outcome="failed"}[1h]) > 100', for: 10m}
      - {alert: Restarting, expr: 'changes(process_start_time_seconds[1h]) > 2', for: 1m}
      - {alert: Ending, expr: certificate_timestamp_seconds - time() < 86400, for: 1m}
`

// TestRehearsal plays a healthy program, one that fails, one that is down, and its recovery.
// Verify accepts the alerts that fire, and no others.
func TestRehearsal(t *testing.T) {
	failed, level, begin := 3., 1, time.Now()
	export := func() string {
		return fmt.Sprintf(`# TYPE level gauge
level %d
# TYPE tries_total counter
tries_total{outcome="failed"} %g
# TYPE process_start_time_seconds gauge
process_start_time_seconds %d
# TYPE certificate_timestamp_seconds gauge
certificate_timestamp_seconds %d
`, level, failed, begin.Unix(), begin.Add(48*time.Hour).Unix())
	}
	running := true
	scrape := func() []harness.Target {
		target := harness.Target{Job: "recto", Instance: "a"}
		if running {
			target.Metrics = export()
		}
		return []harness.Target{target}
	}
	file := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	play := func(alerts map[string][]string) error {
		r := rehearsal.New(t, file, scrape)
		for _, phase := range []struct {
			name string
			do   func()
		}{
			{"healthy", func() { failed++ }},                    // one shows no rate
			{"failing", func() { level, failed = 7, failed+2 }}, // at once, so at a high rate
			{"down", func() { running = false }},
			{"healthy again", func() { running, level, failed = true, 1, 0 }},
		} {
			r.Play(rehearsal.Phase{Name: phase.name, During: phase.do, Alerts: alerts[phase.name]})
		}
		return r.Verify()
	}
	right := map[string][]string{"failing": {"High", "Failing"}, "down": {"Down", "Gone"}}
	if err := play(right); err != nil {
		t.Error(err)
	}
	for name, wrong := range map[string]map[string][]string{
		"one too few":  {"failing": {"High"}, "down": {"Down", "Gone"}},
		"one too many": {"failing": {"High", "Failing", "Down"}, "down": {"Down", "Gone"}},
		"none":         {},
	} {
		if err := play(wrong); err == nil || !strings.Contains(err.Error(), "ALERTS") {
			t.Errorf("%s: Verify returns %v", name, err)
		}
	}
}
