package preamble

import (
	"slices"
	"strings"
	"unicode/utf8"

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
	"host", "guest", "teacher", "tutor", "student", "freelancer", "performer", "surveyor", "architect", "municipality", "franchise owner",
}

var (
	// labelled matches a label at the end of a text.
	labelled = space.Compile(`(?:^|[\s;.,(])(?i:(?:the\s+)?(to|from|party\s+(?:[A-F]|[1-9]|one|two|of\s+the\s+(?:first|second)\s+part)|(?:` +
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

// isBareRole reports whether a text is a role, or several of one, and nothing else.
func isBareRole(text string) bool {
	text = strings.ToLower(wording.OneLine(text))
	text = text[len(tentative.FindString(text)):]
	return roleSet[text] || roleSet[strings.TrimSuffix(text, "s")]
}

// Labelled returns the parties whose names follow labels such as "Party A:" and
// "Licensor:" near the beginning of a document, or are beside or below such labels in a
// table.
func Labelled(d *structure.Document) []Party {
	text := d.Text[:cut(d.Text, labelReach)]
	labels := slices.Concat(labelsIn(text), rowLabels(text), fieldLabels(text))
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
	for _, t := range d.Tables {
		if t.Start > labelReach {
			break
		}
		all = appendRows(all, d, t.Rows[:min(len(t.Rows), maxRows)])
	}
	return chosen(all)
}

// nextLabel matches the beginning of a line with a label that is not about the party: "Term:".
var nextLabel = space.Compile(`\n[ \t]*(?i:term|guarantor|renewal|site|background|start|expiry|(?:commencement|effective|start|end|expiry)\s+date|date|recitals|re|reference|subject)[ \t]*:`)

// addressing are labels in an undertaking that say nothing about the party.
var addressing = map[string]bool{"to": true, "from": true}

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
	name := text[p.Name.Start:p.Name.End]
	c := candidate{label: m, person: fullName(name)}
	c.sure = p.Sure || strings.HasPrefix(strings.ToLower(m.role), "party ") || m.field && c.person
	if !c.sure && !c.person && len(strings.Fields(name)) < 2 {
		return candidate{}, false
	}
	if pronouned.MatchString(m.role) {
		m.role = ""
	}
	c.parties = l.all(p, m.role, maxParties)
	return c, true
}

// chosen returns the parties of the candidates. A name that is not sure to be that of a party counts if it
// is that of a person, and another label names an organization; or if labels that begin their lines name
// several parties.
func chosen(all []candidate) (found []Party) {
	roles := map[string]bool{}
	known, sure := false, false
	for _, c := range all {
		sure = sure || c.sure
		known = known || c.sure || c.person
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
		several := c.begins() && known && len(roles) > 1
		if c.sure || several || c.person && sure && (len(found) > 0 || c.begins()) {
			found = append(found, c.parties[:min(len(c.parties), maxParties-len(found))]...)
		}
	}
	return found
}

// begins reports whether a label begins its line and calls a party.
func (m label) begins() bool { return m.first && !addressing[strings.ToLower(m.role)] }

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

// appendRows appends the parties in cells beside or below a cell that calls a party.
func appendRows(all []candidate, d *structure.Document, rows [][]layout.Span) []candidate {
	for i, row := range rows {
		for c, cell := range row[:min(len(row), maxColumns)] {
			if cell.Len() == 0 || cell.Len() > maxLabel {
				continue
			}
			role := strings.TrimRight(d.Plain(cell), " :")
			role = role[:len(role)-len(besideRole.FindString(role))]
			if !isParty(d.Text[:cut(d.Text, labelReach)], role) {
				continue
			}
			if c+1 < len(row) {
				all = appendCell(all, d, cell, row[c+1], role)
			}
			if i+1 < len(rows) && c < len(rows[i+1]) {
				all = appendCell(all, d, cell, rows[i+1][c], role)
			}
		}
	}
	return all
}

// appendCell appends the parties in a cell that belongs to another one, which calls them by a role.
func appendCell(all []candidate, d *structure.Document, role, names layout.Span, called string) []candidate {
	names = wording.Trimmed(d.Text, names)
	if c, ok := (label{layout.Span{Start: role.Start, End: names.Start}, called, true, names.End, false}).candidate(d.Text, names.End); ok {
		return append(all, c)
	}
	return all
}

// maxRows and maxColumns are how much of a table is searched for labels.
const maxRows, maxColumns = 50, 6

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
func labelsIn(text string) (labels []label) {
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
			m = unusual(text, from, at-1)
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
		labels = append(labels, label{layout.Span{Start: from + m[2], End: at + n}, role, beginsLine(text, from+m[2]), 0, false})
	}
	return labels
}

// beginsLine reports whether only white space precedes a place in its line.
func beginsLine(text string, at int) bool {
	return strings.Trim(text[strings.LastIndexByte(text[:at], '\n')+1:at], " \t") == ""
}

// unusual returns the places of the label before a colon that begins its line and is not one of roles,
// as labelled does, nil for none. The contract must give its bearer rights or duties, or call it "you"
// or "we".
func unusual(text string, from, colon int) []int {
	m := worded.FindStringSubmatchIndex(text[from:colon])
	if m == nil || !beginsLine(text, from+m[2]) {
		return nil
	}
	if !calledYou.MatchString(text[colon+1:]) && !hasDuties(text, text[from+m[2]:from+m[3]]) {
		return nil
	}
	return m
}

