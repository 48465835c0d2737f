package formtest

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/rectohq/recto/libs/testkit/corpus"
)

// run runs a program that works on a file, whose path replaces the argument "FILE", and
// returns what it prints.
func run(t testing.TB, file []byte, name string, args ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, a := range args {
		if a == "FILE" {
			args[i] = path
		}
	}
	cmd := exec.Command(corpus.Program(t, name), args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, said.String())
	}
	return out.Bytes()
}

// extracted returns the text of a page by poppler and by MuPDF.
func extracted(t testing.TB, file []byte, page int) map[string]string {
	t.Helper()
	n := strconv.Itoa(page)
	return map[string]string{
		"poppler": string(run(t, file, "pdftotext", "-f", n, "-l", n, "FILE", "-")),
		"MuPDF":   string(run(t, file, "mutool", "draw", "-q", "-F", "txt", "FILE", n)),
	}
}

// letters returns the letters, marks and digits of a text, in their normal form. Programs
// differ in spaces and invisible characters.
func letters(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Letter, unicode.Mark, unicode.Digit) {
			return c
		}
		return -1
	}, norm.NFKC.String(s))
}

// readable fails the test unless every program extracts the values from page 1, as far as it
// can; see extracts. poppler gives the words of a value in their order too.
func readable(r reader, file []byte, values ...script) {
	r.t.Helper()
	texts := extracted(r.t, file, 1)
	words, err := r.Words(r.t.Context(), bytes.NewReader(file), int64(len(file)), 1)
	if err != nil {
		r.t.Fatal(err)
	}
	texts["PDFium"] = words.Text
	for by, page := range texts {
		for _, v := range values {
			for _, word := range strings.Fields(v.text) {
				if !extracts(r.t, by, letters(page), v, letters(word)) {
					r.t.Errorf("%s does not extract %q of %q from\n%s", by, word, v.text, page)
				}
			}
		}
	}
	for _, v := range values {
		if !strings.Contains(letters(texts["poppler"]), letters(v.text)) {
			r.t.Errorf("poppler extracts the words of %q in another order from\n%s", v.text, texts["poppler"])
		}
	}
}

// extracts reports whether the letters of a page by a program contain those of a word, as far
// as the program can tell. TestLimitations proves what the programs cannot.
func extracts(t testing.TB, by, page string, v script, word string) bool {
	if strings.Contains(page, word) {
		return true
	}
	switch {
	case by == "MuPDF" && (v.name == "Devanagari" || v.name == "Thai"):
		return !knowsActualText(t) && sharesLetter(page, word)
	case by == "MuPDF":
		return !knowsDirections(t) && strings.Contains(page, reversed(word))
	case by == "PDFium" && v.name == "Latin and Hebrew":
		// PDFium takes two glyphs for two words depending on what else is on the page, and
		// package pdf gives words from left to right.
		return rotated(page, word)
	}
	return false
}

// sharesLetter reports whether a page has one of the letters of a word.
func sharesLetter(page, word string) bool {
	return strings.ContainsFunc(word, func(c rune) bool { return unicode.IsLetter(c) && strings.ContainsRune(page, c) })
}

// rotated reports whether a page has the two parts of a word in the opposite order.
func rotated(page, word string) bool {
	for i := range word {
		if strings.Contains(page, word[i:]+word[:i]) {
			return true
		}
	}
	return false
}

// reversed returns the characters in reverse order.
func reversed(s string) string {
	c := []rune(s)
	slices.Reverse(c)
	return string(c)
}

// unsigned matches the type of signature fields.
var unsigned = regexp.MustCompile(`/FT */Sig\b`)

// withoutFlags returns the file with buttons in place of signature fields, unless it is
// signed. MuPDF draws a flag in a signature field that is not signed, instead of the
// appearance that the file has. TestFlags proves that.
func withoutFlags(file []byte) []byte {
	if bytes.Contains(file, []byte("/ByteRange")) {
		return file
	}
	return unsigned.ReplaceAllFunc(file, func(b []byte) []byte { return append(b[:len(b)-len("Sig"):len(b)-len("Sig")], "Btn"...) })
}

// pictures returns a page as PDFium, poppler and MuPDF draw it, of the same width in pixels.
func pictures(r reader, file []byte, page, width int) map[string]image.Image {
	r.t.Helper()
	n, w := strconv.Itoa(page), strconv.Itoa(width)
	across, down := "-scale-to-x", "-scale-to-y"
	if r.pages(file)[page-1].Rotation%180 != 0 {
		across, down = down, across // pdftoppm names the sides before the rotation
	}
	var own bytes.Buffer
	if err := r.Render(r.t.Context(), bytes.NewReader(file), int64(len(file)), page, width, &own); err != nil {
		r.t.Fatal(err)
	}
	all := map[string][]byte{
		"PDFium":  own.Bytes(),
		"poppler": run(r.t, file, "pdftoppm", "-png", "-cropbox", "-singlefile", "-f", n, across, w, down, "-1", "FILE"),
		"MuPDF":   run(r.t, withoutFlags(file), "mutool", "draw", "-q", "-F", "png", "-w", w, "-h", "10000", "-o", "-", "FILE", n),
	}
	drawn := map[string]image.Image{}
	for by, content := range all {
		p, err := png.Decode(bytes.NewReader(content))
		if err != nil {
			r.t.Fatalf("%s: %v", by, err)
		}
		drawn[by] = p
	}
	return drawn
}
