package ground

import (
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// Check returns an error if place p is wrong for span s: the quote must be the text of the
// span, the page that of its first word, the path that of the run in which it begins, and
// the box must contain the centre of each of its words on that page.
func Check(d *layout.Document, s layout.Span, p insightapi.Place) error {
	s, ok := Trim(d.Text, s)
	if !ok {
		return errors.New("the span has no text")
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

// checkWords returns an error if the page or the box of a place is wrong for the words of
// its quote.
func checkWords(words []layout.Word, p insightapi.Place) error {
	if p.PageNumber == nil || *p.PageNumber != words[0].Page {
		return fmt.Errorf("the page is not %d, that of the first word", words[0].Page)
	}
	if p.BoundingBox == nil || p.BoundingBox.Page != words[0].Page {
		return fmt.Errorf("there is no box on page %d", words[0].Page)
	}
	for i, w := range words {
		if w.Page == words[0].Page && !holds(*p.BoundingBox, w.Box) {
			return fmt.Errorf("the box %+v does not contain word %d at %+v", *p.BoundingBox, i, w.Box)
		}
	}
	return nil
}

// holds reports whether b contains the centre of a word.
func holds(b insightapi.BoundingBox, word layout.Box) bool {
	x, y := clamp((word.Left+word.Right)/2), clamp((word.Top+word.Bottom)/2)
	return b.Left <= x && x <= b.Left+b.Width && b.Top <= y && y <= b.Top+b.Height
}

// CheckPositions returns an error unless there is one position, and the characters of text
// from its start to its end are the quote.
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
		return fmt.Errorf("the text from %d to %d is not the quote %q", at[0].Start, at[0].End, quote)
	}
	return nil
}
