package preamble

import (
	"strings"
	"unicode"

	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
)

// Limits for names.
const (
	maxName      = 160 // bytes
	maxNameWords = 16
	maxInside    = 40 // bytes in parentheses within a name
)

// Name returns the length of the name at the beginning of s, 0 for none.
func Name(s string) int {
	s = s[:cut(s, maxName)]
	r := nameReader{s: s}
	for r.words < maxNameWords && r.next() {
	}
	if !r.named() {
		return 0
	}
	if r.formed {
		r.end += r.more()
	}
	return r.end
}

var (
	// moreForms matches what may follow the first legal form of a name: "GmbH & Co. KG", "S.A.
	// de C.V.", "AB (publ)", and the number of one of several companies: "Corp. II".
	moreForms = space.Compile(`^(?:\s+&\s+Co\.?,?\s+(?:KGaA|KG|OHG|oHG)\b|\s+(?i:de\s+R\.\s?L\.(?:\s+de\s+C\.\s?V\.)?|de\s+C\.\s?V\.)|\s+\((?:publ|haftungsbeschränkt)\)|\s+[IVX]{2,5}\b)`)
	// limited matches the words after "Limited" in a legal form that it begins.
	limited = space.Compile(`^\s+(?i:partnership|liability\s+(?:company|partnership))\b`)
)

// more returns the length of what continues the legal form at the end of a name.
func (r *nameReader) more() int {
	n := 0
	if plain(lastWord(r.s[:r.end])) == "limited" {
		n = len(limited.FindString(r.s[r.end:]))
	}
	return n + len(moreForms.FindString(r.s[r.end+n:]))
}

// particles are joiners with which a name may begin.
var particles = set(`de del der van von la le du di da dos`)

// nameReader reads a name.
type nameReader struct {
	s string
	// at is the offset of the next word, and end that of the end of the name so far.
	at, end, words int
	// formed means that the name has its legal form.
	formed bool
}

// fieldBelow matches the label of another field on the next line: "Attn:".
var fieldBelow = space.Compile(`^[ \t]*\n[ \t]*\pL+\.?(?:[ \t]\pL+\.?)?[ \t]*:`)

// next reads the next word, with the marks before it. It returns false at the end of the
// name.
func (r *nameReader) next() bool {
	if r.words > 0 {
		n, broken := gap(r.s[r.at:])
		rest := r.s[r.at+n:]
		switch {
		case broken || fieldBelow.MatchString(r.s[r.at:]):
			return false
		case strings.HasPrefix(rest, ","):
			return r.comma(r.at + n + 1)
		case strings.HasPrefix(rest, "("):
			return r.inside(r.at + n)
		case n == 0:
			return false
		}
		r.at += n
	}
	word := wordAt(r.s[r.at:])
	if r.formed && !r.further(word) {
		return false
	}
	return r.take(word)
}

// further reports whether a word continues a name that has a legal form: another form, or
// "of" and a place.
func (r *nameReader) further(word string) bool {
	if word == "of" {
		next := strings.TrimLeftFunc(r.s[r.at+len("of"):], space.Is)
		r.formed = !capital(next) || startsDigit(next)
		return !r.formed
	}
	return isForm(word) && plain(word) != "as" && word != "incorporated" || plain(word) == "company"
}

// take appends a word to the name, unless it cannot be part of it.
func (r *nameReader) take(word string) bool {
	p := plain(word)
	if word == "" {
		return false
	}
	if p == "and" {
		return r.and(word)
	}
	if (joiners[p] && (p != "i" || word == p) || word == "&" || word == "z") && !(r.words == 0 && particles[p] && capital(word)) {
		return r.join(word)
	}
	if enders[p] && !r.form(word) || !capital(word) && !r.form(word) && !r.lowerBrand(word) {
		return false
	}
	return r.accept(word)
}

// form reports whether a word after others is a legal form, which may be in lower case:
// "plc", "a.s."
func (r *nameReader) form(word string) bool {
	return r.words > 0 && isForm(word) && (plain(word) != "as" || strings.Contains(word, ".") || word == "AS" && strings.ContainsFunc(r.s[:r.end], unicode.IsLower))
}

