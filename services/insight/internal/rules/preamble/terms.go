package preamble

import (
	"strings"
	"unicode/utf8"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// quotedTerm matches a term in quotation marks.
var quotedTerm = space.Compile(`(?:["“«]|''|‘|\x60\x60|[*]{2})\s*(?:(?i:the)\s+)?([\pL\d][^"“”«»*]{0,58}?)\s*[,.]?\s*(?:["”»]|''|[*]{2}|’(?:[\s),]|$))`)

// grouped matches parentheses that define a term for several parties, or for another thing
// than a party.
var grouped = space.Compile(`(?i)\b(?:collectively|together|each|both|individually|jointly|either|all of)\b`)

// termsIn returns the terms that parentheses define for the party with a name, rather than
// for several.
func termsIn(s, name string) (terms []string) {
	s = s[:cut(s, 400)]
	for _, m := range quotedTerm.FindAllStringSubmatchIndex(s, 6) {
		term := wording.OneLine(s[m[2]:m[3]])
		if grouped.MatchString(s[:m[0]]) && !strings.HasPrefix(strings.ToLower(name), strings.ToLower(term)) {
			break
		}
		several := strings.HasSuffix(term, "s") && isRole(strings.TrimSuffix(term, "s"))
		if p := strings.ToLower(term); p != "party" && p != "parties" && p != "agreement" && !pronouns[p] && !several {
			terms = append(terms, term)
		}
	}
	if m := unquoted.FindStringSubmatch(s); len(terms) == 0 && m != nil {
		return []string{wording.OneLine(m[1])}
	}
	if m := bare.FindStringSubmatch(s); len(terms) == 0 && m != nil {
		if term := wording.OneLine(m[1]); IsBareRole(term) || partyTerm.MatchString(term) || stands(term, name) {
			return []string{term}
		}
	}
	return terms
}

// partyTerm matches a term that says of itself that it is that of a party: "Outgoing Party".
var partyTerm = regexp.MustCompile(`(?i)^(?:the )?[\pL-]+ party$`)

// bare matches parentheses with nothing but a short name.
var bare = space.Compile(`^\(\s*(\p{Lu}[\pL&-]*(?:\s\p{Lu}[\pL&-]*){0,2})\s*\)$`)

// stands reports whether a term is short for a name: its beginning, or the initials of some
// of its words.
func stands(term, name string) bool {
	if strings.HasPrefix(strings.TrimPrefix(strings.ToLower(name), "the "), strings.ToLower(term)) {
		return true
	}
	rest := term
	for w := range strings.FieldsSeq(name) {
		if rest != "" && w[0] == rest[0] {
			rest = rest[1:]
		}
	}
	return rest == "" && len(term) > 1
}

// called matches the words before terms that are not in parentheses.
var called = space.Compile(`(?i)\b(?:herein\s?after|hereafter|referred\s+to|called|known\s+as|designated)\b[^"“«*]{0,60}(?:["“«]|[*]{2})`)

// calledTerms returns the terms that a description defines without parentheses: "referred
// to as "Company" or "Boyd"".
func calledTerms(about string) []string {
	m := called.FindStringIndex(about)
	if m == nil {
		return nil
	}
	_, size := utf8.DecodeLastRuneInString(about[:m[1]])
	if strings.HasSuffix(about[:m[1]], "**") {
		size = len("**")
	}
	return termsIn(about[m[1]-size:], "")
}

// unquoted matches parentheses that define a term without quotation marks.
var unquoted = space.Compile(`^\((?i:the|herein\s?after|hereafter|below:?|(?:in|for)\s+short:?|short(?:\s+name)?:?|abbreviated:?)\s+(?i:(?:called|referred|to|as|the)\s+)*(\p{Lu}[\pL&]*(?:\s\p{Lu}[\pL&]*){0,3})(?:\)$|,\s+(?i:which|and)\s)`)

// pronouns are terms that are no names.
var pronouns = set(`we us our you your i me my it`)

// dashedTerms matches a definition between dashes, as contracts of German-speaking countries have it:
// – hereinafter "Studio" –.
var dashedTerms = space.Compile(`^[-–—]\s*((?:(?i:hereinafter|hereafter|in\s+the\s+following|in\s+short|referred|called|to|as|the|also|both|jointly)[\s,:]+)*["“'‘][^"“”\n]{2,60}["”'’])\s*[-–—]`)
