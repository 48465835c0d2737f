package questions

import (
	"slices"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// force is what a sentence says about an action, or what a question asks about it.
type force int

// The forces. none means that a sentence does not say clearly.
const (
	none force = iota
	// states says that something is so, and denies that it is not.
	states
	denies
	// obliges says that somebody must do something, and exempts that they need not.
	obliges
	exempts
	// allows says that somebody may do something, and forbids that they must not.
	allows
	forbids
)

// negated returns the opposite of a force: what a sentence with "not" says.
var negated = map[force]force{states: denies, obliges: forbids, allows: forbids, exempts: obliges, denies: states, forbids: allows}

// auxiliaries are the verbs with which a claim begins.
var auxiliaries = map[string]force{
	"shall": obliges, "must": obliges, "will": obliges, "should": obliges, "agrees": obliges, "agree": obliges, "undertakes": obliges,
	"may": allows, "can": allows, "could": allows, "cannot": forbids, "is": states, "are": states, "was": states, "were": states,
	"has": states, "have": states, "does": states, "do": states, "would": states, "did": states, "had": states,
	"shan't": forbids, "won't": forbids, "mustn't": forbids, "can't": forbids, "isn't": denies, "aren't": denies, "doesn't": denies, "don't": denies,
}

// copulas are the auxiliaries of passive forms.
var copulas = wordList(`is are was were isn't aren't`)

// turns are the words after an auxiliary that decide the force: "is required to".
var turns = map[string]force{
	"required": obliges, "obliged": obliges, "obligated": obliges, "bound": obliges, "obligation": obliges, "duty": obliges, "need": obliges, "needs": obliges,
	"entitled": allows, "permitted": allows, "allowed": allows, "authorized": allows, "authorised": allows, "free": allows, "right": allows, "option": allows, "liberty": allows, "power": allows, "authority": allows,
	"prohibited": forbids, "forbidden": forbids, "barred": forbids, "precluded": forbids, "restricted": forbids,
}

// fillers are words between an auxiliary and the verb that do not change what is said.
var fillers = map[string]bool{
	"to": true, "be": true, "been": true, "have": true, "has": true, "the": true, "a": true, "an": true, "any": true, "under": true, "from": true, "also": true,
	"at": true, "all": true, "times": true, "time": true, "then": true, "hereby": true, "and": true, "hereafter": true, "in": true, "event": true,
}

// claim is what a sentence says about an action.
type claim struct {
	force force
	// subject is the index of the first word of the subject, verb that of the auxiliary
	// and head that of the main verb.
	subject, verb, head int
	// passive reports a form such as "shall be paid".
	passive bool
}

// claimsIn returns the claims of a sentence.
func claimsIn(tokens []token) []claim {
	var all []claim
	start := 0
	for i, t := range tokens {
		if t.apart {
			start = i
		}
		if _, ok := auxiliaries[t.lower]; !ok || i < start {
			continue
		}
		if c, ok := claimAt(tokens, i); ok {
			c.subject = max(start, i-maxSubject)
			all = append(all, c)
			start = c.head
		}
	}
	return all
}

// maxSubject is the maximum length of a subject in words.
const maxSubject = 14

// claimAt returns the claim whose auxiliary has the index i. It returns false if there is no
// verb soon after it.
func claimAt(tokens []token, i int) (claim, bool) {
	c := claim{force: auxiliaries[tokens[i].lower], verb: i}
	be := copulas[tokens[i].lower]
	c.passive = be
	not := false
	for j := i + 1; j < len(tokens) && j <= i+maxSubject && !tokens[j].apart; j++ {
		w := tokens[j].lower
		turn, turned := turns[w]
		switch {
		case w == "not" || w == "never" || w == "no" || w == "neither":
			not = !not
		case turned && turnsAt(tokens, j, be || c.passive):
			c.force, c.passive = applied(c.force, turn, not), false
			not = false
		case w == "be" || w == "been":
			c.passive = true
		case fillers[w] || strings.HasSuffix(w, "ly") && len(w) > 4:
		default:
			c.head = j
			if not {
				c.force = negated[c.force]
			}
			return c, true
		}
	}
	return claim{}, false
}

// turnsAt reports whether the word at j decides the force: "is required to", "has the
// right to", as opposed to "the required notice".
func turnsAt(tokens []token, j int, be bool) bool {
	noun := turningNouns[tokens[j].lower]
	to := j+1 < len(tokens) && (tokens[j+1].lower == "to" || tokens[j+1].lower == "from")
	return to && (be || noun || tokens[j].lower == "need")
}

// turningNouns are the nouns among turns.
var turningNouns = wordList(`right obligation duty option power authority liberty`)

// applied returns the force of a turn after an auxiliary: "shall not" and "be required"
// exempt, "shall not" and "be entitled" forbid.
func applied(before, turn force, not bool) force {
	if before == forbids || before == denies {
		not = !not
	}
	switch {
	case !not:
		return turn
	case turn == obliges:
		return exempts
	}
	return negated[turn]
}

// nounPhrase matches a name or a role: "the Tenant", "each party", "Poppy Bakers plc".
const nounPhrase = `((?:(?:[Tt]he|[Ee]ach|[Ee]ither|[Bb]oth|[Aa]ll)\s+)?(?:\p{Lu}[\pL\pN&.’'-]*(?:\s+(?:and\s+|of\s+|&\s+)?\p{Lu}[\pL\pN&.’'-]*){0,6}(?:\s+(?:plc|party|parties))?|part(?:y|ies)\b)|(?:[Tt]he|[Ee]ach|[Ee]ither)\s+[a-z-]+(?:\s+part(?:y|ies)\b)?)`

// Patterns for a party as the subject, the agent and the recipient of an action.
var (
	subjectPhrase = regexp.MustCompile(`(?:^|[,;:.)]\s*|\d\s+|\b(?:and|that|but|then)\s+)` + nounPhrase + `\s*$`)
	agentPhrase   = regexp.MustCompile(`\bby\s+` + nounPhrase)
	goalPhrase    = regexp.MustCompile(`\bto\s+` + nounPhrase)
	// nobody matches a phrase that stands for something else.
	pronoun = regexp.MustCompile(`(?i)^(?:it|they|he|she|we|you|i|this|that|such|there|nothing|which|who|no|neither|any|each|either|both|all)$|\b(?:agreement|contract|lease|section|clause|article)$`)
)

// agentIn returns the party that does, or to whom is done, what the question asks, as a
// sentence names it. It returns "" if the sentence does not say this of the verb of the
// question, or denies it.
func (a *asking) agentIn(text string) string {
	if len(a.narrow) == 0 {
		return ""
	}
	tokens := tokensOf(text)
	for _, c := range append(claimsIn(tokens), a.plainClaims(tokens)...) {
		affirms := c.force == states || c.force == obliges || c.force == allows
		if !affirms || hasAny(tokens[c.subject:c.verb], reversals) || !a.acts(headsOf(tokens, c.head)) {
			continue
		}
		if name := withoutStop(a.partyOf(text, tokens, c)); name != "" && !pronoun.MatchString(name) {
			return name
		}
	}
	return ""
}

// abbreviated matches a name whose full stop belongs to it.
var abbreviated = regexp.MustCompile(`(?i)(?:\b(?:inc|ltd|co|corp|bros|llc|lp)|\.\pL)\.$`)

// withoutStop returns a name without the full stop of its sentence.
func withoutStop(name string) string {
	if abbreviated.MatchString(name) {
		return name
	}
	return strings.TrimRight(name, ".")
}

// acts reports whether one of the verbs is that of the question: its first word in "who
// pays the taxes", and any in "to whom are notices sent".
func (a *asking) acts(heads []string) bool {
	if strings.Contains(a.text, "whom") {
		return slices.ContainsFunc(heads, func(h string) bool { return slices.Contains(a.narrow, h) })
	}
	return slices.Contains(heads, a.narrow[0])
}

// partyOf returns the party of a claim that the question asks for, "" for none.
func (a *asking) partyOf(text string, tokens []token, c claim) string {
	before, after := text[tokens[c.subject].Start:tokens[c.verb].Start], text[tokens[c.head].End:]
	var m []string
	switch whom := strings.Contains(a.text, "whom"); {
	case whom && strings.Contains(a.text, "by whom"), !whom && c.passive && a.active(tokens[c.head].stem):
		m = agentPhrase.FindStringSubmatch(after)
	case whom:
		m = goalPhrase.FindStringSubmatch(after)
	default:
		m = subjectPhrase.FindStringSubmatch(before)
	}
	if m == nil {
		return ""
	}
	return m[1]
}

// active reports whether the question has the verb with a stem in an active form: "who
// pays", as opposed to "who is responsible".
func (a *asking) active(stem string) bool { return !a.passive(stem) }

// plainClaims returns what a sentence states in the present tense: "the Client owns". The
// verbs are those of the question.
func (a *asking) plainClaims(tokens []token) []claim {
	asked, start := map[string]bool{}, 0
	for _, t := range tokensOf(a.text) {
		asked[t.lower], asked[t.lower+"s"], asked[t.lower+"es"] = true, true, true
	}
	var all []claim
	for i, t := range tokens {
		if t.apart || auxiliaries[t.lower] != none {
			start = i
		}
		if i > start && asked[t.lower] && strings.HasSuffix(t.lower, "s") && slices.Contains(a.terms, t.stem) {
			c := claim{force: states, subject: max(start, i-maxSubject), verb: i, head: i}
			if auxiliaries[tokens[start].lower] == none {
				all = append(all, c)
			}
		}
	}
	return all
}

// hasAny reports whether a token is one of the words.
func hasAny(tokens []token, words map[string]bool) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return words[t.lower] })
}

