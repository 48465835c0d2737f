package pdf

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/rectohq/recto/libs/formats/pdf/internal/reading"
)

// hyphen is PDFium's character for a hyphen at the end of a line, which also stands for
// the line break.
const hyphen = '\uFFFE'

// text returns the text of a page and its words. If own is not negative, the characters
// from index own on come from flattened annotations, and are moved to where they appear
// on the page.
func (d *document) text(page requests.Page, v view, own int) (string, []wordMessage, error) {
	loaded, err := d.pdfium.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return "", nil, err
	}
	defer func() {
		_, _ = d.pdfium.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: loaded.TextPage})
	}()
	chars, err := d.chars(loaded.TextPage)
	if err != nil || len(chars) == 0 {
		return "", nil, err
	}
	if own < 0 || own > len(chars) {
		own = len(chars)
	}
	items, err := d.items(loaded.TextPage, chars[:own], 0, v)
	if err != nil {
		return "", nil, err
	}
	added, err := d.items(loaded.TextPage, chars[own:], own, v)
	if err != nil {
		return "", nil, err
	}
	items, added = reading.Visual(items), reading.Visual(added)
	text, words := compose(reading.Interleave(items, added))
	return text, words, nil
}

// compose returns the text of the items, and the positions of their words in it.
func compose(items []reading.Item) (string, []wordMessage) {
	var text strings.Builder
	var words []wordMessage
	for i, it := range items {
		if i > 0 {
			text.WriteString(it.Gap)
		}
		from := text.Len()
		text.WriteString(it.Text)
		if p := it.Place; it.Placed {
			words = append(words, wordMessage{from, text.Len(), p[0], p[1], p[2], p[3]})
		}
	}
	if text.Len() > 0 {
		text.WriteByte('\n')
	}
	return text.String(), words
}

// chars returns the characters of the page, with the same indexes as in PDFium. Invalid
// characters are 0.
func (d *document) chars(page references.FPDF_TEXTPAGE) ([]rune, error) {
	counted, err := d.pdfium.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: page})
	if err != nil || counted.Count == 0 {
		return nil, err
	}
	if counted.Count > maxPageText {
		return nil, errRefused(tooLong)
	}
	text, err := d.pdfium.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: page, Count: counted.Count})
	if err != nil {
		return nil, err
	}
	chars := []rune(strings.TrimSuffix(text.Text, "\x00"))
	first, err := d.char(page, 0)
	if err != nil {
		return nil, err
	}
	if len(chars) == counted.Count && chars[0] == first {
		return chars, nil
	}
	// The text omits characters, contains some that count twice, or was decoded in the
	// wrong byte order because it begins with what looks like a byte order mark.
	return d.eachChar(page, counted.Count)
}

// eachChar returns the characters by requesting them one by one.
func (d *document) eachChar(page references.FPDF_TEXTPAGE, count int) ([]rune, error) {
	chars := make([]rune, count)
	for i := range chars {
		c, err := d.char(page, i)
		if err != nil {
			return nil, err
		}
		chars[i] = c
	}
	return chars, nil
}

// char returns a character as it appears in the text.
func (d *document) char(page references.FPDF_TEXTPAGE, index int) (rune, error) {
	const hyphenCode = 2 // PDFium's code for a hyphen at the end of a line
	c, err := d.pdfium.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: page, Index: index})
	switch {
	case err != nil:
		return 0, err
	case c.Unicode == hyphenCode:
		h, err := d.pdfium.FPDFText_IsHyphen(&requests.FPDFText_IsHyphen{TextPage: page, Index: index})
		if err == nil && h.IsHyphen {
			return hyphen, nil
		}
		return 0, err
	case c.Unicode > unicode.MaxRune:
		return utf8.RuneError, nil
	}
	return rune(c.Unicode), nil
}

// clean returns the replacement of a character in the text, or -1 to drop it.
func clean(c rune) rune {
	switch {
	case unicode.IsSpace(c):
		return c
	case unicode.IsControl(c), c == '\uFEFF', c == '\u200B', c == '\u2060':
		return -1
	case !utf8.ValidRune(c), c&0xFFFE == 0xFFFE, c >= 0xFDD0 && c <= 0xFDEF: // noncharacters
		return utf8.RuneError
	}
	return c
}

