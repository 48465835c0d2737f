package keydates

import (
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// Parts of sentences that count a contract from the day on which it is made, in lower case.
const (
	// contracts are names of contracts and of what they are about.
	contracts = `(?:agreement|contract|lease|licen[sc]e|deed|letter|amendment|msa|dpa|nda|cda|mou|memorandum|order|guarantee|undertaking|terms|term|venture|engagement|appointment|arrangement|franchise|programme|program|project|distributorship|agency|retainer|consultancy|mandate|tenancy|subscription|charter|duration)`
	// ownContract is this contract as the subject of a sentence.
	ownContract = `(?:(?:this|these|the|your|our) (?:[\w-]+ ){0,3}` + contracts + `\b[^.;,]{0,40}|^[^a-z]*(?:\([a-z]{1,3}\) ?)?it )`
	// counts is what a contract does from its first day on.
	counts = `(?:effective|commenc\w*|(?:takes?|has|have) effect|in effect|(?:into|in) (?:force|effect|operation)|bind(?:s|ing)|begin\w*|starts?|appl(?:y|ies)|runs?|operates?|governs?|dates|lasts?|continues?|valid|(?:is|good|made|concluded) for)`
	// makingDay names the day on which a contract is made.
	makingDay = `(?:its (?:own )?date\b|(?:from|as of|on|with) today\b|(?:date|day) (?:\w+ ){0,2}(?:above|below)\b|(?:date|day) (?:\w+ ){0,2}(?:at|on) (?:the|its) (?:top|head|foot|end|beginning|start|cover|first page)\b|` +
		`(?:date|day) (?:of|for) (?:its |the |our |their )?(?:signature|signing|making|conclusion|execution)\b|(?:at|from|with|by|upon|on) (?:the |its |our |your |their )?(?:signature|signing|execution|conclusion)\b|` +
		`(?:date|day) (?:on which |that |when )?(?:\w+ ){1,4}(?:signs?|signed|executes?|executed)\b|(?:when|once|as soon as|date|day|moment)(?: on which| that| when)? (?:it|(?:this|the) (?:\w+ )?` + contracts + `|we|you|they|everyone|(?:the )?(?:two )?(?:parties|sides)|both|all|each|either|neither|the (?:last|second|later|other))\b[^.;]{0,40}\b(?:sign|signs|signed|executed?|concluded)\b)`
)

// Patterns for sentences that count a contract from the day on which it is made.
var (
	countsFromMaking = regexp.MustCompile(`\b` + ownContract + `\b` + counts + `\b[^.;]{0,60}?\b` + makingDay)
	// termFromMaking matches a term of some years from that day on.
	termFromMaking = regexp.MustCompile(`\b(?:term|duration|life|(?:contract|initial|fixed|licen[sc]e|franchise|service|lease|minimum) period)\b[^.;:]{0,50}\b(?:years?|months?)\b[^.;]{0,20}?\b(?:from|after|of|(?:commenc|beginn|start|runn)ing(?: on| from| with)?)(?: and including)? (?:the )?(?:` + makingDay + `|date hereof\b|date of this\b|(?:date|day)(?: and year)? first\b)`)
	// atOnce matches a contract that takes effect when it is made.
	atOnce = regexp.MustCompile(`\b` + ownContract + `\b(?:effective|takes? effect|into (?:force|effect)|commences?|begins?|starts?|appl(?:y|ies)|binding) (?:immediately|at once|forthwith|straight ?away|today|now)(?: and\b|[.,;]|$)`)
	// ofMaking matches the name of that day.
	ofMaking = regexp.MustCompile(`\b` + makingDay)
	// notMaking matches words before the making that the sentence is about something else.
	notMaking = regexp.MustCompile(`\b(?:terminat\w*|resign\w*|releas\w*|expir\w*|notices?|renew\w*|extension|invoices?|delivery|closing|completion|approv\w*)\b`)
	// dependent matches the text before the name of a contract that is not the subject.
	dependent = regexp.MustCompile(`\b(?:by|under|in|with|to|per|within) $`)
	// otherPaper matches a paper that is signed later.
	otherPaper = regexp.MustCompile(`\b(?:(?:any|no|an|each) (?:amendment|modification|variation|change|waiver|supplement)|(?:amendment|modification|variation|change|waiver|supplement)s)\b`)
)

// fromMaking returns the words by which a sentence counts the contract from the day on which it is
// made, "" for none.
func fromMaking(text string) string {
	if otherPaper.MatchString(text) {
		return ""
	}
	if m := whenMade.FindString(text); m != "" {
		return m
	}
	if m := thatDate.FindString(text); m != "" {
		return m
	}
	for _, p := range []*regexp.Regexp{countsFromMaking, termFromMaking, atOnce} {
		if m := p.FindStringIndex(text); m != nil && !notMaking.MatchString(text[:m[1]]) && !dependent.MatchString(text[:m[0]]) {
			return text[m[0]:m[1]]
		}
	}
	return ""
}
