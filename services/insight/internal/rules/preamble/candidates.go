package preamble

import (
	"slices"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// candidate is a label with the parties whose names follow it: one, or several joined by "and".
type candidate struct {
	label
	parties []Party
	// sure means that the names themselves, or the label, show that they are parties, and person that
	// the first is the full name of a person.
	sure, person bool
}

// candidate returns the parties whose names follow a label and begin before an offset.
func (m label) candidate(text string, end int) (candidate, bool) {
	l := lister{text: text, end: end}
	p, ok := l.party(m.End)
	if !ok {
		return candidate{}, false
	}
	if line := strings.IndexByte(text[p.Name.Start:p.Name.End], '\n'); line > 0 && m.first && len(strings.Fields(text[p.Name.Start:p.Name.Start+line])) > 1 {
		p.Name.End = p.Name.Start + line // the next line of a form is an address
	}
	name := text[p.Name.Start:p.Name.End]
	c := candidate{label: m, person: fullName(name)}
	c.sure = p.Sure || partyLabel.MatchString(m.role) || m.field && c.person
	if !c.sure && !c.person && len(strings.Fields(name)) < 2 {
		return candidate{}, false
	}
	if pronouned.MatchString(m.role) || dealing.MatchString(m.role) {
		m.role = ""
	}
	for _, part := range partsOf(m.role) {
		if part = strings.TrimSpace(part); !isRole(m.role) && callsParty(part) {
			m.role = singular(part)
		}
	}
	if c.person && p.signs() {
		return candidate{}, false
	}
	c.parties = l.all(p, m.role, maxParties)
	return c, true
}

// partyLabel matches a label that says no more than that a party follows.
var partyLabel = regexp.MustCompile(`(?i)^(?:party |(?:first|second|third|fourth)\b)`)

// signs reports whether the description of a person says that it signs for an organization.
func (p Party) signs() bool {
	behind, _, _ := strings.Cut(p.About, ";")
	return office.MatchString(behind)
}

// office matches an office in an organization, which follows the name of its holder.
var office = regexp.MustCompile(`(?i)^\(?(?:the )?(?:[\pL-]+ ){0,2}(?:director|manager|president|chair(?:man|woman|person)?|secretary|treasurer|ceo|cfo|officer|principal|head|owner-manager|partner|clerk|supervisor|for (?:the|us)|on behalf)\b`)

// chosen returns the parties of the candidates. A name that nothing else marks as that of a party counts in
// three cases: it is a person's and another candidate is sure; it is a person's and the contract uses the
// label as a role; or labels at the beginnings of lines give several roles.
func chosen(all []candidate, text, lower string) (found []Party) {
	roles := map[string]bool{}
	sure := false
	for _, c := range all {
		sure = sure || c.sure
		if c.begins() {
			roles[strings.ToLower(c.role)] = true
		}
	}
	named := map[string]bool{}
	for _, c := range all {
		if role := strings.ToLower(c.role); c.value > 0 && !c.field && named[role] {
			continue // a signature
		} else if c.begins() {
			named[role] = true
		}
		if c.person && !c.sure && slices.ContainsFunc(found, func(p Party) bool { return initialed(c.parties[0], p, text) }) {
			continue // a signature
		}
		several := c.begins() && len(roles) > 1
		if c.sure || several || c.person && (c.alone(lower) || sure && (len(found) > 0 || c.begins())) {
			found = append(found, c.parties[:min(len(c.parties), maxParties-len(found))]...)
		}
	}
	return found
}

// initialed reports whether the name of a party is that of another one with an initial for the first name.
func initialed(p, other Party, text string) bool {
	a, b := strings.Fields(text[p.Name.Start:p.Name.End]), strings.Fields(text[other.Name.Start:other.Name.End])
	return len(a) > 1 && len(b) > 1 && strings.HasSuffix(a[0], ".") && a[0][0] == b[0][0] && strings.EqualFold(a[len(a)-1], b[len(b)-1])
}

// alone reports whether a label calls a party even if no other label does: it is a pronoun, or a role that
// the text, in lower case, uses again.
func (m label) alone(lower string) bool {
	role := strings.ToLower(m.role)
	return pronouned.MatchString(role) || m.begins() && IsBareRole(role) && !ofStaff[role] && strings.Count(lower, "the "+role) >= leastMentions
}

// leastMentions is the minimum number of times that a contract uses the role of a party that has no other
// sign of being one.
const leastMentions = 2

// begins reports whether a label begins its line and calls a party.
func (m label) begins() bool { return m.first && !addressing[strings.ToLower(m.role)] }
