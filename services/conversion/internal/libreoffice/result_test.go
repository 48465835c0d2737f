package libreoffice

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exported returns a PDF as LibreOffice writes it, as far as Finish reads it. The page is
// about a date, too.
func exported(date, id, page string) string {
	body := "%PDF-1.6\n1 0 obj\n(" + page + ")\nendobj\n7 0 obj\n<</Producer<FEFF>\n/CreationDate(D:" + date + "Z')>>\nendobj\n"
	return body + fmt.Sprintf("xref\n0 8\ntrailer\n<</Size 8/Root 1 0 R\n/Info 7 0 R\n/ID [ <%s>\n<%[1]s> ]\n/DocChecksum /%s\n>>\nstartxref\n%d\n%%%%EOF\n",
		id, strings.Repeat("B", 32), len(body))
}

// finish returns the file after Finish.
func finish(t *testing.T, content string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.pdf")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Finish(path)
	got, readErr := os.ReadFile(path)
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(got), err
}

func TestFinish(t *testing.T) {
	const page = "/CreationDate(D:20010101000000Z')"
	a, err := finish(t, exported("20261125061748", strings.Repeat("1", 32), page))
	if err != nil {
		t.Fatal(err)
	}
	b, err := finish(t, exported("20261125061750", strings.Repeat("2", 32), page))
	if err != nil {
		t.Fatal(err)
	}
	other, err := finish(t, exported("20261125061748", strings.Repeat("1", 32), "x"+page))
	if err != nil {
		t.Fatal(err)
	}
	if a != b || strings.Contains(a, "20261125") || !strings.Contains(a, page) {
		t.Errorf("got\n%s\nand\n%s", a, b)
	}
	id := func(s string) string { return identifiers.FindStringSubmatch(s)[1] }
	if id(a) == id(other) || id(a) == strings.Repeat("0", 32) {
		t.Errorf("different files have the identifiers %s and %s", id(a), id(other))
	}
}

// TestFinishLeaves shows that a file is left as it is if it does not look like one of
// LibreOffice.
func TestFinishLeaves(t *testing.T) {
	whole := exported("20261125061748", strings.Repeat("1", 32), "page")
	for name, content := range map[string]string{
		"no trailer": "%PDF-1.6\n%%EOF\n", "no identifiers": strings.Replace(whole, "/DocChecksum", "/Other", 1),
		"no information": strings.Replace(whole, "/Info", "/Data", 1), "no table": strings.Replace(whole, "startxref", "start", 1),
	} {
		if got, err := finish(t, content); err != nil || got != content {
			t.Errorf("%s: got %v\n%s", name, err, got)
		}
	}
	for name, content := range map[string]string{"cut off": "%PDF-1.6\n", "no PDF": "hello", "empty": ""} {
		if _, err := finish(t, content); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := finish(t, strings.Replace(whole, "startxref\n", "startxref\n9999", 1)); err != nil {
		t.Errorf("a table beyond the end: %v", err)
	}
}
