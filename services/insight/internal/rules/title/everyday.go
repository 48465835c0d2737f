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

var (
	// everydayNoun matches what small firms and private people call their papers, or what these are about.
	everydayNoun = regexp.MustCompile(`(?i)\b(?:forms?|slip|ticket|voucher|sheet|memo|quote|quotation|order|confirmation|offer|receipt|minutes|rules|conditions|terms|guarantee|warranty|booking|hire|loan|sale|swap|` +
		`sharing|share|rental|renting|letting|let|sponsorship|settlement|barter|i\.?o\.?u\.?|indenture|recap|release|retainer|tuition|lessons|lodging|storage|deal|enrolment|membership|traineeship|engagement|commission|what we agreed|understanding)(?:$|[^\pL])`)
	// dateline matches a line with a day or a date, such as the place and date of a letter.
	dateline = regexp.MustCompile(`(?i)\b(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b[.,]?(?:[ ,.]*(?:\d{1,4}|['’]\d\d)\b.{0,6})?$`)
	// everydayBreak matches what is between the name of a firm and a title on one line, or between a
	// title and its number.
	everydayBreak = regexp.MustCompile(`\s[–—|-]{1,2}\s|\s{3,}|\t`)
	// numbering matches the number or the date of a paper at the end of its title.
	numbering = regexp.MustCompile(`(?i)[\s,(]*\b(?:no|nr|number|ref)\b\.?.*$`)
)

const (
	// everydayLines is how many lines at the beginning may have such a title.
	everydayLines = 4
	// maxEveryday is the maximum number of its words, and leastEveryday the minimum of its letters.
	maxEveryday, leastEveryday = 11, 3
	// everydayConfidence is the confidence of a title that names a paper, and aloneConfidence that of a
	// first line that only stands alone.
	everydayConfidence, aloneConfidence = 0.48, 0.35
)

// everydayTitle returns the first line near the beginning that names a paper of everyday life: "BOOKING FORM",
// "Horse sharing – our rules for Fleur".
func everydayTitle(d *structure.Document, lines []line) (f finding.Found[insightapi.Title], ok bool) {
	for _, l := range lines[:min(len(lines), everydayLines)] {
		for _, s := range everydayParts(d, l.Span) {
			if text := passage.Text(d, s); everydayNoun.MatchString(text) && mayBeEveryday(text) {
				l.Span = s
				f = l.found(d, everydayConfidence)
				f.Reasoning = "A line near the beginning calls the document by what it is about."
				return f, true
			}
		}
	}
	return f, false
}

// everydayParts returns the line if all of it may be a title, or else its parts.
func everydayParts(d *structure.Document, s layout.Span) (parts []layout.Span) {
	text := d.Quote(s)
	if gap := wideGap.FindStringIndex(text); gap == nil {
		parts = append(parts, trimmed(d, s))
	}
	start := 0
	for _, m := range append(everydayBreak.FindAllStringIndex(text, maxParts), []int{len(text), len(text)}) {
		part := layout.Span{Start: s.Start + start, End: s.Start + m[0]}
		part.End -= len(numbering.FindString(d.Text[part.Start:part.End]))
		parts = append(parts, trimmed(d, part))
		start = m[1]
	}
	// A firm's name before a dash is no part of the title.
	if len(parts) > 2 && !everydayNoun.MatchString(d.Quote(parts[1])) {
		parts = parts[1:]
	}
	return parts
}

// mayBeEveryday reports whether a text may be such a title rather than a sentence, a label, a date or an
// address.
func mayBeEveryday(text string) bool {
	words := len(strings.Fields(text))
	first, _ := utf8.DecodeRuneInString(text)
	return words > 0 && words <= maxEveryday && len(letters(text)) >= leastEveryday && unicode.IsLetter(first) && !unicode.IsLower(first) && !strings.ContainsAny(text, "@_[;|<>") &&
		!strings.HasSuffix(text, ":") && !strings.HasSuffix(text, ",") && !(strings.HasSuffix(text, ".") && !strings.HasSuffix(strings.ToLower(text), "i.o.u.")) &&
		!sentenceLike.MatchString(text) && !dateline.MatchString(text) && !salutation.MatchString(text) && !mailHeader.MatchString(text)
}

// aloneTitle returns the first line if it stands alone, is short and is no sentence, even if its words are
// in lower case: "Winter place on land".
func aloneTitle(d *structure.Document, lines []line) (none finding.Found[insightapi.Title], ok bool) {
	if len(lines) < 2 {
		return none, false
	}
	l := lines[0]
	l.Span = trimmed(d, l.Span)
	text := passage.Text(d, l.Span)
	if !blankLine.MatchString(d.Text[lines[0].End:min(len(d.Text), lines[0].End+maxBareSubject)]) || !mayBeEveryday(text) || len(wordOfTitle.FindAllString(text, 2)) < 2 || notTitle.MatchString(text) ||
		companyMark.MatchString(text) || strings.ContainsAny(text, "?!:()") {
		return none, false
	}
	f := l.found(d, aloneConfidence)
	f.Reasoning = "The document begins with a line that stands alone."
	return f, true
}
