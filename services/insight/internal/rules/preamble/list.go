package preamble

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// maxAbout is the maximum length of the description of a party in bytes.
const maxAbout = 900

// lister reads a list of parties.
type lister struct {
	text string
	// at is the offset of the next text to read, and end that of the end of the list.
	at, end int
	found   []Party
	// headed means that the heading of the list calls it that of the parties.
	headed bool
}

// list returns the parties in the list that begins at an offset.
func list(text string, at int) []Party {
	l := lister{text: text, at: at, end: at + cut(text[at:], maxList), headed: underHeading(text, at)}
	l.at += len(lead.FindString(text[l.at:min(l.end, l.at+maxLead)]))
	p, ok := l.first()
	for ok && len(l.found) < maxParties {
		l.found = append(l.found, p)
		l.at = p.Whole.End
		p, ok = l.more()
	}
	return slices.DeleteFunc(l.found, func(p Party) bool { return p.Name.Len() == 0 })
}

// first reads the first party of the list. If its name is left blank, or stands elsewhere, its
// Name is empty.
func (l *lister) first() (Party, bool) {
	if rest := l.text[l.at:l.end]; blank.MatchString(rest) || unnamed.MatchString(rest) {
		p := Party{Name: layout.Span{Start: l.at, End: l.at}}
		l.describe(&p)
		return p, p.Whole.Len() > 0
	}
	return l.party(l.at)
}

// maxBehind is how many bytes after a name are examined to find whether it is that of a
// party.
const maxBehind = 260

// maxLead is the maximum length of the text between the word that begins a list and the
// first name, in bytes.
const maxLead = 200

// number matches the number of a party in a list.
const number = `(?:\((?:[0-9]{1,2}|[a-zA-Z]|[iI]{1,3})\)|[0-9]{1,2}[.)]|[0-9]{1,2}\.[0-9]{1,2}\.?|[a-z][.)]|[iI]{1,3}[.)])\s`

