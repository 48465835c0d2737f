package e2e

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// pasted is a shell script of the documentation after a reader has pasted it into a
// terminal.
type pasted struct {
	// page is the text of the documentation, out is what the script printed, and files
	// is the temporary folder that it created.
	page, out, files string
}

// paste runs the first shell script of a page of the documentation as a reader would who
// runs the system. It fails the test if the script leaves something in the folder where it starts.
func paste(t *testing.T, s *harness.System, page ...string) pasted {
	t.Helper()
	harness.StandaloneOnly(t)
	content, err := os.ReadFile(filepath.Join(append([]string{harness.Root()}, page...)...))
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(content), "```sh\n")
	script, _, found := strings.Cut(script, "```")
	if !found {
		t.Fatalf("%v contains no shell script", page)
	}
	// The documentation assumes the default address and data folder.
	dir := t.TempDir()
	for link, target := range map[string]string{"recto-data": s.Dir, "tests": filepath.Join(harness.Root(), "tests")} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	before := fileNames(t, filepath.Join(dir, "tests", "testdata"))
	temporary := t.TempDir()
	script = strings.ReplaceAll(script, "https://127.0.0.1:8443/v2", s.BaseURL)
	cmd := exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the script of %v failed: %v\n%s", page, err, out)
	}
	if got := fileNames(t, dir); got != "recto-data tests" {
		t.Errorf("the script left %q in its starting folder, want only \"recto-data tests\"", got)
	}
	if after := fileNames(t, filepath.Join(dir, "tests", "testdata")); after != before {
		t.Errorf("the samples were %s and are now %s", before, after)
	}
	return pasted{string(content), string(out), filepath.Join(temporary, fileNames(t, temporary))}
}

// TestQuickStart runs the quick start of the README. It must print the answer that the
// README shows, and fill in the contract as PDF.
func TestQuickStart(t *testing.T) {
	p := paste(t, shared, "README.md")
	pdf, err := os.ReadFile(filepath.Join(p.files, "filled.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	if text := pdfText(t, pdf); !strings.Contains(text, "Lindqvist & Söhne AB") || !strings.Contains(text, "120.50") {
		t.Errorf("the filled contract says:\n%s", text)
	}
	type answer struct {
		Value, Quote string
		Page         int      `json:"page_number"`
		Box          placeBox `json:"bounding_box"`
	}
	var got, shown answer
	printed, _, _ := strings.Cut(p.out, "\n}\n")
	_, documented, _ := strings.Cut(p.page, "```json\n")
	documented, _, _ = strings.Cut(documented, "```")
	for text, into := range map[string]*answer{printed + "}": &got, documented: &shown} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	near := math.Abs(got.Box.Left-shown.Box.Left)+math.Abs(got.Box.Top-shown.Box.Top)+math.Abs(got.Box.Width-shown.Box.Width) < 0.02
	if got.Box, shown.Box = (placeBox{}), (placeBox{}); got != shown || !near {
		t.Errorf("the quick start prints\n%s\nand the README shows\n%s", p.out, documented)
	}
}

// TestTour runs the tour.
func TestTour(t *testing.T) { tour(t, shared) }

// tour runs the tour of the documentation on a system. The tour leaves its files in a
// temporary folder and prints the folder's name.
func tour(t *testing.T, s *harness.System) {
	t.Helper()
	p := paste(t, s, "docs", "tour.md")
	for _, want := range []string{
		s.OrganizationID, `"upload_url"`, "the download equals the upload", "%PDF-1.", "inline.pdf", `"code": 3001`, `"path": "files.0.name"`,
		`["agreementinput-fee","number","Fee for an hour",null]`, `{"valid":true}`, "filled.pdf", `"code": "checkbox_invalid_option"`, `"code": "field_not_found"`,
	} {
		if !strings.Contains(p.out, want) {
			t.Errorf("the tour does not print %q:\n%s", want, p.out)
		}
	}
	if !strings.Contains(p.out, p.files+"\n") {
		t.Errorf("the tour does not print the folder of its files, %s", p.files)
	}
	for name, want := range map[string]string{"agreement.pdf": "Consulting Agreement", "inline.pdf": "Consulting Agreement", "filled.pdf": "Lindqvist & Söhne AB"} {
		pdf, err := os.ReadFile(filepath.Join(p.files, name))
		if err != nil || !strings.Contains(pdfText(t, pdf), want) {
			t.Errorf("%s: %d bytes, %v", name, len(pdf), err)
		}
	}
}

// fileNames returns the names of the entries of a folder, separated by spaces.
func fileNames(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}
