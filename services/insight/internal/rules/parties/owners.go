package parties

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Caller describes the client that sent the request.
type Caller struct {
	// Organization is the name of the caller's organization, "" if it is not known.
	Organization string
	// Context is the background text that the caller sent. It may say who they are.
	Context string
}

// MarkOwners sets IsAgreementOwner on the signers whose party is the caller, judged by
// the name of the caller's organization or by a statement in the context. found must be
// the result of Signers(d).
func MarkOwners(d *structure.Document, c Caller, found []finding.Found[insightapi.Signer]) {
	organization, selves := nameKey(c.Organization), selvesIn(c.Context)
	if organization == "" && len(selves) == 0 {
		return
	}
	parties, all := partiesOf(d), signingsOf(d)
	for i, block := range all.blocks {
		names, roles := parties.of(d, block)
		owner := slices.ContainsFunc(names, func(n string) bool { return organization != "" && nameKey(n) == organization })
		for _, called := range append(names, roles...) {
			owner = owner || slices.ContainsFunc(selves, func(self string) bool { return isSelf(self, called) })
		}
		if s := all.of[i]; owner && s < len(found) {
			found[s].Item.IsAgreementOwner = true
		}
	}
}

// parties are the parties that the document defines a term for: Acme Inc., the Customer.
type parties struct {
	// names maps the term in lower case to names; terms maps the nameKey of a name to
	// terms.
	names, terms map[string][]string
}

// partiesOf returns the parties that the document defines.
func partiesOf(d *structure.Document) parties {
	p := parties{map[string][]string{}, map[string][]string{}}
	for _, def := range d.Definitions {
		if !IsName(def) {
			continue
		}
		name, term := d.Plain(def.Span), strings.ToLower(def.Term)
		p.names[term] = append(p.names[term], name)
		p.terms[nameKey(name)] = append(p.terms[nameKey(name)], def.Term)
	}
	return p
}

// maxName is the maximum length of a party's name in bytes. Longer text is a definition
// in words.
const maxName = 200

// IsName reports whether a definition gives the name of a party rather than an
// explanation.
func IsName(def structure.Definition) bool {
	return !def.Overlaps(def.TermSpan) && def.Len() <= maxName
}

// roleBefore matches a role before the party's name on the same line: "SELLER: Acme Ltd".
var roleBefore = regexp.MustCompile(`([\pL][\pL -]{2,40}):\s*$`)

// of returns the names of the party that signs in a block, and what the document calls
// it, such as "Customer". If the block names no party, the person who signs is the party.
func (p parties) of(d *structure.Document, s structure.Signature) (names, roles []string) {
	party := written(d, s.Party)
	if party == "" {
		if name := written(d, s.Name); name != "" {
			names = []string{name}
		}
		return names, nil
	}
	names = append([]string{party}, p.names[strings.ToLower(party)]...)
	before := d.Text[max(0, s.Party.Start-maxName):s.Party.Start]
	if m := roleBefore.FindStringSubmatch(before[strings.LastIndexByte(before, '\n')+1:]); m != nil {
		roles = append(roles, m[1])
	}
	return names, append(roles, p.terms[nameKey(party)]...)
}

// describedAs matches the description of a company after its name.
var describedAs = regexp.MustCompile(`(?i)\s*(?:,\s*(?:an?|the|acting|having|with|as|its|d/?b/?a|organi[sz]ed|incorporated under)\s|[(\["“]|\sd/?b/?a\s|\sacting\s).*$`)

// legalForms are the legal forms of companies, spelled without periods. People omit them
// or spell them in different ways.
var legalForms = func() map[string]bool {
	set := map[string]bool{}
	for form := range strings.FieldsSeq(`inc incorporated corp corporation co company ltd limited llc llp lllp lp plc pllc pc pa
		gmbh mbh ag kg kgaa ohg gbr ug ev eg se sa sas sarl sasu snc srl spa nv bv cv ab as asa aps oy oyj ou sp zoo sro dd doo kft zrt
		pty pte pvt private bhd sdn kk ltda lda de cv sl slu`) {
		set[form] = true
	}
	return set
}()