var (
	// lead matches the text between that word and the first name.
	lead = space.Compile(`^(?:[\s:;,“"*=-]|` + number + `|(?i:and\s+(?:between|among)|by\s+and\s+(?:between|among)|the\s+(?:following\s+)?(?:two\s+|three\s+)?(?:parties|entities|persons)\b(?:[^:.;()]{0,80}:|\s+(?:below|hereto|named\s+below|set\s+forth\s+below)\b)?|by\b|(?:on|of)\s+the\s+(?:one|first)\s+(?:hand|part|side),?|(?:on|of)\s+one\s+side,?|the\s+undersigned:?)|the\s)*`)
	// blank matches the beginning of a blank for a name.
	blank = regexp.MustCompile(`^(?:_(?:[_\s]|$)|\[|<|…|\.\.)`)
	// unnamed matches a description of parties whose names stand elsewhere, up to the term for
	// them: "the persons listed on Schedule A (the "Investors")".
	unnamed = space.Compile(`^(?i:and\s+)?(?i:persons?|entit(?:y|ies)|individuals?|undersigned|(?:\pL+\s+)?part(?:y|ies)|(?:prospective|potential|interested)\s+\pL+)\b[^.;:()"“]{0,120}\(`)
	// underline matches hyphens that underline the text above them.
	underline = regexp.MustCompile(`-{3,}`)
	// separator matches the text before the next party of a list.
	separator = space.Compile(`^(?:[\s,;.:&“"*=_–-]|(?i:and|or|between|among|in\s+favou?r\s+of|(?:of|on)\s+the\s+(?:first|second|third|one|other)(?:\s+(?:part|hand|side))?)[\s:,;.]|` + number + `|(?:his|her|their)\s+(?:wife|husband|spouse|partner|sister|brother|son|daughter|mother|father)\s|(?:the|with|its(?:\s+wholly[\s-]owned)?\s+(?:subsidiary|affiliate),?)\s)*`)
	// calledNext matches the words that introduce the term for a party.
	calledNext = space.Compile(`^\s*(?i:herein\s?after|hereafter)\s`)
	// joining matches the words that join another party.
	joining = space.Compile(`(?i)\b(?:and\b|in\s+favou?r)`)
	// opposite matches the words before the other party of two: "And of the other part,".
	opposite = space.Compile(`(?i)\b(?:of|on)\s+the\s+other(?:\s+(?:part|hand|side))?,?\s`)
	// favored matches the words before the beneficiary of an undertaking.
	favored = space.Compile(`^(?i:in\s+favou?r\s+of)\s`)
	// courtesy matches what may be before the name of a party, such as the line of a form on
	// which it is written.
	courtesy = space.Compile(`^(?:_|[*]{2}|(?i:m/s|messrs|mrs?|ms|miss|mme|madame|monsieur|dr|prof|smt|shri|sri|don|doña|dña|sra?|sig|herr|frau|chief|alhaji|engr|mdm|arch|ing|eng|avv|adv|spouses|individual\s+entrepreneur|the\s+(?:company|firm))\.?\s+)+`)
	// titles matches those of them that only people have.
	titles = space.Compile(`^_?(?i:mrs?|ms|miss|mme|madame|monsieur|dr|prof|smt|shri|sri|don|doña|dña|sra|herr|frau|individual)\b`)
	// numbered matches the number of a party, and enumerated a text with one.
	numbered   = space.Compile(`^` + number)
	enumerated = space.Compile(number)
	// notName matches the text after what is the title of a document, a label or a role rather
	// than a name: "the Receiving Party".
	notName = space.Compile(`^(?:\s*:|\s+(?i:part(?:y|ies)|agreements?|contract|exhibit|schedule|deed|lease|plan|policy|page|act)\b)`)
	// reference matches the beginning of parentheses that define terms, right after a name.
	reference = space.Compile(`^[\s,_*]*\(\s*(?:(?:the|hereinafter|hereafter|herein|called|referred|to|as|each|an?)\s+){0,6}(?:["“'‘«*]|\p{Lu}\pL{2,}(?:\s\p{Lu}\pL+){0,2}\))`)
	// later matches a description with such parentheses at its end.
	later = space.Compile(`^[\s,][^.;()]{0,200}(?:\.,?)?\s*\(\s*(?:(?i:the|hereinafter|hereafter|herein|to|be|called|referred|as|each|an?)\s+){0,7}["“'‘]`)
	// organized matches the description of a party after its name.
	organized = space.Compile(`(?i)^[\s,_]*(?:(?:as|being)\s+)?(?:an?|the)\s[^.;()]{0,120}?\b(?:corporation|company|partnership|association|individual|person|resident|citizen|trust|bank|institution|organi[sz]ation|entity|university|firm|body|society|foundation|authority|agency|municipality|proprietorship|proprietor|married|natural|hospital|division|subsidiary|cooperative|co-operative)\b`)
	// registered matches a description that only a party has: its number in a register, who represents
	// it, or the name under which it trades.
	registered = space.Compile(`^\s*\(\s*(?i:org\.?\s*(?:nr|no)|reg\.?\s*(?:nr|no)|company\s+(?:no|number|reg)|id(?:entity)?\s*(?:no|number)?[\s.:]*\d|vat|abn|acn|cvr|kvk|siren|oib|nif|nip)\b|^[\s,]*(?:\([^()]{0,60}\)[\s,]*)?[^.;()]{0,100}?\b(?:(?i:(?:registered|registration|register|company|charity|business|tax|vat|enterprise|corporate|organi[sz]ation|identity|id)\s+(?:no|nr|number|code|id)\b|represented\s+by\s|(?:registered|entered|established|seated|headquartered)\s+(?:by|in|with|under|at)\s|with\s+(?:its\s+)?(?:registered\s+)?(?:seat|offices?|address)\s|of\s+legal\s+age\b|trading\s+(?:as|under)\s|carrying\s+on\s+business\s|(?:doing|conducting)\s+business\s|born\s+(?:on|in|\d)|(?:residing|living|domiciled)\s)|` +
		`t/a\s|d/b/a\s|(?:ABN|ACN|NIF|CIF|CVR|KvK|CRO|BIN|UID|UEN|SIREN|SIRET|RCS|ZVR|HRA|HRB|GnR|KRS|NIP|EIN|CNPJ|RUT|RFC|CIN|NZBN|OIB|CHE|Reg)\b[\s.:-]*(?:(?i:no|number)[\s.:]*)?[A-Z]?-?\d)`)
	// section matches the number and the beginning of the first section of a contract.
	section = space.Compile(`^\d{1,2}\.\s+\p{Lu}`)
	// closing matches words that end a list of parties, such as those before the parties to
	// another contract.
	closing = space.Compile(`^(?i:by\s+and\s+(?:between|among)\s|operative\s+(?:provisions|part)\b|whereas|witnesseth|w\s+i\s+t\s+n|recitals?\b|background\b|now,?\s+therefore|it\s+is\s+agreed|hereby\b|source:|table\s+of\s+contents|preliminary|in\s+consideration|in\s+witness)`)
)

