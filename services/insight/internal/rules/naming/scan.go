package naming

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/preamble"
	"github.com/rectohq/recto/services/insight/internal/space"
)

const (
	maxPlaces = 400
	maxName   = 160 // bytes
)

// scanner finds places with names.
type scanner struct {
	text  string
	found []layout.Span
}

// scan finds the names in the text.
func (s *scanner) scan() {
	for at := 0; at < len(s.text) && len(s.found) < maxPlaces; {
		r, n := utf8.DecodeRuneInString(s.text[at:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			at += n
			continue
		}
		end := at + wordEnd(s.text[at:])
		if name := s.nameAt(at); name.Len() > 0 {
			s.add(name)
			end = name.End
		}
		at = end
	}
}

// add adds a name, and a longer one that begins with it if "and" may join them: "Con and Voula Stavrou",
// "Alder and Birch Ltd".
func (s *scanner) add(name layout.Span) {
	s.found = append(s.found, name)
	m := joining.FindStringIndex(s.text[name.End:min(len(s.text), name.End+maxJoining)])
	if m == nil {
		return
	}
	next := s.nameAt(name.End + m[1])
	if next.Len() == 0 {
		return
	}
	first, second := s.text[name.Start:name.End], s.text[next.Start:next.End]
	couple := !strings.ContainsAny(first, " \n") && strings.ContainsAny(second, " \n") && !preamble.HasForm(second)
	company := preamble.HasForm(second) && !preamble.HasForm(first) && !strings.Contains(s.text[name.End:next.Start], "\n")
	if couple || company {
		s.found = append(s.found, layout.Span{Start: name.Start, End: next.End})
	}
}

// joining matches what joins the two parts of a name.
var joining = space.Compile(`^(?i)\s+(?:and|&)\s+`)

// maxJoining is the maximum length of what joins two parts of a name, in bytes.
const maxJoining = 8

// nameAt returns the name that begins at an offset, an empty span for none.
func (s *scanner) nameAt(at int) layout.Span {
	word := s.text[at : at+wordEnd(s.text[at:])]
	first, _ := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) || leading[strings.ToLower(strings.Trim(word, ".'’"))] || messieurs.MatchString(s.text[max(0, at-1):min(len(s.text), at+4)]) {
		return layout.Span{}
	}
	text := s.text[at : at+s.line(at)]
	n := preamble.Name(text)
	for n > 0 {
		more := continued.FindString(text[n:])
		next := preamble.Name(text[n+len(more):])
		if more == "" || next == 0 {
			break
		}
		n += len(more) + next
	}
	name := withoutPlace(text[:n])
	if !preamble.HasForm(name) {
		name = name[:len(name)-len(numbers.FindString(name))]
		if left, right, two := strings.Cut(name, " & "); two && strings.Contains(left, " ") && strings.Contains(right, " ") {
			name = left // two people
		}
	}
	name = strings.TrimRight(name, " ,;-–\n")
	for _, possessive := range []string{"'s", "’s"} {
		name = strings.TrimSuffix(name, possessive)
	}
	if len(name) < 2 || preamble.IsBareRole(name) || !slices.ContainsFunc(wordsOf(name), func(w string) bool { return !common[w] }) {
		return layout.Span{}
	}
	return layout.Span{Start: at, End: at + len(name)}
}

// common are words that are no names by themselves: how letters address their readers, and the labels of
// signatures.
var common = set(`reader readers customer client colleague colleagues friend friends member members team sirs guest guests tenant resident residents neighbour neighbor
	parent parents volunteer applicant candidate student user subscriber authorised authorized signatory signature representative name title date place`)

var (
	// messieurs matches the abbreviation of "Messieurs" before a firm, with the byte before it.
	messieurs = space.Compile(`^[^\pL]?M/[sS]\b`)
	// continued matches what may be between two parts of a name: a nickname, or a word in lower case.
	continued = space.Compile(`^\s+(?:["“'‘„]\p{Lu}[^"”'’“\n]{1,20}["”'’“]\s+|(?:bin|binte|binti|ibn|née|nee|ter|ten|zu|zum|zur|vom|ap|ji)\s+)`)
	// numbers matches numbers at the end of a name.
	numbers = space.Compile(`(?:[\s,]+[\d.,]+)+$`)
)

// withoutPlace returns a name without "of" and a place, unless "of" belongs to the name: "University of
// Alder".
func withoutPlace(name string) string {
	for _, of := range []string{" of ", " OF "} {
		before, _, found := strings.Cut(name, of)
		words := wordsOf(before)
		if found && len(words) > 0 && !ofWords[words[len(words)-1]] && (len(words) > 1 || preamble.HasForm(before)) {
			return before
		}
	}
	return name
}

// ofWords are words after which "of" continues the name of an organization.
var ofWords = set(`university college school bank museum council church parish ministry department institute academy board trustees society association
	federation union guild order sisters brothers friends faculty centre center office government republic kingdom state commonwealth city town county village
	municipality district borough province port house institution foundation chamber court diocese archdiocese directorate secretary commissioner minister league club`)

// leading are words with which no name begins, although they may be capitalized before one: courtesy
// titles, greetings, and words that begin sentences.
var leading = set(`mr mrs ms miss mx dr prof professor sir madam madame messrs mmes mdm spouses sps lic ing shri smt sri pt pandit herr frau señor señora don doña datuk
	chief alhaji engr atty cllr rev reverend pastor father sister hon capt captain dame lady lord judge coach uncle aunt auntie dear hi hello hey
	i we you he she it they me us my our your his her its their this that these those each every any all no both either neither some such
	if when where while whereas whether because since once until unless after before during as at by for from in into of on onto to under upon with without within
	between among against about per via and or but nor so then than thus is are was were be been has have had do does did will would shall should may might must
	can could not who whom whose which what why how there here also only signed dated regards sincerely yours thanks re cc attn`)

// line returns the length of the text at an offset that may belong to the name there: up to a wide gap or
// the end of the line, unless the line is long and wraps.
func (s *scanner) line(at int) int {
	end := min(len(s.text), at+maxName)
	for end < len(s.text) && !utf8.RuneStart(s.text[end]) {
		end--
	}
	rest := s.text[at:end]
	for i := range len(rest) {
		switch {
		case rest[i] == '\t' || strings.HasPrefix(rest[i:], "   "):
			return i
		case rest[i] == '\n':
			if begin := strings.LastIndexByte(s.text[:at], '\n') + 1; at+i-begin < wraps {
				return i
			}
		}
	}
	return len(rest)
}

// wraps is how long a line is at least, in bytes, after which a name may continue on the next one.
const wraps = 55

// wordEnd returns the length of the word at the beginning of s.
func wordEnd(s string) int {
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' && !(r == '-' && i > 0) {
			return max(i, 1)
		}
	}
	return len(s)
}

// set returns the words of a list as a set.
func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}
