// Package keydates finds the role of each date in a contract: when it is made, takes
// effect, ends or is renewed, when notice must be given and when payments are due.
package keydates

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Limits for the text read around a date, in bytes.
const (
	dateReach = 220
	// lineReach is the maximum white space on the line of a date that stands alone.
	lineReach = 160
	// partiesReach is the maximum length of a list of the parties before the date of a contract.
	partiesReach = 500
	// opening is the size of the beginning of the document, in which the contract's own
	// date is expected.
	opening = 6000
)

// Find returns the dates of the document with their roles in the contract. A date with
// two roles is returned twice. An end date that follows from a start date and a term is
// located at the term.
func Find(d *structure.Document) []finding.Found[insightapi.Date] {
	var found []finding.Found[insightapi.Date]
	for _, at := range ordered(d, date.Find(d.Text, finding.MaxItems)) {
		if passage.InBody(d, at.Start) {
			found = append(found, kindsOfDate(d, at)...)
		}
	}
	lastSigned(d, found)
	found = append(found, executions(d, found)...)
	named := namedDays(d, found)
	found = append(found, effectives(d, found, named)...)
	found = append(found, expirations(d, found, named)...)
	found = append(found, onlyPeriod(d, found)...)
	return finding.ByPlace(found)
}

// hours removes the stops of hours of the day, which end no sentence.
var hours = strings.NewReplacer("a.m.", "am", "p.m.", "pm")

// lastDay matches the words before a month whose last day is meant.
var lastDay = regexp.MustCompile(`\s*\b(?:the )?(?:last day|end) of(?: the month of)?$`)

// kindsOfDate returns a date once for each role that its context gives it.
func kindsOfDate(d *structure.Document, at date.Date) []finding.Found[insightapi.Date] {
	before, after := passage.Around(d, at.Span, dateReach)
	if at.Day == 0 && lastDay.MatchString(before) {
		at.Day = at.Time().AddDate(0, 1, -1).Day()
		before = lastDay.ReplaceAllString(before, "")
	}
	s, before := signIn(d, at, before, after)
	if attached(d, at.Span) {
		s.confidence *= attachedFactor
	}
	found := []finding.Found[insightapi.Date]{dateItem(at, s)}
	if at.Start > opening || referred(before) {
		return found
	}
	switch {
	case s.kind == insightapi.DateEffective && madeOn(d, at, before):
		s.kind, s.label, s.confidence = insightapi.DateExecution, "Date of the agreement", 0.88
		s.why = "The agreement is made as of this date."
	case s.kind == insightapi.DateExecution && both.MatchString(before) && !onlyDated(before):
		s.kind, s.label, s.confidence = insightapi.DateEffective, "Effective date", 0.7
		s.why = "The agreement is made as of this date, so it presumably also takes effect then."
	default:
		return found
	}
	return append(found, dateItem(at, s))
}

// signIn returns the sign of a date, and the text before it that is about it: in a row, the rest
// of the line is about something else.
func signIn(d *structure.Document, at date.Date, before, after string) (sign, string) {
	r, ok := rowOf(d, at)
	if !ok {
		before = strings.TrimSuffix(hours.Replace(passage.WithLabel(d, at.Span, before)), " the")
		return roleOf(d, at, before, after), before
	}
	before = strings.TrimSuffix(hours.Replace(r.label+": "+r.lead), " the")
	if s, ok := signOfRow(d, at, r); ok {
		return s, before
	}
	return roleOf(d, at, before, after), before
}

// madeOn reports whether the agreement is made on the day on which it takes effect.
func madeOn(d *structure.Document, at date.Date, before string) bool {
	return made.MatchString(before) && !partOf.MatchString(before) && !otherDay.MatchString(before) ||
		madeBetween.MatchString(passage.Lower(d.Text[max(0, at.Start-partiesReach):at.Start]))
}

