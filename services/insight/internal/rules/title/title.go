// Package title finds a document's title, and the kind of document that the title names.
package title

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Limits for the search for a title.
const (
	// titleReach is how many bytes at the beginning of the document are searched.
	titleReach = 8000
	// maxTitle is the maximum length of a title in bytes.
	maxTitle = 240
	// exhibitReach is how many bytes of a line are searched for an exhibit mark.
	exhibitReach = 600
)

// Find returns the document's title, the most probable candidate first. meta is the title
// in the file's properties, "" for none. It counts only if the text contains it.
func Find(d *structure.Document, meta string) []finding.Found[insightapi.Title] {
	lines := firstLines(d)
	best := bestTitle(d, lines, meta)
	if f, ok := letterTitle(d, lines); ok && best.Confidence < minTitle {
		best = f
	}
	if best.Confidence < minTitle {
		if f, ok := termsTitle(d, lines); ok {
			best = f
		}
	}
	if best.Confidence < minTitle {
		if f, ok := everydayTitle(d, lines); ok {
			best = f
		}
	}
	if best.Confidence < leastTitle && !isSaluted(d, lines) {
		if best = plainTitle(d, lines); best.Confidence == 0 {
			best, _ = aloneTitle(d, lines)
		}
	}
	if best.Confidence == 0 {
		best = exhibitTitle(d, lines)
	}
	if best.Confidence == 0 {
		return nil
	}
	return []finding.Found[insightapi.Title]{best}
}

const (
	// minTitle is the confidence below which the name in the first sentence is used
	// instead.
	minTitle = 0.5
	// leastTitle is the confidence below which a line that names a kind of document is
	// not taken for a title.
	leastTitle = 0.35
)

// bestTitle returns the most probable title among the candidate lines, the file's
// properties and the name in the first sentence.
func bestTitle(d *structure.Document, lines []line, meta string) (best finding.Found[insightapi.Title]) {
	named, all := nameInPreamble(d), candidates(d, lines)
	for _, c := range all {
		if score := c.score(d, named); score > best.Confidence {
			best = c.found(d, score)
		}
	}
	best = fuller(d, best, all)
	if f, ok := repeatedTitle(d, lines); ok && best.Confidence < f.Confidence {
		best = f
	}
	if f, ok := metadataTitle(d, lines, meta); ok && best.Confidence < f.Confidence {
		best = f
	}
	if best.Confidence < minTitle && named.Len() > 0 {
		best = finding.Found[insightapi.Title]{
			Item: insightapi.Title{Title: passage.Text(d, named), TitleSource: insightapi.FromFirstLine}, Span: named,
			Reasoning: "The first sentence of the document gives it this name.", Confidence: 0.62,
		}
	}
	return best
}

// fuller returns the candidate that repeats a title and adds to it in parentheses, as the
// line above the first sentence does to the cover, or the title if there is none.
func fuller(d *structure.Document, best finding.Found[insightapi.Title], all []line) finding.Found[insightapi.Title] {
	for _, c := range all {
		if more, ok := strings.CutPrefix(passage.Text(d, c.Span), best.Item.Title+" ("); ok && best.Confidence > 0 && strings.HasSuffix(more, ")") && strings.Count(more, ")") == 1 {
			return c.found(d, best.Confidence)
		}
	}
	return best
}

// repeatedTitle returns the first line if the sentence after it calls the document by it, even if
// it names no known kind of document: "COVENANT NOT TO COMPETE" before "This Covenant Not to
// Compete is made …".
func repeatedTitle(d *structure.Document, lines []line) (none finding.Found[insightapi.Title], ok bool) {
	if len(lines) < 2 {
		return none, false
	}
	l := lines[0]
	l.Span = titleSpan(d, l.Span)
	title, sentence := passage.Text(d, l.Span), d.Text[lines[1].Start:min(lines[1].End, lines[1].Start+2*maxTitle)]
	this := thisWord.FindString(sentence)
	if this == "" || l.Len() > maxTitle || len(wordOfTitle.FindAllString(title, 2)) < 2 || !shouted(title) && !capitalized(title) {
		return none, false
	}
	if named := letters(sentence[len(this):]); !strings.HasPrefix(named, letters(title)) {
		return none, false
	}
	f := l.found(d, repeatedConfidence)
	f.Reasoning = "The first line gives the name by which the next sentence calls the document."
	return f, true
}

// thisWord matches the beginning of a sentence about the document.
var thisWord = regexp.MustCompile(`^\s*(?i:this)\s`)

// repeatedConfidence is the confidence of a title that the first sentence repeats.
const repeatedConfidence = 0.85