// accept extends the name by a word. It returns false if the word ends the name.
func (r *nameReader) accept(word string) bool {
	r.words++
	r.at += len(word)
	r.end = r.at
	if isForm(word) && r.words > 1 && !strings.EqualFold(r.s[:r.end], "the "+word) {
		r.formed = true
		return true
	}
	if !strings.HasSuffix(word, ".") || abbreviation(word) {
		return true
	}
	r.end -= len(word) - len(strings.TrimRight(word, "."))
	return false
}

// join appends a word such as "of", if a capitalized word follows.
func (r *nameReader) join(word string) bool {
	rest := r.s[r.at+len(word):]
	n, broken := gap(rest)
	next := wordAt(rest[n:])
	if n == 0 || broken || !capital(next) && !joiners[plain(next)] && !isForm(next) || word == "of" && (startsDigit(next) || houses[plain(next)] || r.livesIn(rest[n:])) || r.words == 0 && word != "The" && word != "THE" {
		return false
	}
	r.words++
	r.at += len(word)
	return true
}

// lives matches a city and what follows it.
var lives = space.Compile(`^\p{Lu}[\pL.'-]*(?:\s\p{Lu}[\pL.'-]*)?,\s+(\p{Lu}\pL+(?:\s\p{Lu}\pL+)?)`)

// ofPlaces are words of names that continue with "of" and a place.
var ofPlaces = set(`town township village borough port parish diocese archdiocese museum opera orchestra chamber community region territory municipality`)

// houses are words with which an address begins.
var houses = set(`no nr plot flat unit level floor shop office house suite po block lot apartment apt room box`)

// livesIn reports whether "of" and a place say where a person lives: "John Doe of Nashville,
// Tennessee".
func (r *nameReader) livesIn(rest string) bool {
	count := 0
	for w := range strings.FieldsSeq(r.s[:r.end]) {
		if p := plain(w); forms[p] || middles[p] || joiners[p] || ofPlaces[p] {
			return false
		}
		count++
	}
	if count < 2 {
		return false
	}
	if m := lives.FindStringSubmatch(rest); m != nil && (law.IsPlace(m[1]) || law.IsPlace(lastWord(m[1]))) {
		return true
	}
	behind := placeName.FindString(rest)
	return signature.Personal(r.s[:r.end]) && behind != "" && !HasForm("of "+behind)
}

// placeName matches the capitalized words behind "of".
var placeName = space.Compile(`^\p{Lu}[\pL'’-]*(?:\s(?:of\s|the\s)?\p{Lu}[\pL'’.-]*){0,5}`)

// and appends the word "and" if it stands within a name rather than between two.
func (r *nameReader) and(word string) bool {
	rest := r.s[r.at+len(word):]
	n, broken := gap(rest)
	next := wordAt(rest[n:])
	if n == 0 || broken || r.words == 0 || r.formed || !capital(next) || !generic[plain(next)] {
		return false
	}
	r.words++
	r.at += len(word)
	return true
}

// comma continues a name after a comma: with a legal form, or with a degree.
func (r *nameReader) comma(at int) bool {
	if end := r.state(at); end > 0 {
		r.end = end
		return false
	}
	if m := nationalBank.FindString(r.s[at:]); m != "" && !r.formed {
		r.end = at + len(m)
		return false
	}
	n, broken := gap(r.s[at:])
	if !broken && !r.formed && partners.MatchString(r.s[at:]) {
		r.at = at + n
		return r.accept(wordAt(r.s[at+n:]))
	}
	word := wordAt(r.s[at+n:])
	p := plain(word)
	if broken || p == "nv" && zip.MatchString(r.s[at+n:]) || !forms[p] && !degrees[p] && !(p == "company" && r.formed && !companyNumber.MatchString(r.s[at+n:])) || p == "as" && !strings.Contains(word, ".") || !capital(word) && !strings.Contains(word, ".") && len(p) > 4 {
		return false
	}
	r.at = at + n
	ok := r.accept(word)
	r.formed = r.formed || degrees[p]
	return ok
}

