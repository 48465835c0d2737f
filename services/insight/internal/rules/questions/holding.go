package questions

import (
	"sort"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Patterns for what a sentence contains.
var (
	percentage = regexp.MustCompile(`(?i)\d\s?%|\bper ?cent`)
	quantity   = regexp.MustCompile(`(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|no|none)\b`)
	somebody   = regexp.MustCompile(`[^.!?\s]\s+["“(]?\pL*\p{Lu}|^(?:The\s+)?\p{Lu}[\pL-]+\s+(?:shall|will|must|may|agrees?|is|are|has)\b|\b(?i:part(?:y|ies))\b`)
	event      = regexp.MustCompile(`(?i)\b(?:upon|after|before|prior to|at the end of|on the (?:date|day)|immediately|annually|monthly|quarterly|each|every)\b`)
	witness    = regexp.MustCompile(`(?i)\bin witness\s+where?of\b`)
	letterLow  = regexp.MustCompile(`\b\p{Ll}{3,}`)
)

// holds reports whether a text can answer the question: for a day it needs a date or a
// time, for a price an amount.
func (a *asking) holds(text string) bool {
	switch a.kind {
	case length:
		return len(period.Find(text, 1)) > 0 || len(date.Find(text, 1)) > 0
	case amount, share:
		return percentage.MatchString(text) || len(money.Find(text, 1)) > 0
	case day:
		return event.MatchString(text) || len(period.Find(text, 1)) > 0 || len(date.Find(text, 1)) > 0
	case count:
		return quantity.MatchString(text)
	case agent:
		return somebody.MatchString(text)
	case anything, ruling, place, verdict:
	}
	return true
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
