package e2e

import (
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// seen is a PDF as pdftotext reads it. pdftotext shares no code with Recto.
type seen struct {
	pages []seenPage
	// loose holds the letters of the pages in other reading orders.
	loose [][]string
	// squeezed is the text in the order of words, and loosely the text in the other
	// reading orders, both without white space.
	squeezed, loosely string
}

// seenPage is a page: its words and their concatenated letters. Coordinates are fractions
// of the page size from its top left corner.
type seenPage struct {
	words   []seenWord
	letters string
	// owner is the index of the word of each byte of letters.
	owner []int
}

type seenWord struct {
	text, letters            string
	left, top, right, bottom float64
}

var (
	seenPages = regexp.MustCompile(`<page width="([0-9.]+)" height="([0-9.]+)">`)
	seenWords = regexp.MustCompile(`<word xMin="(-?[0-9.]+)" yMin="(-?[0-9.]+)" xMax="(-?[0-9.]+)" yMax="(-?[0-9.]+)">(.*?)</word>`)
)

// lookAt reads a PDF with pdftotext. It returns false if pdftotext cannot read the file.
func lookAt(t *testing.T, pdf []byte) (seen, bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Fatalf("%v; make install-packages installs it", err)
	}
	boxes, err := exec.Command("pdftotext", "-cropbox", "-bbox", file, "-").Output()
	if err != nil {
		return seen{}, false
	}
	var s seen
	for i, chunk := range strings.Split(string(boxes), "<page ") {
		if i > 0 {
			s.pages = append(s.pages, parsePage("<page "+chunk))
		}
	}
	for _, p := range s.pages {
		for _, w := range p.words {
			s.squeezed += w.text
		}
	}
	s.squeezed = squeeze(s.squeezed)
	for _, order := range []string{"-raw", "-layout"} {
		text, err := exec.Command("pdftotext", order, file, "-").Output()
		if err != nil {
			return seen{}, false
		}
		s.loosely += squeeze(string(text)) + "\f"
		var pages []string
		for _, page := range strings.Split(string(text), "\f") {
			pages = append(pages, lettersOf(page))
		}
		s.loose = append(s.loose, pages)
	}
	return s, true
}

func parsePage(chunk string) seenPage {
	number := func(text string) float64 {
		v, _ := strconv.ParseFloat(text, 64) // the expression matches only numbers
		return v
	}
	var p seenPage
	size := seenPages.FindStringSubmatch(chunk)
	if size == nil {
		return p
	}
	width, height := number(size[1]), number(size[2])
	var letters strings.Builder
	for _, m := range seenWords.FindAllStringSubmatch(chunk, -1) {
		text := html.UnescapeString(m[5])
		w := seenWord{text, lettersOf(text), number(m[1]) / width, number(m[2]) / height, number(m[3]) / width, number(m[4]) / height}
		for range len(w.letters) {
			p.owner = append(p.owner, len(p.words))
		}
		letters.WriteString(w.letters)
		p.words = append(p.words, w)
	}
	p.letters = letters.String()
	return p
}

// ligatures replaces characters that some readers keep and others decompose.
var ligatures = strings.NewReplacer("ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st", "º", "o", "ª", "a", "™", "tm", "№", "no", "…", "...")

// lettersOf returns the letters and digits of a text in lower case. Two readers agree on
// them, however they treat white space, hyphens and quotation marks.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, ligatures.Replace(text))
}

// pagesWith returns the pages, from 1, that contain letters in any reading order.
func (s seen) pagesWith(letters string) (pages []int) {
	for i, p := range s.pages {
		found := strings.Contains(p.letters, letters)
		for _, other := range s.loose {
			found = found || i < len(other) && strings.Contains(other[i], letters)
		}
		if found {
			pages = append(pages, i+1)
		}
	}
	return pages
}

// all returns the letters of all pages in the order of words.
func (s seen) all() string {
	var text strings.Builder
	for _, p := range s.pages {
		text.WriteString(p.letters)
	}
	return text.String()
}

// beginnings returns the pages, from 1, on which letters begin. They may continue on the
// next page.
func (s seen) beginnings(letters string) (pages []int) {
	whole := s.all()
	for from := 0; from < len(whole); {
		at := strings.Index(whole[from:], letters)
		if at < 0 {
			break
		}
		page, before := 0, 0
		for page < len(s.pages) && before+len(s.pages[page].letters) <= from+at {
			before += len(s.pages[page].letters)
			page++
		}
		pages = append(pages, page+1)
		from += at + 1
	}
	return pages
}

// places returns, for each occurrence of letters on the page, the words that it touches.
func (p seenPage) places(letters string) (places [][]seenWord) {
	for from := 0; letters != "" && from+len(letters) <= len(p.letters); {
		at := strings.Index(p.letters[from:], letters)
		if at < 0 {
			break
		}
		begin, end := from+at, from+at+len(letters)
		var words []seenWord
		for i, last := begin, -1; i < end; i++ {
			if w := p.owner[i]; w != last {
				words, last = append(words, p.words[w]), w
			}
		}
		places = append(places, words)
		from = begin + 1
	}
	return places
}

// longestStart returns the longest prefix of letters that occurs on the page.
func (p seenPage) longestStart(letters string) string {
	low, high := 0, len(letters)
	for low < high {
		if middle := (low + high + 1) / 2; strings.Contains(p.letters, letters[:middle]) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return letters[:low]
}