// maxCourtesy is the maximum length of what courtesy matches, in bytes.
const maxCourtesy = 32

// party reads the party whose name begins at an offset, with everything about it.
func (l *lister) party(at int) (Party, bool) {
	if at >= l.end {
		return Party{}, false
	}
	title := courtesy.FindString(l.text[at:min(l.end, at+maxCourtesy)])
	at += len(title)
	n := Name(l.text[at:l.end])
	if n == 0 {
		return Party{}, false
	}
	if personal := titles.MatchString(title); personal && HasForm(l.text[at:at+n]) {
		// The title is part of the name of an organization: "Mrs. Bakes Inc."
		at, n, title = at-len(title), n+len(title), ""
	}
	name := layout.Span{Start: at, End: at + n}
	behind := l.text[name.End:l.end]
	behind = behind[:cut(behind, maxBehind)]
	if called := l.text[name.Start:name.End]; len(strings.Trim(called, " .,")) < 2 || IsBareRole(called) || notName.MatchString(behind) || postcode.MatchString(called) && !HasForm(called) {
		return Party{}, false
	}
	p := Party{Name: name, Titled: titles.MatchString(title)}
	l.describe(&p)
	if p.isDescribed(l.text[name.Start:name.End]) {
		return Party{}, false
	}
	p.Sure = HasForm(l.text[name.Start:name.End]) || len(p.Terms) > 0 || organized.MatchString(behind) || registered.MatchString(behind)
	return p, true
}

// postcode matches a place with its postcode, in the address of the party before.
var postcode = regexp.MustCompile(`^\d{4,6}\s`)

// isDescribed reports whether a form describes the party rather than naming it: what it calls
// the party ends with the role that it defines for the party, as in "the Acme Transmission
// Owner ("Transmission Owner")".
func (p Party) isDescribed(name string) bool {
	return !HasForm(name) && slices.ContainsFunc(p.Terms, func(t string) bool {
		return isRole(t) && strings.HasSuffix(strings.ToLower(wording.OneLine(name)), " "+strings.ToLower(t))
	})
}

// more reads the next party of the list, which begins where the last one ended.
func (l *lister) more() (Party, bool) {
	rest := l.text[l.at:l.end]
	sep := separator.FindString(rest[:cut(rest, maxLead)])
	last := l.found[len(l.found)-1]
	if sep == "" || strings.HasPrefix(sep, ".") && !enumerated.MatchString(sep) && !opposite.MatchString(sep) || !l.begins(l.at, &last) {
		return Party{}, false
	}
	return l.party(l.at + len(sep))
}

// describe reads what follows the name of a party up to the next party or the end of the
// list.
func (l *lister) describe(p *Party) {
	text, at, closed := l.text, p.Name.End, true
	limit := min(l.end, at+cut(text[at:], maxAbout))
	var about strings.Builder
	for at < limit && !l.stops(at, p) {
		n, terms := 1, []string(nil)
		if m := l.dashed(at, limit); m != nil {
			n, terms = m[1], termsIn("("+text[at+m[2]:at+m[3]]+")", text[p.Name.Start:p.Name.End])
		}
		if text[at] == '(' && closed {
			if end := closingOf(text[at:limit]); end > 0 {
				n, terms = end, termsIn(text[at:at+end], text[p.Name.Start:p.Name.End])
			} else {
				closed = false
			}
		}
		if len(terms) > 0 {
			p.Terms = append(p.Terms, terms...)
			about.WriteByte(' ')
		} else {
			about.WriteString(text[at : at+n])
		}
		at += n
	}
	p.About = strings.Trim(wording.OneLine(underline.ReplaceAllString(about.String(), " ")), " ,;.-–—")
	if len(p.Terms) == 0 {
		p.Terms = calledTerms(p.About)
	}
	p.Whole = wording.Trimmed(text, layout.Span{Start: p.Name.Start, End: at})
}

