package typeset_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

func TestShow(t *testing.T) {
	var w typeset.Writer
	l := set(t, "AB", typeset.Options{Size: 10})
	if got, want := string(w.Show(l, 1.5, -2)), "BT\n1 0 0 1 1.5 -2 Tm\n/Recto1 10 Tf\n[<00010002>] TJ\nET\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	l = set(t, "AVA", typeset.Options{Size: 0.5})
	if got := string(w.Show(l, 0, 0)); !strings.Contains(got, "/Recto2 0.5 Tf\n[<0001>74<0002>74<0001>] TJ") {
		t.Errorf("without kerning: %q", got)
	}
	if got := string(w.Show(typeset.Line{}, 0, 0)); got != "BT\n1 0 0 1 0 0 Tm\nET\n" {
		t.Errorf("an empty line is %q", got)
	}
}

func TestNames(t *testing.T) {
	fonts := typeset.NewFonts(fontDir)
	var w typeset.Writer
	show := func(text string) {
		b, err := fonts.Set(text, typeset.Options{Size: 10})
		if err != nil {
			t.Fatal(err)
		}
		w.Show(b.Lines[0], 0, 0)
	}
	if got := w.Names(); len(got) != 0 {
		t.Errorf("before: %q", got)
	}
	show("a")
	show("ש a")
	if got, want := w.Names(), []string{"Recto1", "Recto2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	show("ש")
	if got, want := w.Names(), []string{"Recto2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEmbedded(t *testing.T) {
	embed := func(text string, o typeset.Options) typeset.Embedded {
		var w typeset.Writer
		w.Show(set(t, text, o), 0, 0)
		fonts, err := w.Fonts()
		if err != nil {
			t.Fatal(err)
		}
		return fonts[0]
	}
	bold := typeset.Style{Mono: true, Bold: true, Italic: true}
	e := embed("a\u00A0b a", typeset.Options{Size: 10, Style: bold})
	if !regexp.MustCompile(`^[A-Z]{6}\+LiberationMono-BoldItalic$`).MatchString(e.BaseFont) {
		t.Errorf("the font is named %s", e.BaseFont)
	}
	if want := []int{600, 600, 600, 600, 600}; !slices.Equal(e.Widths[1:], want[1:]) {
		t.Errorf("widths %d", e.Widths)
	}
	if e.Flags != 1|4|64 || e.ItalicAngle > -5 || e.Ascent != 833 || e.Descent != -300 ||
		e.CapHeight < 500 || e.CapHeight > 750 || e.BBox[0] >= 0 || e.BBox[3] < 833 {
		e.Program, e.ToUnicode = nil, nil
		t.Errorf("got %+v", e)
	}
	for _, line := range []string{"4 beginbfchar", "<0001> <0061>", "<0002> <00A0>", "<0003> <0062>", "<0004> <0020>"} {
		if !bytes.Contains(e.ToUnicode, []byte(line+"\n")) {
			t.Errorf("the CMap lacks %q:\n%s", line, e.ToUnicode)
		}
	}
	again := embed("a\u00A0b a", typeset.Options{Size: 20, Style: bold})
	if again.BaseFont != e.BaseFont || !bytes.Equal(again.Program, e.Program) {
		t.Error("equal text gives different fonts")
	}
	if other := embed("abc", typeset.Options{Size: 10, Style: bold}); other.BaseFont == e.BaseFont {
		t.Error("different subsets have the same name")
	}
}

// TestCMapSections embeds more characters than a section of a CMap takes.
func TestCMapSections(t *testing.T) {
	var text strings.Builder
	for r := rune(0x4E00); r < 0x4E00+250; r++ {
		text.WriteRune(r)
	}
	var p page
	p.show(set(t, text.String(), typeset.Options{Size: 1}), 5, 200)
	file := p.file(t)
	if got := words(pdfiumText(t, file)); got != text.String() {
		t.Errorf("got %s", got)
	}
	if n := bytes.Count(file, []byte("beginbfchar")); n != 3 {
		t.Errorf("the CMap has %d sections", n)
	}
}

// TestManyMarks shows a letter with more marks than a shape takes.
func TestManyMarks(t *testing.T) {
	var p page
	p.show(set(t, "a"+strings.Repeat("\u0301\u0323", 40)+"b", typeset.Options{Size: 20}), 50, 200)
	path := write(t, "marks.pdf", p.file(t))
	run(t, "pdftoppm", "-png", "-r", "50", path, strings.TrimSuffix(path, ".pdf"))
	got := pdfiumText(t, p.file(t))
	if got = clean(got); !strings.HasPrefix(got, "\u00E1\u0323") && !strings.HasPrefix(got, "\u1EA1") ||
		!strings.HasSuffix(got, "b") {
		t.Errorf("got %+q", got)
	}
}
