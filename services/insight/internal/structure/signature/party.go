package signature

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// party returns the line above that names the party: the last with a label or a company
// name, or else the last that may name one. others are the companies right above it, for which the
// same person signs.
func (b *blockReader) party() (last mark, others []mark, ok bool) {
	for i := len(b.above) - 1; i >= 0; i-- {
		m := b.above[i]
		m.value = withoutItem(b.text, m.value)
		t := b.quote(withoutNote(b.text, m.value))
		if m.role != partied && !partial(t) {
			continue
		}
		if m.role == partied {
			return m, nil, true
		}
		if wording.EndsCompany(t) || bodyEnd.MatchString(t) {
			return m, b.listed(i), true
		}
		if !ok {
			last, ok = m, true
		}
	}
	return last, nil, ok
}

// maxListed is the maximum number of companies in a list above one signature.
const maxListed = 200

// maxGap is the maximum distance of two lines of a list, in lines.
const maxGap = 2

// listed returns the companies in the lines right above the line i, if each line names one.
func (b *blockReader) listed(i int) []mark {
	var out []mark
	for at := i - 1; at >= 0 && len(out) < maxListed; at-- {
		m := b.above[at]
		m.value = withoutItem(b.text, m.value)
		t := b.quote(withoutNote(b.text, m.value))
		if m.role != other || b.above[at+1].row-m.row > maxGap || !wording.EndsCompany(t) && !bodyEnd.MatchString(t) || !partial(t) {
			break
		}
		out = append(out, m)
	}
	slices.Reverse(out)
	return out
}

// calledAs matches the defined term, or the word "For", before the name of a party.
var calledAs = regexp.MustCompile(`^(?:For |\(?["“][^"”]{1,40}["”]\)?:? +)`)

// behalfOf matches the text after the name of a company that signs for another.
var behalfOf = space.Compile(`(?i),?\s+(?:(?:as\s+)?its\s+|not\s+in\s+its\s+.*\bas\s+)(?:\w+\s+){0,2}(?:partner|member|manager|director|agent|advisor|adviser|trustee|attorney-in-fact)$`)

// note matches what may follow the name of a party: a defined term or a former name in parentheses,
// and the law under which it exists.
var note = space.Compile(`(?:,?\s*\([^()]{1,80}\)|,\s+(?:as|an?)\s[^,]{1,80})[,:]?$`)

// bodyEnd matches the end of the name of an organization without a legal form.
var bodyEnd = regexp.MustCompile(`(?i: (?:fund|portfolio|foundation|university))$`)

// itemMark matches the mark before an item of a list, and itemEnd the text behind it.
var (
	itemMark = regexp.MustCompile(`^(?:\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]|[•·*–-])\s+`)
	itemEnd  = regexp.MustCompile(`[,;]\s+(?i:and|&)$`)
)

// withoutItem returns an item of a list without its mark and the "and" behind it.
func withoutItem(text string, s layout.Span) layout.Span {
	s.Start += len(itemMark.FindString(text[s.Start:s.End]))
	s.End -= len(itemEnd.FindString(text[s.Start:s.End]))
	return s
}

// withoutNote returns the name of a party without what follows it.
func withoutNote(text string, s layout.Span) layout.Span {
	for range 2 {
		at := note.FindStringIndex(text[s.Start:s.End])
		if at == nil || at[0] == 0 {
			break
		}
		s.End = s.Start + at[0]
	}
	return s
}

// partyName returns the party in a line that names it, such as "SELLER: Acme Ltd".
func partyName(text string, s layout.Span) layout.Span {
	if m := calledAs.FindStringIndex(text[s.Start:s.End]); m != nil {
		s.Start += m[1]
	}
	s = withoutNote(text, s)
	t := text[s.Start:s.End]
	if at := strings.Index(t, ": "); at > 0 && at <= maxName/2 && wording.CaseOf(t[:at]).Words <= 4 {
		return wording.Trimmed(text, layout.Span{Start: s.Start + at + 1, End: s.End})
	}
	for _, end := range []string{"'s", "’s"} {
		s.End = s.Start + len(strings.TrimSuffix(text[s.Start:s.End], end))
	}
	return s
}
