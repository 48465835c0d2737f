package pdf

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// filler stands in for package form. It fills with its result or error.
type filler struct {
	result   form.Result
	err      error
	order    form.Order
	pictures [][]byte
	files    [][]byte // that were to be filled
}

func (f *filler) forms() forms {
	return forms{
		describe: func([]byte) (*form.Description, error) { return &form.Description{}, nil },
		fill: func(file []byte, o form.Order, pictures [][]byte) (*form.Result, error) {
			f.files, f.order, f.pictures = append(f.files, file), o, pictures
			if f.err != nil && len(f.files) == 1 {
				return nil, f.err
			}
			result := f.result
			return &result, nil
		},
	}
}

// picture returns a picture of the bytes.
func picture(content string) fields.Picture {
	return fields.Picture{MediaType: "image/png", Width: 2, Height: 3, Orientation: 6, Size: int64(len(content)), Open: func() io.Reader { return strings.NewReader(content) }}
}

// filling returns a request to fill a form.
func filling(t *testing.T) request {
	t.Helper()
	o := Filling{Order: form.Order{Flatten: true}, Pictures: []fields.Picture{picture("first"), picture("second")}}
	o.Values = []form.Value{{Text: "שלום", Widgets: []form.Widget{{Ref: form.Ref{Page: 1, Annotation: 2}, On: true}}}, {Pictures: []int{1, 0}}}
	file := FormFile()
	described, err := (&Reader{cfg: Config{ProcessConfig: ProcessConfig{Memory: 1 << 20}}}).describePictures(o)
	if err != nil {
		t.Fatal(err)
	}
	o.Order.Pictures = described
	return request{task: taskFill, parameters: parameters{Order: o.Order}, file: bytes.NewReader(file), size: int64(len(file)), pictures: o.Pictures}
}

// TestFillTransport checks that the order arrives as it was given, and that the update is
// added to the file.
func TestFillTransport(t *testing.T) {
	p := newCounting(t)
	for _, whole := range []bool{false, true} {
		f := filler{result: form.Result{Update: bytes.Repeat([]byte("update"), maxChunk/4), Whole: whole, Calculations: true, Illegible: []int{0}}}
		q := filling(t)
		q.parameters.Order.Values[0].Field = "first"
		var out bytes.Buffer
		filled, err := receiveFilled(exchange(t, p, f.forms(), q), q, 4*maxChunk, &out)
		want := f.result.Update
		if !whole {
			want = append(FormFile(), want...)
		}
		if err != nil || !reflect.DeepEqual(filled, Filled{Size: int64(len(want)), Calculations: true, Illegible: []string{"first"}}) || !bytes.Equal(out.Bytes(), want) {
			t.Errorf("got %d bytes, %+v, %v; want %d", out.Len(), filled, err, len(want))
		}
		q.parameters.Order.Values[0].Field = "" // is not sent
		if !reflect.DeepEqual(f.order, q.parameters.Order) || string(f.pictures[0]) != "first" || string(f.pictures[1]) != "second" {
			t.Errorf("got the order %+v and pictures %q", f.order, f.pictures)
		}
	}
}

// TestRepair checks that a file whose objects cannot be read is filled after PDFium has
// repaired it.
func TestRepair(t *testing.T) {
	f := filler{err: form.Damaged, result: form.Result{Update: []byte("update")}}
	q := filling(t)
	var out bytes.Buffer
	filled, err := receiveFilled(exchange(t, newCounting(t), f.forms(), q), q, maxChunk, &out)
	if err != nil || len(f.files) != 2 {
		t.Fatalf("%v after %d attempts", err, len(f.files))
	}
	want := slices.Concat(f.files[1], []byte("update"))
	if !bytes.HasPrefix(want, []byte("%PDF-")) || bytes.Equal(f.files[0], f.files[1]) || !bytes.Equal(out.Bytes(), want) || filled.Size != int64(out.Len()) {
		t.Errorf("got %d bytes, %+v", out.Len(), filled)
	}
}

// TestWithoutPDFium checks what a process without PDFium answers if the objects of a file
// cannot be read, and that the answer is an error of the file from any other process.
func TestWithoutPDFium(t *testing.T) {
	f := filler{err: form.Damaged}
	var sent, answered bytes.Buffer
	if err := send(&sent, filling(t)); err != nil {
		t.Fatal(err)
	}
	w := worker{settings: settings{Memory: 64 << 20, Bare: true}, forms: f.forms(), answer: sender{w: &answered}}
	j, err := readJob(&sent, w.Memory)
	if err == nil {
		err = w.perform(j)
	}
	if err != nil {
		t.Fatal(err)
	}
	answer := answered.Bytes()
	for _, bare := range []bool{true, false} {
		r := &Reader{cfg: Config{ProcessConfig: ProcessConfig{Memory: 64 << 20, Timeout: patience.Limit()}}}
		in, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		q := filling(t)
		p := &process{bare: bare, kill: func() {}, in: in, out: bufio.NewReader(bytes.NewReader(answer))}
		err = r.bounded(t.Context(), p, q, func(answer io.Reader) error {
			_, err := receiveFilled(answer, q, maxChunk, io.Discard)
			return err
		})
		var fault *Error
		if again := errors.Is(err, errRefused(unreadable)); again != bare || errors.As(err, &fault) == bare {
			t.Errorf("bare %t: got %v", bare, err)
		}
	}
}

