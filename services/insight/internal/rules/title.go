package rules

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
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

// documentNouns end what documents call themselves.
const documentNouns = `agreements?|contracts?|amendments?|licen[sc]es?|leases?|addend(?:um|a)|memorandum of understanding|memorandum|` +
	`statements? of work|terms and conditions|terms of (?:use|service)|polic(?:y|ies)|plan|deed|note|guarant(?:y|ee)|` +
	`power of attorney|will|bylaws|by-laws|articles|certificate|order form|purchase order|letter of intent|term sheet|` +
	`bill of sale|side letter|heads of (?:terms|agreement)|letter of engagement|engagement letter|declaration|undertaking|settlement|release|waiver|consent|assignment|proposal|charter|application|notice|resolution|schedule|appendix|warranty|offer letter|invoice`

// documentAcronyms are those of kinds of documents, as acronyms has them.
const documentAcronyms = `NDA|MNDA|MSA|SOW|DPA|BAA|SLA|EULA|LOI|MOU|PSA`

var (
	titleNoun = regexp.MustCompile(`(?i:\b(?:` + documentNouns + `)\b)|\b(?:` + documentAcronyms + `)\b`)
	strong    = regexp.MustCompile(`(?i)\b(?:agreements?|contract|amendment|lease|addendum|memorandum|deed|statement of work|terms and conditions|terms of (?:use|service)|policy|license|licence|plan|note|guaranty)\b`)
	// exhibitMark is what filings put before a document.
	exhibitMark = space.Compile(`(?i)^(?:(?:(?:exhibit|ex|annex|appendix|schedule|attachment)[\s.:#‘'"-]*(?:\d+[\d.()a-z]*|[a-z](?:-\d+)?\b)|` +
		`(?:execution|final|conformed|signature) (?:copy|version|form)|draft|\(?translation\)?|confidential(?:\s*[.:*(–—-]|[ \t]*\r?\n|$)|[-_=*]{3,})[\s.:’'"–—-]*)+`)
	// firstExhibit is the same mark after what else filings put before a document.
	firstExhibit = space.Compile(`(?i)\b(?:exhibit|ex)[\s.:#-]*\d+[\d.()a-z]*[\s.:–—-]+`)
	// titleEnd is what begins what is no longer the title.
	titleEnd = space.Compile(`(?i)[\s,(]+(?:dated\b|by and (?:between|among)\b|between\b|among\b|made (?:and|as|this|by)\b|entered into\b|effective (?:as of|date)\b|as of\b|with effect\b|` +
		`is (?:made|entered|dated)\b|\(?(?:the|this) ["“]|["“](?:the )?(?:agreement|amendment|contract)|this\b|the undersigned\b|reference is\b|whereas\b|table of contents\b|party a\b|party:|in connection with\b|_{3,}|-{3,}|- -{2,}|={3,}|\*{3,}|(?:[\w./-]+\s+){0,2}[\w./-]+:\s).*$`)
	// notTitle begins what is part of the text: a sentence, or a numbered section.
	notTitle = space.Compile(`(?i)^(?:dear|gentlemen|this|the|these|in|it|if|section|article|and|to|under|subject)\b|^\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s|^\d+\.\d+\s`)
	// preamble is how a contract names itself in its first sentence.
	preamble = space.Compile(`(?i:\bthis)\s+((?:[A-Z0-9&][\pL\d&’'./-]*,?\s+(?:(?:and|of|for|the|to|in|or|on|with|&|/)\s+)*){0,14}(?:` +
		`Agreement|Contract|Amendment|Lease|Addendum|Memorandum of Understanding|Deed|License|Plan|Note|Guaranty|` +
		`AGREEMENT|CONTRACT|AMENDMENT|LEASE|ADDENDUM|MEMORANDUM OF UNDERSTANDING|DEED|LICENSE|PLAN|NOTE|GUARANTY))\b(?:\s+(?:(?i:no\.?|number)\s*\S+))?`)
	// tail is what may follow the noun of a title.
	tail = space.Compile(`(?i)^\s*(?:(?:to|for|of|on|in|regarding|with|and|no\.?|number|relating|concerning|under)\s|[#(&/–—-]|[ivx]{1,4}$|\d{1,3}$|$)`)
	// owner is the name of a company before a title.
	owner        = space.Compile(`^.*\b(?i:inc|incorporated|corp|corporation|llc|ltd|limited|l\.p|llp|gmbh|plc)\b\.?,?\s+`)
	sentenceLike = space.Compile(`(?i)\b(?:shall|hereby|whereas|is made|are|was|were|has been|have|pursuant|portions|confidential treatment|omitted|filed|page\s+\d|signature page)\b`)
	contents     = space.Compile(`(?i)^table of contents|\.{4,}|\s\d+$`)
	connector    = regexp.MustCompile(`(?i)(?:\b(?:and|of|for|the|to|in|or|on|with|by)|[,&/–]|[^-]-)$`)
	leading      = regexp.MustCompile(`(?i)^(?:and|of|for|to|&|with|in|on)\b(?:[^:]|$)`)
	companyMark  = regexp.MustCompile(`(?i)\b(?:inc|incorporated|corp|corporation|llc|ltd|limited|l\.?p|llp|gmbh|plc|company|co)\b\.?`)
)

