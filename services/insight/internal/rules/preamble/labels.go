package preamble

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// labelReach is how much of the beginning of a document is searched for labels and for
// definitions of parties, in bytes.
const labelReach = 12_000

// maxLabelled is the maximum length of the text about a party after its label, in bytes.
const maxLabelled = 400

// roles are what contracts call parties, in lower case.
var roles = []string{
	"licensor", "licensee", "sublicensor", "sublicensee", "supplier", "customer", "client", "seller", "buyer", "purchaser", "vendor", "consultant", "advisor", "adviser",
	"holding company", "employer", "employee", "executive", "distributor", "agent", "principal", "franchisor", "franchisee", "developer", "reseller",
	"contractor", "subcontractor", "sponsor", "owner", "operator", "lender", "borrower", "landlord", "tenant", "lessor", "lessee", "sublessor", "sublessee",
	"provider", "service provider", "recipient", "disclosing party", "receiving party", "discloser", "manufacturer", "affiliate",
	"guarantor", "grantor", "grantee", "assignor", "assignee", "transferor", "transferee", "investor", "company", "trustee", "pledgor", "pledgee", "mortgagor", "mortgagee", "insurer",
	"insured", "carrier", "shipper", "charterer", "publisher", "author", "artist", "producer", "promoter", "partner", "marketer", "endorser",
	"administrator", "manager", "custodian", "underwriter", "dealer", "transfer agent", "depositor", "servicer", "issuer", "holder",
	"stockholder", "shareholder", "parent", "subsidiary", "bank", "fund", "trust", "university", "institution", "hospital", "physician", "broker",
	"covenanter", "covenantor", "covenantee", "bidder", "proponent", "offeror",
	"member", "general partner", "limited partner", "vessel owner", "processor", "controller", "outsourcer", "merchant", "programmer", "contributor",
	"indemnitor", "indemnitee", "releasor", "releasee", "obligor", "obligee", "creditor", "debtor", "donor", "bailor", "bailee", "talent", "club", "participant", "confidant", "visitor",
	"intern", "trainee", "apprentice", "hirer", "renter", "translator", "photographer", "occupier", "subscriber", "organiser", "organizer", "beneficiary", "surety",
	"host", "guest", "teacher", "tutor", "student", "freelancer", "performer", "surveyor", "architect", "municipality", "user",
}

var (
	// labelled matches a label at the end of a text.
	labelled = space.Compile(`(?:^|[\s;.,(])(?i:(?:the\s+)?(to|from|party\s+(?:[A-F]|[1-9]|one|two|of\s+the\s+(?:first|second)\s+part)|(?:first|second|third|fourth)(?:\s+(?:contracting\s+)?party)?|(?:` +
		strings.Join(roles, "|") + `)(?:/[a-z-]{3,20})?))\s*(?:\([^()]{0,60}\)\s*)?$`)
	// worded matches one or two words at the end of a text that may be a label.
	worded = regexp.MustCompile(`(\p{Lu}[\pL-]{3,20}(?: \p{Lu}[\pL-]{2,20})?)[ \t]*$`)
	// calledYou matches a name that the contract replaces with a pronoun: `Jane Doe ("you")`.
	calledYou = regexp.MustCompile(`^[^\n]{3,120}\(\W?(?i:you|we|us|i|me)\b`)
	// roleTerm matches a term that is a role.
	roleTerm = regexp.MustCompile(`(?i)^(?:the\s+)?(?:[\pL-]+\s+){0,2}(?:` + strings.Join(roles, "|") + `)(?:/[\pL-]+)?$`)
)

// isRole reports whether a term is a role, such as "Licensor" or "Administrative Agent",
// rather than a short name.
func isRole(term string) bool { return len(term) < 40 && roleTerm.MatchString(term) }

// roleSet is the set of roles.
var roleSet = func() map[string]bool {
	all := map[string]bool{}
	for _, r := range roles {
		all[r] = true
	}
	return all
}()

// tentative matches words before the role of a party that is not known yet.
var tentative = regexp.MustCompile(`^(?:the )?(?:(?:prospective|potential|interested) )?`)

// IsBareRole reports whether a text is a role, or several of one, and nothing else.
func IsBareRole(text string) bool {
	text = strings.ToLower(wording.OneLine(text))
	text = text[len(tentative.FindString(text)):]
	return roleSet[text] || roleSet[strings.TrimSuffix(text, "s")]
}

