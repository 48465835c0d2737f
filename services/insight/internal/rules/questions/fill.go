package questions

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// fill sets the value of an answer whose span is a sentence: the bare value that the
// question asks for, or else the sentence. within is the part of the sentence that supports
// the answer. clause means that the sentence is a clause of the kind in question.
func (a *asking) fill(d *structure.Document, f *finding.Found[insightapi.PromptAnswer], within layout.Span, clause bool) {
	text := passage.Text(d, f.Span)
	value := a.bare(d, within, f.Span)
	if value == "" && clause && existence.MatchString(a.text) && !lacking.MatchString(text) {
		value = yes
	}
	if value == "" {
		value = text
	}
	a.set(f, value)
}

// set sets the value of an answer. A yes or no is less sure than what it rests on.
func (*asking) set(f *finding.Found[insightapi.PromptAnswer], value string) {
	if value == yes || value == no {
		f.Confidence = min(f.Confidence, verdictMost)
		f.Reasoning += " It seems to answer the question with " + strings.ToLower(value) + "."
	}
	f.Item.Value = &value
}

// introduce completes an answer that is a list item with the sentence that introduces the
// list, since the item alone says little. The quote has both, unless that is too long or a
// better answer has a part of it. The value has both if the item continues the sentence.
func (a *asking) introduce(d *structure.Document, f *finding.Found[insightapi.PromptAnswer], lead layout.Span, better []finding.Found[insightapi.PromptAnswer]) {
	item := passage.Text(d, f.Span)
	both := layout.Span{Start: lead.Start, End: f.Span.End}
	joined := both.Len() <= maxJoined && !overlaps(better, both)
	if joined {
		f.Span = both
	}
	rest := itemNumber.ReplaceAllString(item, "")
	if first, _ := utf8.DecodeRuneInString(rest); *f.Item.Value != item || !unicode.IsLower(first) {
		return
	}
	intro := passage.Text(d, lead)
	f.Item.Value = new(intro + " " + item)
	if !joined || a.kind != agent && a.kind != verdict {
		return
	}
	if value := a.valueIn(strings.TrimRight(intro, ":：-–— ") + " " + rest); value != "" {
		a.set(f, value)
	}
}

// maxJoined is the maximum length in bytes of a quote of a list from its introduction to
// an item.
const maxJoined = 1000

// itemNumber matches the number of a list item.
var itemNumber = regexp.MustCompile(`^\W*(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]\s*`)

// Patterns for questions whether the document has a clause, and for sentences that deny it.
var (
	existence = regexp.MustCompile(`^(?:is|are) there (?:an? |any )|^(?:does|do) (?:the|this) (?:[a-z]+ )?(?:agreement|contract|lease|document|nda|policy|deal) (?:contain|include|have|provide for)\b`)
	lacking   = regexp.MustCompile(`(?i)^[\W\d]*no\b|\b(?:no such|there (?:is|are|shall be|will be) no|nothing in|does not (?:contain|include|create|grant|provide|impose)|non-exclusive|not applicable|n/a|none)\b`)
)

// settled returns the answers with whole sentences as values if some say yes and others no.
func settled(d *structure.Document, found []finding.Found[insightapi.PromptAnswer]) []finding.Found[insightapi.PromptAnswer] {
	said := map[string]bool{}
	for _, f := range found {
		said[*f.Item.Value] = true
	}
	if said[yes] && said[no] {
		for i := range found {
			found[i].Item.Value = new(passage.Text(d, found[i].Span))
			found[i].Reasoning = "The sentences that match the question say different things."
		}
	}
	return found
}

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
	return !witness.MatchString(text) && (letterLow.MatchString(text) || row.MatchString(text) && money.Find(text, 1) != nil || len(strings.Fields(text)) > 12)
}
