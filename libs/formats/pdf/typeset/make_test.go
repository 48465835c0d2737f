package typeset_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// fontDir is where Debian installs fonts.
const fontDir = "/usr/share/fonts"

// page is a PDF file of one page of 500 by 400 points.
type page struct {
	content bytes.Buffer
	writer  typeset.Writer
}

// show writes a line at (x, y).
func (p *page) show(l typeset.Line, x, y float64) {
	p.content.Write(p.writer.Show(l, x, y))
}

// file returns the PDF file.
func (p *page) file(t testing.TB) []byte {
	t.Helper()
	fonts, err := p.writer.Fonts()
	if err != nil {
		t.Fatal(err)
	}
	var f pdfFile
	var names strings.Builder
	for i, e := range fonts {
		fmt.Fprintf(&names, "/%s %d 0 R ", e.Name, 5+5*i)
	}
	f.object("<</Type/Catalog/Pages 2 0 R>>")
	f.object("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	f.object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 400]/Contents 4 0 R"+
		"/Resources<</Font<<%s>>>>>>", names.String())
	f.stream("", p.content.Bytes())
	for _, e := range fonts {
		f.font(e)
	}
	return pdfforms.Assemble("/Root 1 0 R", f.objects...)
}

// pdfFile is a PDF file that is being written.
type pdfFile struct{ objects []string }

func (f *pdfFile) object(format string, args ...any) {
	f.objects = append(f.objects, fmt.Sprintf(format, args...))
}

func (f *pdfFile) stream(entries string, data []byte) {
	f.object("<</Length %d%s>>\nstream\n%s\nendstream", len(data), entries, data)
}

func (f *pdfFile) font(e typeset.Embedded) {
	n := len(f.objects) + 1
	f.object("<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H"+
		"/DescendantFonts[%d 0 R]/ToUnicode %d 0 R>>", e.BaseFont, n+1, n+3)
	f.object("<</Type/Font/Subtype/CIDFontType2/BaseFont/%s/FontDescriptor %d 0 R"+
		"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"+
		"/CIDToGIDMap/Identity/W[0 %v]>>", e.BaseFont, n+2, e.Widths)
	f.object("<</Type/FontDescriptor/FontName/%s/Flags %d/FontBBox%v/ItalicAngle %g"+
		"/Ascent %d/Descent %d/CapHeight %d/StemV 80/FontFile2 %d 0 R>>", e.BaseFont,
		e.Flags, e.BBox, e.ItalicAngle, e.Ascent, e.Descent, e.CapHeight, n+4)
	f.stream("", e.ToUnicode)
	f.stream(fmt.Sprintf("/Length1 %d", len(e.Program)), e.Program)
}

// write writes a file into the folder for looked-at results, or into a temporary one.
func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	dir := os.Getenv("RECTO_TEST_OUTPUT")
	if dir == "" {
		dir = t.TempDir()
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs a program, which must be silent on its standard error.
func run(t testing.TB, program string, args ...string) string {
	t.Helper()
	var out, warnings bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &warnings
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, warnings.String())
	}
	// Debian builds MuPDF without ICC profiles, and it says so each time.
	said := strings.ReplaceAll(warnings.String(), "warning: ICC support is not available\n", "")
	if said != "" {
		t.Errorf("%s says %s", cmd, said)
	}
	return out.String()
}
