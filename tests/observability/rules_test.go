package observability

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/rectohq/recto/tests/harness"
)

var update = flag.Bool("update", false, "write the PrometheusRule of k8s/components/monitoring")

// alert is an alerting rule of Prometheus.
type alert struct {
	Alert  string `json:"alert"`
	Expr   string `json:"expr"`
	For    string `json:"for"`
	Labels struct {
		Severity string `json:"severity"`
	} `json:"labels"`
	Annotations struct {
		Summary     string `json:"summary"`
		Description string `json:"description"`
		Runbook     string `json:"runbook_url"`
	} `json:"annotations"`
}

// rules is a file of rules.
type rules struct {
	Groups []struct {
		Name  string  `json:"name"`
		Rules []alert `json:"rules"`
	} `json:"groups"`
}

// read returns the content of a file of the repository.
func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(harness.Root(), path))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

const rulesFile = "deploy/prometheus/recto.rules.yaml"

// alerts returns all alerts. Decoding is strict: Prometheus rejects unknown members too.
func alerts(t *testing.T) (all []alert) {
	t.Helper()
	var r rules
	if err := yaml.UnmarshalStrict(read(t, rulesFile), &r); err != nil {
		t.Fatal(err)
	}
	for _, g := range r.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("there is no alert")
	}
	return all
}

// TestAlerts checks that each alert has what a person needs to act, and that the runbook
// has a section for each alert, in the same order, and no other.
func TestAlerts(t *testing.T) {
	var sections, names []string
	for _, m := range regexp.MustCompile(`(?m)^### (Recto\w+)$`).FindAllStringSubmatch(string(read(t, "docs/runbook.md")), -1) {
		sections = append(sections, m[1])
	}
	for _, a := range alerts(t) {
		names = append(names, a.Alert)
		if d, err := time.ParseDuration(a.For); err != nil || d <= 0 {
			t.Errorf("%s: for is %q", a.Alert, a.For)
		}
		if !slices.Contains([]string{"critical", "warning"}, a.Labels.Severity) || a.Annotations.Summary == "" || a.Annotations.Description == "" {
			t.Errorf("%s: the severity, the summary or the description is wrong or missing", a.Alert)
		}
		if want := "https://github.com/rectohq/recto/blob/main/docs/runbook.md#" + strings.ToLower(a.Alert); a.Annotations.Runbook != want {
			t.Errorf("%s: runbook_url is %s, want %s", a.Alert, a.Annotations.Runbook, want)
		}
	}
	if !slices.Equal(sections, names) {
		t.Errorf("the runbook has the sections\n%q, the alerts are\n%q", sections, names)
	}
}

// TestRunbook checks that each section of the runbook answers the four questions.
func TestRunbook(t *testing.T) {
	for _, section := range strings.Split(string(read(t, "docs/runbook.md")), "\n### ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		for _, want := range []string{"**Effect:**", "**Check:**", "**Fix:**", "**Ended:**"} {
			if !strings.Contains(body, want) {
				t.Errorf("the section %s lacks %s", name, want)
			}
		}
	}
}

const (
	objectFile = "k8s/components/monitoring/rules.yaml"
	objectHead = `# The alerts of deploy/prometheus/recto.rules.yaml as an object for the Prometheus operator.
# Generated from that file: cd tests && go test ./observability -run TestPrometheusRule -update
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: recto
  labels: {app.kubernetes.io/part-of: recto}
spec:
`
)

// TestPrometheusRule checks that the PrometheusRule has the alerts of the file of rules.
func TestPrometheusRule(t *testing.T) {
	if *update {
		_, groups, _ := bytes.Cut(read(t, rulesFile), []byte("\ngroups:\n"))
		var out bytes.Buffer
		out.WriteString(objectHead + "  groups:\n")
		for line := range bytes.Lines(groups) {
			if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] == '#' {
				continue // the reasons stay in one place
			} else if len(trimmed) > 0 {
				out.WriteString("  ")
			}
			out.Write(line)
		}
		if err := os.WriteFile(filepath.Join(harness.Root(), objectFile), out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var object struct {
		Spec any `json:"spec"`
	}
	var file any
	if err := yaml.Unmarshal(read(t, objectFile), &object); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(read(t, rulesFile), &file); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(object.Spec, file) {
		t.Errorf("%s differs from %s: run this test with -update", objectFile, rulesFile)
	}
}
