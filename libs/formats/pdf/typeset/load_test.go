package typeset_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// TestLong sets texts whose time must not grow with the square of their length.
func TestLong(t *testing.T) {
	fonts := typeset.NewFonts(fontDir)
	for name, text := range map[string]string{
		"word":         strings.Repeat("x", 10_000),
		"marks":        "a" + strings.Repeat("\u0301", 10_000),
		"Hebrew marks": "א" + strings.Repeat("\u05B0", 10_000),
		"megabyte":     strings.Repeat("Lorem ipsum dolor sit amet ", 1<<20/27),
		"mixed":        strings.Repeat("ab שלום 12 中 % ", 1<<16/16),
		"brackets":     strings.Repeat("(א", 1<<15),
		"controls":     strings.Repeat("\u2067א", 1<<15),
		"spaces":       strings.Repeat(" ", 1<<18),
		"signs":        "א" + strings.Repeat("%", 1<<18) + "1",
	} {
		t.Run(name, func(t *testing.T) {
			b, err := fonts.Set(text, typeset.Options{Size: 10, Width: 300})
			if err != nil {
				t.Fatal(err)
			}
			var w typeset.Writer
			for _, l := range b.Lines {
				w.Show(l, 0, 0)
			}
			if _, err := w.Fonts(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestConcurrent(t *testing.T) {
	fonts := typeset.NewFonts(fontDir)
	var wg sync.WaitGroup
	for range 4 {
		for _, s := range samples {
			wg.Go(func() {
				if missing := fonts.Missing(s.text); missing != nil {
					t.Errorf("%s: %q", s.name, missing)
				}
				if _, err := fonts.Set(s.text, typeset.Options{Size: 10}); err != nil {
					t.Errorf("%s: %v", s.name, err)
				}
			})
		}
	}
	wg.Wait()
}

func FuzzSet(f *testing.F) {
	for _, s := range samples {
		f.Add(s.text, 100.0)
	}
	f.Add("a\u0301\u200D\U0001F468\u200D\U0001F469\n\u2067א\u2069 1%", 1.0)
	fonts := typeset.NewFonts(fontDir)
	f.Fuzz(func(t *testing.T, text string, width float64) {
		text = strings.ToValidUTF8(text, "?")
		b, err := fonts.Set(text, typeset.Options{Size: 10, Width: width})
		var missing *typeset.MissingError
		if err != nil && !errors.As(err, &missing) {
			t.Fatal(err)
		}
		if lacking := fonts.Missing(text); (err != nil) != (len(lacking) > 0) {
			t.Fatalf("%+q: Set says %v, Missing %+q", text, err, lacking)
		}
		if err != nil {
			return
		}
		var w typeset.Writer
		for _, l := range b.Lines {
			w.Show(l, 0, 0)
		}
		if _, err := w.Fonts(); err != nil {
			t.Fatal(err)
		}
	})
}
