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

// line is one line, or several joined lines, that may be the title.
type line struct {
	layout.Span
	// order is the number of nonblank lines before it.
	order int
	// heading reports that the document marks the line as a heading.
	heading bool
	// shared reports that the name of a company precedes it on its line, as in running
	// headers.
	shared bool
}

// found returns the line as a title.
func (l line) found(d *structure.Document, score float64) finding.Found[insightapi.Title] {
	source, why := insightapi.FromHeading, "A line of its own near the beginning of the document names a type of document."
	if l.order == 0 && !l.heading {
		source, why = insightapi.FromFirstLine, "The first line of the document names a type of document."
	}
	return finding.Found[insightapi.Title]{
		Item: insightapi.Title{Title: passage.Text(d, l.Span), TitleSource: source}, Span: l.Span, Reasoning: why, Confidence: score,
	}
}

// Base scores for what a line names, and the gains and losses that change them. A score
// is the probability that the line is the title.
const (
	strongScore = 0.68 // the line has a strongNoun
	nounScore   = 0.45 // the line has another noun for a kind of document
	otherScore  = 0.3  // the line names no kind of document
	// aloneScore is for a noun that needs more words, such as "Agreement" above or below
	// the actual title, and for a mark such as "Appendix A".
	aloneScore = 0.4
	// shoutedScore is the minimum for one of the first two lines that is only the name of
	// a kind, in capitals: "LEASE".
	shoutedScore = 0.7

	// headingGain is for a line that the document marks as a heading, if fewer than
	// headingReach lines precede it: later headings are those of sections.
	headingGain  = 0.06
	headingReach = 6
	// sameGain is for a line equal to the name that the first sentence gives the
	// document. partGain is for a line that contains that name or is part of it.
	sameGain, partGain = 0.22, 0.12
	// smallLoss is for a line that is not in the style of a title, companyLoss for the
	// name of a company.
	smallLoss, companyLoss = 0.3, 0.2
	// lateLoss is for a line after the sentence that names the document, if it is nothing
	// like that name: a title comes first.
	lateLoss = 0.2
	// orderLoss is for each preceding line: of equal candidates the first is the title.
	// sharedLoss is for a line that is shared: an equal one below is the title.
	orderLoss, sharedLoss = 0.004, 0.01

	// The maximum and minimum score. Only the form of a line was examined, so no score is
	// certain.
	mostScore, leastScore = 0.95, 0.05
)

// score returns the probability that the line is the title. named is the name that the
// first sentence gives the document.
func (l line) score(d *structure.Document, named layout.Span) float64 {
	text := passage.Text(d, l.Span)
	score := otherScore
	switch {
	case strongNoun.MatchString(text):
		score = strongScore
	case titleNoun.MatchString(text):
		score = nounScore
	}
	if l.heading && l.order < headingReach {
		score += headingGain
	}
	if named.Len() > 0 {
		alike := likeness(text, passage.Text(d, named))
		if score += alike; alike == 0 && l.Start > named.End {
			score -= lateLoss
		}
	}
	if !shouted(text) && !capitalized(text) {
		score -= smallLoss
	}
	switch {
	case nounAlone(text) && (l.order > 0 || named.Len() > 0 || !shouted(text)), len(exhibitMark.FindString(text)) == len(text):
		score = aloneScore
	case l.order <= 1 && shouted(text) && kindAlone(text):
		score = max(score, shoutedScore)
	}
	if companyMark.MatchString(text) && !titleNoun.MatchString(text) {
		score -= companyLoss
	}
	if l.shared {
		score -= sharedLoss
	}
	return min(max(score-orderLoss*float64(l.order), leastScore), mostScore)
}

// likeness returns the gain of a line that resembles the name in the first sentence.
func likeness(line, named string) float64 {
	a, b := letters(line), letters(named)
	switch {
	case a == b:
		return sameGain
	case len(b) > len("agreement") && strings.Contains(a, b), len(a) > len("agreement") && strings.Contains(b, a):
		return partGain
	}
	return 0
}

