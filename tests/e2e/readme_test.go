package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// TestReadmeTour pastes the tour of the README into a shell.
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
	script = strings.ReplaceAll(script, "https://127.0.0.1:8443/v2", shared.BaseURL)
	cmd := exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail", "-c", script)
	cmd.Dir = dir
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
	for name, want := range map[string]string{"agreement.pdf": "Consulting Agreement", "inline.pdf": "Consulting Agreement", "filled.pdf": "Lindqvist & Söhne AB"} {
		pdf, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(pdfText(t, pdf), want) {
			t.Errorf("%s: %d bytes, %v", name, len(pdf), err)
		}
	}
}