// plainTitle returns the first line if it is in the style of a title, even if it names no
// known kind of document.
func plainTitle(d *structure.Document, lines []line) (none finding.Found[insightapi.Title]) {
	if len(lines) == 0 {
		return none
	}
	l := lines[0]
	l.Span = titleSpan(d, l.Span)
	text := passage.Text(d, l.Span)
	words := len(wordOfTitle.FindAllString(text, maxPlainTitle+1))
	if words < 2 || words > maxPlainTitle || !startsWithLetter(text) || !shouted(text) && !capitalized(text) || sentenceLike.MatchString(text) || notTitle.MatchString(text) ||
		companyMark.MatchString(text) || dateline.MatchString(text) || strings.ContainsAny(d.Quote(lines[0].Span), "_:;?!@") || strings.HasSuffix(d.Quote(lines[0].Span), ".") {
		return none
	}
	f := l.found(d, plainConfidence)
	f.Reasoning = "The document begins with a line in the style of a title."
	return f
}

// termsTitle returns the first line if it calls the document terms or a contract in the style of a
// sentence, as plain drafters do: "Working with us: consulting terms".
func termsTitle(d *structure.Document, lines []line) (none finding.Found[insightapi.Title], ok bool) {
	if len(lines) < 2 {
		return none, false
	}
	l := lines[0]
	l.Span = trimmed(d, l.Span)
	text := passage.Text(d, l.Span)
	words := len(wordOfTitle.FindAllString(text, maxTermsTitle+1))
	if l.Len() > maxTitle || words < 2 || words > maxTermsTitle || !startsWithLetter(text) || !callsTerms.MatchString(text) || sentenceLike.MatchString(text) || notTitle.MatchString(text) ||
		strings.ContainsAny(text, ".;!@_") {
		return none, false
	}
	f := l.found(d, termsConfidence)
	f.Reasoning = "The first line calls the document terms or a contract."
	return f, true
}

// callsTerms matches a line that ends by calling the document terms or a contract.
var callsTerms = regexp.MustCompile(`(?i)\b(?:terms|contract|agreement)(?:\s+(?:[–—-]|for|with|of|between|\()\s*[^,]{1,60})?$`)

const (
	// maxTermsTitle is the maximum number of words of such a title.
	maxTermsTitle = 10
	// termsConfidence is its confidence.
	termsConfidence = 0.6
)

// exhibitTitle returns the mark that a document begins with if it calls itself by that:
// "EXHIBIT B" of a text that goes on with "This Exhibit B is …".
func exhibitTitle(d *structure.Document, lines []line) (none finding.Found[insightapi.Title]) {
	if len(lines) == 0 {
		return none
	}
	l := lines[0]
	text := d.Quote(layout.Span{Start: l.Start, End: min(l.End, l.Start+exhibitReach)})
	m := ownExhibit.FindStringSubmatchIndex(text)
	if m == nil || letters(text[m[2]:m[3]]) != letters(text[m[4]:m[5]]) {
		return none
	}
	l.Span = layout.Span{Start: l.Start + m[2], End: l.Start + m[3]}
	f := l.found(d, plainConfidence)
	f.Reasoning = "The document calls itself by the mark that it begins with."
	return f
}

// wordOfTitle matches a word of at least two characters.
var wordOfTitle = regexp.MustCompile(`\pL[\pL’'-]+`)

func startsWithLetter(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(first)
}

const (
	// maxPlainTitle is the maximum number of words in a title that names no kind of
	// document.
	maxPlainTitle = 12
	// plainConfidence is the confidence of such a title.
	plainConfidence = 0.35
)

// nameInPreamble returns the span of the name in "this … Agreement" near the beginning,
// or an empty span.
func nameInPreamble(d *structure.Document) layout.Span {
	for _, m := range preamble.FindAllStringSubmatchIndex(d.Text[:min(len(d.Text), titleReach)], 3) {
		if name := d.Text[m[2]:m[3]]; !nounAlone(name) && !strings.Contains(name, ", the ") {
			return layout.Span{Start: m[2], End: m[3]}
		}
	}
	return layout.Span{}
}

// metadataTitle returns the title in the file's properties if the beginning of the text
// contains it: as one line, or as the first lines if they make up most of it.
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

// maxTitleLines is the maximum number of lines of such a title.
const maxTitleLines = 3

func fromMetadata(d *structure.Document, s layout.Span, confidence float64) finding.Found[insightapi.Title] {
	return finding.Found[insightapi.Title]{
		Item: insightapi.Title{Title: passage.Text(d, s), TitleSource: insightapi.FromMetadata}, Span: s,
		Reasoning: "The file's properties give this title, and the text contains it.", Confidence: confidence,
	}
}
