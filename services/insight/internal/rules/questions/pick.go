package questions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

// voted returns the value in a sentence that answers the question according to rules, "" if there is none
// or if it is unclear which. It is a vote for the weights that choose the value.
func (n *inquiry) voted(text string) string {
	switch n.a.kind {
	case agent:
		return n.whoIn(text)
	case place:
		if len(places(text)) == 0 {
			return spotIn(text)
		}
	case anything:
		return n.wayOut(text)
	case length, share, amount, day, count, rhythmic, measure, ruling, verdict:
	}
	var spare []layout.Span
	for _, tier := range n.a.tiers(text) {
		tier = slices.DeleteFunc(tier, func(s layout.Span) bool { return strings.Contains(n.a.text, strings.ToLower(text[s.Start:s.End])) })
		main := slices.DeleteFunc(slices.Clone(tier), func(s layout.Span) bool { return threshold.MatchString(text[:s.Start]) })
		if len(main) > 0 {
			return n.closest(text, main)
		}
		if len(spare) == 0 {
			spare = tier
		}
	}
	if len(spare) == 0 {
		return ""
	}
	return n.closest(text, spare)
}

// threshold matches the text before a value on which something depends, which is rarely the
// answer: "if sales exceed $5,000".
var threshold = regexp.MustCompile(`(?i)\b(?:if|where|should|whenever|once)\b[^,;.]*\b(?:exceeds?|than|reach(?:es)?|pass(?:es)?|above|below|over|under|within|for|after)(?: an?| the)? $|\bif [^,;.]{3,80} exceeds (?:an? )?$`)

// clearlyCloser is how many times closer than the second the value must be that answers.
const clearlyCloser = 1.02

// limits reports whether a text introduces a limit or a deadline, and the question asks for one.
func (n *inquiry) limits(before string) bool {
	if revised.MatchString(n.a.text) && reviser.MatchString(before) {
		return true
	}
	return bounds.MatchString(n.a.text) && capping.MatchString(before) || n.a.kind == day && byWhen.MatchString(n.a.text) && closing.MatchString(before)
}

// revised matches a question for what applies after a change, and reviser the text before that.
var (
	revised = regexp.MustCompile(`\b(?:new|now)\b`)
	reviser = regexp.MustCompile(`(?i)\b(?:to|by|replaced (?:by|with)|is now)(?: an?| the)? ["“]?$`)
)

// byWhen matches a question for a deadline, and closing the text before one.
var (
	byWhen  = regexp.MustCompile(`\b(?:by|until) (?:when|what|which)\b|\b(?:latest|last day|deadline)\b`)
	closing = regexp.MustCompile(`(?i)\b(?:no later than|not later than|later than|by|before|until|on or before)(?: the)? $`)
)

// boundWorth is how much closer a limit counts if the question asks for one, and capping
// matches the text before it.
const boundWorth = 0.5

var capping = regexp.MustCompile(`(?i)\b(?:exceed(?:ing|s)?|more than|less than|fewer than|above|below|at least|at most|up to|maximum of|minimum of|capped at|limited to)(?: a| an| the| in all)? ?$`)

// Patterns for a question how to end the contract, and for the notice that ends it.
var (
	leaving  = regexp.MustCompile(`^(?:how|what) (?:do|does|can|could|would|must|should|is|are|has|have) .*\b(?:get out|get rid|getting out|end|cancel|terminate|leave|quit|walk away|pull out|back out|stop|part ways|withdraw)\b|^how to (?:get out|end|cancel|terminate|leave|quit|withdraw)\b`)
	byNotice = regexp.MustCompile(`(?i)(?:not less than |at least )?` + numeral + `(?: calendar| business| working| clear)?[ -](?:days?|weeks?|months?)['’]?(?: (?:prior|advance|written))*(?: notice)(?: in writing)?`)
)

