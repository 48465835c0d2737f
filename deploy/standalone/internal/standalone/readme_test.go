package standalone

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

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

var update = flag.Bool("update", false, "write the configuration table of the README anew")

const (
	readme     = "../../../../README.md"
	tableBegin = "<!-- configuration: written by go test ./internal/standalone -update in deploy/standalone -->\n"
	tableEnd   = "<!-- end of configuration -->\n"
)

func configurationTables() string {
	var out strings.Builder
	for _, part := range []struct {
		title string
		cfg   []any
	}{
		{"Every service", []any{&runner.Config{}}},
		{"document, conversion, annotation and insight", []any{&blob.Config{}}},
		{"The object store of the standalone program", []any{&objectserver.Limits{}}},
		{"gateway", []any{&gateway.Config{}}},
		{"document", []any{&document.Config{}}},
		{"conversion", []any{&conversion.Config{}}},
		{"annotation", []any{&annotation.Config{}}},
		{"insight", []any{&insight.Config{}}},
	} {
		fmt.Fprintf(&out, "\n### %s\n\n| variable | default | meaning |\n| --- | --- | --- |\n", part.title)
		config.WriteMarkdown(&out, part.cfg...)
	}
	return out.String() + "\n"
}

// TestReadmeConfiguration holds the table of the README against the code.
func TestReadmeConfiguration(t *testing.T) {
	content, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), tableBegin)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !found || !closed {
		t.Fatal("the README has no place for the configuration")
	}
	want := before + tableBegin + configurationTables() + tableEnd + after
	if *update {
		if err := os.WriteFile(readme, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(content) != want {
		t.Error("the configuration table of the README is old: go test ./internal/standalone -update")
	}
}

// TestEveryVariableIsExplained checks that no variable lacks its description.
func TestEveryVariableIsExplained(t *testing.T) {
	for _, f := range config.Fields(&Config{}) {
		if f.Description == "" {
			t.Errorf("%s has no description", f.Name)
		}
	}
}
