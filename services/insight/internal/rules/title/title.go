// Package title owns what a document calls itself: its title, and the kind of document
// that the title names.
package title

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Bounds of where a title is looked for.
const (
	// titleReach is how much of the document's beginning may hold it, in bytes.
	titleReach = 8000
	// maxTitle is how long it is, in bytes.
	maxTitle = 240
	// exhibitReach is how far into a line the mark of an exhibit begins, in bytes.
	exhibitReach = 600
)

// Find returns what the document calls itself, the most probable first. meta is
// the title that the file's properties give, "" for none: it counts only where the
// text has it.
func Find(d *structure.Document, meta string) []finding.Found[insightapi.Title] {
	lines := firstLines(d)
	best := bestTitle(d, lines, meta)
	if f, ok := letterTitle(d, lines); ok && best.Confidence < minTitle {
		best = f
	}
	if best.Confidence < leastTitle {
		best = plainTitle(d, lines)
	}
	if best.Confidence == 0 {
		return nil
	}
	return []finding.Found[insightapi.Title]{best}
}

const (
	// minTitle is the confidence below which the name in the first sentence is taken.
	minTitle = 0.5
	// leastTitle is that below which what names a kind of document is no title.
	leastTitle = 0.35
)

// bestTitle returns the most probable of the lines and names that name a kind of
// document, or that the properties of the file name.
func bestTitle(d *structure.Document, lines []line, meta string) (best finding.Found[insightapi.Title]) {
	named := nameInPreamble(d)
	for _, c := range candidates(d, lines) {
		if score := c.score(d, named); score > best.Confidence {
			best = c.found(d, score)
		}
	}
	if f, ok := metadataTitle(d, lines, meta); ok && best.Confidence < f.Confidence {
		best = f
	}
	if best.Confidence < minTitle && named.Len() > 0 {
		best = finding.Found[insightapi.Title]{
			Item: insightapi.Title{Title: passage.Text(d, named), TitleSource: insightapi.FromFirstLine}, Span: named,
			Reasoning: "The first sentence of the document calls it so.", Confidence: 0.62,
		}
	}
	return best
}

// plainTitle returns the first line if it is written as a title is, whatever kind of
// document it names.
func plainTitle(d *structure.Document, lines []line) (none finding.Found[insightapi.Title]) {
	if len(lines) == 0 {
		return none
	}
	l := lines[0]
	l.Span = titleSpan(d, l.Span)
	text := passage.Text(d, l.Span)
	words := len(wordOfTitle.FindAllString(text, maxPlainTitle+1))
	if words < 2 || words > maxPlainTitle || !startsWithLetter(text) || !shouted(text) && !capitalized(text) || sentenceLike.MatchString(text) || notTitle.MatchString(text) ||
		companyMark.MatchString(text) || strings.ContainsAny(d.Quote(lines[0].Span), "_:;?!@") || strings.HasSuffix(d.Quote(lines[0].Span), ".") {
		return none
	}
	f := l.found(d, plainConfidence)
	f.Reasoning = "The document begins with a line that is written as a title is."
	return f
}

// wordOfTitle is a word that says something.
var wordOfTitle = regexp.MustCompile(`\pL[\pL’'-]+`)

func startsWithLetter(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(first)
}

const (
	// maxPlainTitle is how many words a title has that names no kind of document.
	maxPlainTitle = 12
	// plainConfidence is how sure such a title is.
	plainConfidence = 0.35
)

// nameInPreamble returns where the first sentence says "this … Agreement", an
// empty span for nowhere.
func nameInPreamble(d *structure.Document) layout.Span {
	for _, m := range preamble.FindAllStringSubmatchIndex(d.Text[:min(len(d.Text), titleReach)], 3) {
		if !nounAlone(d.Text[m[2]:m[3]]) {
			return layout.Span{Start: m[2], End: m[3]}
		}
	}
	return layout.Span{}
}

// metadataTitle returns the title of the file's properties where the beginning of
// the text has it: a line that is it, or the first lines where they are most of it.
func metadataTitle(d *structure.Document, lines []line, meta string) (f finding.Found[insightapi.Title], ok bool) {
	want := letters(meta)
	if len(want) < 4 || len(meta) > maxTitle {
		return f, false
	}
	for _, l := range lines {
		for _, s := range []layout.Span{titleSpan(d, l.Span), trimmed(d, l.Span)} {
			if letters(d.Quote(s)) == want {
				return fromMetadata(d, s, 0.8), true
			}
		}
	}
	for n := min(len(lines), maxTitleLines); n > 0; n-- {
		s := titleSpan(d, layout.Span{Start: lines[0].Start, End: lines[n-1].End})
		if has := letters(d.Quote(s)); strings.Contains(want, has) && 3*len(has) >= 2*len(want) {
			return fromMetadata(d, s, 0.7), true
		}
	}
	return f, false
}

// maxTitleLines is how many lines a title takes.
const maxTitleLines = 3

func fromMetadata(d *structure.Document, s layout.Span, confidence float64) finding.Found[insightapi.Title] {
	return finding.Found[insightapi.Title]{
		Item: insightapi.Title{Title: passage.Text(d, s), TitleSource: insightapi.FromMetadata}, Span: s,
		Reasoning: "The properties of the file name it so, and the text has it.", Confidence: confidence,
	}
}