// asksHolder matches a question who has an office.
var asksHolder = regexp.MustCompile(`^(?:and )?who (?:is|are|was|will be|acts as|serves as) (?:the |our |my |your |their |its )?([a-z][a-z'-]*(?: [a-z'-]+){0,4}?)(?: (?:for|of|under|in) (?:the|this) .*)?\W*$`)

// holderName matches the name of a person or a company.
const holderName = `((?:(?:Mr|Ms|Mrs|Dr|Prof|Sir)\.? )?\p{Lu}[\pL’'-]+(?: (?:(?:de|den|der|van|von|da|di|of|al|el|la) ){0,2}\p{Lu}[\pL.’'&-]*){1,4})`

// Patterns for the name after an office, and for the one before it.
var (
	nameAfter  = regexp.MustCompile(`^(?: (?:is|are|will be|shall be)(?: currently)?|:|,| [–—-]) ` + holderName)
	nameBefore = regexp.MustCompile(holderName + `(?:(?:,? (?:is|as|acts as|will act as|shall act as|serves as)|,| [–—-]) | \()(?:the |our |its |their )?$`)
)

// holderIn returns the person or company that holds the office that the question asks for: "the data
// protection officer is Ana Ruiz", "Ana Ruiz (data protection officer)". It returns "" if the sentence names
// none or several.
func (a *asking) holderIn(text string) (name string) {
	m := asksHolder.FindStringSubmatch(a.text)
	if m == nil || isParty(m[1]) {
		return ""
	}
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return ""
	}
	for at := 0; ; {
		i := strings.Index(lower[at:], m[1])
		if i < 0 {
			return name
		}
		i, at = at+i, at+i+len(m[1])
		if !wordAt(lower, i, at) {
			continue
		}
		for _, found := range [][]string{nameAfter.FindStringSubmatch(text[at:]), nameBefore.FindStringSubmatch(text[max(0, i-maxHolder):i])} {
			if found == nil {
				continue
			}
			if name != "" {
				return ""
			}
			name = withoutStop(found[1])
		}
	}
}

// maxHolder is how many bytes before an office are searched for a name.
const maxHolder = 120

// wordAt reports whether a part of a text in lower case begins and ends where words do.
func wordAt(text string, start, end int) bool {
	letter := func(s string) bool { return s != "" && s[0] >= 'a' && s[0] <= 'z' }
	return (start == 0 || !letter(text[start-1:])) && !letter(text[end:])
}
