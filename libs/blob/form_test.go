package blob_test

import (
	"bytes"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/blob"
)

func TestIsForm(t *testing.T) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", strings.Repeat("n", 200)+".docx")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(bytes.Repeat([]byte{0, 1}, 4000))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const (
		of    = "multipart/form-data; boundary=B"
		first = "Content-Disposition: form-data; name=\"f\"; filename=\"a.docx\"\r\n"
	)
	for _, c := range []struct {
		name, contentType, content string
		want                       bool
	}{
		{"a form of the standard library", w.FormDataContentType(), form.String(), true},
		{"a form as curl sends it", "multipart/form-data; boundary=------------------------d74496d66958873e",
			"--------------------------d74496d66958873e\r\n" + first + "\r\nx", true},
		{"a quoted boundary", `Multipart/Form-Data; charset=x; Boundary="B"`, "--B\r\n" + first + "\r\nx", true},
		{"an empty line first", of, "\r\n--B\r\n" + first, true},
		{"no parts", of, "--B--\r\n", true},
		{"cut off after the delimiter", of, "--B\r\n", true},
		{"no type", "", "--B\r\n" + first + "\r\nx", true},
		{"a type without its boundary", "multipart/form-data", "--B\r\n" + first + "\r\nx", true},
		{"another type", "application/pdf", "--B\r\n" + first + "\r\nx", true},
		{"the disposition second", "", "--B\r\nContent-Type: text/plain\r\ncontent-disposition:form-data; name=f\r\n\r\nx", true},
		{"another boundary than its type says", of, "--C\r\n" + first + "\r\nx", true},

		{"raw bytes under a multipart type", of, "%PDF-1.7\n--B\r\n" + first, false},
		{"raw bytes that begin like it", of, "--Bee\r\nhoney", false},
		{"the boundary alone", of, "--B", false},
		{"nothing", of, "", false},
		{"an empty boundary", `multipart/form-data; boundary=""`, "--\r\nx", false},
		{"a text with a rule", "text/plain", "--------\r\nContent-Disposition: attachment\r\n\r\n", false},
		{"a part of an e-mail", "multipart/mixed; boundary=B", "--B\r\nContent-Type: text/plain\r\n\r\nx", false},
		{"the words in a part's body", "", "--B\r\nContent-Type: text/plain\r\n\r\n" + first, false},
		{"a first line too long for a boundary", "", "--" + strings.Repeat("b", 71) + "\r\n" + first, false},
		{"Unix line ends", "", "--B\n" + strings.ReplaceAll(first, "\r", ""), false},
		{"a damaged type", "multipart/form-data; boundary", "--B\r\nx", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := []byte(c.content)[:min(len(c.content), blob.FormHead)]
			if got := blob.IsForm(c.contentType, head); got != c.want {
				t.Errorf("IsForm(%q, %.80q) = %v", c.contentType, head, got)
			}
		})
	}
}

func FuzzIsForm(f *testing.F) {
	f.Add("multipart/form-data; boundary=B", []byte("--B\r\nContent-Disposition: form-data; name=f\r\n\r\nx"))
	f.Add("", []byte("\r\n--B\r\ncontent-disposition:form-data\r\n\r\n"))
	f.Add(`multipart/form-data; boundary="`, []byte("--"))
	f.Fuzz(func(t *testing.T, contentType string, head []byte) {
		if blob.IsForm(contentType, head) && !bytes.HasPrefix(bytes.TrimPrefix(head, []byte("\r\n")), []byte("--")) {
			t.Errorf("IsForm(%q, %q) is true without a leading delimiter", contentType, head)
		}
	})
}
