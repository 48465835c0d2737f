package judge_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/services/annotation/internal/judge"
)

// imagesBody returns a body with one field that has three images of the given size.
func imagesBody(t testing.TB, width, height int) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(random.Uint32() % 16)
	}
	var file bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&file, m); err != nil {
		t.Fatal(err)
	}
	one := `"data:image/png;base64,` + strings.ReplaceAll(base64.StdEncoding.EncodeToString(file.Bytes()), "/", `\/`) + `"`
	return []byte(`{"field_values":{"agreementinput-a":{"value":[` + one + "," + one + "," + one + `]}}}`)
}

// TestImagesAreNotCopied checks that images are validated in place in the body, even
// images with faults, which are echoed.
func TestImagesAreNotCopied(t *testing.T) {
	body := imagesBody(t, 2000, 1500)
	damaged := bytes.Clone(body)
	damaged[len(damaged)/2] = '!'
	var checker judge.Checker
	for want, body := range map[string][]byte{"<nil>": body, "3001 ~a:image_invalid_base64": damaged} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v, err := judge.ParseFieldValues(body, nil)
		if err == nil {
			_, err = v.Judge(t.Context(), &checker, []fields.Field{{ID: "agreementinput-a", Type: fields.Image}}, nil)
		}
		runtime.ReadMemStats(&after)
		if got := entries(t, err); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > uint64(len(body)/4) {
			t.Errorf("%s: a body of %d bytes allocated %d more", want, len(body), n)
		}
	}
}

// BenchmarkImages measures what a request with large images allocates in addition to its
// body.
func BenchmarkImages(b *testing.B) {
	body := imagesBody(b, 4000, 3000)
	known := []fields.Field{{ID: "agreementinput-a", Type: fields.Image}}
	var checker judge.Checker
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := judge.ParseFieldValues(body, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := v.Judge(b.Context(), &checker, known, nil); err != nil {
			b.Fatal(err)
		}
	}
}
