package appearance

import (
	"image/color"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// addText puts a text field on the page.
func (s *sheet) addText(t testing.TB, x, y float64, l Look, text string) rect {
	t.Helper()
	stream, err := s.Text(l, text)
	if err != nil {
		t.Fatal(err)
	}
	return s.add(x, y, l, stream)
}

// text returns the text of the page, as poppler extracts it.
func (s *sheet) text(t *testing.T) string {
	t.Helper()
	in := filepath.Join(t.TempDir(), "in.pdf")
	if err := os.WriteFile(in, s.pdf(t), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "pdftotext", "-layout", in, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestSingleLine checks where the ink of a line is.
func TestSingleLine(t *testing.T) {
	free := math.NaN()
	base := Look{Width: 100, Height: 20, BorderWidth: 1, Color: red}
	cases := []struct {
		name   string
		change func(*Look)
		text   string
		// The left and right end, and the height of the ink; NaN if it does not matter.
		left, right, height float64
	}{
		{"left", func(*Look) {}, "Hill", 3, free, 8.7},
		{"centered", func(l *Look) { l.Align = 1 }, "HiiH", 39.4, 60.5, 8.7},
		{"right", func(l *Look) { l.Align = 2 }, "lliH", free, 97, 8.7},
		{"fixed size", func(l *Look) { l.FontSize = 8 }, "Hill", 2.7, free, 5.8},
		{"too long", func(l *Look) { l.FontSize = 14 }, strings.Repeat("H", 20), 2.3, 97.7, free},
		{"far too long", func(l *Look) { l.Align = 1 }, strings.Repeat("H", 100), 2.3, 97.7, 0.9},
		{"endless", func(l *Look) { l.Align = 2 }, strings.Repeat("H", 10_000), 2.3, 99.7, 0.9},
		{"flat", func(l *Look) { l.Height = 9 }, "Hill", 2.5, free, 5.8},
		{"flat, fixed size", func(l *Look) { l.Height, l.FontSize = 9, 12 }, "Hill", 2.7, free, 6.8},
		{"very flat", func(l *Look) { l.Height = 4 }, "Hill", 2.3, free, free},
		{"high", func(l *Look) { l.Height = 60 }, "Hill", 3, free, 8.7},
		{"smaller than 4", func(l *Look) { l.FontSize = 3 }, strings.Repeat("H", 40), free, free, 2.2},
		{"right to left", func(*Look) {}, "שלום", free, 97.5, free},
		{"its beginning", func(*Look) {}, strings.Repeat("שלום", 500), 0.3, 97.7, free},
		{"password", func(l *Look) { l.Password = true }, "שלום", 2, 20.5, free},
		{"line breaks", func(*Look) {}, "\r\nH\r\nH\n", 3, 21.8, 8.7},
	}
	s := newSheet(570, 330)
	var rects []rect
	for i, c := range cases {
		rects = append(rects, s.addText(t, 10+float64(i%5)*110, 10+float64(i/5)*80, base.with(c.change), c.text))
	}
	for _, shot := range s.render(t) {
		shot.nothingOutside(t, rects...)
		for i, c := range cases {
			got, share := shot.ink(rects[i], inked)
			if share == 0 || off(got.x, c.left) || off(got.x+got.w, c.right) || off(got.h, c.height) || math.Abs(got.center().y-rects[i].h/2) > 2.5 {
				t.Errorf("%s: %s: the text is at %v", shot.name, c.name, got)
			}
		}
	}
}

func TestCut(t *testing.T) {
	for name, c := range map[string]struct {
		n         int
		box       rect
		multiline bool
		want      int
	}{
		"short":     {100, rect{}, false, 100},
		"long":      {5000, rect{w: 100, h: 20}, false, 2000},
		"no box":    {5000, rect{}, true, 1000},
		"all lines": {50_000, rect{w: 100, h: 20}, true, 21_000},
	} {
		// The letter has two bytes.
		if got := cut(strings.Repeat("é", c.n), c.box, c.multiline); got != strings.Repeat("é", c.want) {
			t.Errorf("%s: got %d bytes", name, len(got))
		}
	}
	s := newSheet(1, 1)
	stream, err := s.Text(Look{Width: 100, Height: 20}, strings.Repeat("é", 1_000_000))
	if err != nil || len(stream.Content) > 20_000 {
		t.Errorf("got %d bytes, %v", len(stream.Content), err)
	}
	stream, err = s.Stamp(Stamp{Width: 100, Height: 20}, strings.Repeat("é", 1_000_000), nil)
	if err != nil || len(stream.Content) > 20_000 {
		t.Errorf("got %d bytes, %v", len(stream.Content), err)
	}
}

// TestTextOperators checks what surrounds the text: ISO 32000-1, section 12.7.3.3.
func TestTextOperators(t *testing.T) {
	s := newSheet(1, 1)
	l := Look{Width: 100, Height: 20, Border: black, BorderWidth: 1, BorderStyle: 'I', Color: []float64{0, 0, 0, 1}}
	stream, err := s.Text(l, "Hill")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(stream.Content), "S\nQ\n") // the border
	if start := "/Tx BMC\nq\n2 2 96 16 re\nW\nn\n0 0 0 1 k\nBT\n"; !strings.HasPrefix(after, start) {
		t.Errorf("got %q, want it to begin with %q", after, start)
	}
	if end := "ET\nQ\nEMC\n"; !strings.HasSuffix(after, end) {
		t.Errorf("got %q, want it to end with %q", after, end)
	}
	for _, text := range []string{"", " \n\t"} {
		stream, err := s.Text(Look{Width: 100, Height: 20}, text)
		if want := "q\nQ\n/Tx BMC\nEMC\n"; err != nil || string(stream.Content) != want || len(stream.Fonts) != 0 {
			t.Errorf("%q: got %q, %v, want %q", text, stream.Content, err, want)
		}
	}
}

// off reports whether a length is not about that wanted, if any.
func off(got, want float64) bool { return math.Abs(got-want) > 0.8 }

// TestNothingIsCutOff checks that a value that is larger than its field can be extracted.
func TestNothingIsCutOff(t *testing.T) {
	s := newSheet(200, 200)
	long := "The quick brown fox jumps over the lazy dog."
	s.addText(t, 10, 170, Look{Width: 100, Height: 14, BorderWidth: 1, FontSize: 12}, long)
	s.addText(t, 10, 100, Look{Width: 100, Height: 50, BorderWidth: 1, FontSize: 20, Multiline: true}, strings.ReplaceAll(long, "fox", "wolf"))
	got := strings.Join(strings.Fields(s.text(t)), " ")
	for _, want := range []string{long, "The quick brown wolf jumps over the lazy dog."} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestMultiline(t *testing.T) {
	text := "The quick brown fox jumps over the lazy dog.\n\nZebra"
	s := newSheet(460, 180)
	base := Look{Width: 100, Height: 100, BorderWidth: 1, Border: black, Multiline: true, Color: red}
	left := s.addText(t, 10, 60, base, text)
	right := base
	right.Align, right.FontSize = 2, 8
	aligned := s.addText(t, 120, 60, right, text)
	flat := base
	flat.Height = 30
	fitted := s.addText(t, 230, 60, flat, text)
	hopeless := s.addText(t, 230, 110, flat, strings.Repeat(text+"\n", 20))
	turned := base
	turned.Rotation = 90
	upward := s.addText(t, 340, 60, turned, "שלום\nHello")
	for _, shot := range s.render(t) {
		shot.nothingOutside(t, left, aligned, fitted, hopeless, upward)
		extent := func(r rect) rect {
			got, _ := shot.ink(r, func(c color.RGBA) bool { return int(c.R) > int(c.G)+60 })
			return got
		}
		if got := extent(left); off(got.x, 2.2) || got.w < 70 || got.y+got.h < 92 || got.y > 45 {
			t.Errorf("%s: at the left: %v", shot.name, got)
		}
		if got := extent(aligned); off(got.x+got.w, 98) {
			t.Errorf("%s: at the right: %v", shot.name, got)
		}
		if got := extent(fitted); got.y < 1 || got.y+got.h > 29 || got.h < 15 {
			t.Errorf("%s: fitted: %v", shot.name, got)
		}
		if got := extent(hopeless); got.y < 0.9 || got.h < 20 {
			t.Errorf("%s: too much text: %v", shot.name, got)
		}
		if got := extent(upward); got.x > 8 || got.y+got.h < 90 || got.y > 8 {
			t.Errorf("%s: turned: %v", shot.name, got)
		}
	}
	if got := s.text(t); !strings.Contains(got, "Zebra") {
		t.Errorf("the text is %q", got)
	}
}

// TestIllegible checks which texts are reported as too small to read.
func TestIllegible(t *testing.T) {
	line, block := Look{Width: 100, Height: 20, BorderWidth: 1}, Look{Width: 100, Height: 50, Multiline: true}
	comb := Look{Width: 100, Height: 20, Comb: true, MaxLength: 10}
	for name, c := range map[string]struct {
		look   Look
		change func(*Look)
		text   string
		want   bool
	}{
		"short":             {line, func(*Look) {}, "Hill", false},
		"smaller":           {line, func(l *Look) { l.FontSize = 12 }, strings.Repeat("H", 25), false},
		"too long":          {line, func(*Look) {}, strings.Repeat("H", 40), true},
		"too long, fixed":   {line, func(l *Look) { l.FontSize = 12 }, strings.Repeat("H", 40), true},
		"small by itself":   {line, func(l *Look) { l.FontSize = 3 }, "Hill", false},
		"made even smaller": {line, func(l *Look) { l.FontSize = 3 }, strings.Repeat("H", 100), true},
		"flat":              {line, func(l *Look) { l.Height = 3 }, "Hill", false},
		"without area":      {line, func(l *Look) { l.Width, l.Height = 0, 0 }, "Hill", false},
		"block":             {block, func(*Look) {}, strings.Repeat("Hill ", 60), false},
		"full block":        {block, func(*Look) {}, strings.Repeat("Hill ", 250), true},
		"endless block":     {block, func(l *Look) { l.FontSize = 9 }, strings.Repeat("Hill ", 100_000), true},
		"comb":              {comb, func(*Look) {}, "0123456789", false},
		"narrow comb":       {comb, func(l *Look) { l.MaxLength = 50 }, "0123456789", true},
	} {
		s := newSheet(100, 100)
		s.addText(t, 0, 0, c.look.with(c.change), c.text)
		if s.Illegible != c.want {
			t.Errorf("%s: got %v", name, s.Illegible)
		}
	}
}

// TestIllegibleStamp checks that texts on pages are reported, too.
func TestIllegibleStamp(t *testing.T) {
	for text, want := range map[string]bool{"Hill": false, strings.Repeat("Hill ", 40): true} {
		for _, multiline := range []bool{false, true} {
			s := newSheet(100, 100)
			if _, err := s.Stamp(Stamp{Width: 50, Height: 12, Size: 11, Multiline: multiline}, text, nil); err != nil || s.Illegible != want {
				t.Errorf("%q, %v: got %v, %v", text, multiline, s.Illegible, err)
			}
		}
	}
}