// Titles returns what the document calls itself, the most probable first. meta is
// the title that the file's properties give, "" for none: it counts only where the
// text has it.
func Titles(d *structure.Document, meta string) []Found[insightapi.Title] {
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
	return []Found[insightapi.Title]{best}
}

const (
	// minTitle is the confidence below which the name in the first sentence is taken.
	minTitle = 0.5
	// leastTitle is that below which what names a kind of document is no title.
	leastTitle = 0.35
)

// bestTitle returns the most probable of the lines and names that name a kind of
// document, or that the properties of the file name.
func bestTitle(d *structure.Document, lines []titleLine, meta string) (best Found[insightapi.Title]) {
	named := nameInPreamble(d)
	for _, c := range titleLines(d, lines) {
		if score := c.score(d, named); score > best.Confidence {
			best = c.found(d, score)
		}
	}
	if f, ok := metadataTitle(d, lines, meta); ok && best.Confidence < f.Confidence {
		best = f
	}
	if best.Confidence < minTitle && named.Len() > 0 {
		best = Found[insightapi.Title]{
			Item: insightapi.Title{Title: flat(d, named), TitleSource: insightapi.FromFirstLine}, Span: named,
			Reasoning: "The first sentence of the document calls it so.", Confidence: 0.62,
		}
	}
	return best
}

// plainTitle returns the first line if it is written as a title is, whatever kind of
// document it names.
func plainTitle(d *structure.Document, lines []titleLine) (none Found[insightapi.Title]) {
	if len(lines) == 0 {
		return none
	}
	l := lines[0]
	l.Span = titleSpan(d, l.Span)
	text := flat(d, l.Span)
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

// titleLine is a line, or several, that may be the title.
type titleLine struct {
	layout.Span
	// order counts the lines with text before it.
	order int
	// heading says that the document marks it as one.
	heading bool
}

// found returns the line as a title.
func (l titleLine) found(d *structure.Document, score float64) Found[insightapi.Title] {
	source, why := insightapi.FromHeading, "A line of its own at the beginning of the document names a kind of document."
	if l.order == 0 && !l.heading {
		source, why = insightapi.FromFirstLine, "The first line of the document names a kind of document."
	}
	return Found[insightapi.Title]{
		Item: insightapi.Title{Title: flat(d, l.Span), TitleSource: source}, Span: l.Span, Reasoning: why, Confidence: score,
	}
}

// score returns how probable it is that the line is the title: named is the name
// that the first sentence gives.
func (l titleLine) score(d *structure.Document, named layout.Span) float64 {
	text := flat(d, l.Span)
	score := 0.3
	switch {
	case strong.MatchString(text):
		score = 0.68
	case titleNoun.MatchString(text):
		score = 0.45
	}
	if l.heading {
		score += 0.06
	}
	if named.Len() > 0 {
		score += likeness(text, flat(d, named))
	}
	if !shouted(text) && !capitalized(text) {
		score -= 0.3
	}
	switch {
	case nounAlone(text) && (l.order > 0 || named.Len() > 0 || !shouted(text)):
		score = 0.4
	case l.order <= 1 && shouted(text) && kindAlone(text):
		score = max(score, 0.7)
	}
	if companyMark.MatchString(text) && !titleNoun.MatchString(text) {
		score -= 0.2
	}
	return min(max(score-0.004*float64(l.order), 0.05), 0.95)
}

// likeness returns what a line gains that reads as the first sentence names the
// document.
func likeness(line, named string) float64 {
	a, b := letters(line), letters(named)
	switch {
	case a == b:
		return 0.22
	case len(b) > len("agreement") && strings.Contains(a, b), len(a) > len("agreement") && strings.Contains(b, a):
		return 0.12
	}
	return 0
}

// letters returns the letters and digits of s in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func shouted(s string) bool { return strings.ToUpper(s) == s && letters(s) != "" }

// capitalized reports whether most words of s begin with a capital letter.
func capitalized(s string) bool {
	big, all := 0, 0
	for _, w := range strings.Fields(s) {
		if smallWords[strings.ToLower(w)] {
			continue
		}
		all++
		if r := []rune(w)[0]; !unicode.IsLower(r) {
			big++
		}
	}
	return 4*big >= 3*all
}

// titleLines returns the lines at the beginning that may be a title. Lines of one
// title are one.
func titleLines(d *structure.Document, lines []titleLine) []titleLine {
	var candidates []titleLine
	for i, l := range lines {
		if text := flat(d, l.Span); len(text) <= maxTitle {
			if contents.MatchString(text) {
				continue
			}
			l.Span = joined(d, lines, i)
		}
		if cut := titleSpan(d, l.Span); cut.Len() > 3 && cut.Len() <= maxTitle {
			l.Span = cut
			if t := flat(d, cut); titleNoun.MatchString(t) && !sentenceLike.MatchString(t) && !notTitle.MatchString(t) {
				candidates = append(candidates, l)
			}
		}
	}
	return candidates
}

// firstLines returns the lines with text of the beginning, outside of margins.
func firstLines(d *structure.Document) []titleLine {
	var lines []titleLine
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
				lines = append(lines, titleLine{layout.Span{Start: at, End: end}, len(lines), p.Kind == structure.Heading})
			}
			at = end + 1
		}
	}
	return lines
}

