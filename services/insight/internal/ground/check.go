package ground

import (
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// Check returns what is wrong with a place that an item has for the span it rests
// on, or nil: the quote is the text of the span, the page is that of its first
// word, the box holds the centre of each of its words there, and the path is that
// of the run in which it begins.
func Check(d *layout.Document, s layout.Span, p insightapi.Place) error {
	s, ok := Trim(d.Text, s)
	if !ok {
		return errors.New("the span holds no text")
	}
	if p.Quote != d.Quote(s) {
		return fmt.Errorf("the quote is %q, the text at its place %q", p.Quote, d.Quote(s))
	}
	if runs := d.RunsOf(s); len(runs) > 0 && runs[0].Path != p.XMLPath {
		return fmt.Errorf("the path is %q, that of the first run %q", p.XMLPath, runs[0].Path)
	}
	if words := d.WordsOf(s); len(d.Pages) > 0 && len(words) > 0 {
		return checkWords(words, p)
	}
	return nil
}

// checkWords returns what is wrong with the page and the box of the words of a
// quote.
func checkWords(words []layout.Word, p insightapi.Place) error {
	if p.PageNumber == nil || *p.PageNumber != words[0].Page {
		return fmt.Errorf("the page is not %d, that of the first word", words[0].Page)
	}
	if p.BoundingBox == nil || p.BoundingBox.Page != words[0].Page {
		return fmt.Errorf("there is no box on page %d", words[0].Page)
	}
	for i, w := range words {
		if w.Page == words[0].Page && !holds(*p.BoundingBox, w.Box) {
			return fmt.Errorf("the box %+v does not hold word %d at %+v", *p.BoundingBox, i, w.Box)
		}
	}
	return nil
}

// holds reports whether the centre of a word is in b.
func holds(b insightapi.BoundingBox, word layout.Box) bool {
	x, y := clamp((word.Left+word.Right)/2), clamp((word.Top+word.Bottom)/2)
	return b.Left <= x && x <= b.Left+b.Width && b.Top <= y && y <= b.Top+b.Height
}

// CheckPositions returns what is wrong with the positions of a quote in text, or
// nil: the characters between the first and the last are those of the quote.
func CheckPositions(text, quote string, at []insightapi.Position) error {
	if len(at) != 1 {
		return fmt.Errorf("there are %d positions", len(at))
	}
	start, end, count := -1, len(text), 0
	for offset := range text {
		if count == at[0].Start {
			start = offset
		}
		if count == at[0].End {
			end = offset
			break
		}
		count++
	}
	if start < 0 || start > end || text[start:end] != quote {
		return fmt.Errorf("positions %d to %d do not hold the quote %q", at[0].Start, at[0].End, quote)
	}
	return nil
}
