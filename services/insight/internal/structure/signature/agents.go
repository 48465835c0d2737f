package signature

import (
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

var (
	// inCapacity matches the text after the name of an organization that says in which capacity it
	// acts: ", not in its individual capacity but solely as Trustee".
	inCapacity = space.Compile(`,?\s+(?i:not\s+in\s+its|not\s+individually|solely|acting|in\s+its\s+capacity|as|its)\s.*$`)
	// capacityMore matches a further line of such a text.
	capacityMore = space.Compile(`^(?:(?:its|as|solely|not|but|in|capacity|individual|an?|the)\s|(?i:(?:(?:its|their|as|solely|sole|managing|general)\s+)+(?:partner|member|manager|trustee)\b)).{0,100}$`)
	// agency matches the capacity of an organization that acts for another.
	agency = space.Compile(`(?i:\b(?:partner|member|manager|trustee|advis[eo]r|agent|attorney-in-fact|shareholder|director)\b)`)
)

// withoutAgents returns a column without the marks of organizations that act for a party, between
// the party and the signature: "By: Acme GP LLC", "Its: General Partner". The name of the first of them
// stays as the party if none is above.
func withoutAgents(text string, column []mark) []mark {
	var out []mark
	for i := 0; i < len(column); i++ {
		n := agentMarks(text, column[i:])
		if n == 0 {
			out = append(out, column[i])
			continue
		}
		if named := agentName(text, column[i:]); !partyAbove(text, out) {
			named.role, named.word = other, ""
			out = append(out, named)
		}
		i += n - 1
	}
	return out
}

// agentMarks returns how many marks at the beginning of a column name an organization that acts for
// a party, 0 if there is none or no signature follows. The name is behind "By:", with or without a
// capacity, or on the next line, with one. A company below a line to sign on signs next.
func agentMarks(text string, column []mark) int {
	quote := func(m mark) string { return text[m.value.Start:m.value.End] }
	if column[0].role != signs || column[0].word != "by" {
		return 0
	}
	n := 1
	if column[0].value.Len() == 0 && column[0].bare && len(column) > 1 && column[1].role == other {
		n = 2
	}
	below := n > 1
	if !agentOf(quote(column[n-1])) {
		return 0
	}
	acting := inCapacity.MatchString(quote(column[n-1]))
	for ; n < len(column); n++ {
		m := column[n]
		switch t := quote(m); {
		case m.role == titled && m.word == "its" && agency.MatchString(t), m.role == other && capacityMore.MatchString(t) && !wording.EndsCompany(t):
			acting = true
			continue
		case m.role == titled && m.word == "its" && m.bare && n+1 < len(column) && column[n+1].role == other && agency.MatchString(quote(column[n+1])):
			acting = true
			n++
			continue
		}
		break
	}
	next := slices.IndexFunc(column[n:], func(m mark) bool { return m.role != other && m.role != ignored && m.role != dated })
	if next < 0 || column[n+next].role != signs || !acting && (next > 0 || below) {
		return 0
	}
	return n
}

// agentName returns the mark with the name of the organization in the marks of an agent.
func agentName(text string, column []mark) mark {
	m := column[0]
	if m.value.Len() == 0 {
		m = column[1]
	}
	if at := inCapacity.FindStringIndex(text[m.value.Start:m.value.End]); at != nil {
		m.value.End = m.value.Start + at[0]
	}
	m.Span = layout.Span{Start: m.value.Start, End: m.value.End}
	return m
}

// agentOf reports whether a text is the name of an organization, perhaps with its capacity.
func agentOf(t string) bool {
	if at := inCapacity.FindStringIndex(t); at != nil {
		t = t[:at[0]]
	}
	return wording.EndsCompany(t) && partial(t)
}

// partyAbove reports whether the marks above a signature name its party.
func partyAbove(text string, above []mark) bool {
	for i := len(above) - 1; i >= 0 && (above[i].role == other || above[i].role == partied || above[i].role == ignored); i-- {
		if above[i].role == partied || partial(text[above[i].value.Start:above[i].value.End]) {
			return true
		}
	}
	return false
}

// shareParties gives each column its party if the columns were collapsed onto common lines, so that
// one of them has the parties of others: there must be one for each column.
func shareParties(text string, columns [][]mark) {
	if len(columns) < 2 {
		return
	}
	var parties []mark
	without := false
	for _, column := range columns {
		n, signed := len(parties), signedAt(column)
		if signed == len(column) || column[signed].role == partied || column[signed].role == forWhom {
			return
		}
		for _, m := range column[:signed] {
			if t := text[m.value.Start:m.value.End]; m.role == other && wording.EndsCompany(t) && partial(t) {
				parties = append(parties, m)
			}
		}
		without = without || n == len(parties)
	}
	if !without || len(parties) != len(columns) {
		return
	}
	slices.SortFunc(parties, func(a, b mark) int { return a.Start - b.Start })
	for i, column := range columns {
		lead := slices.DeleteFunc(slices.Clone(column[:signedAt(column)]), func(m mark) bool { return slices.Contains(parties, m) })
		columns[i] = slices.Concat(lead, parties[i:i+1], column[signedAt(column):])
	}
}

// signedAt returns the index of the first mark of a column with a label, or its length.
func signedAt(column []mark) int {
	i := slices.IndexFunc(column, func(m mark) bool { return m.role != other && m.role != ignored })
	if i < 0 {
		return len(column)
	}
	return i
}
