package signature

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// party returns the line above that names the party: the last with a label or a company
// name, or else the last that may name one.
func (b *blockReader) party() (last mark, ok bool) {
	for i := len(b.above) - 1; i >= 0; i-- {
		m := b.above[i]
		t := b.quote(m.value)
		if m.role != partied && !partial(t) {
			continue
		}
		if m.role == partied || wording.EndsCompany(t) {
			return m, true
		}
		if !ok {
			last, ok = m, true
		}
	}
	return last, ok
}

// calledAs matches the defined term, or the word "For", before the name of a party.
var calledAs = regexp.MustCompile(`^(?:For |\(?["“][^"”]{1,40}["”]\)?:? +)`)

// behalfOf matches the text after the name of a company that signs for another.
var behalfOf = space.Compile(`(?i),?\s+(?:(?:as\s+)?its\s+|not\s+in\s+its\s+.*\bas\s+)(?:\w+\s+){0,2}(?:partner|member|manager|director|agent|advisor|adviser|trustee|attorney-in-fact)$`)

// partyName returns the party in a line that names it, such as "SELLER: Acme Ltd".
func partyName(text string, s layout.Span) layout.Span {
	if m := calledAs.FindStringIndex(text[s.Start:s.End]); m != nil {
		s.Start += m[1]
	}
	t := text[s.Start:s.End]
	if at := strings.Index(t, ": "); at > 0 && at <= maxName/2 && wording.CaseOf(t[:at]).Words <= 4 {
		return wording.Trimmed(text, layout.Span{Start: s.Start + at + 1, End: s.End})
	}
	for _, end := range []string{"'s", "’s"} {
		s.End = s.Start + len(strings.TrimSuffix(text[s.Start:s.End], end))
	}
	return s
}