// joined returns the span of line i with those before and after it that belong to
// one title: a line that ends with a word that something follows, or one that
// begins with a word that something stands before.
func joined(d *structure.Document, lines []titleLine, i int) layout.Span {
	s := lines[i].Span
	for n := i - 1; n >= max(0, i-2); n-- {
		text, next := flat(d, lines[n].Span), flat(d, layout.Span{Start: s.Start, End: lines[n+1].End})
		if len(text) > maxTitle/2 || !connector.MatchString(text) && !leading.MatchString(next) && !nounAlone(next) {
			break
		}
		if !shouted(text) && !capitalized(text) || companyMark.MatchString(text) || exhibitMark.MatchString(text) || sentenceLike.MatchString(text) || titleNoun.MatchString(text) && nounAlone(next) {
			break
		}
		s.Start = lines[n].Start
	}
	for n := i + 1; n < min(len(lines), i+3); n++ {
		text, last := flat(d, lines[n].Span), flat(d, lines[n-1].Span)
		if len(text) > maxTitle/2 || !connector.MatchString(last) && !leading.MatchString(text) || strings.HasSuffix(strings.ToLower(last), "between") {
			break
		}
		if strings.HasSuffix(last, ",") && companyMark.MatchString(last) {
			break
		}
		s.End = lines[n].End
	}
	return s
}

// titleSpan returns the part of a line that is the title: without the mark of an
// exhibit or the name of a company before it, and without what follows a name, as
// "dated …".
func titleSpan(d *structure.Document, s layout.Span) layout.Span {
	text := d.Quote(cutSpan(d.Text, s))
	lead := len(text) - len(strings.TrimLeft(text, titleSpace+"#"))
	if m := firstExhibit.FindStringIndex(text[lead:min(len(text), lead+exhibitReach)]); m != nil && lead+m[1] < len(text) {
		lead += m[1]
	}
	if m := exhibitMark.FindString(text[lead:]); lead+len(m) < len(text) {
		lead += len(m)
	}
	text = text[lead:]
	if m := titleEnd.FindStringIndex(text); m != nil && m[0] > 0 {
		text = text[:m[0]]
	}
	if m := owner.FindString(text); m != "" && strong.MatchString(text[len(m):]) && !strong.MatchString(m) {
		lead, text = lead+len(m), text[len(m):]
	}
	if m := exhibitMark.FindString(text); len(m) < len(text) {
		lead, text = lead+len(m), text[len(m):]
	}
	if nouns := strong.FindAllStringIndex(text, -1); len(nouns) > 0 {
		if end := nouns[len(nouns)-1][1]; !tail.MatchString(text[end:]) {
			text = text[:end]
		}
	}
	text = strings.TrimRight(text, titleSpace+".,:;*-_–")
	return layout.Span{Start: s.Start + lead, End: s.Start + lead + len(text)}
}

// titleSpace is what no title begins with.
const titleSpace = " \t\n\r\u00a0\ufeff\x00"

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
func metadataTitle(d *structure.Document, lines []titleLine, meta string) (f Found[insightapi.Title], ok bool) {
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

// trimmed returns a span without white space at its ends.
func trimmed(d *structure.Document, s layout.Span) layout.Span {
	text := d.Quote(s)
	s.Start += len(text) - len(strings.TrimLeft(text, titleSpace))
	s.End -= len(text) - len(strings.TrimRight(text, titleSpace))
	return s
}

// maxTitleLines is how many lines a title takes.
const maxTitleLines = 3

func fromMetadata(d *structure.Document, s layout.Span, confidence float64) Found[insightapi.Title] {
	return Found[insightapi.Title]{
		Item: insightapi.Title{Title: flat(d, s), TitleSource: insightapi.FromMetadata}, Span: s,
		Reasoning: "The properties of the file name it so, and the text has it.", Confidence: confidence,
	}
}
