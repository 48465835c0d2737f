package typeset_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"golang.org/x/text/unicode/norm"
)

// samples are texts in every script that forms are filled in.
var samples = []struct {
	name, text string
	// visual is the text as it is shown from left to right, if that differs. MuPDF
	// returns the order of the page.
	visual string
	// pdfium is what PDFium makes of a line with both directions, if that differs: it
	// guesses the order of the parts.
	pdfium string
}{
	{name: "latin", text: "Jürgen Żółć, naïve façade, Ångström fi ffl AV To"},
	{name: "decomposed", text: "Ju\u0308rgen Z\u0307o\u0301łc\u0301 q\u0303 ệ e\u0323\u0302"},
	{name: "greek", text: "Ελληνικά, Ὀδυσσεύς Ω"},
	{name: "cyrillic", text: "Съешь ещё этих мягких їжак Љубљана"},
	{name: "arabic", text: "السلام عليكم لا إله", visual: reverse("السلام عليكم لا إله")},
	{name: "arabic-vowels", text: "بِسْمِ اللَّهِ الرَّحْمَٰنِ", visual: reverse("بِسْمِ اللَّهِ الرَّحْمَٰنِ")},
	{
		name: "arabic-digits", text: "رقم ١٢٣ هاتف 456",
		visual: "456 " + reverse("هاتف") + " ١٢٣ " + reverse("رقم"),
	},
	{name: "hebrew", text: "שלום עולם", visual: reverse("שלום עולם")},
	{name: "hebrew-points", text: "בְּרֵאשִׁית בָּרָא", visual: reverse("בְּרֵאשִׁית בָּרָא")},
	{
		name: "hebrew-mixed", text: "שלום John 123 עולם",
		visual: reverse("עולם") + " John 123 " + reverse("שלום"),
		pdfium: "שלום 123 John עולם",
	},
	{
		name: "latin-hebrew", text: "Name: שלום abc 5",
		visual: "Name: " + reverse("שלום") + " abc 5",
	},
	{name: "devanagari", text: "क्षत्रिय हिन्दी में लिखित राष्ट्र"},
	{name: "thai", text: "ที่นี่ ภาษาไทย กำลัง น้ำ"},
	{name: "chinese-simplified", text: "中华人民共和国 简体"},
	{name: "chinese-traditional", text: "中華民國 臺灣 繁體"},
	{name: "japanese", text: "日本語のテキスト、ガギグ"},
	{name: "korean", text: "한국어 대한민국"},
	{name: "jamo", text: "\u1112\u1161\u11ab\u1100\u1173\u11af"},
	{name: "mixed", text: "Zoë 中文 שלום Ж 5 €", visual: "Zoë 中文 " + reverse("שלום") + " Ж 5 €"},
}

// reverse reverses the characters of a text.
func reverse(s string) string {
	runes := []rune(norm.NFC.String(s))
	slices.Reverse(runes)
	return string(runes)
}

// clean removes what readers add, and composes characters.
func clean(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch r {
		case 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x2068, 0x2069, '\f':
			return -1
		}
		return r
	}, strings.TrimSpace(s)))
}

// words removes white space too. Poppler misplaces the spaces between parts of different
// directions.
func words(s string) string { return strings.Join(strings.Fields(clean(s)), "") }

// set sets a text that fits a line.
func set(t testing.TB, text string, o typeset.Options) typeset.Line {
	t.Helper()
	b, err := typeset.NewFonts(fontDir).Set(text, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Lines) != 1 {
		t.Fatalf("got %d lines", len(b.Lines))
	}
	return b.Lines[0]
}

func TestExtract(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			var p page
			p.show(set(t, s.text, typeset.Options{Size: 20}), 20, 200)
			file := p.file(t)
			path := write(t, s.name+".pdf", file)
			run(t, "qpdf", "--check", path)
			want := s.text
			if s.pdfium != "" {
				want = s.pdfium
			}
			if got := pdfiumText(t, file); clean(got) != clean(want) {
				t.Errorf("PDFium: got %+q, want %+q", got, want)
			}
			if got := run(t, "pdftotext", path, "-"); words(got) != words(s.text) {
				t.Errorf("pdftotext: got %+q, want %+q", got, s.text)
			}
			want = s.text
			if s.visual != "" {
				want = s.visual
			}
			got := run(t, "mutool", "draw", "-q", "-F", "txt", path)
			if clean(got) != clean(want) {
				t.Errorf("mutool: got %+q, want %+q", got, want)
			}
		})
	}
}

// TestExtractNumber shows what readers cannot know: whether a number between texts of
// different directions belongs before or after.
func TestExtractNumber(t *testing.T) {
	var p page
	p.show(set(t, "Name: שלום 123 abc", typeset.Options{Size: 20}), 20, 200)
	if got, want := pdfiumText(t, p.file(t)), "Name: 123 שלום abc"; clean(got) != want {
		t.Errorf("got %+q, want %+q", got, want)
	}
}