// dashed returns the places of a definition between dashes at an offset, nil for none.
func (l *lister) dashed(at, limit int) []int {
	if c := l.text[at]; c != '-' && c != 0xE2 {
		return nil
	}
	return dashedTerms.FindStringSubmatchIndex(l.text[at:min(limit, at+maxLead)])
}

// closingOf returns the length of the parentheses at the beginning of s, -1 if they do not
// end.
func closingOf(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// stops reports whether the text about a party ends at an offset: there the next party
// begins, or the list ends.
func (l *lister) stops(at int, p *Party) bool {
	text := l.text
	switch c := text[at]; {
	case c == '.' && len(p.Terms) == 0 && len(l.found) == 0:
		n, broken := gap(text[at+1 : l.end])
		return broken || n > 0 && wording.BeginsSentence(wording.FirstLetters(text[at+1+n:l.end]))
	case c == '.' && len(p.Terms) == 0 && startsDigit(text[at+1:l.end]):
		return false
	case c == '.':
		return at+1 >= l.end || wording.EndsAt(text[max(p.Name.Start, at-60):min(l.end, at+40)], min(60, at-p.Name.Start))
	case c == '(':
		rest := text[at:l.end]
		return numbered.MatchString(rest[:cut(rest, 8)]) && l.begins(at, p)
	case c == ';':
		return !calledNext.MatchString(text[at+1:min(l.end, at+1+cut(text[at+1:], maxLead))]) && !reference.MatchString(text[at+1:min(l.end, at+1+cut(text[at+1:], maxBehind))])
	case c == ',':
		return l.begins(at, p)
	case c == '\n':
		_, broken := gap(text[at:l.end])
		return broken && (len(p.Terms) > 0 || l.begins(at, p) || at == p.Name.End) || l.headed && l.begins(at, p) || l.lined(at, p) || l.word(at+1, p)
	case space.Is(rune(c)):
		return l.word(at+1, p)
	}
	return false
}

// lined reports whether the line after an offset begins the next party. In a list with one party to a
// line, the term defined for a party ends its line or follows its name.
func (l *lister) lined(at int, p *Party) bool {
	if len(p.Terms) == 0 || !l.begins(at, p) {
		return false
	}
	rest := strings.TrimLeftFunc(l.text[at:l.end], space.Is)
	behind := rest[Name(rest):]
	return strings.HasSuffix(strings.TrimRight(l.text[:at], " ;,."), ")") || reference.MatchString(behind[:cut(behind, maxBehind)])
}

// startsDigit reports whether a text begins with a number, after white space.
func startsDigit(s string) bool {
	s = strings.TrimLeftFunc(s[:cut(s, 8)], space.Is)
	return s != "" && s[0] >= '0' && s[0] <= '9'
}

// word reports whether the text about a party ends at the word at an offset.
func (l *lister) word(at int, p *Party) bool {
	rest := l.text[at:l.end]
	head := rest[:cut(rest, 24)]
	if len(head) < 4 {
		return false
	}
	if head[0] >= '0' && head[0] <= '9' {
		return section.MatchString(head)
	}
	switch head[0] | 0x20 {
	case 'a':
		return strings.EqualFold(head[:3], "and") && !letterAt(head, 3) && l.begins(at, p)
	case 'w', 'r', 'b', 'n', 'i', 'h', 's', 't', 'p', 'o':
		if favored.MatchString(head) {
			return l.begins(at, p)
		}
		return closing.MatchString(head)
	}
	return false
}

// begins reports whether the next party begins after the separator at an offset.
func (l *lister) begins(at int, p *Party) bool {
	rest := l.text[at:l.end]
	sep := separator.FindString(rest[:cut(rest, maxLead)])
	after := rest[len(sep):]
	after = after[len(courtesy.FindString(after[:cut(after, maxCourtesy)])):]
	joined := joining.MatchString(sep)
	if joined && opposite.MatchString(sep) && Name(after) > 0 {
		return true
	}
	if joined && (blank.MatchString(after) || unnamed.MatchString(after)) {
		return true
	}
	n := Name(after)
	if n == 0 {
		return false
	}
	name, behind := after[:n], after[n:]
	behind = behind[:cut(behind, maxBehind)]
	immediate := reference.MatchString(behind)
	line, _, _ := strings.Cut(name, "\n") // a place may end the line above a name
	if isPlace(line) || postcode.MatchString(name) && !HasForm(name) || !immediate && market.MatchString(name) || authority.MatchString(name) {
		return false
	}
	switch {
	case HasForm(name) && isForm(lastWord(name)), organized.MatchString(behind):
		return true
	case l.headed && len(p.Terms) > 0 && strings.Contains(sep, "\n") && registered.MatchString(behind):
		return true
	case joined && registered.MatchString(behind) && !l.placed(at), l.headed && l.follows(p, sep), l.follows(p, sep) && (registered.MatchString(behind) || later.MatchString(behind)):
		return true
	case len(p.Terms) > 0:
		return joined || immediate || strings.HasSuffix(sep, ") ") && l.numbered(p) && later.MatchString(behind)
	case !joined:
		return false
	case strings.TrimSpace(l.text[p.Name.End:at]) == "":
		return true
	}
	defined := immediate || len(l.found) == 0 && later.MatchString(behind)
	return (HasForm(name) || defined) && !l.placed(at) && !l.own(p, behind)
}

// numbered reports whether a number in parentheses precedes the name of a party. A number without
// them may be that of a section.
func (l *lister) numbered(p *Party) bool {
	return strings.HasSuffix(strings.TrimRightFunc(l.text[:p.Name.Start], space.Is), ")")
}

// follows reports whether a separator ends with the number after that of a party: "2." after "1. Acme".
func (l *lister) follows(p *Party, sep string) bool {
	m, n := listed.FindStringSubmatch(l.text[max(0, p.Name.Start-maxCourtesy):p.Name.Start]), listed.FindStringSubmatch(sep)
	if m == nil || n == nil {
		return false
	}
	before, _ := strconv.Atoi(m[1])
	next, _ := strconv.Atoi(n[1])
	return next == before+1
}

// listed matches the number of a party without parentheses at the end of a text.
var listed = space.Compile(`(?:^|\s)([0-9]{1,2})[.)]\s+$`)

// market matches the name of a market on which a party is listed, in its description.
var market = space.Compile(`(?i)\bstock\s+(?:exchange|market)\b`)

// authority matches the name of an authority or a register in the description of a party.
var authority = space.Compile(`(?i)\b(?:register|registry|registrar|court|tribunal|chamber\s+of\s+commerce|tax\s+office)\b`)

// isPlace reports whether a name is that of a state or country, perhaps with a postal code.
func isPlace(name string) bool {
	return law.IsPlace(strings.TrimRight(name, " 0123456789-"))
}

// lastWord returns the last word of a name.
func lastWord(name string) string {
	words := strings.Fields(name)
	return words[len(words)-1]
}

// place matches a text that ends in a place, which "and" may follow.
var place = space.Compile(`\b(?:in|at|of|from)\s+\p{Lu}[\pL.]*,?\s*$`)

// placed reports whether the text before an offset ends in a place.
func (l *lister) placed(at int) bool {
	return place.MatchString(l.text[max(0, at-40):at])
}

// own reports whether the terms at the beginning of behind belong to the party p itself.
func (l *lister) own(p *Party, behind string) bool {
	open := strings.IndexByte(behind, '(')
	if open < 0 {
		return false
	}
	end := closingOf(behind[open:])
	if end < 0 {
		return false
	}
	name := strings.ToLower(l.text[p.Name.Start:p.Name.End])
	for _, t := range termsIn(behind[open:open+end], "") {
		if strings.Contains(name, strings.ToLower(t)) {
			return true
		}
	}
	return false
}
