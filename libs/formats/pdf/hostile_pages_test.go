package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// operations are the tasks besides Read and CountPages, on the first page.
var operations = map[string]func(ctx context.Context, r *pdf.Reader, f io.ReaderAt, size int64, w io.Writer) error{
	"Pages": func(ctx context.Context, r *pdf.Reader, f io.ReaderAt, size int64, w io.Writer) error {
		_, err := r.Pages(ctx, f, size)
		return err
	},
	"Words": func(ctx context.Context, r *pdf.Reader, f io.ReaderAt, size int64, w io.Writer) error {
		_, err := r.Words(ctx, f, size, 1)
		return err
	},
	"Render": func(ctx context.Context, r *pdf.Reader, f io.ReaderAt, size int64, w io.Writer) error {
		return r.Render(ctx, f, size, 1, 800, w)
	},
	"Fill": func(ctx context.Context, r *pdf.Reader, f io.ReaderAt, size int64, w io.Writer) error {
		_, err := r.Fill(ctx, f, size, stamped("Stamped"), w)
		return err
	},
}

// stamped returns an order to write a text onto the first page.
func stamped(text string) pdf.Filling {
	box := at(100, 600, 300, 620)
	return pdf.Filling{Order: form.Order{Values: []form.Value{{Text: text, Stamps: []form.Stamp{{Page: 1, Box: box}}}}}}
}

// drawings returns files designed to be hard to render.
func drawings() map[string][]byte {
	pattern := newBuilder()
	tile := pattern.stream("/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep .00001/YStep .00001/Resources<<>>", "0 0 1 1 re f")
	pattern.pages = fmt.Sprintf("/Resources<</Pattern<</P %d 0 R>>>>", tile)
	bare(pattern, "/Pattern cs /P scn 0 0 612 792 re f")
	dashes := newBuilder()
	bare(dashes, strings.Repeat("[.0001] 0 d 0 0 m 612 792 l S ", 50))
	picture := newBuilder()
	huge := picture.stream("/Type/XObject/Subtype/Image/Width 60000/Height 60000/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode", deflated(strings.Repeat("\x00", 1<<20), 20))
	picture.pages = fmt.Sprintf("/Resources<</XObject<</X %d 0 R>>>>", huge)
	bare(picture, "612 0 0 792 0 0 cm /X Do")
	shading := newBuilder()
	function := shading.add("<</FunctionType 2/Domain[0 1]/C0[0 0 0]/C1[1 1 1]/N 1>>")
	shade := shading.add("<</ShadingType 3/ColorSpace/DeviceRGB/Coords[0 0 0 1e30 1e30 1e30]/Extend[true true]/Function %d 0 R>>", function)
	shading.pages = fmt.Sprintf("/Resources<</Shading<</S %d 0 R>>>>", shade)
	bare(shading, strings.Repeat("/S sh ", 2000))
	return map[string][]byte{
		"tiny tiles": pattern.bytes(), "tiny dashes": dashes.bytes(), "a huge picture": picture.bytes(), "shadings": shading.bytes(),
		"transparent groups": groups(40), "a page of absurd size": absurd(),
	}
}

// bare adds a page with the content and the resources of the page tree.
func bare(b *builder, content string) {
	b.kids = append(b.kids, b.add("<</Type/Page/Parent %d 0 R/Contents %d 0 R>>", pagesObject, b.stream("", content)))
}

// groups returns a page with nested transparency groups. Each needs a bitmap.
func groups(depth int) []byte {
	b := newBuilder()
	resources, content := "", "0 0 612 792 re f"
	for range depth {
		x := b.stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Group<</S/Transparency/I true/K true>>/Resources<</ExtGState<</G<</ca .5/BM/Multiply>>>>"+resources+">>", "/G gs "+content)
		resources, content = fmt.Sprintf("/XObject<</X %d 0 R>>", x), "/X Do"
	}
	b.pages = "/Resources<</ExtGState<</G<</ca .5/BM/Multiply>>>>" + resources + ">>"
	bare(b, "/G gs "+content)
	return b.bytes()
}

func absurd() []byte {
	b := newBuilder()
	b.page(lines(72, 720, "x"), "/MediaBox[0 0 1e-3 1e7]")
	return b.bytes()
}

