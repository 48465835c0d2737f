package questions

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/keydates"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// expiry returns when the contract ends: the day, or the sentences that state its term.
func expiry(d *source) []evidence {
	all := dated(insightapi.DateExpiration)(d)
	for _, e := range termOf(d.Document) {
		e.value = ""
		all = append(all, e)
	}
	return all
}

// lasting returns how long the contract lasts: the length of its term as the document writes
// it, or the sentences that state the term in another way. A day that another rule counted
// from a period is no evidence besides a sentence that states the term.
func lasting(d *source) []evidence {
	all := termOf(d.Document)
	stated := len(all) > 0
	for _, f := range keydates.Find(d.Document) {
		if f.Item.DateType != insightapi.DateExpiration {
			continue
		}
		s := sentenceOf(d.Document, f.Span)
		if i := slices.IndexFunc(all, func(e evidence) bool { return e.Overlaps(s) }); i >= 0 {
			all[i].confidence = max(all[i].confidence, f.Confidence)
			continue
		}
		if stated && f.Item.DateLabel == keydates.EndOfTerm {
			continue
		}
		length, _ := clauses.LengthIn(plainly(d.Document, s))
		all = append(all, evidence{Span: s, value: saysLong(d.Document, s, length), why: f.Reasoning, confidence: f.Confidence})
	}
	return all
}

// termOf returns the sentences that state the term. A contract about confidentiality that
// states none lasts as long as the duty to keep information confidential.
func termOf(d *structure.Document) []evidence {
	var all []evidence
	for _, s := range statements(d) {
		if len(all) >= finding.MaxItems {
			break
		}
		if t := clauses.TermIn(plainly(d, s)); t.Stated {
			all = append(all, evidence{Span: s, value: saysLong(d, s, t.Length), why: "The sentence says how long the contract lasts.", confidence: 0.62})
		}
	}
	if len(all) == 0 && keepsSecrets(d) {
		return dutyAsTerm(d)
	}
	return all
}

// statements yields the sentences that may state a term or a duty, by their index, as far as
// they go on.
func statements(d *structure.Document) iter.Seq2[int, layout.Span] {
	return func(yield func(int, layout.Span) bool) {
		for i := range d.Sentences {
			if s, ok := stating(d, i); ok && !yield(i, s) {
				return
			}
		}
	}
}

// saysLong returns the words of a sentence that say how long the contract lasts: the length p,
// or the anniversary on which it ends, or else all of the sentence.
func saysLong(d *structure.Document, s layout.Span, p period.Period) string {
	text := passage.Text(d, s)
	return cmp.Or(written(d, s, p), anniversary.FindString(text), text)
}

// anniversary matches the anniversary of a day.
var anniversary = regexp.MustCompile(`\b[\pL-]+(?: ?\(\w{1,5}\))? anniversary of [^,.;()]{3,60}`)

// stating returns the span of the sentence with index i, with the next one if it goes on
// there: "until the earliest of: (a) one year after the start". It returns false for a
// sentence that states no term: a heading, or one that is too long.
func stating(d *structure.Document, i int) (layout.Span, bool) {
	s := d.Sentences[i]
	if !inText(d, s) || s.Len() > passage.MaxSentence {
		return layout.Span{}, false
	}
	if i+1 == len(d.Sentences) || stops.MatchString(d.Text[max(s.Start, s.End-maxEnd):s.End]) {
		return s.Span, true
	}
	next := d.Sentences[i+1]
	first, _ := utf8.DecodeRuneInString(itemNumber.ReplaceAllString(passage.Text(d, next.Span), ""))
	if next.End-s.Start <= maxJoined && inText(d, next) && unicode.IsLower(first) {
		s.End = next.End
	}
	return s.Span, true
}

// inText reports whether a sentence is neither a heading nor in a margin.
func inText(d *structure.Document, s structure.Sentence) bool {
	kind := d.Paragraphs[s.Paragraph].Kind
	return kind != structure.Heading && kind != structure.Margin
}

// stops matches the end of a sentence that does not go on.
var stops = regexp.MustCompile(`[.;!?]\W*$`)

// unbracketed removes the brackets around what the parties to a template may change:
// "[two (2)] years".
var unbracketed = strings.NewReplacer("[", " ", "]", " ")

// plainly returns a passage in lower case without brackets.
func plainly(d *structure.Document, s layout.Span) string {
	return passage.OneLine(unbracketed.Replace(passage.LowerText(d, s)))
}

// written returns a period of what plainly returns as the document writes it, "" for none.
func written(d *structure.Document, s layout.Span, p period.Period) string {
	text := passage.OneLine(unbracketed.Replace(passage.Text(d, s)))
	own, lower := period.Find(text, maxPeriods), period.Find(plainly(d, s), maxPeriods)
	if i := slices.Index(lower, p); i >= 0 && len(own) == len(lower) {
		return text[own[i].Start:own[i].End]
	}
	return ""
}

// maxPeriods is the maximum number of periods read of a sentence.
const maxPeriods = 12