// wayOut returns the notice that ends the contract, if the question asks how to end it.
func (n *inquiry) wayOut(text string) string {
	if all := matches(byNotice, text, 0); leaving.MatchString(n.a.text) && len(all) == 1 {
		return text[all[0].Start:all[0].End]
	}
	return ""
}

// Patterns for a question how long before something, and for what follows such a time.
var (
	ahead    = regexp.MustCompile(`\b(?:ahead|in advance|notice|warning|warned|before)\b`)
	notified = regexp.MustCompile(`(?i)^['’]?\)? (?:(?:prior|advance|written) )*(?:notice|before|prior to|in advance)\b`)
)

// closest returns the value that is closest to the clues, "" if two are about as close.
func (n *inquiry) closest(text string, all []layout.Span) string {
	tokens := tokensOf(text)
	clues := n.occurrences(tokens)
	best, first, second := layout.Span{}, -1.0, -1.0
	for _, s := range all {
		near := n.closeness(tokens, clues, s)
		if n.a.kind == count && n.nounAfter(tokens, s) {
			near++
		}
		if n.limits(text[:s.Start]) || n.a.kind == length && ahead.MatchString(n.a.text) && notified.MatchString(text[s.End:]) {
			near += boundWorth
		}
		switch {
		case near > first:
			best, first, second = s, near, first
		case near > second:
			second = near
		}
	}
	if second > 0 && first < clearlyCloser*second {
		return ""
	}
	value := text[best.Start:best.End]
	if n.a.kind == length && !counting.MatchString(n.a.text) {
		value += rest(counted.FindString(text[best.End:]))
	}
	if m := whole.FindString(text[best.End:]); m != "" && n.a.kind == share || m != "" && n.a.kind == amount {
		value += m
	} else if m := rated.FindString(text[best.End:]); m != "" && n.a.kind != count && n.a.kind != day {
		value += m
	}
	if strings.Contains(value, "(") && !strings.Contains(value, ")") && strings.HasPrefix(text[best.End:], ")") {
		value += ")"
	}
	return strings.Trim(value, " ,;:-")
}

// rest returns what belongs to a period, without the word or mark after it.
func rest(s string) string {
	return strings.TrimRight(joint.ReplaceAllString(s, ""), " ,;.:(")
}

var joint = regexp.MustCompile(` (?:and|or|but|unless|if|to|by|for|in)$`)

// counting matches a question for a number of days, and counted what follows a period that says
// from when it counts or that it is one of notice.
var (
	counting = regexp.MustCompile(`\bhow many\b`)
	counted  = regexp.MustCompile(`^(?:['’]? (?:(?:prior|written|advance) )*notice(?: in writing)?| (?:after|from|following|before) [^,;.:()]{3,20}?(?:[,;.:(]|$| (?:and|or|but|unless|if|to|by|for|in)\b))`)
)

// rated matches what follows an amount or a number that counts for each unit of something.
var rated = regexp.MustCompile(`^\s?(?:(?:per|a|an|for each|for every|each|every|to each) (?:(?:calendar|business|working|full|contract|such|percentage|whole|complete|started|additional|extra|further|late) )*[a-z]+|of [A-Z]\w+(?: [A-Z]\w+)?)\b(?: (?:per|a|an) [a-z]+\b)?`)

// whole matches the base of a percentage or a fraction: "of the purchase price".
var whole = regexp.MustCompile(`^\)? of (?:the |its |their |his |her |that |all |each )?(?:[\pL’'-]+ ){0,3}?(?:price|charges?|fees?|rent|salary|value|premium|sales|revenues?|profits?|amount|sum|balance|earnings|quantity|costs?|principal|turnover|receipts|proceeds|total|payment|price|invoice)\b`)