var (
	// localBody matches the name of a local authority. Many have the same name, so that of the
	// state is part of it: "County of Alder, Virginia".
	localBody = space.Compile(`(?i)^(?:the\s+)?(?:county|city|town|village|township|borough)\s+of\s|\scounty$`)
	// state matches the name of a state that no postal code follows.
	state = space.Compile(`^\s+(\p{Lu}\pL+(?:\s\p{Lu}\pL+)?)(?:\s*[^\s\d]|\s*$|\s*\n)`)
)

// state returns the end of the state after the comma in the name of a local authority, 0 for
// none.
func (r *nameReader) state(at int) int {
	m := state.FindStringSubmatchIndex(r.s[at:])
	if m == nil || !law.IsPlace(r.s[at+m[2]:at+m[3]]) || !localBody.MatchString(r.s[:r.end]) {
		return 0
	}
	return at + m[3]
}

// partners matches what follows the first of several partners in the name of a firm: "Alder,
// Birch & Cedar, Inc."
var partners = space.Compile(`^(?:\s+\p{Lu}[\pL'’-]+,){0,3}\s+\p{Lu}[\pL'’-]+,?\s+&\s+\p{Lu}[\pL'’-]+(?:,?\s+(?:Inc|INC|Incorporated|INCORPORATED|L\.?L\.?[CP]|P\.?C|Ltd|LTD|Limited)\b)`)

// nationalBank matches the legal form of a bank under federal law after the comma in its name.
var nationalBank = space.Compile(`^\s+(?i:national\s+(?:banking\s+)?association)\b`)

// companyNumber matches the number of a company in a register.
var companyNumber = space.Compile(`^(?i:company\s+(?:no|number|reg))\b`)

// inside continues a name after a part in parentheses: "Acme (Beijing) Co., Ltd."
func (r *nameReader) inside(at int) bool {
	end := strings.IndexByte(r.s[at:], ')')
	if end < 0 || end > maxInside || r.formed {
		return false
	}
	part := r.s[at+1 : at+end]
	after := at + end + 1
	n, broken := gap(r.s[after:])
	next := wordAt(r.s[after+n:])
	if strings.ContainsAny(part, "\"“”'’(/") || !capital(part) || broken || isRole(part) || partyTerm.MatchString(part) {
		return false
	}
	r.words++
	if strings.HasPrefix(r.s[after+n:], ",") {
		return r.comma(after + n + 1)
	}
	r.at = after
	return n > 0 && capital(next) && !enders[plain(next)]
}

// bankOf matches the name of a bank or a state, even if it consists of words that are no names
// alone: "Bank of America".
var bankOf = space.Compile(`(?i)^(?:the\s+)?(?:bank|state|commonwealth)\s+of\s+\pL`)

// named reports whether what was read may be a name.
func (r *nameReader) named() bool {
	letters := bankOf.MatchString(r.s[:r.end])
	for w := range strings.FieldsSeq(r.s[:r.end]) {
		if p := strings.Trim(possessor(plain(w)), "()"); p != "" && !notNames[p] && !forms[p] && !joiners[p] && strings.ContainsFunc(p, unicode.IsLetter) {
			letters = true
		}
	}
	return letters && r.end > 1
}

// lowerBrand reports whether a word in lower case is part of a name: a legal form follows, and the word
// begins the name or the form is no other word: "Alder nautika d.o.o."
func (r *nameReader) lowerBrand(word string) bool {
	rest := strings.TrimLeft(r.s[r.at+len(word):], ", \n")
	form := wordAt(rest)
	if !isForm(form) || enders[plain(word)] || joiners[plain(word)] {
		return false
	}
	return r.words == 0 && capital(rest) || r.words > 0 && len(plain(form)) > 2 && (capital(form) || strings.Contains(form, "."))
}
