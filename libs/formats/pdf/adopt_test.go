package pdf

import (
	"bytes"
	"io"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// TestAdoptedWidgets checks that widgets that PDFium does not know are listed under the
// names that they have in the file, and that a file which cannot be adopted is read as
// PDFium knows it.
func TestAdoptedWidgets(t *testing.T) {
	file := pdfforms.Inherited()
	update := func(r *form.Result, err error) func([]byte) (*form.Result, error) {
		return func([]byte) (*form.Result, error) { return r, err }
	}
	for name, tc := range map[string]struct {
		adopt func([]byte) (*form.Result, error)
		want  int
	}{
		"adopted":            {form.Adopt, 5},
		"adopted as a whole": {func(file []byte) (*form.Result, error) { return rewritten(t, file), nil }, 5},
		"nothing to do":      {update(&form.Result{}, nil), 1},
		"damaged":            {update(nil, form.Damaged), 1},
		"a panic":            {func([]byte) (*form.Result, error) { panic("pdfcpu") }, 1},
		"another file":       {update(&form.Result{Update: pdfforms.Form(41), Whole: true}, nil), 1}, // it has two pages
		"no file":            {update(&form.Result{Update: []byte("no PDF"), Whole: true}, nil), 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := newCounting(t)
			f := forms{describe: form.Describe, adopt: tc.adopt}
			ask := func(kind task) io.Reader {
				q := request{task: kind, parameters: parameters{Page: 1, Width: 200}, file: bytes.NewReader(file), size: int64(len(file))}
				return exchange(t, p, f, q)
			}
			read, err := receive(ask(taskRead), 1, opening{})
			if err != nil || len(read.Fields) != tc.want {
				t.Fatalf("got the fields %+v, %v; want %d", read, err, tc.want)
			}
			for _, field := range read.Fields {
				if field.Name != field.Details.Name {
					t.Errorf("%s is listed as %s", field.Details.Name, field.Name)
				}
			}
			if words, err := receiveWords(ask(taskWords), 1); err != nil || len(words.Words) == 0 {
				t.Errorf("got the words %+v, %v", words, err)
			}
			if err := receivePicture(ask(taskRender), 200, io.Discard); err != nil {
				t.Error(err)
			}
		})
	}
}

// rewritten returns the file with the update of package form as a new file.
func rewritten(t *testing.T, file []byte) *form.Result {
	t.Helper()
	r, err := form.Adopt(file)
	if err != nil {
		t.Fatal(err)
	}
	whole(r, file)
	return r
}

// TestAdoptOnce checks that a file is adopted at most once, and only if that may help.
func TestAdoptOnce(t *testing.T) {
	flagged, err := form.Adopt(pdfforms.Nameless())
	if err != nil {
		t.Fatal(err)
	}
	appended := append(pdfforms.Nameless(), flagged.Update...)
	for name, tc := range map[string]struct {
		file []byte
		want int
	}{
		"known widgets":         {pdfforms.Form(80), 0},
		"no widgets":            {pdfforms.Blanks(), 0},
		"a flag, not filled":    {pdfforms.WithoutAppearances(), 0},
		"without names":         {pdfforms.Nameless(), 1},
		"with names":            {appended, 0},
		"a flag and a revision": {bytes.Replace(appended, []byte("/Fields"), []byte("/NeedAppearances true/Fields"), 1), 1},
	} {
		p := newCounting(t)
		for _, kind := range []task{taskRead, taskWords, taskRender} {
			calls := 0
			f := forms{describe: form.Describe, adopt: func([]byte) (*form.Result, error) { calls++; return &form.Result{}, nil }}
			q := request{task: kind, parameters: parameters{Page: 1, Width: 50}, file: bytes.NewReader(tc.file), size: int64(len(tc.file))}
			exchange(t, p, f, q)
			if calls != tc.want {
				t.Errorf("%s, task %c: %d calls, want %d", name, kind, calls, tc.want)
			}
		}
	}
}
