package typeset_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// textOf returns the text of a line's glyphs, from left to right.
func textOf(l typeset.Line) string {
	var b strings.Builder
	for _, run := range l.Runs {
		for _, g := range run.Glyphs {
			b.WriteString(g.Text)
		}
	}
	return b.String()
}

func linesOf(b *typeset.Block) []string {
	var lines []string
	for _, l := range b.Lines {
		lines = append(lines, textOf(l))
	}
	return lines
}

func TestLines(t *testing.T) {
	fonts := typeset.NewFonts(fontDir)
	for _, c := range []struct {
		name, text string
		width      float64
		want       []string
	}{
		{"empty", "", 0, []string{""}},
		{"empty with width", "", 100, []string{""}},
		{"blank lines", "a\n\nb\n", 0, []string{"a", "", "b", ""}},
		{"line ends", "a\r\nb\rc\u2028d\u2029e\vf", 0, []string{"a", "b", "c", "d", "e", "f"}},
		{"controls", "a\x00\x07b\tc", 0, []string{"ab c"}},
		{"words", "aaa bbb ccc", 40, []string{"aaa", "bbb", "ccc"}},
		{"two words", "aaa bbb ccc", 60, []string{"aaa bbb", "ccc"}},
		{"hanging space", "aaa     bbb", 30, []string{"aaa", "bbb"}},
		{"space at the end", "aaa   ", 0, []string{"aaa"}},
		{"only space", "   ", 10, []string{""}},
		{"long word", "aaaaaaa b", 30, []string{"aaa", "aaa", "a b"}},
		{"narrow", "abc", 1, []string{"a", "b", "c"}},
		{"no-break space", "aaa\u00A0bbb ccc", 60, []string{"aaa\u00A0bbb", "ccc"}},
		{"hyphen", "aaa-bbb", 40, []string{"aaa-", "bbb"}},
		{"Chinese", "中华人民", 33, []string{"中华", "人民"}},
		{"Hebrew", "אבג דהו", 30, []string{reverse("אבג"), reverse("דהו")}},
		{"Hebrew and Latin", "אב cd ef גד", 45, []string{"cd " + reverse("אב"), reverse("גד") + " ef"}},
		{"marks stay", "a\u0323\u0301b\u0323\u0301", 1, []string{"a\u0323\u0301", "b\u0323\u0301"}},
	} {
		b, err := fonts.Set(c.text, typeset.Options{Size: 16, Width: c.width})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := linesOf(b); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMeasure(t *testing.T) {
	fonts := typeset.NewFonts(fontDir)
	b, err := fonts.Set("Hi\nHello  ", typeset.Options{Size: 1000})
	if err != nil {
		t.Fatal(err)
	}
	// The advances are those of Arial, with 2048 units per em.
	hi, hello := 722.0+222, 722.0+556+222+222+556
	for i, want := range []float64{hi, hello} {
		if got := b.Lines[i].Width; math.Abs(got-want) > 2 {
			t.Errorf("line %d is %g wide, want %g", i, got, want)
		}
	}
	if b.Width != b.Lines[1].Width || b.Height != b.Lines[0].Height+b.Lines[1].Height {
		t.Errorf("the block is %g by %g", b.Width, b.Height)
	}
	l := b.Lines[0]
	if math.Abs(l.Ascent-905) > 1 || math.Abs(l.Descent-212) > 1 || math.Abs(l.Height-1149) > 2 {
		t.Errorf("ascent %g, descent %g, height %g", l.Ascent, l.Descent, l.Height)
	}
	empty, err := fonts.Set("", typeset.Options{Size: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if empty.Height != l.Height || empty.Width != 0 {
		t.Errorf("an empty line is %g high and %g wide", empty.Height, empty.Width)
	}
}

func TestWidthOfLines(t *testing.T) {
	fonts := typeset.NewFonts(fontDir)
	text := strings.Repeat("The quick brown fox שלום עולם מהר 中文字 क्षत्रिय ", 20)
	for _, width := range []float64{50, 120, 333} {
		b, err := fonts.Set(text, typeset.Options{Size: 11, Width: width})
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range b.Lines {
			sum := 0.0
			for _, run := range l.Runs {
				for _, g := range run.Glyphs {
					sum += g.Advance
				}
			}
			if l.Width > width+1e-3 || math.Abs(sum-l.Width) > 1e-6 {
				t.Errorf("line %d of width %g is %g wide, its glyphs %g", i, width, l.Width, sum)
			}
		}
	}
}

func TestDirection(t *testing.T) {
	b, err := typeset.NewFonts(fontDir).Set("abc\nשלום\n12\n\nעם 1", typeset.Options{Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	var got []bool
	for _, l := range b.Lines {
		got = append(got, l.RightToLeft)
	}
	if want := []bool{false, true, false, false, true}; !slices.Equal(got, want) {
		t.Errorf("got %t, want %t", got, want)
	}
}

func TestMissing(t *testing.T) {
	fonts := typeset.NewFonts(fontDir)
	for text, want := range map[string][]rune{
		"":                                  nil,
		"Zoë\n\t\u200D\u200E\uFE0F\u00AD x": nil,
		"a\U0001FAE0b\U0010FFFDa\U0001FAE0": {0x1FAE0, 0x10FFFD},
		"\uE000":                            {0xE000},
		"a\uFFFF":                           {0xFFFF},
		"\u2011\u2003\u3000":                nil,
		"שלום \u0F40\u0378":                 {0x378},
	} {
		if got := fonts.Missing(text); !slices.Equal(got, want) {
			t.Errorf("%+q: got %+q, want %+q", text, got, want)
		}
		_, err := fonts.Set(text, typeset.Options{Size: 10})
		var missing *typeset.MissingError
		if len(want) == 0 && err != nil ||
			len(want) > 0 && (!errors.As(err, &missing) || missing.Rune != want[0]) {
			t.Errorf("%+q: Set says %v", text, err)
		}
	}
	err := &typeset.MissingError{Rune: 0x1FAE0}
	if got, want := err.Error(), `no installed font has the character '🫠' (U+1FAE0)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCells(t *testing.T) {
	cells, err := typeset.NewFonts(fontDir).Cells("A e\u0301\nש中क्षि", typeset.Options{Size: 10, Width: 3})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cells {
		got = append(got, textOf(c))
	}
	if want := []string{"A", "", "e\u0301", "ש", "中", "क्षि"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := typeset.NewFonts(fontDir).Cells("a\uFFFF", typeset.Options{Size: 10}); err == nil {
		t.Error("a noncharacter is set")
	}
}

func TestStyle(t *testing.T) {
	fonts := typeset.NewFonts(fontDir)
	for _, c := range []struct {
		style typeset.Style
		text  string
		want  string
	}{
		{typeset.Style{}, "a", "LiberationSans"},
		{typeset.Style{Bold: true}, "a", "LiberationSans-Bold"},
		{typeset.Style{Italic: true, Serif: true}, "a", "LiberationSerif-Italic"},
		{typeset.Style{Bold: true, Italic: true, Mono: true}, "a", "LiberationMono-BoldItalic"},
		{typeset.Style{Bold: true, Serif: true}, "ש", "NotoSerifHebrew-Bold"},
		{typeset.Style{Italic: true}, "ש", "NotoSansHebrew-Regular"},
		{typeset.Style{Serif: true}, "س", "NotoNaskhArabic-Regular"},
		{typeset.Style{Bold: true}, "中", "WenQuanYiZenHei"},
		{typeset.Style{}, "☑", "DejaVuSans"},
	} {
		b, err := fonts.Set(c.text, typeset.Options{Style: c.style, Size: 10})
		if err != nil {
			t.Fatal(err)
		}
		var w typeset.Writer
		w.Show(b.Lines[0], 0, 0)
		embedded, err := w.Fonts()
		if err != nil {
			t.Fatal(err)
		}
		if _, name, _ := strings.Cut(embedded[0].BaseFont, "+"); name != c.want {
			t.Errorf("%+v %s: got %s, want %s", c.style, c.text, name, c.want)
		}
	}
}

func TestScripts(t *testing.T) {
	for _, s := range typeset.NewFonts(fontDir).Scripts() {
		if !s.Found {
			t.Errorf("%s of %s is missing", s.Name, s.Package)
		}
	}
	for _, s := range typeset.NewFonts(t.TempDir()).Scripts() {
		if s.Found || s.Package == "" {
			t.Errorf("in an empty folder: %+v", s)
		}
	}
}

func TestNoFonts(t *testing.T) {
	for _, fonts := range []*typeset.Fonts{
		typeset.NewFonts(), typeset.NewFonts(t.TempDir()), typeset.NewFonts("/nonexistent"),
	} {
		var missing *typeset.MissingError
		if _, err := fonts.Set("ab", typeset.Options{Size: 10}); !errors.As(err, &missing) || missing.Rune != 'a' {
			t.Errorf("got %v", err)
		}
		if b, err := fonts.Set("", typeset.Options{Size: 10}); err != nil || len(b.Lines) != 1 {
			t.Errorf("got %v, %v", b, err)
		}
	}
}
