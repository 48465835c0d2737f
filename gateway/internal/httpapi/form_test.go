package httpapi

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/problem"
)

// formOf returns a form that reads body, whose boundary is x.
func formOf(body []byte) *form {
	input := &boundedReader{bytes.NewReader(body), 0}
	return &form{reader: multipart.NewReader(input, "x"), input: input}
}

// FuzzForm reads bodies as the JSON of an inline conversion. The result is JSON with the
// bytes of the file, or an error for clients.
func FuzzForm(f *testing.F) {
	const file = "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\n"
	const document = "--x\r\nContent-Disposition: form-data; name=\"document\"\r\n\r\n"
	for _, body := range []string{
		"", "--x--", "--x--\r\n", file + "text\r\n--x--\r\n", file + "text", file + "\r\n--x--", file[:40],
		document + "{\"filename\":\"b.txt\"}\r\n" + file + "text\r\n--x--",
		file + "text\r\n" + document + "{}\r\n--x--", document + "null\r\n" + file + "text\r\n--x--", document + "[\r\n--x--", document + "{\"file_base64\":\"\"}\r\n" + file + "text\r\n--x--",
		file + "a\r\n" + file + "b\r\n--x--", "--x\r\n\r\ntext\r\n--x--", "--x\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n\r\n--x--",
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		read, err := io.ReadAll(&inlineForm{form: formOf(body), buffer: make([]byte, 6)})
		if err != nil {
			var known *problem.Error
			if !errors.As(err, &known) {
				t.Fatalf("%q is refused with %v", body, err)
			}
			return
		}
		var got struct {
			File *string `json:"file_base64"`
		}
		if err := json.Unmarshal(read, &got); err != nil {
			t.Fatalf("%q is read as %s: %v", body, read, err)
		}
		content, err := base64.StdEncoding.DecodeString(*got.File)
		if err != nil || !bytes.Contains(body, content) {
			t.Fatalf("%q is read as %s: %v", body, read, err)
		}
	})
}

// TestPutKeepsURLsSecret checks the errors of uploads to the object store, which are logged.
// With the signature in the URL, a reader of the log could overwrite the part.
func TestPutKeepsURLsSecret(t *testing.T) {
	refusing := httptest.NewServer(http.NotFoundHandler())
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	t.Cleanup(refusing.Close)
	s := &Server{objects: refusing.Client()}
	for _, origin := range []string{refusing.URL, gone.URL} {
		err := s.put(t.Context(), origin+"/part?X-Amz-Signature=secret", []byte("text"))
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("the error is %v", err)
		}
	}
}
