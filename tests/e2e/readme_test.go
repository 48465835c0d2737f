package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// TestReadmeTour pastes the tour of the README into a shell. It leaves its files
// in a temporary folder, and nothing where it was pasted.
func TestReadmeTour(t *testing.T) {
	harness.StandaloneOnly(t)
	content, err := os.ReadFile(filepath.Join(harness.Root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, tour, _ := strings.Cut(string(content), "## A tour of five minutes")
	_, tour, _ = strings.Cut(tour, "```sh\n")
	script, _, found := strings.Cut(tour, "```")
	if !found {
		t.Fatal("the README has no tour")
	}
	// In the tour the program has its default addresses and folder.
	dir := t.TempDir()
	for link, target := range map[string]string{"recto-data": shared.Dir, "tests": filepath.Join(harness.Root(), "tests")} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	before := fileNames(t, filepath.Join(dir, "tests", "testdata"))
	temporary := t.TempDir()
	script = strings.ReplaceAll(script, "https://127.0.0.1:8443/v2", shared.BaseURL)
	cmd := exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the tour ends with %v:\n%s", err, out)
	}
	for _, want := range []string{
		shared.OrganizationID, `"upload_url"`, "the download is what was uploaded", "%PDF-1.", "inline.pdf", `"code": 3001`, `"path": "files.0.name"`,
		`["agreementinput-fee","number","Fee for an hour",null]`, `{"valid":true}`, "filled.pdf", `"code": "checkbox_invalid_option"`, `"code": "field_not_found"`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the tour does not print %q:\n%s", want, out)
		}
	}
	if got := fileNames(t, dir); got != "recto-data tests" {
		t.Errorf("where it was pasted there is %s", got)
	}
	if after := fileNames(t, filepath.Join(dir, "tests", "testdata")); after != before {
		t.Errorf("the samples were %s, and are %s", before, after)
	}
	files := filepath.Join(temporary, fileNames(t, temporary)) // the one folder that it makes
	if !strings.Contains(string(out), files+"\n") {
		t.Errorf("it does not say that its files are in %s", files)
	}
	for name, want := range map[string]string{"agreement.pdf": "Consulting Agreement", "inline.pdf": "Consulting Agreement", "filled.pdf": "Lindqvist & Söhne AB"} {
		pdf, err := os.ReadFile(filepath.Join(files, name))
		if err != nil || !strings.Contains(pdfText(t, pdf), want) {
			t.Errorf("%s: %d bytes, %v", name, len(pdf), err)
		}
	}
}

// fileNames returns the names of what is in a folder.
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