// items splits characters into words and drops those outside of the displayed page. from
// is the index of the first character.
func (d *document) items(page references.FPDF_TEXTPAGE, chars []rune, from int, v view) ([]reading.Item, error) {
	var items []reading.Item
	gap := "\n"
	for start := 0; start < len(chars); {
		if c := chars[start]; unicode.IsSpace(c) {
			gap = widen(gap, c)
			start++
			continue
		}
		end := wordEnd(chars, start)
		word, hyphenated := spell(chars[start:end])
		if word != "" {
			r, turn, err := d.rect(page, from+start, end-start, v)
			if err != nil {
				return nil, err
			}
			place, shown := units(v.box(r))
			if shown || r == (rect{}) {
				items = append(items, reading.Item{Gap: gap, Text: word, Place: place, Placed: r != (rect{}), Turn: turn})
				gap = ""
			}
		}
		if hyphenated {
			gap = "\n"
		}
		start = end
	}
	return items, nil
}

// widen returns the white space between words after adding c to it: one space or one line
// break.
func widen(gap string, c rune) string {
	if c == '\n' || c == '\r' || c == '\u2028' || c == '\u2029' || gap == "\n" {
		return "\n"
	}
	return " "
}

// wordEnd returns the end of the word that begins at start: before white space, or after
// a hyphen at the end of the line.
func wordEnd(chars []rune, start int) int {
	for i := start; i < len(chars); i++ {
		switch {
		case chars[i] == hyphen:
			return i + 1
		case unicode.IsSpace(chars[i]):
			return i
		}
	}
	return len(chars)
}

// spell returns the characters as text, and whether they end with a hyphen at the end of
// the line.
func spell(chars []rune) (word string, hyphenated bool) {
	var b strings.Builder
	for _, c := range join(chars) {
		if c == hyphen {
			hyphenated = true
			c = '-'
		}
		if c = clean(c); c >= 0 {
			b.WriteRune(c)
		}
	}
	return b.String(), hyphenated
}

// join combines surrogate pairs, which PDFium counts as two characters, into one.
func join(chars []rune) []rune {
	joined := make([]rune, 0, len(chars))
	for i := 0; i < len(chars); i++ {
		c := chars[i]
		if i+1 < len(chars) {
			if pair := utf16.DecodeRune(c, chars[i+1]); pair != utf8.RuneError {
				c = pair
				i++
			}
		}
		joined = append(joined, c)
	}
	return joined
}

// rect returns the box of characters: from the first to the last, and as high as their
// font. The glyphs alone would be too low; a dash has almost no height. If the font has
// no height, it is the box of the glyphs. The zero rect means unknown. turn is the direction
// in which the characters follow each other on the displayed page, as in reading.Item.
func (d *document) rect(page references.FPDF_TEXTPAGE, start, count int, v view) (all rect, turn int, err error) {
	all, err = d.fontRect(page, start)
	if err != nil {
		return all, 0, err
	}
	if count > 1 {
		last, err := d.fontRect(page, start+count-1)
		if err != nil {
			return all, 0, err
		}
		if all != (rect{}) && last != (rect{}) {
			turn = cmp.Compare(v.box(last).Left, v.box(all).Left)
		}
		all = all.union(last)
	}
	if all.left != all.right && all.bottom != all.top {
		return all, turn, nil
	}
	all, err = d.glyphRect(page, start, count)
	return all, turn, err
}

// fontRect returns the box of a character, as wide as it is set and as high as its font.
func (d *document) fontRect(page references.FPDF_TEXTPAGE, index int) (rect, error) {
	r, err := d.pdfium.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: page, Index: index})
	if err != nil {
		return rect{}, broken(err)
	}
	return rect{float64(r.Rect.Left), float64(r.Rect.Bottom), float64(r.Rect.Right), float64(r.Rect.Top)}, nil
}

// glyphRect returns the smallest rect around the glyphs.
func (d *document) glyphRect(page references.FPDF_TEXTPAGE, start, count int) (rect, error) {
	var all rect
	n, err := d.pdfium.FPDFText_CountRects(&requests.FPDFText_CountRects{TextPage: page, StartIndex: start, Count: count})
	if err != nil {
		return all, broken(err)
	}
	for i := range n.Count {
		r, err := d.pdfium.FPDFText_GetRect(&requests.FPDFText_GetRect{TextPage: page, Index: i})
		switch {
		case isBroken(err):
			return all, err
		case err == nil:
			all = all.union(rect{r.Left, r.Bottom, r.Right, r.Top})
		}
	}
	return all, nil
}