// Patterns for people and companies in a sentence.
var (
	// neutral matches an independent person who decides: "by a single arbitrator".
	neutral = regexp.MustCompile(`\b(?:by|to|before) ((?:an? |the |three |one |two |single |sole )(?:[\pL-]+ ){0,3}?(?:arbitrators?|experts?|mediators?|accountants?|auditors?|surveyors?|adjudicators?|valuers?|engineers?|architects?|consultants?|umpires?|referees?|conciliators?|appraisers?)\b)`)
	// keeper matches the name of a custodian, and kept a question that asks for one.
	keeper = regexp.MustCompile(`\b(?:lodg|deposit|plac|leav|left|keep|kept|held|escrow)\w* (?:[^,;.]{0,60} )?(?:with|by) ((?:the )?\p{Lu}[\pL\pN&.’'-]*(?: (?:and |of |& )?\p{Lu}[\pL\pN&.’'-]*){0,5})`)
	kept   = regexp.MustCompile(`\b(?:hold|holds|keep|keeps|safekeeping|escrow|custody)\b`)
	// decider matches a question that asks who decides.
	decider = regexp.MustCompile(`\b(?:decid\w*|settl\w*|resolv\w*|rules?|determin\w*|disput\w*|disagree\w*)\b`)
	// owner matches the name of an owner before or after "property", and owning a question for one.
	owner  = regexp.MustCompile(`\bproperty of ((?:the )?\p{Lu}[\pL\pN&.’'-]*(?: \p{Lu}[\pL\pN&.’'-]*){0,4})|\b(?:is|are|be|becomes?|remains?|stays?) ((?:the )?\p{Lu}[\pL\pN&.-]*(?: \p{Lu}[\pL\pN&.-]*){0,4}?)(?:['’]s|s['’])? (?:sole |exclusive |own )*property\b`)
	owning = regexp.MustCompile(`\b(?:owns?|owned|owning|belongs?|keeps?|ends? up with|gets?|whose)\b`)
	// given matches the name of an owner, or of whoever does or bears something: "vests in".
	given = regexp.MustCompile(`\b(?:belongs? to|(?:stays?|remains?|rests?|lies?) with|reserved to|(?:remains? |becomes? )?the property of|vests? in|responsibility of|for the account of|(?:borne|paid|furnished|provided|supplied|arranged|held|owned|kept|carried out|performed|made|written|signed|countersigned|chaired|ordered|insured|appointed|\pL+ed) by|for the risk of|at the (?:cost|expense|risk) of|(?:falls?|passe?s?|accrues?|assigned|transferred|awarded|addressed|sent|submitted|delivered|rendered) to|reports? (?:\w+ )?to|in the name of) ((?:the |an? )?[\pL\pN&.’'-]+(?: (?:and |of |& )?\p{Lu}[\pL\pN&.’'-]*){0,5})`)
	// doer matches the subject of a verb.
	doer = regexp.MustCompile(`((?:\b(?:The|the|Each|Either) )?\b(?:we|you)\b|(?:\b(?:The|the|Each|Either) )?\p{Lu}[\pL\pN&.’'-]*(?: (?:and |of |& )?\p{Lu}[\pL\pN&.’'-]*){0,5}) (?:also |alone |further |hereby )?(?:shall|will|must|may|agrees|undertakes|is|are|has|bears?|pays?|owns?|provides?|supplies|holds?|keeps?|retains?|carries|arranges?|insures?|acts?|leads?)\b`)
	// person matches the name of a person or a company.
	person = regexp.MustCompile(`(?:\b(?:Mr|Ms|Mrs|Dr|Prof|Messrs|Sir)\.? )(?:\p{Lu}[\pL.’'-]* ?){1,4}|\p{Lu}[\pL’'&-]+(?: (?:de |van |von |of |& |and )?\p{Lu}[\pL.’'&-]*){1,4}`)
	// individual matches a question for a person, rather than for a party.
	individual = regexp.MustCompile(`\b(?:boss|manager|lead|leads|head|contact|call|ring|speak|speaks|talk|talks|complain|sign|signs|signed|chairs?|agent|lawyer|wrote|order|keeps?|mechanic|leader|person|checks?|acts?|tell|which)\b`)
	spot       = regexp.MustCompile(`\b(?:in|at|to|within)\s+((?:the\s+|our\s+|its\s+)?(?:own\s+)?(?:separate\s+)?(?:data cent\w+|premises|warehouse|site|offices?|office|factory|works|bank|countries?|yard)\b(?: (?:in|at|of)\s+(?:the\s+)?\p{Lu}[\pL’'-]+(?:(?: and|,)? \p{Lu}[\pL’'-]+)*)?)`)
)