// nameKey returns a normal form that all spellings of a company's name share: its words
// without case, accents, punctuation, "the" and the legal form at the end.
func nameKey(name string) string {
	name = strings.TrimSpace(name)
	if at := describedAs.FindStringIndex(name); at != nil && at[0] > 0 {
		name = name[:at[0]]
	}
	words := nameWords(name)
	if len(words) > 1 && words[0] == "the" {
		words = words[1:]
	}
	for len(words) > 1 && (legalForms[words[len(words)-1]] || words[len(words)-1] == "and") {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// folded replaces special letters that Unicode normalization does not reduce to plain
// ones, and some punctuation.
var folded = strings.NewReplacer("ß", "ss", "ø", "o", "ł", "l", "đ", "d", "æ", "ae", "œ", "oe", "ı", "i", "&", " and ", "+", " and ", ".", "", "'", "", "’", "")

// nameWords returns the words of a name in lower case, without accents or punctuation.
func nameWords(name string) []string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(name))
	return strings.FieldsFunc(folded.Replace(plain), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// selfStatement matches the start of a statement about who the author of a context is or
// acts for.
var selfStatement = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:(?:we|i)(?:\s+are|\s+am|['’](?:re|m))\s+(?:(?:here|reading|writing|acting|working)\s+)?(?:(?:for|at|with|from|on\s+behalf\s+of|as|called|named)\s+)?` +
	`|(?:we|i)\s+(?:represent|advise|act\s+(?:for|as|on\s+behalf\s+of)|work\s+(?:for|at)|sign\s+(?:for|as|on\s+behalf\s+of))\s+` +
	`|(?:our|my)\s+(?:own\s+)?(?:compan(?:y|y['’]s\s+name)|organi[sz]ation|firm|business|client|employer|side|party|role|name|entity)(?:\s+name)?(?:\s+is(?:\s+called|\s+named)?\s+|\s*:\s*)` +
	`)|(?:^|[.;\n]\s*)on\s+behalf\s+of\s+`)

// maxSelf is the maximum number of bytes read of a statement, and maxSelves the maximum
// number of statements.
const maxSelf, maxSelves = 200, 50

// selvesIn returns the text after the start of each such statement in a context: "Acme
// Inc. and want to know …".
func selvesIn(context string) (selves []string) {
	context = context[:min(len(context), passage.MaxSentence)]
	for _, m := range selfStatement.FindAllStringIndex(context, maxSelves) {
		selves = append(selves, strings.ToValidUTF8(context[m[1]:min(len(context), m[1]+maxSelf)], ""))
	}
	return selves
}

// goesOn are words that can continue a sentence after a name.
var goesOn = map[string]bool{"in": true, "under": true, "with": true, "who": true, "which": true, "as": true, "a": true, "an": true, "here": true, "for": true, "on": true, "or": true, "to": true, "that": true}

// isSelf reports whether a statement begins with the name or role of a party. The name
// must end there: "Acme Holdings" is not Acme.
func isSelf(self, called string) bool {
	want := strings.Fields(nameKey(called))
	if len(want) == 0 {
		return false
	}
	rest := strings.TrimLeft(self, " \t\n\"“‘'(")
	if the, ok := cutWord(rest, "the"); ok && want[0] != "the" {
		rest = the
	}
	last := ""
	for _, w := range want {
		var ok bool
		last, _ = firstWord(rest)
		if rest, ok = cutWord(rest, w); !ok {
			return false
		}
	}
	for {
		word, behind := firstWord(rest)
		if !legalForms[strings.Join(nameWords(word), "")] {
			break
		}
		last, rest = word, behind
	}
	return len(last) > len("J.") && strings.HasSuffix(last, ".") || ends(rest)
}

// ends reports whether a name can end before rest.
func ends(rest string) bool {
	trimmed := strings.TrimLeft(rest, " \t")
	if trimmed == "" || !unicode.IsLetter([]rune(trimmed)[0]) && trimmed[0] != '&' && trimmed[0] != '+' {
		return true
	}
	word, behind := firstWord(rest)
	if word == "and" {
		next, _ := firstWord(behind)
		return next == strings.ToLower(next)
	}
	return goesOn[word]
}

// firstWord splits off the first word, which ends at white space or punctuation.
func firstWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t\n,")
	i := strings.IndexAny(s, " \t\n,;:()\"”")
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}

// cutWord removes the first word of s if it equals want in the form that nameWords
// returns.
func cutWord(s, want string) (rest string, ok bool) {
	word, rest := firstWord(s)
	if word == "&" || word == "+" {
		word = "and"
	}
	if strings.Join(nameWords(strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")), "") == want {
		return rest, true
	}
	// "Tate-Lyle" counts as two words of a name.
	if parts := nameWords(word); len(parts) > 1 && parts[0] == want {
		return strings.Join(parts[1:], " ") + rest, true
	}
	return s, false
}
