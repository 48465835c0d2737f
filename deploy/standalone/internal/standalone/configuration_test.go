package standalone

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/engines/objectserver"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/annotation"
	"github.com/rectohq/recto/services/conversion"
	"github.com/rectohq/recto/services/document"
	"github.com/rectohq/recto/services/insight"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/configuration.md")

const (
	page        = "../../../../docs/configuration.md"
	tablesBegin = "<!-- The tables below are generated: cd deploy/standalone && go test ./internal/standalone -run TestConfigurationPage -update -->\n"
	tablesEnd   = "<!-- End of the generated tables. -->\n"
)

// configurationTables returns a section with a table for each part of the configuration.
func configurationTables() string {
	var out strings.Builder
	for _, part := range []struct {
		title string
		cfg   []any
	}{
		{"All services: logs, metrics, traces and NATS", []any{&runner.Config{}}},
		{"Object store of the document, conversion, annotation and insight services", []any{&blob.Config{}}},
		{"Object server of the standalone program", []any{&objectserver.Limits{}}},
		{"Gateway", []any{&gateway.Config{}}},
		{"Document service", []any{&document.Config{}}},
		{"Conversion service", []any{&conversion.Config{}}},
		{"Annotation service", []any{&annotation.Config{}}},
		{"Insight service", []any{&insight.Config{}}},
	} {
		fmt.Fprintf(&out, "\n## %s\n\n| variable | default | meaning |\n| --- | --- | --- |\n", part.title)
		config.WriteMarkdown(&out, part.cfg...)
	}
	return out.String() + "\n"
}

// TestConfigurationPage checks that the tables of docs/configuration.md match the code.
// With -update it writes them.
func TestConfigurationPage(t *testing.T) {
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), tablesBegin)
	_, after, closed := strings.Cut(rest, tablesEnd)
	if !found || !closed {
		t.Fatal("docs/configuration.md lacks the markers of the generated tables")
	}
	want := before + tablesBegin + configurationTables() + tablesEnd + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(content) != want {
		t.Error("docs/configuration.md is out of date; run go test ./internal/standalone -run TestConfigurationPage -update")
	}
}

// TestEveryVariableIsExplained checks that every variable has a description.
func TestEveryVariableIsExplained(t *testing.T) {
	for _, f := range config.Fields(&Config{}) {
		if f.Description == "" {
			t.Errorf("%s has no description", f.Name)
		}
	}
}

// TestMetricsAreOff checks that metrics are served only if the flag asks for it.
func TestMetricsAreOff(t *testing.T) {
	dir, err := datadir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range []string{"", "127.0.0.1:9464"} {
		cfg, _ := loadConfig(dir, Flags{MetricsAddr: addr}, authority.Files{}, datadir.Secrets{}) // its errors are about other variables
		if got := cfg.Process.Telemetry.MetricsAddr; got != addr {
			t.Errorf("--metrics-addr %q: metrics are served at %q", addr, got)
		}
	}
}
