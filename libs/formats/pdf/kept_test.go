package pdf

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"

	"github.com/klippa-app/go-pdfium"
)

// kinds returns a PDFium that keeps its functions, and one that looks them up for each call.
func kinds(t *testing.T) (kept, plain pdfium.Pdfium) {
	t.Helper()
	plain, err := startPDFium(newLibrary(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plain.Close(); err != nil {
			t.Error(err)
		}
	})
	return newCounting(t).Pdfium, plain
}

// readIn returns the answer of a worker that reads the file.
func readIn(t *testing.T, p pdfium.Pdfium, file []byte) []byte {
	t.Helper()
	raw, err := io.ReadAll(exchange(t, p, realForms(nil), request{task: taskRead, file: bytes.NewReader(file), size: int64(len(file))}))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestKept shows that files are read the same whether PDFium keeps its functions or not.
func TestKept(t *testing.T) {
	kept, plain := kinds(t)
	for name, file := range map[string][]byte{"agreement": Agreement(2), "form": FormFile()} {
		want := readIn(t, plain, file)
		for range 2 { // the second time with the functions that the first has kept
			if got := readIn(t, kept, file); !bytes.Equal(got, want) {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
	}
}

// TestBenchKept prints how long reading takes with kept functions, against looking them up
// for each call. The two take turns, so that other load on the machine affects both.
func TestBenchKept(t *testing.T) {
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("set RECTO_BENCH to measure")
	}
	const pages, rounds = 15, 20
	kept, plain := kinds(t)
	file := Agreement(pages)
	var took [2]time.Duration
	for range rounds {
		for i, p := range []pdfium.Pdfium{kept, plain} {
			began := time.Now()
			readIn(t, p, file)
			took[i] += time.Since(began)
		}
	}
	t.Logf("a page takes %v with kept functions, %v without: ×%.2f", took[0]/pages/rounds, took[1]/pages/rounds, took[0].Seconds()/took[1].Seconds())
}
