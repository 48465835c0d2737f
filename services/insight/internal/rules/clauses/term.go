package clauses

import (
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
)

// Term is what a sentence says about how long the contract lasts. A Term without Length ends on
// a day or with an event, or has no end.
type Term struct {
	Length period.Period
	// Stated reports that the sentence says how long the contract lasts.
	Stated bool
}

// Patterns for sentences about the term, on one line in lower case.
var (
	// termOf matches what lasts: the contract, or its term.
	termOf = regexp.MustCompile(`\b(?:terms? of (?:this|the)|(?:initial|original|primary|the|its|a) (?:(?:initial|original|primary|contract|cooperation|agreement|lease|licen[sc]e) )?term\b|(?:the )?duration of (?:this|the)|this (?:[\w-]+ ){0,4}(?:agreement|contract|lease|nda|cda|deed|undertaking|engagement)\b|^[^a-z]*(?:the|your|our) (?:agreement|contract|lease|licen[sc]e|engagement|appointment|employment|subscription|services?|project|tenancy|hire|arrangement|mou|memorandum|placement)\b)`)
	// within matches the text before a term or contract that the sentence only refers to.
	within = regexp.MustCompile(`\b(?:during|throughout|after|following|of|for|under|pursuant to|in|to|by|with|from|on|upon|while|when|as long as|so long as)(?: (?:the|any|each)){0,2} $`)
	// lastsFor matches the verb with which a sentence says how long something lasts.
	lastsFor = regexp.MustCompile(`^[^.;]{0,120}?\b(?:for|be|is|has|have|until|through|continue\w*|remain\w*|last|lasts|runs?|expires?|expiring|end|ends|terminates?|ceases?|lapses?|commenc\w+|begins?|starts?|valid|in (?:full )?(?:force|effect)|perpetual)\b`)
	// otherThing matches the words before the length of something else.
	otherThing = regexp.MustCompile(`\b(?:surviv\w+|confidential\w*|warrant\w+|notice|invoices?|insurance|audit\w*|if|breach\w*|days|not (?:be|become|take))\b`)
	// endless matches a term without an end, and ending a term that ends with an event.
	endless = regexp.MustCompile(`\bperpetual(?:ly)?(?:[,.;)]|$| (?:term|unless|until|from|and)\b)|\bindefinite(?:ly)?\b|\buntil (?:it is |such time as (?:it is )?)?(?:\w+ )?terminated\b`)
	ending  = regexp.MustCompile(`\b(?:continue[sd]?|remains?|effect|force|effective|valid|lasts?|runs?|ends?|term)\b[^.;]{0,80}\b(?:until|through|for the (?:duration|life) of|(?:as|so) long as)\b|\b(?:ends?|expires?|terminates?)\b[^.;]{0,40}\b(?:first|earlier|earliest|later|latest) (?:of|to occur)\b|\b(?:ends?|expires?|terminates?)\b (?:\w+ )?(?:on|upon|at|with) (?:the )?(?:date of )?(?:the )?(?:completion|conclusion|expiration|expiry|end|[\w-]+(?: ?\(\w+\))? anniversary)\b`)
	// labelled matches the label of a term in a table or a list of the main terms, and words
	// that only a term follows.
	labelled = regexp.MustCompile(`^[\d.() ]*(?:initial |contract |agreement )?(?:term|duration)(?: of (?:the |this )?(?:agreement|contract))? ?[:|]|\bfor an initial (?:period|term) of\b`)
)

var (
	// earliest matches what makes a length the longest that a term may be, and latest what
	// makes it the shortest.
	earliest = regexp.MustCompile(`\b(?:first|earlier|earliest|sooner|soonest) (?:of|to)\b`)
	latest   = regexp.MustCompile(`\b(?:later|latest|longer|longest) (?:of|to)\b`)
)

// maxSubjects is the maximum number of times that a sentence is read for the contract.
const maxSubjects = 6