// candidates returns the lines near the beginning that may be a title. It joins the lines
// of one title.
func candidates(d *structure.Document, lines []line) []line {
	var found []line
	saluted := false
	for i, l := range lines {
		saluted = saluted || salutation.MatchString(d.Quote(l.Span))
		if saluted && l.Len() > maxTitle {
			continue // a paragraph of the letter
		}
		if text := passage.Text(d, l.Span); len(text) <= maxTitle {
			if contentsLine.MatchString(text) && !numbered.MatchString(text) {
				continue
			}
			l.Span = joined(d, lines, i)
		}
		c, ok := l.cut(d)
		if ok {
			found = append(found, c)
		}
		if l.Len() > maxTitle/2 || !ok && wideGap.MatchString(d.Quote(l.Span)) {
			found = append(found, l.within(d)...)
		}
	}
	return found
}

// cut returns the part of the line that may be a title.
func (l line) cut(d *structure.Document) (line, bool) {
	if !titleNoun.MatchString(passage.Text(d, l.Span)) {
		return l, false // most lines end here, because cutting them is slow
	}
	start := l.Start
	l.Span = titleSpan(d, l.Span)
	l.Start += len(subjectLine.FindString(d.Text[l.Start:l.End]))
	if l.Len() <= 3 || l.Len() > maxTitle {
		return l, false
	}
	l.shared = companyMark.MatchString(d.Text[start:l.Start])
	text := passage.Text(d, l.Span)
	first, _ := utf8.DecodeRuneInString(text)
	if !shouted(text) && !capitalized(text) && (unicode.IsLower(first) && first < utf8.RuneSelf && !strings.HasPrefix(text[1:], "-") || len(wordOfTitle.FindAllString(text, maxPlainTitle+1)) > maxPlainTitle) {
		return l, false // a sentence
	}
	if scotsOpening.MatchString(d.Text[start:min(len(d.Text), l.End+len(" between"))]) {
		return l, false
	}
	return l, titleNoun.MatchString(text) && !sentenceLike.MatchString(text) && !notTitle.MatchString(text) && !sentenceEnd.MatchString(text)
}

// scotsOpening matches the first words of a Scottish contract, above which is its title.
var scotsOpening = regexp.MustCompile(`(?i)^\s*minute\s+of\s+agreement\s+between`)

// within returns the first part of a long line that may be a title, if the line has lost
// its breaks: a part begins after a sentence or wide white space.
func (l line) within(d *structure.Document) []line {
	text := d.Quote(layout.Span{Start: l.Start, End: min(l.End, l.Start+lostBreaks)})
	start := 0
	for _, m := range append(partBreak.FindAllStringIndex(text, maxParts), []int{len(text), len(text)}) {
		part := line{layout.Span{Start: l.Start + start, End: l.Start + m[0]}, l.order, l.heading, false}
		start = m[1]
		c, ok := part.cut(d)
		if name := passage.Text(d, c.Span); ok && strongNoun.MatchString(name) && !nounAlone(name) && (shouted(name) || capitalized(name)) {
			return []line{c}
		}
	}
	return nil
}

const (
	// lostBreaks is how many bytes of a line without breaks are searched for a title, and
	// maxParts how many of its parts.
	lostBreaks = 1200
	maxParts   = 12
)

// firstLines returns the nonblank lines near the beginning, except those in running
// headers and footers.
func firstLines(d *structure.Document) []line {
	var lines []line
	for _, p := range d.Paragraphs {
		if p.Start > titleReach {
			break
		}
		if p.Kind == structure.Margin {
			continue
		}
		for at := p.Start; at < p.End && at <= titleReach; {
			end := p.End
			if i := strings.IndexByte(d.Text[at:p.End], '\n'); i >= 0 {
				end = at + i
			}
			if strings.TrimSpace(d.Text[at:end]) != "" {
				lines = append(lines, line{layout.Span{Start: at, End: end}, len(lines), p.Kind == structure.Heading, false})
			}
			at = end + 1
		}
	}
	return lines
}