// Labelled returns the parties whose names follow labels such as "Party A:" and
// "Licensor:" near the beginning of a document, or are beside or below such labels in a
// table.
func Labelled(d *structure.Document) []Party {
	text := d.Text[:cut(d.Text, labelReach)]
	lower := strings.ToLower(text)
	labels := slices.Concat(fieldLabels(text), labelsIn(text, lower), rowLabels(text, lower), linesAbove(text, lower), statedLabels(text))
	slices.SortStableFunc(labels, func(a, b label) int { return a.Start - b.Start })
	labels = slices.CompactFunc(labels, func(a, b label) bool { return a.Overlaps(b.Span) })
	var all []candidate
	for i, m := range labels {
		end := m.End + cut(text[m.End:], maxLabelled)
		if i+1 < len(labels) {
			end = min(end, labels[i+1].Start)
		}
		if m.value > 0 {
			end = min(end, m.value)
		}
		if next := nextLabel.FindStringIndex(d.Text[m.End:max(m.End, end)]); next != nil && next[0] > 0 {
			end = m.End + next[0]
		}
		if c, ok := m.candidate(d.Text, end); ok {
			all = append(all, c)
		}
	}
	cells := tableCandidates(d, lower)
	all = slices.DeleteFunc(all, func(c candidate) bool { // a table says more about its parties
		return slices.ContainsFunc(cells, func(other candidate) bool { return c.parties[0].Name == other.parties[0].Name })
	})
	all = append(all, cells...)
	return chosen(all, d.Text, lower)
}

// nextLabel matches the beginning of a line with a label that is not about the party: "Term:".
var nextLabel = space.Compile(`\n[ \t]*(?i:term|guarantor|renewal|site|background|start|expiry|(?:commencement|effective|start|end|expiry)\s+date|date|recitals|re|reference|subject)[ \t]*:`)

// addressing are labels in an undertaking that say nothing about the party.
var addressing = map[string]bool{"to": true, "from": true}

// all returns a party after a label and those joined to it by "and", at most a number of them.
func (l *lister) all(p Party, role string, most int) (found []Party) {
	for ok := true; ok && len(found) < most; {
		l.found, l.at = append(l.found, p), p.Whole.End
		found = append(found, l.labelled(p, role))
		if ok = joined.MatchString(l.text[l.at:l.end]); ok {
			p, ok = l.more()
		}
	}
	return found
}

// joined matches the text between two parties of one label.
var joined = space.Compile(`^\s*,?\s*(?:and|&)\s`)

// labelled returns a party after a label with its role and the text about it.
func (l *lister) labelled(p Party, role string) Party {
	if !addressing[strings.ToLower(role)] {
		p.Role = role
	}
	behind := l.text[p.Name.End:p.Whole.End]
	p.About = strings.Trim(wording.OneLine(strings.ReplaceAll(behind, "\n", "; ")), " ;,.")
	if line := strings.IndexByte(behind, '\n'); line >= 0 && len(p.Terms) == 0 && p.Address() == "" {
		p.Whole.End = p.Name.End + line
	}
	return p
}

// fullName reports whether a text is the name of a person with a first and a last name.
func fullName(t string) bool {
	words := strings.Fields(t)
	return len(words) > 1 && len(words) < 5 && signature.Personal(t)
}

// label is the label of a party, from its first letter to the text behind it.
type label struct {
	layout.Span
	role string
	// first means that it begins its line.
	first bool
	// value is the offset at which the cell behind it ends, 0 if it is not in a row.
	value int
	// field means that it is the field of a form for the name of a party.
	field bool
}

var (
	// other matches the text before a word that is not the label itself, or a label for another
	// one than the party: "Visitor's employer", "For Sponsor:".
	other = space.Compile(`(?:['’]s|(?:^|[.;\n])\s*For(?:\s+the)?)\s+$`)
	// mention matches the text before a party in a sentence: "the platform operated by Party A:".
	mention = space.Compile(`\b(?:by|of|with)\s+$`)
)

// maxLabel is the maximum length of a label before its colon in bytes, and maxColons the
// maximum number of colons that are examined.
const maxLabel, maxColons = 120, 400

