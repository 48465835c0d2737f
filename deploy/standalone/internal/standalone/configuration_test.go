package standalone

import (
	"flag"
	"fmt"
	"os"
	"slices"
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

// TestUnsupportedVariables checks that recto up refuses variables that it sets itself, and
// does not suggest them in place of misspelled ones.
func TestUnsupportedVariables(t *testing.T) {
	dir, err := datadir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for variable, want := range map[string]string{
		"GATEWAY_TLS=proxy": "  GATEWAY_TLS is not supported by recto up\n", "GATEWAY_TLS_CERT_FILE=/nowhere": "  GATEWAY_TLS_CERT_FILE is not supported by recto up\n",
		"GATEWAY_KEY_PEPPERS_FILE=/nowhere": "  GATEWAY_KEY_PEPPERS_FILE is not supported by recto up\n",
		"GATEWAY_ADDR=0.0.0.0:8443":         "  GATEWAY_ADDR is not supported by recto up: use --addr\n",
		"GATEWAY_PUBLIC_URL=https://a":      "  GATEWAY_PUBLIC_URL is not supported by recto up: use --public-url\n",
		"DOCUMENT_CORS_ORIGINS=https://a":   "  DOCUMENT_CORS_ORIGINS is not supported by recto up: use GATEWAY_CORS_ORIGINS\n",
		"GATEWAY_TSL=proxy":                 "  GATEWAY_TSL is not known; did you mean ",
		"GATEWAY_TLS=":                      "", "METRICS_ADDR=:9464": "", "S3_ENDPOIN=http://a": "",
	} {
		name, value, _ := strings.Cut(variable, "=")
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			_, err := loadConfig(dir, Flags{}, authority.Files{}, datadir.Secrets{}) // there are other problems, too
			if err == nil || !strings.Contains(err.Error()+"\n", want) || want == "" && strings.Contains(err.Error(), "  "+name+" is not ") {
				t.Errorf("%s: %v, want %q", variable, err, want)
			}
			if _, meant, found := strings.Cut(fmt.Sprint(err), name+" is not known; did you mean "); found {
				meant, _, _ = strings.Cut(meant, "?")
				if !slices.ContainsFunc(environment(), func(f config.Field) bool { return f.Name == meant }) {
					t.Errorf("%s: it suggests %s, which recto up does not take", variable, meant)
				}
			}
		})
	}
}

// TestCORSFlag checks that --cors-origins takes precedence over its variable.
func TestCORSFlag(t *testing.T) {
	dir, err := datadir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GATEWAY_CORS_ORIGINS", "https://a.example")
	for flag, want := range map[string]string{"": "[https://a.example]", "https://b.example": "[https://b.example]"} {
		cfg, _ := loadConfig(dir, Flags{CORSOrigins: flag}, authority.Files{}, datadir.Secrets{})
		if got := fmt.Sprint(cfg.Gateway.HTTP.CORSOrigins); got != want {
			t.Errorf("--cors-origins %q: %s, want %s", flag, got, want)
		}
	}
}