// whoIn returns the person or party that the question asks for: of several in the sentence, the one
// closest to the clues.
func (n *inquiry) whoIn(text string) string {
	if v := n.a.agentIn(text); v != "" {
		return v
	}
	if m := neutral.FindStringSubmatch(text); m != nil && decider.MatchString(n.a.text) {
		return m[1]
	}
	if m := owner.FindStringSubmatch(text); m != nil && owning.MatchString(n.a.text) {
		if name := withoutStop(cmp.Or(m[1], m[2])); len(n.named(name, []layout.Span{{End: len(name)}})) > 0 {
			return name
		}
	}
	if m := keeper.FindStringSubmatch(text); m != nil && kept.MatchString(n.a.text) {
		return withoutStop(m[1])
	}
	var all []layout.Span
	if individual.MatchString(n.a.text) {
		all = n.named(text, matches(person, text, 0))
	}
	if len(all) == 0 {
		all = n.named(text, append(matches(given, text, 1), matches(doer, text, 1)...))
	}
	if len(all) == 0 {
		return ""
	}
	return withoutStop(n.closest(text, all))
}

// named returns the spans that are names. It leaves out those that the question has.
func (n *inquiry) named(text string, all []layout.Span) []layout.Span {
	return slices.DeleteFunc(all, func(s layout.Span) bool {
		name := text[s.Start:s.End]
		if addressed.MatchString(strings.TrimSuffix(name, ".")) {
			return false
		}
		return strings.Contains(n.a.text, strings.ToLower(name)) || unnamed.MatchString(name) && !strings.HasPrefix(name, "the ") ||
			officeName.MatchString(name) || opener.MatchString(name) || vague.MatchString(name)
	})
}

// addressed matches a party in a contract that calls both "we" and "you".
var addressed = regexp.MustCompile(`^(?:us|you|We|You|we)$`)

// officeName matches the name of an office, rather than of its holder.
var officeName = regexp.MustCompile(`\b(?:Chief|Officer|Director|President|Manager|Head|Secretary|Department|Resources|Committee|Board)\b`)

// opener matches what begins with the first word of a sentence or a clause, which is no name.
var opener = regexp.MustCompile(`^(?:If|When|Where|Whenever|Upon|In|On|At|For|By|To|From|Unless|Should|After|Before|As|Any|No|All|An?|This|That|These|Such|Section|Clause|Article|Subject|During|Until|Within|Once|Nothing|Notwithstanding|Except|Provided|There)\b`)

// vague matches pronouns and other words that are no names.
var vague = regexp.MustCompile(`(?i)^(?:it|they|he|she|this|that|these|such|there|nothing|which|who|no|neither|any|each|either|both|all|if|as|in|on|the agreement|this agreement)$|\b(?:agreement|contract|lease|section|clause|article|fee|price|date|term)$`)

