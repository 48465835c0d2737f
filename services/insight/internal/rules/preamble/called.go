package preamble

import (
	"strings"

	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

const (
	// calledReach is how much of the beginning of a document is searched for such terms, in bytes.
	calledReach = 6000
	// maxCalled is the maximum number of terms that are examined.
	maxCalled = 40
	// maxStarts is the maximum number of places at which the name of such a party is looked for.
	maxStarts = 12
)

var (
	// calls matches the words that give a party a term, and the term.
	calls = space.Compile(`(?i:\b(?:(?:herein\s?after|hereafter|from\s+now\s+on|in\s+the\s+following)\b[,:]?(?:\s+(?:also|jointly|solidarily|both|to\s+be|be|simply|only))*(?:\s+(?:called|referred\s+to(?:\s+as)?|named|designated(?:\s+as)?|known\s+as|termed))?|` +
		`(?:shall|will|is|are|to)\s+(?:be\s+)?(?:called|referred\s+to\s+as|known\s+as)|below:?)\s+(?:as\s+)?(?:the\s+)?)["“«*'‘„]*\s*(?i:the\s+)?(\pL[\pL&/-]*(?:\s\p{Lu}[\pL&/-]*){0,3})`)
	// calledStart matches what may be before the name of such a party.
	calledStart = space.Compile(`(?:^|\n|[;:,]\s|(?i:\band|\bbetween|\bnamely|\bpart,?|\bside,?|\bhand,?)\s)[\s]*(?:` + number + `|[A-Z]\.\s+|\d{1,2}(?:\.\d{1,2})?\.?\s+|[–•-]\s|(?i:the\s+(?:company|firm|association)\s|the\s))*`)
	// severally matches a name for all parties.
	severally = space.Compile(`(?i)^(?:part(?:y|ies)|agreement|contract|both)\b`)
)

// Called returns the parties that the beginning of a document gives terms to, without listing the
// parties: "Alder Kaisha (hereinafter referred to as "A") and Birch Kaisha (hereinafter referred to as "B")
// conclude this agreement." There must be two.
func Called(d *structure.Document) (found []Party) {
	text := d.Text[:cut(d.Text, calledReach)]
	from, lower := 0, strings.ToLower(text)
	for _, m := range calls.FindAllStringSubmatchIndex(text, maxCalled) {
		term := wording.OneLine(text[m[2]:m[3]])
		if severally.MatchString(term) {
			from = m[1]
			continue
		}
		p, ok := calledIn(text, from, m[0])
		if ok && (p.Sure || len(term) == 1 || isRole(term) || p.Titled || hasDuties(lower, term)) {
			p.Terms, p.Sure = []string{term}, true
			found = append(found, p)
		}
		from = m[1]
	}
	if len(found) < 2 {
		return nil
	}
	return found
}

// calledIn returns the party whose name is the first in a part of a text.
func calledIn(text string, from, to int) (Party, bool) {
	if start := strings.LastIndex(text[from:to], "\n\n"); start > 0 && to-from-start > maxBehind/4 {
		from += start
	}
	for _, m := range calledStart.FindAllStringIndex(text[from:to], maxStarts) {
		at := from + m[1]
		title := courtesy.FindString(text[at:min(to, at+maxCourtesy)])
		at += len(title)
		n := Name(text[at:to])
		if name := text[at : at+n]; n > 0 && (len(strings.Fields(name)) > 1 || HasForm(name)) && !IsBareRole(name) && !severally.MatchString(name) && !authority.MatchString(name) {
			l := lister{text: text, end: to}
			p, ok := l.party(at)
			p.Titled = p.Titled || titles.MatchString(title)
			return p, ok
		}
	}
	return Party{}, false
}