// TestFillRefusals checks the error for each reason why a file is not filled.
func TestFillRefusals(t *testing.T) {
	p := newCounting(t)
	r := &Reader{cfg: Config{ProcessConfig: ProcessConfig{Memory: 64 << 20}}}
	for name, tc := range map[string]struct {
		filler filler
		want   string
	}{
		"encrypted":                {filler{err: form.Encrypted}, "is encrypted; remove its password first"},
		"forbidden":                {filler{err: form.Forbidden}, "permits no filling: "},
		"XFA":                      {filler{err: form.XFA}, "is an XFA form, which only Adobe software fills; save it as an AcroForm"},
		"certified":                {filler{err: form.Certified}, "is certified: "},
		"locked":                   {filler{err: form.Locked}, "has a signature that locks one of the fields; "},
		"a place on a signed page": {filler{err: form.SignedPage}, "is signed, and a value outside of its form fields"},
		"a missing widget":         {filler{err: form.Missing}, "has no such page or form field; "},
		"flattening a signed file": {filler{err: form.Signed}, "is signed, and flattening would break the signature; "},
		"flattening is forbidden":  {filler{err: form.Fixed}, "permits no flattening: "},
		"too many widgets":         {filler{err: form.Crowded}, "has too many form fields to flatten; "},
		"too large":                {filler{result: form.Result{Update: make([]byte, 16<<20+1)}}, "has more than 16777216 bytes when it is filled; "},
	} {
		q := filling(t)
		_, err := receiveFilled(exchange(t, p, tc.filler.forms(), q), q, maxChunk, io.Discard)
		var refused errRefused
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var fault *Error
		if !errors.As(r.refuse(refusal(refused)), &fault) || !strings.HasPrefix(fault.Reason, tc.want) {
			t.Errorf("%s: got %v, want: the file %s", name, fault, tc.want)
		}
	}
	f := filler{err: &typeset.MissingError{Rune: '\U0001F600'}}
	q := filling(t)
	_, err := receiveFilled(exchange(t, p, f.forms(), q), q, maxChunk, io.Discard)
	var missing *typeset.MissingError
	if !errors.As(err, &missing) || missing.Rune != '\U0001F600' {
		t.Errorf("a missing character: %v", err)
	}
}

// TestUnsendable checks the errors of orders that are not the file's fault.
func TestUnsendable(t *testing.T) {
	short, failing, lost := picture("short"), picture("failing"), errors.New("connection lost")
	short.Size++
	failing.Open = func() io.Reader { return io.MultiReader(strings.NewReader("f"), broke{lost}) }
	for name, tc := range map[string]struct {
		change func(*request)
		want   error
	}{
		"a picture that is too short": {func(q *request) { q.pictures[1] = short }, io.ErrUnexpectedEOF},
		"a picture that fails":        {func(q *request) { q.pictures[1] = failing }, lost},
		"a file that is too short":    {func(q *request) { q.size++ }, io.ErrUnexpectedEOF},
		"too many values":             {func(q *request) { q.parameters.Order.Values[0].Text = strings.Repeat("x", maxParameters) }, nil},
		"text that is not UTF-8":      {func(q *request) { q.parameters.Order.Values[0].Text = "\xFF" }, nil},
	} {
		q := filling(t)
		tc.change(&q)
		var outside *outsideError
		if err := send(io.Discard, q); !errors.As(err, &outside) || tc.want != nil && !errors.Is(outside.err, tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// broke is a reader and a writer that fails.
type broke struct{ err error }

func (b broke) Read([]byte) (int, error)  { return 0, b.err }
func (b broke) Write([]byte) (int, error) { return 0, b.err }

// TestFillArguments checks the errors for pictures that cannot be sent.
func TestFillArguments(t *testing.T) {
	r := &Reader{cfg: Config{ProcessConfig: ProcessConfig{Memory: 800}}}
	large, negative := picture(strings.Repeat("x", 60)), picture("")
	negative.Size = -1
	var fault *Error
	for name, tc := range map[string]struct {
		pictures []fields.Picture
		refers   int
		atFault  bool
	}{
		"one too large":    {[]fields.Picture{picture(strings.Repeat("x", 101))}, 0, true},
		"two too large":    {[]fields.Picture{large, large}, 1, true},
		"a negative size":  {[]fields.Picture{negative}, 0, true},
		"no such picture":  {[]fields.Picture{large}, 1, false},
		"a negative index": {[]fields.Picture{large}, -1, false},
	} {
		o := Filling{Order: form.Order{Values: []form.Value{{Pictures: []int{tc.refers}}}}, Pictures: tc.pictures}
		if _, err := r.Fill(t.Context(), strings.NewReader("x"), 1, o, io.Discard); err == nil || errors.As(err, &fault) != tc.atFault {
			t.Errorf("%s: %v", name, err)
		}
	}
}
