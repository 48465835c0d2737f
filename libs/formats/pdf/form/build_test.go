package form

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// build returns a PDF file with these objects, which are numbered from 1 on. The first is
// the catalog.
func build(objects ...string) []byte {
	const id = "<00112233445566778899AABBCCDDEEFF>"
	return pdfforms.Assemble("/Root 1 0 R/ID["+id+id+"]", objects...)
}

// widgets returns a file of one page with these widgets, whose objects begin with number 5.
// acro has entries of the AcroForm dictionary.
func widgets(acro string, ws ...string) []byte {
	var refs strings.Builder
	for i := range ws {
		fmt.Fprintf(&refs, "%d 0 R ", i+5)
	}
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[" + refs.String() + "]/DA(/Helv 0 Tf 0 g)/DR<</Font<</Helv 4 0 R>>>>" + acro + ">>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Resources<<>>/Annots[" + refs.String() + "]>>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	return build(append(objects, ws...)...)
}

// streamObject returns the text of a stream object.
func streamObject(entries, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(content), content)
}

// run runs a program of the system and returns what it prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// save writes a file into a temporary folder and returns its path.
func save(t *testing.T, file []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// convert passes a file through qpdf with these options.
func convert(t *testing.T, file []byte, options ...string) []byte {
	t.Helper()
	in := save(t, file)
	out := filepath.Join(filepath.Dir(in), "out.pdf")
	run(t, "qpdf", append(options, in, out)...)
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// check fails the test if qpdf has a warning about the file.
func check(t *testing.T, file []byte) {
	t.Helper()
	path := save(t, file)
	if out, err := exec.Command("qpdf", "--check", path).CombinedOutput(); err != nil {
		t.Errorf("qpdf --check: %v\n%s", err, out)
	}
}

// applied returns the file with a result.
func applied(file []byte, r *Result) []byte {
	if r.Whole {
		return r.Update
	}
	return append(bytes.Clone(file), r.Update...)
}
