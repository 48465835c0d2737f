package pdf

import (
	"bytes"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"

	"github.com/rectohq/recto/libs/formats/pdf/form"
)

// counting is a PDFium that counts how often pages are loaded.
type counting struct {
	pdfium.Pdfium
	loads int
}

//nolint:revive,staticcheck // PDFium gives the name
func (c *counting) FPDF_LoadPage(r *requests.FPDF_LoadPage) (*responses.FPDF_LoadPage, error) {
	c.loads++
	return c.Pdfium.FPDF_LoadPage(r)
}

// newLibrary returns a library of this process.
func newLibrary(t testing.TB) pdfium.Pool {
	t.Helper()
	library, err := compiledPDFium(settings{Cache: Compiled()})
	if err != nil {
		t.Fatal(err)
	}
	return library
}

// newCounting returns a PDFium of this process.
func newCounting(t testing.TB) *counting {
	t.Helper()
	p, err := newPDFium(newLibrary(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return &counting{Pdfium: p}
}

// exchange sends the request to a worker in this process, and returns its answer.
func exchange(t testing.TB, p pdfium.Pdfium, f forms, q request) io.Reader {
	t.Helper()
	var sent, answered bytes.Buffer
	if err := send(&sent, q); err != nil {
		t.Fatal(err)
	}
	s := settings{Memory: 64 << 20, Pages: 2000}
	j, err := readJob(&sent, s.Memory)
	if err != nil || sent.Len() > 0 {
		t.Fatalf("%v, %d bytes left", err, sent.Len())
	}
	w := worker{settings: s, pdfium: p, forms: f, answer: sender{w: &answered}}
	if err := w.perform(j); err != nil {
		t.Fatal(err)
	}
	return &answered
}

// TestPageLoads checks that a page is rendered, and its words are read, without loading
// other pages, and that sizes are found without loading any page.
func TestPageLoads(t *testing.T) {
	file := ManyPages(2000)
	p := newCounting(t)
	ask := func(kind task, page int) (answer io.Reader, loads int) {
		before := p.loads
		q := request{task: kind, parameters: parameters{Page: page, Width: 50}, file: bytes.NewReader(file), size: int64(len(file))}
		answer = exchange(t, p, forms{}, q)
		return answer, p.loads - before
	}
	for _, kind := range []task{taskRender, taskWords} {
		for _, page := range []int{1, 1000, 2000} {
			if _, loads := ask(kind, page); loads != 1 {
				t.Errorf("task %q for page %d loads %d pages", kind, page, loads)
			}
		}
	}
	answer, loads := ask(taskSizes, 0)
	if pages, err := receiveSizes(answer, 2000); len(pages) != 2000 || err != nil || loads != 0 {
		t.Errorf("%d pages, %v; %d of them were loaded", len(pages), err, loads)
	}
}

// TestDetails checks that the fields of a file carry what package form knows about them,
// and that a file is read even if that is nothing.
func TestDetails(t *testing.T) {
	file := FormFile()
	read := func(describe func([]byte) (*form.Description, error)) *File {
		answer := exchange(t, newCounting(t), forms{describe: describe}, request{task: taskRead, file: bytes.NewReader(file), size: int64(len(file))})
		f, err := receive(answer, 1, opening{})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	long := form.Details{Name: string(make([]byte, maxString+1))}
	f := read(func([]byte) (*form.Description, error) {
		return &form.Description{Signed: true, Details: map[form.Ref]form.Details{
			{Page: 1, Annotation: 1}: {Name: "drawn", MaxLength: 7}, {Page: 1, Annotation: 2}: long, {Page: 2, Annotation: 0}: {MaxLength: 9},
		}}, nil
	})
	if len(f.Fields) != 6 || f.Fields[1].Details.MaxLength != 7 || f.Fields[0].Details.MaxLength != 0 || f.Fields[2].Details.Name != "" || !f.Signed {
		t.Errorf("got %+v", f.Fields)
	}
	for name, describe := range map[string]func([]byte) (*form.Description, error){
		"a refusal": func([]byte) (*form.Description, error) { return nil, form.Damaged },
		"nothing":   func([]byte) (*form.Description, error) { return nil, nil },
		"a panic":   func([]byte) (*form.Description, error) { panic("index out of range") },
	} {
		if f := read(describe); len(f.Fields) != 6 || f.Fields[1].Details.Name != "" || f.Signed {
			t.Errorf("%s: got %+v", name, f.Fields)
		}
	}
	plain := ManyPages(1)
	never := func([]byte) (*form.Description, error) {
		t.Error("a file without a form was described")
		return nil, nil
	}
	exchange(t, newCounting(t), forms{describe: never}, request{task: taskRead, file: bytes.NewReader(plain), size: int64(len(plain))})
}

// TestHasGrown checks that a process ends after a file if it holds much of its memory.
func TestHasGrown(t *testing.T) {
	if !hasGrown(1<<20) || hasGrown(math.MaxUint64) {
		t.Error("want that this process uses a quarter of 1 MiB, and not of all memory")
	}
}

// TestRestart shows that the memory of a PDFium is free after a restart, even if the file has a
// form. Forms of different sizes are at different places in that memory.
func TestRestart(t *testing.T) {
	library := newLibrary(t)
	p, err := newPDFium(library)
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{settings: settings{Memory: 64 << 20, Pages: 2000}, library: library, pdfium: p, forms: realForms(nil)}
	defer func() {
		if err := w.pdfium.Close(); err != nil {
			t.Error(err)
		}
	}()
	var least uint64
	for i := range 6 {
		w.answer = sender{w: io.Discard}
		file := append(FormFile(), bytes.Repeat([]byte("% more\n"), 4000*i)...)
		if err := w.perform(&job{task: taskRead, file: file}); err != nil {
			t.Fatal(err)
		}
		if err := w.restart(); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if least == 0 {
			least = m.HeapAlloc
		}
		if m.HeapAlloc > least+16<<20 {
			t.Fatalf("after %d files, %d MB are in use, %d after the first", i+1, m.HeapAlloc>>20, least>>20)
		}
	}
}
