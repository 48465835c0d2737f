package pdffields

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/texttag"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// tag is a text tag and where it is in the text. field is the zero Field if the tag is
// invalid.
type tag struct {
	layout.Span
	field fields.Field
}

// tagsOf returns the text tags of a file. A tag that is on no page is left out.
func tagsOf(f *pdf.File, pages []*page) []tag {
	var tags []tag
	if !strings.Contains(f.Text, fields.IDPrefix) {
		return nil
	}
	for _, t := range texttag.Find(f.Text) {
		found := tag{Span: layout.Span{Start: t.Start, End: t.End}}
		if places := tagPlaces(&f.Document, pages, found.Span); t.Valid && len(places) > 0 {
			found.field = t.Field
			found.field.Places = places
		}
		tags = append(tags, found)
	}
	return tags
}

// tagPlaces returns the places of a tag: one for each of its lines. The first one shows the
// value.
func tagPlaces(d *layout.Document, pages []*page, s layout.Span) []fields.Place {
	var places []fields.Place
	for at := s.Start; at < s.End; {
		end := s.End
		if n := strings.IndexByte(d.Text[at:s.End], '\n'); n >= 0 {
			end = at + n
		}
		if place, ok := textPlace(d, pages, layout.Span{Start: at, End: end}); ok {
			place.Cover, place.Continued = true, len(places) > 0
			places = append(places, place)
		}
		at = end + 1
	}
	return places
}

// textPlace returns the place of a part of a line of text. It reports false if the text is
// on no page.
func textPlace(d *layout.Document, pages []*page, s layout.Span) (fields.Place, bool) {
	place := fields.Place{}
	for _, w := range d.WordsOf(s) {
		if w.Page < 1 || w.Page > len(pages) || place.Page != 0 && w.Page != place.Page {
			continue
		}
		place.Page = w.Page
		place.Box = place.Box.Union(part(d.Text, w, s))
	}
	if place.Page == 0 {
		return place, false
	}
	place.Size = textSize((place.Box.Bottom - place.Box.Top) * pages[place.Page-1].height)
	return place, true
}

// part returns the box of the part of a word that is in the span, judged by the usual
// widths of characters.
func part(text string, w layout.Word, s layout.Span) layout.Box {
	from, to := max(s.Start, w.Start), min(s.End, w.End)
	if from == w.Start && to == w.End {
		return w.Box
	}
	before, in, after := extent(text[w.Start:from]), extent(text[from:to]), extent(text[to:w.End])
	unit := (w.Box.Right - w.Box.Left) / max(before+in+after, 1)
	b := w.Box
	b.Left, b.Right = b.Left+before*unit, b.Left+(before+in)*unit
	return b
}

// extent estimates the width of a text, in units of an average character.
func extent(s string) (sum float64) {
	for _, c := range s {
		switch {
		case strings.ContainsRune("ijlftI.,:;'|!()[]{}/-", c):
			sum += 0.6
		case strings.ContainsRune("mwMWG@OQ☐☒☑", c):
			sum += 1.5
		case c >= 'A' && c <= 'Z':
			sum += 1.25
		default:
			sum++
		}
	}
	return sum
}

// textSize returns the size of a text in points, from the height of its words. The height
// is that of the font, from the lowest descender to the highest ascender.
func textSize(height float64) float64 {
	const lineHeight = 1.12 // of usual fonts
	return min(max(height/lineHeight, minSize), maxSize)
}

// Limits of the size of text in blanks, in points.
const minSize, maxSize = 5, 36
