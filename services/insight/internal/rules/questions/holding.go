package questions

import (
	"regexp"
	"sort"
	"strings"

	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Patterns for what a question asks for, on one line in lower case.
var (
	asksLength = regexp.MustCompile(`\bhow (?:long|many (?:days|weeks|months|years)|much (?:time|notice))\b|\b(?:notice|cure|payment|trial|warranty) period\b`)
	asksDay    = regexp.MustCompile(`^when\b|\b(?:what|which|by what) (?:date|day)\b|\bby when\b|\bdeadline\b|\buntil when\b`)
	asksAmount = regexp.MustCompile(`\bhow much\b|\b(?:what|which) (?:is|are|was|were)\b.{0,50}\b(?:price|fees?|costs?|rent|salary|rate|percentage|deposit|amount|penalty|bonus|interest|discount)\b`)
	asksCount  = regexp.MustCompile(`\bhow many\b`)
	asksWho    = regexp.MustCompile(`^who\b|^(?:to )?whom\b|\bwhich (?:party|company|person)\b`)
)

// Patterns for what a sentence contains.
var (
	percentage = regexp.MustCompile(`(?i)\d\s?%|\bper ?cent`)
	count      = regexp.MustCompile(`(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|no|none)\b`)
	somebody   = regexp.MustCompile(`[^.!?\s]\s+["“(]?\pL*\p{Lu}|^(?:The\s+)?\p{Lu}[\pL-]+\s+(?:shall|will|must|may|agrees?|is|are|has)\b|\b(?i:part(?:y|ies))\b`)
	event      = regexp.MustCompile(`(?i)\b(?:upon|after|before|prior to|at the end of|on the (?:date|day)|immediately|annually|monthly|quarterly|each|every)\b`)
	witness    = regexp.MustCompile(`(?i)\bin witness\s+where?of\b`)
	letterLow  = regexp.MustCompile(`\b\p{Ll}{3,}`)
)

// holding returns a function that reports whether a text can answer a question in lower
// case: for a day it needs a date or a time, for a price an amount.
func holding(question string) func(text string) bool {
	switch {
	case asksLength.MatchString(question):
		return func(s string) bool { return len(period.Find(s, 1)) > 0 || len(date.Find(s, 1)) > 0 }
	case asksAmount.MatchString(question):
		return func(s string) bool { return percentage.MatchString(s) || len(money.Find(s, 1)) > 0 }
	case asksDay.MatchString(question):
		return func(s string) bool {
			return event.MatchString(s) || len(period.Find(s, 1)) > 0 || len(date.Find(s, 1)) > 0
		}
	case asksCount.MatchString(question):
		return count.MatchString
	case asksWho.MatchString(question):
		return somebody.MatchString
	}
	return func(string) bool { return true }
}

// answering reports whether a sentence can answer any question. Headings, names and
// signature blocks cannot.
func answering(d *structure.Document, s structure.Sentence) bool {
	if kind := d.Paragraphs[s.Paragraph].Kind; kind == structure.Heading || kind == structure.Margin {
		return false
	}
	block := sort.Search(len(d.Signatures), func(i int) bool { return d.Signatures[i].End > s.Start })
	if block < len(d.Signatures) && d.Signatures[block].Overlaps(s.Span) {
		return false
	}
	text := d.Quote(passage.Cut(d.Text, s.Span))
	return !witness.MatchString(text) && (letterLow.MatchString(text) || len(strings.Fields(text)) > 12)
}
