package form

import (
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// BenchmarkFill fills a form of 20 fields with fonts that have not been read before, as each
// process does, and with fonts that have.
func BenchmarkFill(b *testing.B) {
	file := pdfforms.Form(20)
	var o Order
	for i := range 20 {
		o.Values = append(o.Values, Value{Widgets: []Widget{{Ref: Ref{1, i}}}, Text: "Jürgen Müller"})
	}
	run := func(b *testing.B, fonts func() *typeset.Fonts) {
		size := 0
		for b.Loop() {
			r, err := Fill(file, o, nil, fonts())
			if err != nil {
				b.Fatal(err)
			}
			size = len(r.Update)
		}
		b.ReportMetric(float64(size), "update-bytes")
	}
	b.Run("new fonts", func(b *testing.B) {
		run(b, func() *typeset.Fonts { return typeset.NewFonts("/usr/share/fonts") })
	})
	b.Run("known fonts", func(b *testing.B) { run(b, fonts) })
}

func BenchmarkDescribe(b *testing.B) {
	file := pdfforms.Form(400)
	for b.Loop() {
		if _, err := Describe(file); err != nil {
			b.Fatal(err)
		}
	}
}
