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

// office matches what a person is in an organization, behind the name.
var office = regexp.MustCompile(`(?i)^\(?(?:the )?(?:[\pL-]+ ){0,2}(?:director|manager|president|chair(?:man|woman|person)?|secretary|treasurer|ceo|cfo|officer|principal|head|owner-manager|partner|clerk|supervisor|for (?:the|us)|on behalf)\b`)

// chosen returns the parties of the candidates. A name that is not sure to be that of a party counts if it
// is that of a person, and another label names an organization or the contract calls somebody by the role;
// or if labels that begin their lines name several parties.
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
		several := c.begins() && len(roles) > 1
		alone := c.person && pronouned.MatchString(c.role) || c.person && c.begins() && isBareRole(c.role) && !ofStaff[strings.ToLower(c.role)] && strings.Count(lower, "the "+strings.ToLower(c.role)) >= leastMentions
		if c.person && !c.sure && slices.ContainsFunc(found, func(p Party) bool { return initialed(c.parties[0], p, text) }) {
			continue // a signature
		}
		if c.sure || several || alone || c.person && sure && (len(found) > 0 || c.begins()) {
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

// leastMentions is how often a contract calls a party by a role, at least, if it names nobody else.
const leastMentions = 2

// begins reports whether a label begins its line and calls a party.
func (m label) begins() bool { return m.first && !addressing[strings.ToLower(m.role)] }