// roleOf returns the sign for a date from the text around it and from its place in the
// document.
func roleOf(d *structure.Document, at date.Date, before, after string) sign {
	s := signOf(at, before, after)
	if s.kind == insightapi.DateOther && s.label == unknown.label && alone(d, at) {
		s = standing(d, at)
	} else if s.kind == insightapi.DateOther && s.label == unknown.label && (signedAt(d, at) || inColumn(d, at)) {
		s = signing
	}
	if s.kind == insightapi.DateExecution && s.opening && own.MatchString(before) {
		s.confidence = 0.92
	}
	if s.kind == insightapi.DateExpiration && endsContract(before) {
		s.confidence, s.why = max(s.confidence, 0.8), "The text before the date says when the contract ends."
	}
	return s
}

// cellGap matches the separator between the label of a row and its date, weekday a day of the week before a
// date, and dating a label that only introduces a date.
var (
	cellGap = regexp.MustCompile(`\S(?::|\s{3,}|\t)\s*$`)
	weekday = regexp.MustCompile(`(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s*(?:the\s*)?$`)
	dating  = regexp.MustCompile(`(?i)\b(?:dated?|effective|as of|signed|made|concluded|on|this)\b`)
)

// alone reports whether a date has a line of its own, except for a word before it such as
// "Date:".
func alone(d *structure.Document, at date.Date) bool {
	if besideOthers(d, at) || continues(d, at) {
		return false
	}
	before := d.Text[max(0, at.Start-lineReach):at.Start]
	after := d.Text[at.End:min(len(d.Text), at.End+lineReach)]
	line := strings.LastIndexByte(before, '\n')
	rest, _, ended := strings.Cut(after, "\n")
	lead := weekday.ReplaceAllString(passage.OneLine(before[line+1:]), "")
	if m := cellGap.FindStringIndex(before[line+1:]); m != nil && !dating.MatchString(lead) {
		return false // the label of a row is before it
	}
	return (line >= 0 || len(before) < lineReach) && (ended || len(after) < lineReach) &&
		(len(lead) <= len("Dated as of: ") || placed.MatchString(before)) && !strings.ContainsAny(lead, "0123456789") && len(strings.TrimSpace(rest)) <= 2
}

// besideOthers reports whether a date is in a table, in a row with other cells. Such a date says what
// the head of its column or row says.
func besideOthers(d *structure.Document, at date.Date) bool {
	n := 0
	for _, cell := range d.Row(at.Span) {
		if cell.Len() > 0 {
			n++
		}
	}
	return n > 1
}

// continues reports whether the line of a date continues a sentence of the line above.
func continues(d *structure.Document, at date.Date) bool {
	before := d.Text[max(0, at.Start-2*lineReach):at.Start]
	i := strings.LastIndexByte(before, '\n')
	if i < 0 {
		return false
	}
	above := strings.TrimRight(before[:i], " \t\r")
	above = strings.TrimSpace(above[strings.LastIndexByte(above, '\n')+1:])
	if len(above) < leastWrapped || !strings.HasSuffix(strings.TrimRight(before[:i], " \t\r"), above) || strings.Contains(above, "   ") {
		return false // another paragraph, or a heading with columns
	}
	last := above[len(above)-1]
	return last >= 'a' && last <= 'z' || last == ','
}

// leastWrapped is the least length of a line whose text continues on the next one, in bytes.
const leastWrapped = 50

// standing returns the role of a date on a line of its own: near the beginning it is the
// date of the document, next to a signature block that of signing.
func standing(d *structure.Document, at date.Date) sign {
	if at.Start <= opening {
		before := strings.ToLower(d.Text[max(0, at.Start-lineReach):at.Start])
		if strings.HasPrefix(strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:]), "effective") {
			return sign{kind: insightapi.DateEffective, label: "Effective date", why: "A line near the beginning of the document says that it is effective on this date.", confidence: 0.8}
		}
		return sign{kind: insightapi.DateExecution, label: "Date of the document", why: "This date is on a line of its own near the beginning of the document.", confidence: 0.72}
	}
	for _, s := range d.Signatures {
		if s.Start-200 <= at.Start && at.End <= s.End+200 {
			return signing
		}
	}
	return unknown
}

// atPlace matches the place before the date on which a contract is signed there: "Munich, den".
const atPlace = `(?:(?:In|At)\s)?\p{Lu}[\pL ./&-]{2,40},\s*(?:on\s)?(?:(?:the|den|le|il)\s)?`