// TermIn returns what a sentence, on one line in lower case, says about how long the contract
// lasts.
func TermIn(text string) Term {
	if m := labelled.FindStringIndex(text); m != nil && !otherThing.MatchString(withoutAsides(text[:m[0]])) {
		if p, ok := LengthIn(text[m[1]:]); ok && p.Start <= maxLabel {
			return termAt(p, m[1])
		}
	}
	for _, m := range termOf.FindAllStringIndex(text, maxSubjects) {
		if within.MatchString(text[:m[0]]) || otherThing.MatchString(withoutAsides(text[:m[0]])) {
			continue
		}
		if t := termAfter(text, m[1]); t.Stated {
			return t
		}
	}
	return Term{}
}

// termAfter returns what the text after the contract or its term, which ends at offset, says
// about how long that lasts.
func termAfter(text string, offset int) Term {
	near := text[offset:min(len(text), offset+maxReach)]
	// The word "term" before a quotation mark defines another one.
	if strings.HasPrefix(near, ` "`) || !lastsFor.MatchString(near) {
		return Term{}
	}
	if p, ok := LengthIn(near); ok {
		if latest.MatchString(near[:p.Start]) {
			return Term{Stated: true}
		}
		return termAt(p, offset)
	}
	e := firstOf(near, endless, ending)
	return Term{Stated: e >= 0 && !otherThing.MatchString(withoutAsides(near[:e])) && !strings.HasSuffix(near[:e], " no ")} // no effect until
}

// termAt returns the term with a length found at an offset of the text.
func termAt(p period.Period, offset int) Term {
	p.Start, p.End = p.Start+offset, p.End+offset
	return Term{p, true}
}

// maxLabel is how many bytes after a label its period begins at most.
const maxLabel = 20

// maxReach is how many bytes after the contract its term is looked for.
const maxReach = 320

// firstOf returns where the first match of the first pattern that matches begins, -1 for none.
func firstOf(text string, patterns ...*regexp.Regexp) int {
	for _, p := range patterns {
		if m := p.FindStringIndex(text); m != nil {
			return m[0]
		}
	}
	return -1
}

// Patterns for the text before and after a period, in lower case.
var (
	// aside matches a condition, which may speak of renewals and notices, and the words before the
	// default of a blank: "if left blank, two years".
	aside = regexp.MustCompile(`\b(?:unless|except|subject to|provided)\b[^,.;]{0,160},|\bif (?:left )?blank\b`)
	// otherPeriod matches what has a period of its own.
	otherPeriod = regexp.MustCompile(`\b(?:renew\w*|exten(?:d|ds|ded|ding|sions?)|prolong\w*|successive|consecutive|additional|further|thereafter|during)\b`)
	// sinceEnd matches what follows a period that begins when the contract ends.
	sinceEnd = regexp.MustCompile(`^\W*(?:after|following|from)\s+(?:the\s+|its\s+|any\s+|such\s+)?(?:date of\s+)?(?:\w+\s+)?(?:(?:expir\w+|terminat\w+|end)(?:\s+(?:and|or)\s+)?(?:earlier\s+)?){1,2}\s*(?:hereof|thereof|of (?:this|the|such) (?:[\w-]+ ){0,3}(?:agreement|contract|lease|term|licen[sc]e)|[,.;)]|$)`)
)

func withoutAsides(text string) string { return aside.ReplaceAllString(text, "") }

// LengthIn returns the first period in months or years that is not the length of a renewal, a
// notice, or something that outlives the contract.
func LengthIn(text string) (period.Period, bool) {
	for _, p := range period.Find(text, maxPeriods) {
		before := withoutAsides(text[:p.End])
		if otherPeriod.MatchString(before) || otherThing.MatchString(before) {
			break
		}
		if _, ok := p.Months(); ok && !SinceEnd(text, p) && !period.OfNotice(text, p) {
			return p, true
		}
	}
	return period.Period{}, false
}

// SinceEnd reports whether a period found in text, in lower case, begins when the contract
// ends: "two years after the termination of this agreement".
func SinceEnd(text string, p period.Period) bool { return sinceEnd.MatchString(text[p.End:]) }
