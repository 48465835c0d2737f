package libreoffice

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/libs/formats/filetype"
)

func TestSniffCSV(t *testing.T) {
	for head, want := range map[string]struct {
		separator byte
		columns   int
	}{
		"a,b,c\n1,2,3\n":                    {',', 3},
		"a;b\n1,5;2,5\n":                    {';', 2},
		"a\tb\tc\r\n1\t2\t3\r\n":            {'\t', 3},
		"a|b\n\n1|2\n":                      {'|', 2},
		"\"a;b\",c\n\"d\ne;f;g\",h\n":       {',', 2},
		"one column\nand more\n":            {',', 1},
		"name;amount\ntotal, net;1,200,000": {';', 2},
		"a title\na,b,c\n1,2,3":             {',', 3},
		"":                                  {',', 1},
	} {
		if separator, columns := sniffCSV([]byte(head)); separator != want.separator || columns != want.columns {
			t.Errorf("%q: %q splits %d columns, want %q and %d", head, separator, columns, want.separator, want.columns)
		}
	}
}

// TestMissing shows that a type is missing the application that is not installed.
func TestMissing(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	registry := filepath.Join(filepath.Dir(program), "share", "registry")
	for _, dir := range []string{program, registry} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{program + "/soffice.bin", program + "/bootstraprc", program + "/versionrc", registry + "/writer.xcd", registry + "/draw.xcd"} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e, err := New(Config{Program: program}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[filetype.Type]string{
		filetype.DOCX: "", filetype.SVG: "", filetype.XLS: "LibreOffice Calc", filetype.PPTX: "LibreOffice Impress", filetype.ZIP: "a converter of this type",
	} {
		if got := e.Missing(kind); got != want {
			t.Errorf("%s lacks %q, want %q", kind, got, want)
		}
	}
	before := e.Version()
	if err := os.WriteFile(registry+"/calc.xcd", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if e, err = New(Config{Program: program}, nil); err != nil || e.Missing(filetype.XLS) != "" || e.Version() == before {
		t.Errorf("with Calc, a spreadsheet lacks %q, and the version is %q as before, %v", e.Missing(filetype.XLS), e.Version(), err)
	}
	if len(e.Modules()) != 5 {
		t.Errorf("the modules are %+v", e.Modules())
	}
	for _, m := range e.Modules() {
		if m.Installed != (m.Package != "libreoffice-impress-nogui" && m.Package != "libreoffice-math-nogui") {
			t.Errorf("%+v", m)
		}
	}
}