// placed matches the text before such a date. placedAfter and placedBefore match a second place on
// the same line, which another party signs at.
var (
	placed       = regexp.MustCompile(`(?:^|\n|\s{3})\s*` + atPlace + `$`)
	placedAfter  = regexp.MustCompile(`^[ \t]{3,}(?:` + atPlace + `|\p{Lu}[\pL-]{2,20} )\d`)
	placedBefore = regexp.MustCompile(`\d[ \t]{3,}(?:` + atPlace + `|\p{Lu}[\pL-]{2,20} )$`)
	// placedAlone matches a place without a comma.
	placedAlone = regexp.MustCompile(`(?:^|\n)[ \t]*\p{Lu}[\pL-]{2,20} $`)
)

// signedAt reports whether a date follows a place, beside another date and place, above a signature
// block, or at the end.
func signedAt(d *structure.Document, at date.Date) bool {
	before := d.Text[max(0, at.Start-lineReach):at.Start]
	if at.Start <= opening && len(d.Text) > 2*opening || !placed.MatchString(before) && !placedAlone.MatchString(before) && !placedBefore.MatchString(before) {
		return false
	}
	if placedBefore.MatchString(before) || placedAfter.MatchString(d.Text[at.End:min(len(d.Text), at.End+lineReach)]) {
		return true
	}
	return placed.MatchString(before) && (len(d.Text)-at.End <= lineReach || slices.ContainsFunc(d.Signatures, func(s structure.Signature) bool { return at.End <= s.Start && s.Start-at.End <= 2*lineReach }))
}

// inColumn reports whether a date is on a line of dates at the end of a document: below the signature of
// each party is the day on which it signed.
func inColumn(d *structure.Document, at date.Date) bool {
	before, ok := lineBefore(d, at)
	after, _, ended := strings.Cut(d.Text[at.End:min(len(d.Text), at.End+lineReach)], "\n")
	if !ok || !ended && len(d.Text)-at.End > lineReach || len(d.Text)-at.End > afterSignatures {
		return false
	}
	before, after = strings.TrimSpace(before), strings.TrimSpace(after)
	return before+after != "" && (before == "" || onlyDate(before)) && (after == "" || onlyDate(after))
}

// afterSignatures is the maximum length of the text after the dates below signatures, in bytes.
const afterSignatures = 400

// onlyDate reports whether a text is a date and nothing else.
func onlyDate(text string) bool {
	found := date.Find(text, 1)
	return len(found) == 1 && found[0].Start == 0 && found[0].End == len(text)
}

// lastSigned makes the last date of signing the most probable: an agreement is made when
// the last party signs it. Dates beside the signatures are dates of signing, too, if no other
// date of the agreement is as probable.
func lastSigned(d *structure.Document, dates []finding.Found[insightapi.Date]) {
	last, elsewhere := -1, 0.0
	offer := offered.MatchString(passage.Lower(d.Text[:min(len(d.Text), titleReach)])) || onSigning(d)
	for i, f := range dates {
		if f.Item.DateType != insightapi.DateExecution || f.Item.DateEpochMS == nil {
			continue
		}
		if f.Item.DateLabel != signing.label && !bySignature(d, f.Span) {
			if offer && f.Confidence < 0.8 {
				dates[i].Confidence = offerFactor * f.Confidence
			}
			elsewhere = max(elsewhere, dates[i].Confidence)
		} else if last < 0 || *f.Item.DateEpochMS > *dates[last].Item.DateEpochMS {
			last = i
		}
	}
	if last < 0 {
		return
	}
	most := 0.69
	for _, f := range dates {
		if f.Item.DateType == insightapi.DateExecution && f.Confidence > elsewhere {
			most = max(most, f.Confidence)
		}
	}
	if dates[last].Item.DateLabel == signing.label || most > elsewhere {
		limit := 0.76
		if elsewhere < 0.69 {
			limit = 0.9
		}
		dates[last].Confidence = max(dates[last].Confidence, min(most+0.01, limit))
	}
}

// offered matches the title of an offer, which is dated before it is accepted.
var offered = regexp.MustCompile(`\b(?:quotation|proposal|estimate) (?:and|&) acceptance\b|\b(?:this|our) (?:quotation|proposal|estimate|quote)\b`)

