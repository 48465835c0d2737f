package docxfields

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/testkit/corpus"
)

// TestFillTemplates fills every blank and tag of real templates, opens the results, and
// checks every value.
func TestFillTemplates(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus.Folder(t), "docx-templates", "*.docx"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			values := make(map[string]fields.Filling)
			texts := 0
			for _, f := range open(t, content).Fields() {
				values[f.ID] = fields.Filling{Type: f.Type, Text: "QZX"}
				if f.Type == fields.Checkbox {
					values[f.ID] = fields.Filling{Type: f.Type, Selected: []string{f.Options[0].Display}}
				} else {
					texts++
				}
			}
			filled := fill(t, content, values)
			if got := strings.Count(parts(t, filled)["word/document.xml"], "QZX"); got < texts {
				t.Errorf("%d values are in the file, want %d", got, texts)
			}
			for _, f := range open(t, filled).Fields() {
				if f.Type == fields.Checkbox && len(f.Selected) == 0 {
					t.Errorf("%q has nothing ticked", f.Options)
				}
			}
		})
	}
}

// TestReadOfficeFiles reads files that broke other programs, and logs the fields found in
// them for inspection.
func TestReadOfficeFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus.Folder(t), "office", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := docx.Open(strings.NewReader(string(content)), int64(len(content)), docx.DefaultLimits())
		if err != nil || p.Check(t.Context()) != nil {
			continue
		}
		d, err := Open(t.Context(), p)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(file), err)
			continue
		}
		for _, f := range d.Fields() {
			t.Logf("%s: %s %s %q %q %s", filepath.Base(file), f.Source, f.Type, f.Label, f.Text, f.XMLPath)
		}
	}
}