// hasDuties reports whether a text gives the bearer of a label rights or duties.
func hasDuties(text, label string) bool {
	role := capitalized(label)
	if role == "" {
		return false
	}
	return slices.ContainsFunc(deeds, func(deed string) bool { return strings.Contains(text, "he "+role+deed) })
}

// capitalized returns a label as sentences have it: "Service Firm" for "SERVICE FIRM".
func capitalized(label string) string {
	if label != strings.ToUpper(label) {
		return label
	}
	words := strings.Fields(label)
	for i, w := range words {
		_, first := utf8.DecodeRuneInString(w)
		words[i] = w[:first] + strings.ToLower(w[first:])
	}
	return strings.Join(words, " ")
}

// deeds follow the role of a party: "the Supplier shall pay".
var deeds = []string{" may ", " agrees", " undertakes", " has the right", " must pay", " shall pay", " will pay", " shall provide", " will provide", " must provide", " warrants", " acknowledges"}

// Defined returns the parties that the first sentence with such definitions defines terms
// for, without saying that it lists the parties: "Acme Inc. (the "Company") confirms its
// agreement with Jane Doe (the "Consultant")".
func Defined(d *structure.Document) (found []Party) {
	for _, def := range d.Definitions {
		if def.TermSpan.Start > labelReach || len(found) > 0 && def.Start > found[0].Name.Start+maxDefining {
			break
		}
		if def.Overlaps(def.TermSpan) || def.Len() > maxAbout {
			continue
		}
		if p, ok := defined(d, def); ok {
			found = append(found, p)
		}
	}
	return found
}

// defined returns the party that a definition in parentheses defines a term for: its name
// begins the text that the term stands for, or ends it.
func defined(d *structure.Document, def structure.Definition) (Party, bool) {
	l := lister{text: d.Text, end: def.TermSpan.End + cut(d.Text[def.TermSpan.End:], maxLead)}
	p, ok := l.party(def.Start + len(article.FindString(d.Text[def.Start:def.End])))
	if !ok || p.Name.End > def.End || !hasForm(d.Plain(p.Name)) {
		start := lastName(d.Text, def.Span)
		if last, found := l.party(start); found && !onWhich.MatchString(d.Text[def.Start:start]) && (!ok || p.Name.End > def.End || hasForm(d.Plain(last.Name))) {
			p, ok = last, true
		}
	}
	name := d.Plain(p.Name)
	if !ok || p.Name.End > def.End || !slices.Contains(p.Terms, def.Term) || foreign.MatchString(name) || !hasForm(name) && (!isRole(def.Term) || isRole(name)) {
		return p, false
	}
	p.Sure = true
	return p, true
}

// onWhich matches the text before the name of something on which a party does business: "on the
// Alder Tour".
var onWhich = space.Compile(`\bon\s+(?:the\s+|The\s+)?$`)

// described matches the description of a party that ends a text.
var described = space.Compile(`^,?\s+an?\s[^,;]{0,120}$`)

// lastName returns the offset of the name with which a span ends, perhaps with a description, or
// of its end if there is none.
func lastName(text string, s layout.Span) int {
	for _, at := range wordStart.FindAllStringIndex(text[s.Start:s.End], maxNameStarts) {
		start := s.Start + at[1]
		if n := Name(text[start:s.End]); n > 0 && (strings.Trim(text[start+n:s.End], " ,\n") == "" || described.MatchString(text[start+n:s.End])) && !kind.MatchString(text[start:start+n]) {
			return start
		}
	}
	return s.End
}

// kind matches a description that is not a name, such as "Nevada corporation".
var kind = space.Compile(`\s(?:corporation|company|partnership|bank|trust|association)$`)

// maxNameStarts is the maximum number of words at which the name is looked for.
const maxNameStarts = 200

// wordStart matches the white space before a word with a capital letter, after a word
// without one.
var wordStart = space.Compile(`\b(?:\p{Ll}[\pL]*|\d{4},|I,)\s+(?:(?:the|The)\s+)?`)

// maxDefining is the maximum distance between parties that are defined together, in bytes.
const maxDefining = 2500

var (
	article = space.Compile(`^(?:(?i:the|and|that|whereas,?|I,|we,|you,)\s+)*`)
	// foreign matches institutions for which contracts define terms, but which are not
	// parties to them.
	foreign = regexp.MustCompile(`(?i)\b(?:exchange commission|drug administration|stock exchange|deposit insurance|internal revenue|nasdaq|patent|arbitration association|securities dealers|act|directors)\b`)
)

// Named returns the party whose name is all of a span, as in a signature block. A role is no
// name.
func Named(d *structure.Document, s layout.Span) (Party, bool) {
	s = wording.Trimmed(d.Text, s)
	n := Name(d.Text[s.Start:s.End])
	name := layout.Span{Start: s.Start, End: s.Start + n}
	if n == 0 || isBareRole(d.Text[name.Start:name.End]) {
		return Party{}, false
	}
	return Party{Name: name, Whole: name, Sure: hasForm(d.Plain(name))}, true
}
