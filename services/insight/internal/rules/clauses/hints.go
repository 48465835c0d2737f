package clauses

import regexp "github.com/rectohq/recto/services/insight/internal/pattern"

// hint is wording that is frequent in clauses of a kind, but not typical enough to be a
// rule. The weights learn how much it counts. A hint joins words that are far apart in a
// sentence, which n-grams do not see together.
type hint struct {
	// any, all and not are as in a rule.
	any []string
	all []*regexp.Regexp
	not *regexp.Regexp
}

// fits reports whether a sentence has the wording.
func (h *hint) fits(in *regexp.Text) bool {
	return in.All(h.all...) && (h.not == nil || !h.not.MatchString(in.String()))
}

// Wording of many hints: what forbids, and others than the parties.
const (
	forbidden = `\b(?:not|neither|nor|never|refrain|cannot|prohibited)\b`
	outsiders = `\b(?:other|others|third|another|anyone|elsewhere)\b`
)

// hints are hints by kind.
var hints = []hint{
	{ // Affiliate License-Licensor
		any: []string{"affiliate", "subsidiar"},
		all: patterns(`\b(?:on behalf of|and|cause)\b[^.;]{0,40}\b(?:its|their)\s+(?:\w+\s+)?(?:affiliates|subsidiaries)\b[^.;]{0,40}\b(?:grants?|licenses)\b|` +
			`\bgrants?\b[^.;]{0,200}\blicen[sc]e\b[^.;]{0,240}\b(?:owned|controlled|held)\b[^.;]{0,60}\b(?:affiliates?|subsidiar(?:y|ies))\b`),
	},
	{ // Competitive Restriction Exception
		any: []string{"exclusiv", "compet"},
		all: patterns(`\b(?:except|notwithstanding|provided,?\s+(?:however|that)|other than|nothing|foregoing|shall not (?:apply|prevent|prohibit|restrict|preclude))\b`,
			`\b(?:may|apply|prevent|prohibit|restrict|preclude|permitted|free to|allowed)\b`,
			`\b(?:sell|market|distribut\w+|offer|engage|compet\w+|own|acquire|purchase|promote|licen[sc]e|provide|operate)\b`),
		not: regexp.MustCompile(`\b(?:non-?exclusive|jurisdiction|exclusive (?:remedy|property)|competent|confidential)\b`),
	},
	{ // Volume Restriction
		any: []string{"exceed", "excess", "maximum", "up to", "more than"},
		all: patterns(`\b(?:up to|(?:no|not) more than|not (?:to )?exceed|in excess of|exceeds?|maximum)\b[^.;]{0,60}\b(?:users?|copies|units|hours|seats|employees|locations|transactions|impressions|calls|visits|pages|minutes|gallons|barrels|tons|gigabytes|servers?|quantit\w+|volumes?|orders?|samples)\b`),
		not: regexp.MustCompile(`\b(?:liabilit\w+|damages|notice|insurance)\b`),
	},
	{ // Uncapped Liability: exceptions from a limit
		any: []string{"except", "other than", "exclu", "notwithstanding", "not apply", "save ", "nothing"},
		all: patterns(`\b(?:indemnif\w+|confidential\w*|gross(?:ly)? negligen\w+|wil?lful|fraud\w*|infring\w+|misconduct|death|personal injury)\b`,
			`\b(?:consequential|indirect|punitive|incidental|limitations?|limit|limits|liable|liability)\b`, `\b(?:in no event|liable|liability|damages)\b`),
	},
	{ // Revenue/Profit Sharing
		any: []string{"royalt", "commission", "revenue", "profit", "receipts", "net sales"},
		all: patterns(`%|\bpercent\b|\bpercentage\b`, `\b(?:pay|pays|paid|payable|receive|receives|entitled|share|split|equal|remit|royalt\w+)\b`),
		not: regexp.MustCompile(`\b(?:audit\w*|underpa\w+|discrepancy|voting|tax(?:es)?|per annum|interest)\b`),
	},
	{ // Minimum Commitment: an amount in a period
		any: []string{"minimum", "not less than", "no less than", "no fewer than", "at least", "take or pay", "take-or-pay", "shortfall"},
		all: patterns(`\b(?:shall|will|must|agrees?|required|guarantee\w*|commits?)\b`, `\b(?:purchas\w+|buys?|orders?|sell|sales|sold|spend|pay|paid|royalt\w+|fees?|quantit\w+|volumes?|units)\b`,
			`\b(?:annual(?:ly)?|year|yearly|month|monthly|quarter|quarterly|period|term|shortfall|calendar)\b`),
		not: regexp.MustCompile(`\b(?:insurance|coverage|wage|notice|insured)\b`),
	},
	{ // Non-Compete: a business like another
		any: []string{"similar", "compet", "same business"},
		all: patterns(forbidden, `\b(?:directly or indirectly|engag\w+|invest\w*|interest in|own|owns|operate|operates|render|perform services|sell|market|manufacture|develop|business)\b`,
			`\b(?:similar|competes?|competing|competitive|competitors?|competition)\b`),
		not: regexp.MustCompile(`\b(?:confidential|confusingly|competent|jurisdiction|solicit)\b`),
	},
	{ // ROFR/ROFO/ROFN
		any: []string{"first right", "first option", "right to first", "matching right", "match ", "last refusal", "bona fide", "exclusive negotiation", "right to negotiate", "priority", "first notify", "first offer"},
		all: patterns(`\b(?:offers?|offered|option|negotiat\w+|right)\b`, `\b(?:third|other|terms|good faith|prior to|before)\b`, `\b(?:shall|will|may|right|must|agrees?)\b`),
		not: regexp.MustCompile(`\b(?:bona fide dispute|arbitrat\w+)\b`),
	},
	{ // Covenant Not To Sue
		any: []string{"contest", "challenge", "attack", "dispute", "question", "impugn", "sue", "assert", "suit", "impair", "release", "waive"},
		all: patterns(forbidden+`|\b(?:releases?|waives?|covenants?)\b`, `\b(?:contest\w*|challeng\w+|attack\w*|dispute|question|impugn|sue|assert|bring|institute|commence|impair)\b`,
			`\b(?:validity|ownership|title|claims?|suit|registrations?|marks?|trademarks?|patents?|enforceability)\b`),
		not: regexp.MustCompile(`\b(?:indemnif\w+|arbitrat\w+|jurisdiction|invoices?)\b`),
	},
	{ // Liquidated Damages
		any: []string{"penalty", "estimate", "cancellation fee", "termination fee", "termination charge", "termination payment", "cancellation charge", "late fee", "break-up", "liquidated"},
		all: patterns(`\b(?:pay|paid|pays|payable|payment|owe|liable|amount|sum)\b`, `\b(?:not (?:as )?a penalty|reasonable estimate|pre-?estimate|penalty of|(?:early )?(?:cancellation|termination) (?:fees?|charges?|payment)|liquidated|break-?up fee)\b`),
	},
	{ // Warranty Duration
		any: []string{"warrant", "defect"},
		all: patterns(`\b(?:days?|months?|years?)\b`, `\b(?:warrant\w*|free (?:from|of)|defects?|defective)\b`, `\b(?:warranty period|from (?:the )?date of|after (?:delivery|acceptance|shipment|installation|completion|the date)|for a period of|free (?:from|of)|following (?:delivery|acceptance|shipment))\b`),
		not: regexp.MustCompile(`\b(?:surviv\w+|notice of termination|insurance)\b`),
	},
	{ // Exclusivity: no others, or all of what is needed
		any: []string{"any other", "any third", "requirements", "solely", "exclusiv"},
		all: patterns(`\b(?:not|neither|nor|never|refrain|all of its requirements|solely|exclusively)\b`,
			`\b(?:appoint|engage|authori[sz]e|grant|sell|supply|purchase|market|promote|distribute|sponsor)\b`, outsiders+`|\brequirements\b|\b(?:solely|exclusively) (?:from|through|by|to)\b`,
			`\b(?:distributors?|agents?|suppliers?|resellers?|licensees?|sponsors?|dealers?|representatives?|products?|territory|competitors?|manufacturers?)\b`),
		not: regexp.MustCompile(`\b(?:confidential|non-?exclusive|jurisdiction|assign|infring\w+|indemnif\w+|warrant\w*)\b`),
	},
	{ // Most Favored Nation
		any: []string{"favorable", "favourable", "favored", "favoured", "lowest", "lower price", "lower rate", "better price", "better terms"},
		all: patterns(`\b(?:pric\w+|rates?|terms|fees?|discounts?|royalt\w+)\b`, outsiders, `\b(?:customers?|part(?:y|ies)|persons?|purchasers?|licensees?|distributors?|clients?|buyers?|vendors?|entity)\b`),
		not: regexp.MustCompile(`\b(?:successor|assignee)\b`),
	},
	{ // Non-Disparagement
		any: []string{"disparag", "derogatory", "defam", "disrepute", "detrimental", "injurious"},
		all: patterns(forbidden, `\b(?:make|makes|publish\w*|say|comments?|remarks?|statements?|engage|disparag\w+|take any action|communicat\w+)\b`),
		not: regexp.MustCompile(`\b(?:infring\w+|illegal)\b`),
	},
	{ // Change Of Control
		any: []string{"merge", "consolidat", "control", "substantially all", "ownership", "operation of law"},
		all: patterns(`\b(?:change (?:of|in) (?:the )?(?:control|ownership|management)|controlling interest|majority (?:of|interest)|substantially all|merg\w+|consolidation|operation of law)\b`,
			`\b(?:terminat\w*|consent|deemed|assign\w*|notif\w+)\b`, `\b(?:may|shall|will|right|deemed|without)\b`),
		not: regexp.MustCompile(`\bentire agreement\b`),
	},
	{ // Third Party Beneficiary: an exception to the denial
		any: []string{"beneficiar", "third party right", "third parties any right"},
		all: patterns(`\bbeneficiar\w+\b|\bthird part\w+\b`, `\b(?:except|other than|provided|unless|intended|express)\b`, `\b(?:benefit|beneficiar\w+|enforce\w*)\b`, `\b(?:rights?|enforce|entitled|agreement)\b`),
		not: regexp.MustCompile(`\b(?:insurance|confidential)\b`),
	},
	{ // Post-Termination Services
		any: []string{"terminat", "expir"},
		all: patterns(`\b(?:upon|after|following|on|in the event of|prior to)\b[^.;]{0,60}\b(?:terminat\w+|expir\w+)\b`, `\b(?:shall|will|may|must|agrees?|entitled)\b`,
			`\b(?:assist\w*|cooperat\w*|re-?purchase|buy back|inventory|wind|transition|complete|fulfil\w*|sell|transfer|assign|continue|remaining|unsold|dispose|migrat\w+)\b`),
		not: regexp.MustCompile(`\b(?:may terminate|survive)\b`),
	},
}
