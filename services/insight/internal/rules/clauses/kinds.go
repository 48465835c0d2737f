package clauses

import (
	"slices"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// patterns compiles regular expressions that must all match.
// wordings holds the patterns that rules and hints must match.
var wordings = regexp.NewSet()

// patterns returns patterns of wordings.
func patterns(exprs ...string) []*regexp.Regexp {
	all := make([]*regexp.Regexp, 0, len(exprs))
	for _, e := range exprs {
		all = append(all, wordings.MustCompile(e))
	}
	return all
}

// noticeEnds matches a right to end the contract by notice alone.
const noticeEnds = `^(?:[^.;]{0,120}\b)?(?:may|can|entitled to|right to)\b[^.;]{0,40}\b(?:terminate|end|cancel|terminated|ended|cancell?ed)\s+(?:this|the)?[^.;]{0,80}\b(?:by|on|upon|with|giving|at any time)\b[^.;]{0,60}(?:\bnotice\b|\bwithout (?:charge|penalty)\b)[^.;]{0,60}\.?$`

// rules are the kinds of clauses that can be recognized from a single sentence.
var rules = slices.Concat(commonRules, licenseRules)

// commonRules are the kinds that contracts of all types have.
var commonRules = []rule{
	{
		kind: "Anti-Assignment", any: []string{"assign"},
		all: patterns(`\b(?:assign(?:ed|s|able|ment)?|transfer(?:red)?)\b`, `\b(?:agreement|contract|lease|rights|obligations|license|premises|property|tenancy)\b`,
			`\b(?:may not|shall not|not be|will not|neither|nor|without|no party|not assign|null and void|not assignable|void|prior written consent|may assign)\b`,
			`\bassign\w*\b[^.]{0,160}\b(?:consent|approval|permission|void|agreement)\b|\b(?:consent|approval)\b[^.]{0,120}\bassign`),
		not:  regexp.MustCompile(`\b(?:assigned account|patent assignment|successors and (?:permitted )?assigns(?:,)? and no|work made for hire|inventions?|copyrights?)\b`),
		says: "The contract may not be assigned without consent.", confidence: 0.77,
	},
	{
		kind: RenewalTerm, any: []string{"renew", "extend", "successive"},
		all: patterns(`\b(?:automatically|successive|additional|further|option|renew\w*|extend\w*)\b`, `\b(?:terms?|period|agreement)\b`,
			`\b(?:renew(?:ed|s|al|able)?|extend(?:ed|s)?|successive)\b[^.]{0,120}\b(?:days?|months?|years?)\b|\b(?:months?|years?)\b[^.]{0,40}\b(?:renewal|extension|renewals|extensions)\b`,
			`\b(?:automatically|be renewed|may renew|shall renew|will renew|renewable|be extended|option to (?:renew|extend)|right to (?:renew|extend)|renewals?|may extend|may be extended|successive)\b`),
		not:  regexp.MustCompile(`\b(?:patent|insurance|registration|copyright|cure period|warranty period|tail period|exclusivity period|delivery)\b`),
		says: "The term is renewed or can be extended.", confidence: 0.63,
	},
	{
		kind: NoticePeriod, any: []string{"renew", "exten", "prolong", "continue", "to year", "to month", "rolls ", "roll ", "carries on", "carry on", "opt out"},
		all: patterns(`\b(?:unless|notice|notif\w+|elect|until|opt\w*)\b`, `\b(?:not to renew|non-?renew\w*|not to extend|of its intent\w*|unless (?:either|one|terminated|a) part\w+|does not (?:wish|intend|desire) to renew|elect\w* not|decision not)\b|`+
			`\b(?:renew\w*|extended|extends?|extensions?|prolonged|automatically continues?|rolls? (?:over|on|forward)|carr(?:y|ies) on|(?:year|month|quarter)[- ]to[- ](?:year|month|quarter))\b[^.]{0,200}\b(?:unless|until (?:terminated|cancell?ed|either|one|a party|you|we))\b|\b(?:opts? out|opting out)\b[^.]{0,120}\bbefore\b[^.]{0,40}\b(?:end|expiry|expiration|renewal|term|period|anniversary)\b|\bunless\b[^.;]{0,250}\b(?:be|is) (?:automatically |deemed )?(?:renewed|extended|prolonged)\b|\bfails? to\b[^.;]{0,200}\bautomatically (?:be )?(?:renew|exten)|`+
			`\bif (?:no|neither|none|nobody)\b[^.;]{0,200}\b(?:renew\w*|extended|prolonged|continues?|rolls? (?:over|on))\b|\b(?:renew\w*|extended|prolonged)\b[^.;]{0,120}\bif (?:no|neither|none|nobody)\b`,
			`\b(?:days?|weeks?|months?|year)\b[^.]{0,60}\b(?:prior|before|notice|advance|preceding)\b|\b(?:notice|with a period) of\b[^.]{0,30}\b(?:days?|weeks?|months?)\b`),
		not:  regexp.MustCompile(`\b(?:insurance|insurers?|insured|letters? of credit|domain|patents?|delivery|force majeure)\b`),
		says: "Timely notice prevents a renewal.", confidence: 0.8,
	},
	{
		kind: "Termination For Convenience", any: []string{"terminat", "end ", "cancel"},
		all: patterns(noticeEnds+`|\bterminat\w*\b[^.;]{0,140}\b(?:for convenience|without cause|for any reason|for any or no reason|at any time|with or without cause|for no reason|in its sole discretion|no cause)\b|\b(?:at any time|for any reason|without cause)\b[^.;]{0,100}\bterminat`,
			`\b(?:may|right|option|entitled|can)\b`),
		not:  regexp.MustCompile(`\b(?:breach\w*|default|insolven\w+|bankrupt\w+|change (?:of|in) control|employment of|cure|fails?)\b`),
		says: "The contract can be terminated without cause.", confidence: 0.42,
	},
	{
		kind: "Insurance", any: []string{"insur"},
		all: patterns(`\b(?:maintain|carry|procure|obtain|keep|provide|purchase|have in (?:force|effect)|furnish|named? (?:as )?(?:an )?additional|certificates? of insurance|additional insured)\b`,
			`\b(?:insurance|insured|insurer)\b`, `\b(?:shall|will|must|agrees? to|required)\b`),
		not:  regexp.MustCompile(`\b(?:health insurance|medical insurance for employees|insurance premium tax)\b`),
		says: "A party must maintain insurance.", confidence: 0.78,
	},
	{
		kind: "Audit Rights", any: []string{"audit", "inspect", "books and records", "examine"},
		all:  patterns(`\b(?:audit\w*|inspect\w*|examin\w+)\b`, `\b(?:books|records|accounts?|facilit\w+|premises|financial)\b`, `\b(?:may|right|shall|entitled|will|permit|allow)\b`),
		not:  regexp.MustCompile(`\b(?:audited financial statements|non-?conform\w*|title to the goods|acceptance|defects?|generally accepted auditing)\b`),
		says: "Books, records or premises may be audited.", confidence: 0.66,
	},
	{
		kind: "Non-Compete", any: []string{"compet"},
		all: patterns(`\b(?:shall not|will not|not to|agrees? (?:that )?(?:it|he|she|they)? ?(?:shall|will)? ?not|may not|neither|refrain|nor)\b`,
			`\b(?:compet\w+)\b`, `\b(?:engag\w+|directly or indirectly|own|operate|sell|market|distribut\w+|business|develop|promote|participate|compete with)\b`),
		not:  regexp.MustCompile(`\b(?:competent|competitive (?:bid\w*|pric\w*)|unfair competition law|confidential|jurisdiction|competitively)\b`),
		says: "A party may not compete.", confidence: 0.57,
	},
	{
		kind: "Exclusivity", any: []string{"exclusiv", "sole "},
		all: patterns(`\b(?:exclusive (?:right|basis|distributor|supplier|provider|license|agent|partner|sponsor|manufacturer|representative|source|territory)|exclusively (?:from|through|for|to|purchase)|(?:sole|exclusive) (?:[\w-]+ )?(?:distributor|agent|advis[eo]r|supplier|provider|dealer|reseller|representative)|exclusivity|sole and exclusive (?:right|distributor|provider|supplier|licen[sc]e|agent)|exclusive,)`,
			`\b(?:grants?|appoints?|shall|will|agrees?|engages?|hereby|during)\b`),
		not:  regexp.MustCompile(`\b(?:non-?exclusive|exclusive (?:jurisdiction|remedy|venue|property|owner\w*|means)|sole and exclusive (?:remedy|property|owner|jurisdiction|liability|responsibility|judgment|discretion)|exclusive remedies)\b`),
		says: "The contract gives a party exclusivity.", confidence: 0.38,
	},
	{
		kind: "Change Of Control", any: []string{"change of control", "change in control", "change-of-control", "controlling interest", "merger", "acquired by"},
		all:  patterns(`\b(?:change (?:of|in) control|controlling interest|merg\w+|acqui\w+)\b`, `\b(?:terminat\w*|consent|assign\w*|notice|notify|deemed)\b`, `\b(?:change (?:of|in) control|control of|substantially all|controlling interest)\b`),
		not:  regexp.MustCompile(`\bmeans\b`),
		says: "A change of control affects the contract.", confidence: 0.33,
	},
	{
		kind: "Minimum Commitment", any: []string{"minimum", "at least"},
		all: patterns(`\bminimum\b[^.]{0,80}\b(?:purchase|order|quantit\w+|amount|commitment|payment|royalt\w+|fee|sales|volume|guarantee|units|revenue|spend|number)\b|`+
			`\b(?:purchas\w+|buys?|orders?|sell|spend)\b[^.;]{0,80}\bat least\s+(?:[$€£]|[a-z]{3} ?\d|\d|(?:[\w-]+\s+)?\(\d)`,
			`\b(?:shall|will|agrees?|must|guarantee\w*|required|undertakes?|commits?)\b`),
		not:  regexp.MustCompile(`\b(?:insurance|coverage|wage|notice)\b`),
		says: "A party must buy or pay a minimum.", confidence: 0.52,
	},
	{
		kind: "Revenue/Profit Sharing", any: []string{"%", "percent", "share of"},
		all: patterns(`(?:%|\bpercent\b|\bpercentage\b|\bshare of\b)[^.]{0,120}\b(?:net sales|net revenues?|gross revenues?|revenues?|profits?|gross sales|gross receipts|net receipts|royalt\w+|proceeds)\b`,
			`\b(?:pay|paid|royalt\w+|entitled|receive|share|split)\b`),
		not:  regexp.MustCompile(`\b(?:interest|late|discrepancy|underpa\w+|voting|tax(?:es)?|audit\w*|insurance|less than)\b`),
		says: "Revenue or profit is shared.", confidence: 0.65,
	},
	{
		kind: "Liquidated Damages", any: []string{"liquidated damages", "termination fee", "contractual penalt"},
		all:  patterns(`\b(?:liquidated damages|termination fee|contractual penalt(?:y|ies))\b`, `\b(?:pay|paid|owe|liable|entitled|amount|constitute|as)\b`),
		says: "A fixed sum is owed on breach or termination.", confidence: 0.65,
	},
	{
		kind: "No-Solicit Of Employees", any: []string{"solicit", "hire", "employ"},
		all:  patterns(`\b(?:solicit|hire|recruit|entice|induce)\b`, `\b(?:employees?|personnel|staff)\b`, `\b(?:shall not|will not|not to|agrees? not|may not|neither|refrain|nor)\b`),
		says: "Employees may not be solicited.", confidence: 0.82,
	},
	{
		kind: "No-Solicit Of Customers", any: []string{"solicit", "divert"},
		all:  patterns(`\b(?:solicit|divert|entice|induce)\b`, `\b(?:customers?|clients?|accounts?|franchisees)\b`, `\b(?:shall not|will not|not to|agrees? not|may not|neither|refrain|nor)\b`),
		says: "Customers may not be solicited.", confidence: 0.52,
	},
	{
		kind: "Non-Disparagement", any: []string{"disparag"},
		all:  patterns(`\bdisparag\w+\b`, `\b(?:shall|will|not|neither|agrees?|no)\b`),
		says: "The other party may not be disparaged.", confidence: 0.48,
	},
	{
		kind: "Most Favored Nation", any: []string{"most favo", "most-favo", "favorable", "favourable"},
		all:  patterns(`\b(?:most[- ]favou?red|(?:more|less|as|most) favou?rable)\b`, `\b(?:pric\w+|terms|rates?|conditions|fees?|customers?|nation)\b`, `\b(?:shall|will|agrees?|warrants?|entitled)\b`, `\b(?:any other|third part\w+|most[- ]favou?red|other customers?|other licensees?|anyone)\b`),
		says: "A party gets terms at least as favorable as those given to others.", confidence: 0.3,
	},
	{
		kind: "ROFR/ROFO/ROFN", any: []string{"first refusal", "first offer", "first negotiation", "right to match", "first opportunity"},
		all:  patterns(`\b(?:right of first|first (?:refusal|offer|negotiation|opportunity)|right to match)\b`),
		says: "A party has a right of first refusal, offer or negotiation.", confidence: 0.52,
	},
	{
		kind: "Third Party Beneficiary", any: []string{"beneficiar"},
		all:  patterns(`\bthird[- ]party beneficiar\w+\b`, `\b(?:intended|express|is|are|be|deemed)\b`),
		not:  regexp.MustCompile(`\b(?:no|not|nothing|none|neither|nor|never)\b`),
		says: "A third party may enforce the contract.", confidence: 0.8,
	},
	{
		kind: "Covenant Not To Sue", any: []string{"contest", "challenge", "sue", "attack"},
		all: patterns(`\b(?:shall not|will not|not to|agrees? not|may not|neither|never|nor)\b[^.]{0,160}\b(?:contest|challenge|attack|sue|dispute|oppose)\b`,
			`\b(?:validity|ownership|title|rights?|claim|registration|marks?|patents?|enforceability)\b`),
		not:  regexp.MustCompile(`\b(?:pursue|issue)\b`),
		says: "A party may not sue the other or contest its rights.", confidence: 0.76,
	},
	{
		kind: "IP Ownership Assignment", any: []string{"assign", "work made for hire", "works made for hire", "work for hire"},
		all: patterns(`\b(?:hereby (?:irrevocably )?assigns?|shall assign|will assign|agrees to assign|works? (?:made )?for hire|assigns and transfers|hereby transfers? and assigns?)\b`,
			`\b(?:right,? title|intellectual property|inventions?|copyrights?|patents?|ownership|works?)\b`),
		not:  regexp.MustCompile(`\b(?:may not assign|consent to assign\w*)\b`),
		says: "Intellectual property is assigned to the other party.", confidence: 0.82,
	},
	{
		kind: "IP Ownership Assignment", any: []string{"assign", "belong", "vest", "property of"},
		all: patterns(`\bassigns?\b[^.;]{0,60}\b(?:all|any|its|the entire)\b[^.;]{0,60}\b(?:intellectual property|right,? title|copyrights?|inventions?)\b|` +
			`\b(?:intellectual property|inventions?|copyrights?|work product|deliverables)\b[^.;]{0,100}\b(?:belongs? (?:exclusively|solely|only)|vests? (?:exclusively |solely )?in|(?:sole and exclusive|exclusive|sole) property of)\b`),
		not:  regexp.MustCompile(`\b(?:hereby (?:irrevocably )?assigns?|shall assign|will assign|agrees to assign|works? (?:made )?for hire|assigns and transfers|may not assign|consent|successors?|retain\w*|remains?)\b`),
		says: "Intellectual property is assigned to the other party.", confidence: 0.42,
	},
	{
		kind: "License Grant", any: []string{"grant", "license"},
		all:  patterns(`\b(?:hereby grants?|grants? to|grants|shall grant|is granted|hereby licenses)\b`, `\b(?:licen[sc]e|right to use|sublicen[sc]e|right and licen[sc]e)\b`),
		not:  regexp.MustCompile(`\b(?:no (?:right or )?licen[sc]e|not (?:be )?(?:deemed|construed) to grant|nothing|does not grant|no rights?|without limiting)\b`),
		says: "A license is granted.", confidence: 0.76,
	},
	{
		kind: "Warranty Duration", any: []string{"warrant"},
		all:  patterns(`\bwarrant(?:y|s|ies|ed)?\b[^.]{0,160}\b(?:for|period|within)\b[^.]{0,60}\b(?:days?|months?|years?)\b|\b(?:days?|months?|years?)\b[^.]{0,60}\bwarranty\b`),
		not:  regexp.MustCompile(`\b(?:survive|terminat\w*|no warranty)\b`),
		says: "A warranty lasts for a limited time.", confidence: 0.42,
	},
	{
		kind: "Source Code Escrow", any: []string{"escrow"},
		all:  patterns(`\bescrow\b`, `\bsource code\b`, `\b(?:deposit|agent|release|agreement|placed?|held)\b`),
		says: "Source code is kept in escrow.", confidence: 0.65,
	},
	{
		kind: "Post-Termination Services", any: []string{"terminat", "expir"},
		all: patterns(`\b(?:upon|after|following|in the event of)\b[^.]{0,40}\b(?:terminat\w+|expir\w+)\b`,
			`\b(?:transition\w*|wind[- ]?down|sell[- ]?off|continue to (?:provide|sell|use|perform|support)|post-termination|remaining inventory|existing inventory|dispose)\b`),
		says: "Some rights or duties continue after the contract ends.", confidence: 0.65,
	},
}
