package libreoffice

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// profileObjects returns a color profile of a second, as objects of a PDF.
func profileObjects(t *testing.T, second byte) string {
	t.Helper()
	profile := bytes.Repeat([]byte("color "), 100)
	copy(profile[dateAt:], []byte{7, 0xEA, 0, 11, 0, 25, 0, 10, 0, 47, 0, second})
	copy(profile[signatureAt:], signature)
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = z.Write(profile)
	_ = z.Close()
	body := fmt.Sprintf("\n25 0 obj\n<</N 3/Length 26 0 R/Filter/FlateDecode>>\nstream\n%s\nendstream\nendobj\n\n26 0 obj\n%d\nendobj\n\n27 0 obj\n", b.String(), b.Len())
	moved := len(lead) + strings.Index(body, "27 0 obj")
	return body + fmt.Sprintf("xref\n0 3\n0000000000 65535 f \n0000000003 00000 n \n%010d 00000 n \ntrailer\nstartxref\n%d\n%%%%EOF\n", moved, len(lead)+len(body))
}

// lead precedes the part of the file.
const lead = "before the profile "

// reset returns the content of a file after resetColorProfile.
func reset(t *testing.T, content string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "x.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.WriteString(f, lead+content); err != nil {
		t.Fatal(err)
	}
	if err := resetColorProfile(f, part{int64(len(lead)), []byte(content)}, int64(len(lead)+max(strings.Index(content, "xref"), 0))); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(got), lead)
}

// before and after return the text on a side of the first place with these words.
func before(text, words string) string {
	text, _, _ = strings.Cut(text, words)
	return text
}

func after(text, words string) string {
	_, text, _ = strings.Cut(text, words)
	return text
}

func TestResetColorProfile(t *testing.T) {
	first, second := profileObjects(t, 1), profileObjects(t, 2)
	got := reset(t, first)
	if got != reset(t, second) || len(got) >= len(first) {
		t.Errorf("got %q", got)
	}
	var length, unmoved, moved, start int
	if _, err := fmt.Sscanf(after(got, "\n26 0 obj\n"), "%d", &length); err != nil {
		t.Fatal(err)
	}
	if begin := strings.Index(got, "stream\n") + len("stream\n"); !strings.HasPrefix(got[begin+length:], endOfStream) {
		t.Errorf("the stream of %d bytes is followed by %.30q", length, got[begin+length:])
	}
	if _, err := fmt.Sscanf(after(got, "xref\n0 3\n"), "0000000000 65535 f \n%d 00000 n \n%d 00000 n \ntrailer\nstartxref\n%d", &unmoved, &moved, &start); err != nil {
		t.Fatal(err)
	}
	if unmoved != 3 || !strings.HasPrefix(got[moved-len(lead):], "27 0 obj") || !strings.HasPrefix(got[start-len(lead):], "xref") {
		t.Errorf("the table has %d, %d and %d in %q", unmoved, moved, start, got)
	}
	for name, content := range map[string]string{
		"no profile": "nothing", "no end": strings.Replace(first, "endstream", "end", 1), "another length": strings.Replace(first, "26 0 obj\n", "26 0 obj\n1", 1),
		"no table":       before(first, "trailer"),
		"not compressed": "<</N 3/Length 26 0 R/Filter/FlateDecode>>\nstream\nhello" + endOfStream + "\n26 0 obj\n5\nendobj\n",
	} {
		if got := reset(t, content); got != content {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
