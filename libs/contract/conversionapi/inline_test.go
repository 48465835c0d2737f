package conversionapi_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
)

// TestInline sends files of several sizes and reads them back from the response.
func TestInline(t *testing.T) {
	for _, size := range []int{0, 1, 2, 3, 5000, 1 << 20} {
		file := bytes.Repeat([]byte{0xAB}, size)
		payload := conversionapi.NewInline(`a "b".docx`, bytes.NewReader(file))
		var sent struct {
			Name string `json:"filename"`
			File []byte `json:"file_base64"`
		}
		err := json.UnmarshalRead(payload.Body, &sent)
		if err = errors.Join(err, payload.Close()); err != nil || sent.Name != `a "b".docx` || !bytes.Equal(sent.File, file) {
			t.Fatalf("%d bytes: got %d bytes as %s, %v", size, len(sent.File), sent.Name, err)
		}
		encoded, err := json.Marshal(sent.File)
		if err != nil {
			t.Fatal(err)
		}
		answer := `{"file_base64":` + string(encoded) + `,"filename":"a } \" .pdf"}`
		for name, body := range map[string]io.Reader{"whole": strings.NewReader(answer), "by bytes": iotest.OneByteReader(strings.NewReader(answer))} {
			var got bytes.Buffer
			n, err := conversionapi.ReadInline(contract.Stream{Body: body, Size: -1}, &got)
			if err != nil || n != int64(size) || !bytes.Equal(got.Bytes(), file) {
				t.Errorf("%d bytes, %s: got %d bytes, %v", size, name, n, err)
			}
		}
	}
}

// TestInlineStops checks that a payload that is not read to its end stops reading its file.
func TestInlineStops(t *testing.T) {
	payload := conversionapi.NewInline("a.docx", iotest.ErrReader(errors.New("the file is gone")))
	if _, err := io.ReadAll(payload.Body); err == nil || err.Error() != "the file is gone" {
		t.Errorf("got %v", err)
	}
	if err := payload.Close(); err != nil {
		t.Error(err)
	}
	endless := conversionapi.NewInline("a.docx", readerFunc(func(p []byte) (int, error) { return len(p), nil }))
	if _, err := io.ReadFull(endless.Body, make([]byte, 100_000)); err != nil {
		t.Error(err)
	}
	if err := endless.Close(); err != nil { // returns only after the file is no longer read
		t.Error(err)
	}
}

// readerFunc is a function as an io.Reader.
type readerFunc func([]byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestBrokenInline checks responses that are not, or not completely, those of the
// conversion service.
func TestBrokenInline(t *testing.T) {
	whole := `{"file_base64":"AAAA","filename":"a.pdf"}`
	for n := range len(whole) {
		if _, err := conversionapi.ReadInline(contract.Stream{Body: strings.NewReader(whole[:n])}, io.Discard); err == nil {
			t.Errorf("a response of %d bytes is accepted", n)
		}
	}
	for name, body := range map[string]io.Reader{
		"other order": strings.NewReader(`{"filename":"a.pdf","file_base64":"AAAA"}`), "no base64": strings.NewReader(`{"file_base64":"A*AA","filename":"a"}`),
		"read error": io.MultiReader(strings.NewReader(whole[:30]), iotest.ErrReader(errors.New("connection lost"))),
	} {
		if _, err := conversionapi.ReadInline(contract.Stream{Body: body}, io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
