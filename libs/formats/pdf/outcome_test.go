package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// blobOf returns a blob of the parts, each at least a chunk.
func blobOf(t testing.TB, parts ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := blobWriter{&b}
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pngOf returns a PNG of the size.
func pngOf(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReceiveBlob(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), maxChunk/4)
	var out bytes.Buffer
	n, err := receiveBlob(bytes.NewReader(blobOf(t, content, nil, content[:1])), &out, int64(len(content)+1))
	if err != nil || n != int64(out.Len()) || !bytes.Equal(out.Bytes(), append(content, content[0])) {
		t.Errorf("got %d bytes of %d, %v", n, len(content), err)
	}
	whole := blobOf(t, content)
	for name, tc := range map[string]struct {
		blob  []byte
		limit int64
	}{
		"empty":                     {nil, 10},
		"without an end":            {whole[:len(whole)-4], int64(len(content))},
		"cut off in a chunk":        {whole[:len(whole)-5], int64(len(content))},
		"more than the limit":       {whole, int64(len(content) - 1)},
		"a chunk that is too large": {binary.BigEndian.AppendUint32(nil, maxChunk+1), math.MaxInt64},
	} {
		if n, err := receiveBlob(bytes.NewReader(tc.blob), io.Discard, tc.limit); err == nil || n > tc.limit || errors.Is(err, io.EOF) {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
}

// TestSizesViolations checks that lists of pages which violate the protocol are refused.
func TestSizesViolations(t *testing.T) {
	page, end := sizeMessage{612, 792, 90}, message{End: &endMessage{}}
	pages, err := receiveSizes(bytes.NewReader(answerOf(t, message{Sizes: []sizeMessage{page, page}}, message{Sizes: []sizeMessage{page}}, end)), 3)
	if want := (PageSize{612, 792, 90}); err != nil || !slices.Equal(pages, []PageSize{want, want, want}) {
		t.Fatalf("got %+v, %v", pages, err)
	}
	for name, messages := range map[string][]message{
		"nothing":             nil,
		"no page":             {end},
		"an empty message":    {{Sizes: []sizeMessage{page}}, {}, end},
		"no end":              {{Sizes: []sizeMessage{page}}},
		"too many":            {{Sizes: []sizeMessage{page, page}}, {Sizes: []sizeMessage{page, page}}, end},
		"no width":            {{Sizes: []sizeMessage{{0, 792, 0}}}, end},
		"an absurd height":    {{Sizes: []sizeMessage{{612, 1e9, 0}}}, end},
		"an odd rotation":     {{Sizes: []sizeMessage{{612, 792, 45}}}, end},
		"half a rotation":     {{Sizes: []sizeMessage{{612, 792, 0.5}}}, end},
		"a negative rotation": {{Sizes: []sizeMessage{{612, 792, -90}}}, end},
		"an absurd rotation":  {{Sizes: []sizeMessage{{612, 792, 1e300}}}, end},
		"a page":              {{Page: goodPage()}, end},
	} {
		if pages, err := receiveSizes(bytes.NewReader(answerOf(t, messages...)), 3); err == nil {
			t.Errorf("%s: %+v", name, pages)
		}
	}
	var refused errRefused
	if _, err := receiveSizes(bytes.NewReader(answerOf(t, message{Refused: tooMany})), 3); !errors.As(err, &refused) {
		t.Errorf("a refusal: %v", err)
	}
}

// TestWordsViolations checks that texts of a page which violate the protocol are refused.
func TestWordsViolations(t *testing.T) {
	page := goodPage()
	page.Rotation = 270
	text, err := receiveWords(bytes.NewReader(answerOf(t, message{Page: page})), 7)
	if err != nil || text.Text != "A word\n" || len(text.Words) != 2 || text.Words[1].Page != 7 || text.PageSize != (PageSize{612, 792, 270}) {
		t.Fatalf("got %+v, %v", text, err)
	}
	overlapping, turned := goodPage(), goodPage()
	overlapping.Words[1] = overlapping.Words[0]
	turned.Rotation = 45
	for name, m := range map[string]message{
		"an end": {End: &endMessage{}}, "nothing": {}, "words that overlap": {Page: overlapping}, "an odd rotation": {Page: turned},
	} {
		if text, err := receiveWords(bytes.NewReader(answerOf(t, m)), 1); err == nil {
			t.Errorf("%s: %+v", name, text)
		}
	}
}

// TestPictureViolations checks that pictures which violate the protocol are refused before
// any of their bytes are passed on.
func TestPictureViolations(t *testing.T) {
	announced, good := answerOf(t, message{Picture: true}), pngOf(t, 10, 20)
	var out bytes.Buffer
	if err := receivePicture(bytes.NewReader(slices.Concat(announced, blobOf(t, good[:3], good[3:]))), 10, &out); err != nil || !bytes.Equal(out.Bytes(), good) {
		t.Fatalf("got %d bytes of %d, %v", out.Len(), len(good), err)
	}
	head := func(width, height uint32, depth byte) []byte {
		b := binary.BigEndian.AppendUint32([]byte(pngSignature), width)
		return append(binary.BigEndian.AppendUint32(b, height), depth)
	}
	for name, answer := range map[string][]byte{
		"nothing":         nil,
		"no announcement": blobOf(t, good),
		"a page":          answerOf(t, message{Page: goodPage()}),
		"no blob":         announced,
		"empty":           slices.Concat(announced, blobOf(t)),
		"half a header":   slices.Concat(announced, blobOf(t, good[:pngHeader-1])),
		"not a PNG":       slices.Concat(announced, blobOf(t, bytes.Repeat([]byte("GIF89a"), 9))),
		"too wide":        slices.Concat(announced, blobOf(t, pngOf(t, 11, 20))),
		"too many pixels": slices.Concat(announced, blobOf(t, head(10, MaxRenderPixels, 8))),
		"no width":        slices.Concat(announced, blobOf(t, head(0, 20, 8))),
		"no height":       slices.Concat(announced, blobOf(t, head(10, 0, 8))),
		"a deep PNG":      slices.Concat(announced, blobOf(t, head(10, 20, 16))),
	} {
		var out bytes.Buffer
		if err := receivePicture(bytes.NewReader(answer), 10, &out); err == nil || out.Len() > 0 {
			t.Errorf("%s: %d bytes, %v", name, out.Len(), err)
		}
	}
	lost := errors.New("connection lost")
	var outside *outsideError
	err := receivePicture(bytes.NewReader(slices.Concat(announced, blobOf(t, good))), 10, sink{broke{lost}, new(bool)})
	if !errors.As(err, &outside) || !errors.Is(outside.err, lost) {
		t.Errorf("a writer that fails: %v", err)
	}
}

// TestFilledViolations checks that outcomes of filling which violate the protocol are
// refused.
func TestFilledViolations(t *testing.T) {
	q := request{file: strings.NewReader("the file"), size: 8, parameters: parameters{Order: form.Order{Values: make([]form.Value, 2)}}}
	illegible := func(indices ...int) []byte {
		return slices.Concat(answerOf(t, message{Filled: &filledMessage{Size: 6, Illegible: indices}}), blobOf(t, []byte("update")))
	}
	for name, answer := range map[string][]byte{
		"no value":            illegible(2),
		"a value before all":  illegible(-1),
		"a value twice":       illegible(1, 1),
		"nothing":             nil,
		"a page":              answerOf(t, message{Page: goodPage()}),
		"a negative size":     answerOf(t, message{Filled: &filledMessage{Size: -1}}),
		"too large":           answerOf(t, message{Filled: &filledMessage{Size: 11}}),
		"no file":             slices.Concat(answerOf(t, message{Filled: &filledMessage{Whole: true}}), blobOf(t)),
		"no blob":             answerOf(t, message{Filled: &filledMessage{Size: 6}}),
		"less than announced": slices.Concat(answerOf(t, message{Filled: &filledMessage{Size: 7}}), blobOf(t, []byte("update"))),
		"more than announced": slices.Concat(answerOf(t, message{Filled: &filledMessage{Size: 5}}), blobOf(t, []byte("update"))),
		"no character":        answerOf(t, message{Missing: 0xD800}),
	} {
		var outside *outsideError
		var missing *typeset.MissingError
		if _, err := receiveFilled(bytes.NewReader(answer), q, 10, io.Discard); err == nil || errors.As(err, &outside) || errors.As(err, &missing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := slices.Concat(answerOf(t, message{Filled: &filledMessage{Size: 6}}), blobOf(t, []byte("update")))
	var out bytes.Buffer
	if filled, err := receiveFilled(bytes.NewReader(good), q, 10, &out); err != nil || filled.Size != 14 || out.String() != "the fileupdate" {
		t.Errorf("got %q, %+v, %v", out.String(), filled, err)
	}
	lost := errors.New("connection lost")
	for name, tc := range map[string]struct {
		q request
		w io.Writer
	}{
		"a writer that fails": {q, sink{broke{lost}, new(bool)}},
		"a file that fails":   {request{file: brokeAt{lost}, size: 8}, io.Discard},
	} {
		var outside *outsideError
		if _, err := receiveFilled(bytes.NewReader(good), tc.q, 10, tc.w); !errors.As(err, &outside) || !errors.Is(outside.err, lost) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// brokeAt is a file that fails.
type brokeAt struct{ err error }

func (b brokeAt) ReadAt([]byte, int64) (int, error) { return 0, b.err }

// TestJobViolations checks that a process refuses requests that are invalid or too large.
func TestJobViolations(t *testing.T) {
	if j, err := readJob(strings.NewReader(""), 10); j != nil || err != nil {
		t.Errorf("no request: %+v, %v", j, err)
	}
	encode := func(h header, rest string) io.Reader {
		var b bytes.Buffer
		if err := binary.Write(&b, binary.BigEndian, h); err != nil {
			t.Fatal(err)
		}
		b.WriteString(rest)
		return &b
	}
	sized := func(sizes string) string { return `{"order":{"values":[],"pictures":[` + sizes + `]}}` }
	picture := func(size string) string {
		return `{"media_type":"image/png","width":1,"height":1,"orientation":1,"size":` + size + `}`
	}
	for name, in := range map[string]io.Reader{
		"half a header":       strings.NewReader("r00"),
		"a negative size":     encode(header{taskRead, 2, -1}, "{}"),
		"too large":           encode(header{taskRead, 2, 11}, "{}12345678901"),
		"too many parameters": encode(header{taskRead, maxParameters + 1, 1}, "{}1"),
		"no parameters":       encode(header{taskRead, 0, 1}, "1"),
		"half of the file":    encode(header{taskRead, 2, 4}, "{}12"),
		"a picture too large": encode(header{taskFill, uint32(len(sized(picture("11")))), 1}, sized(picture("11"))+"112345678901"),
		"pictures too large":  encode(header{taskFill, uint32(len(sized(picture("6") + "," + picture("6")))), 1}, sized(picture("6")+","+picture("6"))+"1123456123456"),
		"a picture cut off":   encode(header{taskFill, uint32(len(sized(picture("6")))), 1}, sized(picture("6"))+"1123"),
		"a negative picture":  encode(header{taskFill, uint32(len(sized(picture("-1")))), 1}, sized(picture("-1"))+"1"),
	} {
		if j, err := readJob(in, 10); err == nil {
			t.Errorf("%s: %+v", name, j)
		}
	}
	if err := (&worker{}).perform(&job{task: '?'}); err == nil {
		t.Error("an unknown task was performed")
	}
}

// FuzzOutcome checks that any answer to the tasks of one page, and of filling, is either
// refused or within the limits.
func FuzzOutcome(f *testing.F) {
	f.Add(slices.Concat(answerOf(f, message{Picture: true}), blobOf(f, pngOf(f, 3, 4))))
	f.Add(slices.Concat(answerOf(f, message{Filled: &filledMessage{Size: 6}}), blobOf(f, []byte("update"))))
	f.Add(answerOf(f, message{Page: goodPage()}))
	f.Add(answerOf(f, message{Sizes: []sizeMessage{{612, 792, 90}}}, message{End: &endMessage{}}))
	f.Add(answerOf(f, message{Missing: 'x'}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var picture, filled bytes.Buffer
		if err := receivePicture(bytes.NewReader(b), 5, &picture); err == nil {
			if c, err := png.DecodeConfig(&picture); err == nil && (c.Width > 5 || c.Width*c.Height > MaxRenderPixels) {
				t.Fatalf("a picture of %d by %d", c.Width, c.Height)
			}
		}
		q := request{file: strings.NewReader("file"), size: 4}
		if got, err := receiveFilled(bytes.NewReader(b), q, 100, &filled); err == nil && (got.Size != int64(filled.Len()) || got.Size > 104) {
			t.Fatalf("%d bytes, but %+v", filled.Len(), got)
		}
		if text, err := receiveWords(bytes.NewReader(b), 2); err == nil && len(text.Words) > 0 && text.Words[0].Page != 2 {
			t.Fatalf("got %+v", text)
		}
		if pages, err := receiveSizes(bytes.NewReader(b), 3); err == nil && (len(pages) < 1 || len(pages) > 3 || !isRotation(pages[0].Rotation)) {
			t.Fatalf("got %+v", pages)
		}
	})
}

// FuzzJob checks that any request is either refused or complete.
func FuzzJob(f *testing.F) {
	var b bytes.Buffer
	if err := send(&b, request{task: taskRender, parameters: parameters{Page: 2, Width: 3}, file: strings.NewReader("file"), size: 4}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		j, err := readJob(bytes.NewReader(b), 1000)
		if err == nil && j != nil && (len(j.file) > 1000 || len(j.pictures) != len(j.Order.Pictures)) {
			t.Fatalf("got %+v", j)
		}
	})
}