// TestHostilePages checks that no file costs more than the bounds of a process, whatever it
// is asked for.
func TestHostilePages(t *testing.T) {
	if !pdf.Bounded() {
		t.Skip("SKIPPED: the race detector removes the memory bound")
	}
	cfg := pdftest.Config()
	cfg.Timeout, cfg.Memory = patience.Scale(5*time.Second), 256<<20
	r := pdftest.NewReader(t, cfg)
	drawn, files := drawings(), hostile()
	maps.Copy(files, drawn)
	for name, b := range files {
		kinds := []string{"Render", "Words", "Pages"}
		if drawn[name] != nil {
			kinds = kinds[:1]
		}
		for _, kind := range kinds {
			t.Run(name+"/"+kind, func(t *testing.T) {
				began, most := time.Now(), peak(t)
				err := operations[kind](t.Context(), r, bytes.NewReader(b), int64(len(b)), io.Discard)
				taken := most()
				if bound := cfg.Memory + 64<<20; taken > bound {
					t.Errorf("it used %d of %d bytes", taken, bound)
				}
				var refused *pdf.Error
				if err != nil && !errors.As(err, &refused) {
					t.Errorf("not an *Error: %v", err)
				}
				t.Logf("%s, %d MiB: %.150v", time.Since(began).Round(time.Millisecond), taken>>20, err)
			})
		}
	}
	render(t, r, manyPages(1), 1, 100) // the next file is rendered as usual
}

// TestDamagedPages renders and lists copies of a form with changed bytes.
func TestDamagedPages(t *testing.T) {
	r := traced(t, pdftest.Config())
	random := rand.New(rand.NewPCG(3, 4))
	done := map[string]int{}
	for range 12 {
		b := formFile()
		for range 1 + random.IntN(20) {
			b[random.IntN(len(b))] ^= byte(1 + random.IntN(255))
		}
		for _, kind := range []string{"Pages", "Words", "Render"} {
			err := operations[kind](t.Context(), r, bytes.NewReader(b), int64(len(b)), io.Discard)
			var refused *pdf.Error
			switch {
			case err == nil:
				done[kind]++
			case !errors.As(err, &refused):
				t.Errorf("%s: not an *Error: %v", kind, err)
			}
		}
	}
	if len(done) < 3 {
		t.Errorf("done: %v", done)
	}
}

// TestKilledPages checks that a file is not blamed if its process was killed from outside.
func TestKilledPages(t *testing.T) {
	cfg := pdftest.Config()
	cfg.Timeout = patience.Limit()
	b := manyPages(1)
	for kind, do := range operations {
		t.Run(kind, func(t *testing.T) {
			err := do(t.Context(), pdftest.NewReader(t, cfg), lethal{bytes.NewReader(b), t, syscall.SIGKILL}, int64(len(b)), io.Discard)
			var refused *pdf.Error
			if err == nil || errors.As(err, &refused) {
				t.Error(err)
			}
		})
	}
}

// failingWriter is a writer that fails after some bytes.
type failingWriter struct {
	left int
	err  error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return 0, w.err
	}
	w.left -= len(p)
	return len(p), nil
}

// TestPagesOtherErrors checks that errors of the file, the writer and the context are
// returned unchanged.
func TestPagesOtherErrors(t *testing.T) {
	r := pdftest.NewReader(t, pdftest.Config())
	b, lost := manyPages(1), errors.New("connection lost")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for kind, do := range operations {
		if err := do(t.Context(), r, failing{lost}, 10, io.Discard); !errors.Is(err, lost) {
			t.Errorf("%s of a file that cannot be read: %v", kind, err)
		}
		if err := do(t.Context(), r, bytes.NewReader(b), int64(len(b)+1), io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s of a file that is shorter than its size: %v", kind, err)
		}
		if err := do(ended, r, bytes.NewReader(b), int64(len(b)), io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("%s in a context that has ended: %v", kind, err)
		}
	}
	for _, left := range []int{0, 500} {
		err := operations["Render"](t.Context(), r, bytes.NewReader(b), int64(len(b)), &failingWriter{left, lost})
		if !errors.Is(err, lost) {
			t.Errorf("a writer that fails after %d bytes: %v", left, err)
		}
	}
	o := stamped("x")
	o.Pictures = []fields.Picture{{Size: 5, Open: func() io.Reader { return strings.NewReader("four") }}}
	o.Values[0].Pictures = []int{0}
	if _, err := r.Fill(t.Context(), bytes.NewReader(b), int64(len(b)), o, io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a picture that is shorter than its size: %v", err)
	}
}

// TestSlowPages checks that a file that takes too long to render is refused for that
// reason.
func TestSlowPages(t *testing.T) {
	cfg := pdftest.Config()
	cfg.Timeout = patience.Scale(2 * time.Second)
	r := pdftest.NewReader(t, cfg)
	b := newBuilder()
	bare(b, "[.0001] 0 d "+strings.Repeat("0 0 m 612 792 l S ", 100_000))
	file := b.bytes()
	err := r.Render(t.Context(), bytes.NewReader(file), int64(len(file)), 1, 1000, io.Discard)
	fails(t, "Render", err, "the file takes longer than 2s to read; ")
}