// labelsIn returns the labels of parties in a text.
func labelsIn(text, lower string) (labels []label) {
	at := 0
	for range maxColons {
		i := strings.IndexByte(text[at:], ':')
		if i < 0 {
			break
		}
		from := max(at, at+i-maxLabel)
		at += i + 1
		m := labelled.FindStringSubmatchIndex(text[from : at-1])
		if m == nil {
			m = unusual(text, lower, from, at-1)
		}
		if m == nil || other.MatchString(text[from:from+m[2]]) {
			continue
		}
		role := wording.OneLine(text[from+m[2] : from+m[3]])
		same := func(l label) bool { return strings.EqualFold(l.role, role) }
		if slices.ContainsFunc(labels, same) && mention.MatchString(text[from:from+m[2]]) {
			continue
		}
		n, _ := gap(text[at:])
		labels = append(labels, label{Span: layout.Span{Start: from + m[2], End: at + n}, role: role, first: beginsLine(text, from+m[2])})
	}
	return labels
}

// beginsLine reports whether only white space precedes a place in its line.
func beginsLine(text string, at int) bool {
	return strings.Trim(text[strings.LastIndexByte(text[:at], '\n')+1:at], " \t") == ""
}

// unusual returns the places of the label before a colon that begins its line and is not one of roles,
// as labelled does, nil for none. The label must be one of orders and bookings or an agent noun, or the
// contract must give its bearer rights or duties, or call it "you" or "we".
func unusual(text, lower string, from, colon int) []int {
	line := max(from, strings.LastIndexByte(text[:colon], '\n')+1)
	if at := line + len(text[line:colon]) - len(strings.TrimLeft(text[line:colon], " \t|")); dealing.MatchString(text[at:colon]) {
		return []int{at - from, colon - from, at - from, colon - from}
	}
	m := worded.FindStringSubmatchIndex(text[from:colon])
	if m == nil || !beginsLine(text, from+m[2]) {
		return nil
	}
	role := text[from+m[2] : from+m[3]]
	if !calledYou.MatchString(text[colon+1:]) && !hasDuties(lower, role) && !isAgent(role) {
		return nil
	}
	return m
}

// isAgent reports whether a label is an agent noun, such as "Supervisor", or its counterpart: "Supervisee".
func isAgent(label string) bool {
	return agentNoun.MatchString(label) && !things[strings.ToLower(label)]
}

// agentNoun matches such nouns, and things are others with the same endings.
var (
	agentNoun = regexp.MustCompile(`^\pL{3,14}(?:er|or|ee|ist)s?$`)
	things    = set(`number order letter offer matter register paper water server computer printer scanner router container folder boiler meter trailer
		charter tender cover centre center power tower floor door motor color colour minor major error other fee guarantee committee list`)
)

// hasDuties reports whether a text, in lower case, gives the bearer of a label rights or duties.
func hasDuties(lower, label string) bool {
	role := strings.ToLower(label)
	return strings.Contains(lower, "he "+role+" ") && slices.ContainsFunc(deeds, func(deed string) bool {
		return strings.Contains(lower, "he "+role+deed) || strings.HasSuffix(role, "s") && strings.Contains(lower, "he "+role+strings.TrimSuffix(deed, "s"))
	})
}

// deeds follow the role of a party: "the Supplier shall pay".
var deeds = []string{
	" may ", " agrees", " undertakes", " has the right", " must pay", " shall pay", " will pay", " shall provide", " will provide", " must provide", " warrants", " acknowledges",
	" must not", " shall not", " pays", " provides", " gives", " lets", " supplies", " rents", " hires", " leases", " buys", " sells", " delivers", " brings", " insures",
	" is liable", " is not liable", " is responsible", " is entitled", " owes", " promises", " confirms", " keeps", " tells", " plans", " makes", " carries",
}

// Named returns the party whose name is all of a span, as in a signature block. A role is no
// name.
func Named(d *structure.Document, s layout.Span) (Party, bool) {
	s = wording.Trimmed(d.Text, s)
	n := Name(d.Text[s.Start:s.End])
	name := layout.Span{Start: s.Start, End: s.Start + n}
	if n == 0 || IsBareRole(d.Text[name.Start:name.End]) {
		return Party{}, false
	}
	return Party{Name: name, Whole: name, Sure: HasForm(d.Plain(name))}, true
}