// joined returns the span of line i with its neighbors that belong to the same title:
// lines that end with a word that must continue, or begin with one that must follow
// something.
func joined(d *structure.Document, lines []line, i int) layout.Span {
	s := lines[i].Span
	for n := i - 1; n >= max(0, i-2); n-- {
		text, next := passage.Text(d, lines[n].Span), passage.Text(d, layout.Span{Start: s.Start, End: lines[n+1].End})
		if len(text) > maxTitle/2 || !connector.MatchString(text) && !leading.MatchString(next) && !nounAlone(next) {
			break
		}
		if !shouted(text) && !capitalized(text) || companyMark.MatchString(text) || exhibitMark.MatchString(text) || sentenceLike.MatchString(text) || titleNoun.MatchString(text) && nounAlone(next) && !broken(d, lines[n].Span, lines[n+1].Span) {
			break
		}
		s.Start = lines[n].Start
	}
	for n := i + 1; n < min(len(lines), i+3); n++ {
		text, last := passage.Text(d, lines[n].Span), passage.Text(d, lines[n-1].Span)
		if len(text) > maxTitle/2 || !connector.MatchString(last) && !leading.MatchString(text) && !broken(d, lines[n-1].Span, lines[n].Span) || strings.HasSuffix(strings.ToLower(last), "between") {
			break
		}
		if strings.HasSuffix(last, ",") && companyMark.MatchString(last) {
			break
		}
		s.End = lines[n].End
	}
	return s
}

// beforeAgreement matches the end of a line that names a kind of document by itself, and a kind of agreement
// with the next word.
var beforeAgreement = regexp.MustCompile(`(?i)\b(?:licen[cs]e|lease|loan|guarant(?:y|ee)|franchise|partnership|order|tenancy|settlement|subscription)$`)

// broken reports whether two lines in capitals are one title: "SOFTWARE LICENCE" and, right below,
// "AGREEMENT".
func broken(d *structure.Document, above, below layout.Span) bool {
	first, second := passage.Text(d, above), passage.Text(d, below)
	return strings.Count(d.Text[above.End:below.Start], "\n") == 1 && nounAlone(second) && shouted(first) && shouted(second) && beforeAgreement.MatchString(first)
}

// titleSpan returns the part of a line that is the title: without an exhibit mark or
// company name before it, and without text such as "dated …" after it.
func titleSpan(d *structure.Document, s layout.Span) layout.Span {
	text := d.Quote(passage.Cut(d.Text, s))
	lead := len(text) - len(strings.TrimLeft(text, titleSpace+"#-_=*"))
	if m := firstExhibit.FindStringIndex(text[lead:min(len(text), lead+exhibitReach)]); m != nil && lead+m[1] < len(text) {
		lead += m[1]
	}
	if m := exhibitMark.FindString(text[lead:]); lead+len(m) < len(text) {
		lead += len(m)
	}
	text = text[lead:]
	text = untilEnd(text)
	if m := companyBefore.FindString(text); m != "" && strongNoun.MatchString(text[len(m):]) && !strongNoun.MatchString(m) {
		lead, text = lead+len(m), text[len(m):]
	}
	if m := exhibitMark.FindString(text); len(m) < len(text) {
		lead, text = lead+len(m), text[len(m):]
	}
	if nouns := strongNoun.FindAllStringIndex(text, -1); len(nouns) > 0 {
		if end := nouns[len(nouns)-1][1]; !afterNoun.MatchString(text[end:]) {
			text = text[:end]
		}
	}
	text = once(strings.TrimRight(text, titleSpace+".,:;*-_–"))
	return layout.Span{Start: s.Start + lead, End: s.Start + lead + len(text)}
}

// untilEnd returns the part of a line before the text that follows a title. A label after
// the title, such as "Contract No:", does not reach into it.
func untilEnd(text string) string {
	for at := 0; ; {
		m := titleEnd.FindStringIndex(text[at:])
		if m == nil || at+m[0] == 0 {
			return text
		}
		end, after := at+m[0], strings.TrimRight(text[at+m[0]:at+m[1]], titleSpace)
		if !strings.HasSuffix(after, ":") || !titleNoun.MatchString(after) || titleNoun.MatchString(text[:end]) {
			return text[:end]
		}
		at = end + 1
	}
}

// once returns a title that a text gives twice in a row only once.
func once(text string) string {
	half := len(text) / 2
	if len(text)%2 == 1 && text[half] == ' ' && text[:half] == text[half+1:] {
		return text[:half]
	}
	return text
}

// titleSpace holds characters that no title begins or ends with.
const titleSpace = " \t\n\r\u00a0\ufeff\x00"

// trimmed returns a span without the titleSpace at its ends.
func trimmed(d *structure.Document, s layout.Span) layout.Span {
	text := strings.TrimRight(d.Quote(s), titleSpace)
	s.End = s.Start + len(text)
	s.Start = s.End - len(strings.TrimLeft(text, titleSpace))
	return s
}