// spotIn returns the place in a text that has no name of a place.
func spotIn(text string) string {
	if m := spot.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// decided returns yes or no if the claim in a sentence that has most of the clues allows or
// forbids what the question asks, and says so without conditions.
func (n *inquiry) decided(text string) string {
	tokens := tokensOf(asides.ReplaceAllString(text, ""))
	asked, ok := n.a.plainForce()
	if !ok {
		return ""
	}
	said, most := n.strongest(tokens)
	if n.refused(text, asked, said, most) {
		return no
	}
	if len(restrictionsIn(tokens)) > 0 || n.otherParty(tokens) {
		return ""
	}
	if most < enoughKnown*n.matched {
		return ""
	}
	switch verdict := verdicts[asked][said]; {
	case verdict == no && n.matched > partKnown*n.total, verdict == yes && leftOut.MatchString(text):
		return no
	case verdict == yes && n.matched > wellKnown*n.total && !denying.MatchString(text):
		return verdict
	}
	return ""
}

// refused reports whether a sentence forbids what the question asks to be allowed, and no part of
// it allows anything or makes an exception. One that gives all of something to one party refuses
// it to others.
func (n *inquiry) refused(text string, asked, said force, most float64) bool {
	if asked != allows || exceptions.MatchString(text) {
		return false
	}
	if said == obliges && outsider.MatchString(n.a.text) && exclusively.MatchString(text) {
		return true
	}
	if said != forbids || most < leastRefused*n.matched {
		return false
	}
	tokens := tokensOf(text)
	return !slices.ContainsFunc(claimsIn(tokens), func(c claim) bool { return c.force == allows && !hasAny(tokens[c.subject:c.verb], reversals) })
}

// leastRefused is the share of the clues in the document that a claim must have to refuse what
// the question asks for.
const leastRefused = 0.2

// Patterns for refusals.
var (
	// exceptions matches what limits a prohibition.
	exceptions = regexp.MustCompile(`(?i)\b(?:without|except|unless|provided|if|subject to|save|excluding|where|however|but|more than|other than as)\b`)
	// outsider matches a question about others than the usual one, and exclusively what leaves
	// others out.
	outsider    = regexp.MustCompile(`\b(?:another|else|elsewhere|others?|second|rivals?|competitors?|competing|different)\b`)
	exclusively = regexp.MustCompile(`(?i)\b(?:no|none|neither) (?:\w+ ){0,2}other\b|\bonly\s*[.;]|\b(?:only|solely|exclusively) (?:from|by|through|with|to)\b|\b(?:from|by|through|with|to) (?:the )?\w+ (?:only|alone|exclusively)\b`)
)

// strongest returns the force of the claim with the most clues by weight, and that weight.
func (n *inquiry) strongest(tokens []token) (force, float64) {
	best, most := none, 0.0
	claims := claimsIn(tokens)
	start := 0
	for i, c := range claims {
		end := len(tokens)
		if i+1 < len(claims) {
			end = claims[i+1].verb
		}
		weight := 0.0
		for _, o := range n.occurrences(tokens[start:end]) {
			weight += o.worth * n.clues[o.clue].weight
		}
		start = c.verb
		if weight > most {
			best, most = c.force, weight
			if hasAny(tokens[c.subject:c.verb], reversals) {
				best = negated[best]
			}
		}
	}
	return best, most
}

// plainForce returns what a question for yes or no asks. What will be is asked as what is.
func (a *asking) plainForce() (force, bool) {
	b := asking{text: premise.ReplaceAllString(a.text, "")}
	asked, ok := b.askedForce()
	if first, _, _ := strings.Cut(b.text, " "); first == "will" || first == "would" {
		asked = states
	}
	return asked, ok
}

// otherParty reports whether a sentence lacks a party that the question names and the document
// has.
func (n *inquiry) otherParty(tokens []token) bool {
	for _, c := range n.clues {
		stem := vocabulary.Stem(c.text)
		_, known := n.ids[stem]
		if known && isParty(c.text) && !slices.ContainsFunc(tokens, func(t token) bool { return t.stem == stem }) {
			return true
		}
	}
	return false
}

// enoughKnown is the share of the clues in the document that a claim must have to answer a
// question. partKnown is the share of all clues that the document must have to deny it, and
// wellKnown to affirm it.
const enoughKnown, partKnown, wellKnown = 0.4, 0.3, 0.95

// leftOut matches a statement that something is not part of the contract, and denying one that
// denies something.
var (
	leftOut = regexp.MustCompile(`(?i)\b(?:excluded|outside the scope|declined|unchanged)\b`)
	denying = regexp.MustCompile(`(?i)\b(?:not|no|never|neither|nor|nothing|nobody|cannot|none)\b`)
)
