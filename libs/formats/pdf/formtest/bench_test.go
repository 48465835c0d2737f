package formtest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// TestBenchFill prints how long it takes to fill a form of 20 fields: through Reader.Fill,
// including the start of its process, by package form alone, and by pdfcpu. The baseline is
// pdfcpu. The ways take turns, so that other load on the machine affects all of them.
func TestBenchFill(t *testing.T) {
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("set RECTO_BENCH to measure")
	}
	api.DisableConfigDir()
	r, file := newReader(t, 1<<30), pdfforms.Form(20)
	if err := r.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	const value = "a value of the field"
	o, foreign := twenty(r.read(file), value)
	fonts := typeset.NewFonts("/usr/share/fonts")
	ways := []struct {
		name string
		work func() error
		took []time.Duration
	}{
		{name: "pdfcpu", work: func() error { return api.FillForm(bytes.NewReader(file), strings.NewReader(foreign), io.Discard, nil) }},
		{name: "package form", work: func() error { _, err := form.Fill(file, o.Order, nil, fonts); return err }},
		{name: "Reader.Fill", work: func() error {
			_, err := r.Fill(t.Context(), bytes.NewReader(file), int64(len(file)), o, io.Discard)
			return err
		}},
	}
	for round := range 26 { // the first warms caches
		for i, w := range ways {
			begin := time.Now()
			if err := w.work(); err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			if round > 0 {
				ways[i].took = append(ways[i].took, time.Since(begin))
			}
		}
	}
	base := percentile(ways[0].took, 50)
	for _, w := range ways {
		p50, p99 := percentile(w.took, 50), percentile(w.took, 99)
		t.Logf("%-14s p50 %6.1f ms, p99 %6.1f ms, ×%.1f of pdfcpu", w.name, ms(p50), ms(p99), float64(p50)/float64(base))
	}
}

// twenty returns the same order for Reader.Fill and, as JSON, for pdfcpu.
func twenty(f *pdf.File, value string) (pdf.Filling, string) {
	var values []form.Value
	var fields []string
	for i, w := range f.Fields {
		values = append(values, text(f.Fields[i:i+1], value))
		fields = append(fields, fmt.Sprintf(`{"pages":[1],"id":%q,"name":%[1]q,"value":%q,"multiline":false,"locked":true}`, w.Name, value))
	}
	return order(values...), `{"header":{"source":"form.pdf","version":"pdfcpu v0.15.0"},"forms":[{"textfield":[` + strings.Join(fields, ",") + `]}]}`
}

// percentile returns a percentile of durations.
func percentile(took []time.Duration, p int) time.Duration {
	took = slices.Sorted(slices.Values(took))
	return took[min(len(took)-1, len(took)*p/100)]
}

// ms returns a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// TestBenchSize prints how many bytes a value adds to a file, by its script.
func TestBenchSize(t *testing.T) {
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("set RECTO_BENCH to measure")
	}
	file, fonts := pdfforms.Form(20), typeset.NewFonts("/usr/share/fonts")
	for _, s := range scripts {
		o := form.Order{Values: []form.Value{{Text: s.text, Widgets: []form.Widget{{Ref: form.Ref{Page: 1}}}}}}
		done, err := form.Fill(file, o, nil, fonts)
		if err != nil {
			t.Fatal(err)
		}
		added := len(done.Update)
		if done.Whole {
			added -= len(file)
		}
		t.Logf("%-16s %2d characters add %5.1f kB", s.name, len([]rune(s.text)), float64(added)/1e3)
	}
}