// onSigning reports whether the beginning of a document says that it becomes a contract when it is signed.
func onSigning(d *structure.Document) bool {
	return slices.ContainsFunc(d.Sentences[:min(len(d.Sentences), maxBeginning)], func(s structure.Sentence) bool { return bySigning.MatchString(s.Lower) })
}

// maxBeginning is the number of sentences of that beginning.
const maxBeginning = 200

// bySigning matches a sentence that makes a document a contract once it is signed or returned.
var bySigning = regexp.MustCompile(`\bwhen (?:it|the copy|your copy|this) (?:reaches|comes back|is back|returns|is signed)\b[^.;]{0,40}\b(?:contract|agreement|bound)\b|\b(?:contract|agreement|bind(?:s|ing)?|bound)\b[^.;]{0,60}\b(?:from the (?:day|date)|when|once|as soon as)\b[^.;]{0,60}\b(?:sign\w*|countersign\w*|return\w*|reach\w*|accept\w*)\b|\bif (?:you agree|you are happy|it is right|this is right|that is right|this suits)\b[^.;]{0,80}\bsign`)

// offerFactor is how much less probable it is that a contract was made on the day of the offer.
const offerFactor = 0.8

// bySignature reports whether a span is in a signature block or on the lines above one.
func bySignature(d *structure.Document, at layout.Span) bool {
	return slices.ContainsFunc(d.Signatures, func(s structure.Signature) bool { return s.Start-2*lineReach <= at.Start && at.End <= s.End })
}

// executions returns the date of the agreement if no date has that role yet: the
// effective date near the beginning or where the agreement names itself, or else the last date in a signature block.
func executions(d *structure.Document, dates []finding.Found[insightapi.Date]) []finding.Found[insightapi.Date] {
	if slices.ContainsFunc(dates, func(f finding.Found[insightapi.Date]) bool { return f.Item.DateType == insightapi.DateExecution }) {
		return nil
	}
	last := -1
	for i, f := range dates {
		if f.Item.DateEpochMS == nil {
			continue
		}
		if f.Item.DateType == insightapi.DateEffective && (f.Span.Start <= opening || ofItself(d, f.Span)) {
			last = i
			break
		}
		if inSignature(d, f.Span) {
			last = i
		}
	}
	if last < 0 {
		return nil
	}
	f := dates[last]
	f.Item.DateType, f.Item.DateLabel, f.Confidence = insightapi.DateExecution, "Date of the agreement", 0.6
	f.Reasoning = "No separate date of the agreement was found."
	return []finding.Found[insightapi.Date]{f}
}

// attachedFactor is how much less probable a role is for a date in an attachment, which
// may be a form or another contract.
const attachedFactor = 0.7

// attached reports whether a span is in an exhibit that follows the beginning of the
// contract. The contract itself is often filed as an exhibit.
func attached(d *structure.Document, at layout.Span) bool {
	return slices.ContainsFunc(d.Exhibits, func(x structure.Exhibit) bool {
		return x.Start > opening && x.Start <= at.Start && at.End <= x.End
	})
}

// ofItself reports whether the agreement names itself before a date.
func ofItself(d *structure.Document, at layout.Span) bool {
	before, _ := passage.Around(d, at, dateReach)
	return own.MatchString(before) && !referred(before)
}

// dateItem returns a date as an item.
func dateItem(at date.Date, s sign) finding.Found[insightapi.Date] {
	if at.Ambiguous {
		s.confidence, s.why = min(s.confidence, maxOpenOrder), s.why+" It is unclear whether the day or the month comes first."
	}
	item := insightapi.Date{DateType: s.kind, DateLabel: s.label, DateValue: at.Value()}
	if item.DateValue != "" {
		ms := at.Time().UnixMilli()
		item.DateEpochMS = &ms
	} else {
		item.DateValue = at.Time().Format("January 2006")
		s.confidence *= 0.9
	}
	return finding.Found[insightapi.Date]{Item: item, Span: at.Span, Reasoning: s.why, Confidence: s.confidence}
}
