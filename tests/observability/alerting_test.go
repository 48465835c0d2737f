package observability

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
	"github.com/rectohq/recto/tests/rehearsal"
)

// TestRulesParse checks the rules as Prometheus does when it loads them.
func TestRulesParse(t *testing.T) {
	out, err := exec.Command(rehearsal.Promtool(t), "check", "rules", filepath.Join(harness.Root(), rulesFile)).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

var (
	// warm matches the metric of a process that keeps LibreOffice warm.
	warm = regexp.MustCompile(`(?m)^recto_conversion_zygotes_ready [1-9]`)
	// unfinished matches the metric of a queue that has jobs.
	unfinished = regexp.MustCompile(`(?m)^recto_jobs_unfinished\S* [1-9]`)
)

// TestAlertsOfOneProgram checks that no alert fires while a standalone program is idle or
// works. Then it changes a value in what the program exports, and checks that the alert about
// that value fires, and no other.
func TestAlertsOfOneProgram(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{})
	// What a phase ends with lasts for hours. A busy machine finishes jobs after the answer.
	rest := func() {
		patience.Until(t, "LibreOffice is warm, and no job is unfinished", func() bool {
			metrics := s.Metrics(t, "conversion")
			return warm.MatchString(metrics) && !unfinished.MatchString(metrics)
		})
	}
	rest()
	var changed, to string
	r := rehearsal.New(t, "", func() []harness.Target {
		targets := s.Scrape()
		if changed != "" {
			line := regexp.MustCompile("(?m)^" + regexp.QuoteMeta(changed) + ` \S+$`)
			if !line.MatchString(targets[0].Metrics) {
				t.Errorf("the program does not export %s", changed)
			}
			targets[0].Metrics = line.ReplaceAllLiteralString(targets[0].Metrics, changed+" "+to)
		}
		return targets
	})
	nothing := func() {}
	r.Play(rehearsal.Phase{Name: "idle", During: nothing})
	r.Play(rehearsal.Phase{Name: "working", During: func() {
		for range 3 { // so that there is a rate
			use(t, s)
		}
		rest()
	}})
	for _, tc := range []struct{ metric, value, alert string }{
		{`recto_ready{part="conversion"}`, "0", "RectoNotReady"},
		{`recto_jobs_oldest_age_seconds{kind="convert"}`, "7200", "RectoJobsOld"},
		{`recto_storage_free_bytes{folder="data"}`, "1", "RectoStorageAlmostFull"},
		{`recto_certificate_expiry_timestamp_seconds{certificate="api"}`, strconv.FormatInt(time.Now().Add(72*time.Hour).Unix(), 10), "RectoCertificateExpires"},
		{`recto_http_streams`, "2000", "RectoStreamsNearLimit"},
		{`recto_http_request_body_memory_bytes`, "5e+08", "RectoBodyMemoryNearLimit"},
		{`process_max_fds`, "1", "RectoOpenFilesNearLimit"},
	} {
		changed, to = tc.metric, tc.value
		r.Play(rehearsal.Phase{Name: tc.metric, During: nothing, Alerts: []string{tc.alert}})
		changed = ""
		r.Play(rehearsal.Phase{Name: "repaired", During: nothing})
	}
	if err := r.Verify(); err != nil {
		t.Errorf("%v\n%s", err, s.Output())
	}
}
