package questions

import "strings"

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
