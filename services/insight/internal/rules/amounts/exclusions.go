package amounts

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
)

// mentions finds the word stems of payments. Every sentence about a payment has one of them.
var mentions = regexp.NewGroups([]string{
	"pay", "paid", "due", "invoice", "remit", "reimburse", "refund", "royalt", "fee", "cost", "expense", "interest", "compensat", "commission",
	"deposit", "fund", "pric", "charge", "consideration", "discount", "revenue", "rates ", "bill", "net ", "n/", "%", "percent", "per cent", "return", "receipt of", " rate", "liquidated", "retainer", "remunerat", "levy", "levied", "profit", "borne", "salary", "bonus", " owe", "rent", "contribut", "purchase", "indemnif", "amount of", "credit", "settle", "expend", "allowance", "overage", "shares of",
}).IgnoreCase()

// mayPay is a cheap test that every sentence about a payment passes.
func mayPay(text string) bool { return mentions.In(text) != 0 }

// Patterns for sentences that require no payment of the contract, in lower case.
var (
	// defines matches the beginning of a definition or an example.
	defines = regexp.MustCompile(`^\W*(?:[a-z-]+ ){1,5}(?:shall mean|means?) (?:the|an?|any|all)\b|^\W*(?:for (?:example|instance)|(?:by way of|as an) (?:example|illustration)|(?:sample|example)\b[^;.]* calculation)\b|^\W*(?:[\w.()]+ ){0,2}"[^"]{1,80}"(?: \([^)]*\))? (?:shall mean|means|mean|has the meaning|shall have the meaning|refers)\b|^\W*'[^']{1,80}' (?:shall mean|means)\b`)
	notPaid = regexp.MustCompile(`\b(?:insurers?|insured|insurance (?:polic\w+|coverage|carriers?|proceeds|compan\w+)|(?:maintain|carry|procure|obtain|keep)\b[^.;]{0,60}\binsurance|for example|par value|non-?assessable|in no (?:event|case|circumstances?)|no circumstances)\b`)
	// indemnity begins the part of a sentence that promises an indemnity.
	indemnity = regexp.MustCompile(`\b(?:indemni\w+|hold harmless|held harmless|defend)\b`)
	// indemnified matches who is indemnified. Whatever is paid to or by them is no term.
	indemnified = regexp.MustCompile(`\b(?:indemnitees?|indemnif(?:ied|ying) (?:part(?:y|ies)|persons?))\b`)
	// atRate matches an indemnity at a fixed rate, which is a price for a breach.
	atRate = regexp.MustCompile(`^indemnif(?:y|ies) (?:\w+ ){0,4}(?:at|by|with) (?:\w+ ){0,4}(?:(?:[a-z]{3}|[$€£]) ?\d)`)
	// manner matches in which money a payment is made, and what is not deducted from it, and
	// means how it is sent.
	manner = regexp.MustCompile(`\b(?:in|into|to) (?:(?:us|u\.s\.|united states|local|such|the|its|any|lawful) ){1,3}(?:dollars?|currency|money)\b|\bset-?off\b|\bfree and clear\b|\bwithout (?:any )?deduction\b|\bexpressed in\b`)
	means  = regexp.MustCompile(`\bby (?:check|cheque|wire|bank|electronic|means)\b|\bwire transfer|\bbank account\b`)
	// ownCost matches what each party pays for itself.
	ownCost = regexp.MustCompile(`\b(?:(?:its|their|his|her|'s) own (?:\w+ )?(?:costs?|expenses?|fees|account)|without (?:any )?reimbursement|(?:paid|borne) (?:\w+ )?by (?:the|such|that) party (?:incurring|that|[,.])|(?:each|either) (?:of the )?part(?:y|ies) (?:shall|will|must|agrees to|is) (?:\w+ )?(?:pay (?:for )?(?:all )?(?:of )?(?:its|their|(?:the )?costs?|(?:the )?expenses)|bear (?:its|their|his|her|the|any|all|such|such party's)|be responsible|responsible))\b`)
	// others matches payments to persons who are no parties.
	others = regexp.MustCompile(`\b(?:pay|paid|paying|payments?|payable)\b (?:\w+ ){0,4}(?:employees|personnel|subcontractors|third parties|vendors|guilds?|unions?|players|creditors|stockholders|shareholders|licensors)\b`)
	// bribes matches payments that anti-corruption laws forbid.
	bribes = regexp.MustCompile(`\b(?:anything of value|corrupt\w*|bribe\w*|(?:government|public|foreign) officials?)\b`)
	// insolvent matches a party that does not pay its debts, and recital the beginning of a
	// sentence that says why the contract is made.
	insolvent = regexp.MustCompile(`\b(?:debts?|obligations|liabilities)\b[^.;,]{0,20}\bas (?:they|the same|such \w+) (?:\w+ )?(?:become|becomes|fall|falls|mature|come)s?\b`)
	recital   = regexp.MustCompile(`^\W*(?:[a-z0-9]\W+)?whereas\b`)
	// claims, losses and dispute match the costs of defects, claims and disputes.
	claims  = regexp.MustCompile(`\b(?:costs?|expenses?) of (?:\w+ ){0,2}(?:defen[cs]e|suits?|proceedings?|claims?|collection|enforcement|enforcing)\b|\b(?:costs?|expenses?)\b[^.;]{0,60}\bin (?:connection with )?(?:the )?(?:enforcement|enforcing|collection|collecting)\b|\b(?:pay|paid|reimburse)\b,? (?:\w+,? ){0,5}(?:losses|judgments?|claims?)\b`)
	losses  = regexp.MustCompile(`\bcompensat\w+ [^.;]{0,40}\b(?:loss|losses|damages?)\b`)
	dispute = regexp.MustCompile(`\b(?:arbitrat\w+|mediat\w+|attorneys?'?s?'? fees|legal (?:fees|costs|expenses)|collection (?:fees|costs|expenses|agenc\w+)|court costs|prevailing party|litigation|lawsuits?|suits?|prosecut\w+|courts?|infring\w+)\b`)
	// taxed matches duties to pay or withhold taxes.
	taxed = regexp.MustCompile(`\b(?:pay|pays|paid|bear|borne|responsible for|liable for|withhold\w*|withheld|deduct\w*|remit\w*)\b[^.;]{0,40}\b(?:tax|taxes|duties|vat)\b|\bpay\b[^.;$€£]{0,60}?\b(?:all|any)\b[^.;$€£]{0,110}?\b(?:taxes|duties|levies)\b|\b(?:tax|taxes|duties)\b[^.;]{0,60}\b(?:(?:shall|will|must|are to|is to|required to) be (?:\w+ ){0,3}(?:borne|paid|payable|withheld|deducted|remitted|invoiced|charged|added)|collect|remit|invoices?)\b`)
	// fiscal matches a payment to a tax authority, and grossUp what a party pays the other
	// for taxes that were withheld.
	fiscal  = regexp.MustCompile(`\b(?:pay|paid|payable|remit\w*|withhold\w*|withheld)\b[^.;]{0,80}\b(?:tax(?:ing|ation)?|governmental) (?:authorit\w+|bod\w+|agenc\w+)\b`)
	grossUp = regexp.MustCompile(`\b(?:pay|paid|increased)\b[^.;]{0,60}\b(?:(?:additional|further|increased) (?:amounts?|sums?)|an amount equal to|gross(?:ed)?[- ]up)\b`)
	// ceiling matches the highest amount, how often one is due, where payments are sent, and
	// how they are converted.
	ceiling = regexp.MustCompile(`^\W*(?:\w{1,3}\)\s*)?the maximum (?:\w+ )?(?:amounts?|sums?|royalt\w+|fees?|payments?)\b|\b(?:due|payable|paid) only once\b|\bpayments (?:shall|will|must) be (?:made|sent|delivered|addressed) to the (?:address|following address)|\b(?:all|any) (?:sums|amounts|payments)\b[^;.,]{0,60}\bpayable at\b[^;.,]{0,60}\b(?:offices?|address)\b|\bthere (?:is|are) no\b|\b(?:shall|will) be converted\b|\bconversion (?:shall|will)\b`)
	// taxable matches what taxes are added to.
	taxable = regexp.MustCompile(`\b(?:fees?|price|royalt|amounts?|invoiced)\b`)
)

// aside matches a remark in parentheses, such as "(including legal fees)", which says nothing
// about the subject of the sentence.
var aside = regexp.MustCompile(`\((?:including|excluding|without|other than|such|whether|e\.g|i\.e|as|or|either)\b[^()]*(?:\([^()]*\)[^()]*){0,3}\) ?`)

// untaxed matches the remark that an amount does not include taxes.
var untaxed = regexp.MustCompile(`,? (?:excluding|exclusive of|net of|not including|plus|before) (?:(?:any|all|applicable) ){0,2}(?:vat|taxes|tax)\b,?`)

// source matches the origin of money, which says nothing about the payee.
var source = regexp.MustCompile(`\b(?:received )?from (?:\w+ ){0,2}(?:third parties|subcontractors|licensors|vendors)\b`)

// excluded reports whether a sentence, on one line in lower case, is about payments that are
// not terms of the contract.
func excluded(text string) bool {
	text = untaxed.ReplaceAllString(source.ReplaceAllString(aside.ReplaceAllString(text, ""), ""), "")
	for _, re := range []*regexp.Regexp{lending, notPaid, ownCost, others, claims, losses, dispute, ceiling, bribes, insolvent, recital} {
		if re.MatchString(text) {
			return true
		}
	}
	return deniedIn(text) || onTaxes(text)
}

// deniedIn reports whether a sentence denies a payment, without requiring another before.
func deniedIn(text string) bool {
	m := notDue.FindStringIndex(text)
	return m != nil && paymentDuty(text[:m[0]]) != certain
}

// onTaxes reports whether a sentence is about taxes and not about a price with its taxes.
func onTaxes(text string) bool {
	if grossUp.MatchString(text) {
		return false
	}
	m := taxed.FindString(text)
	return m != "" && !taxable.MatchString(m) || fiscal.MatchString(text)
}

// clauseBreak separates the parts of a sentence that are excluded by themselves.
var clauseBreak = regexp.MustCompile(`; |[,;:] provided,? (?:however,? )?(?:that )?|\bprovided,? (?:however,? (?:that )?|that )`)

// dutyIn returns how certain it is that a part of a sentence, on one line in lower case,
// requires a payment that is a term of the contract, and whether another part requires a payment
// that is not.
func dutyIn(text string) (best duty, refused bool) {
	if defines.MatchString(text) {
		return none, false
	}
	for _, part := range clauseBreak.Split(text, maxParts) {
		if indemnified.MatchString(part) {
			continue
		}
		if m := indemnity.FindStringIndex(part); m != nil {
			if atRate.MatchString(part[m[0]:]) {
				best = max(best, likely)
			}
			part = part[:m[0]]
		}
		switch sure := paymentDuty(part); {
		case sure <= best:
		case excluded(part):
			refused = true
		default:
			best = sure
		}
	}
	return best, refused
}

// maxParts is the maximum number of parts of a sentence.
const maxParts = 30

// Patterns, in lower case, for amounts and percentages that are not payments. insuredFor matches
// required insurance cover, and worksWell a service level. ofMoney matches words that show a payment
// in spite of these.
var (
	insuredFor = regexp.MustCompile(`\binsurance\b[^.;]{0,120}\b(?:at least|(?:not|no) less than|minimum|limits? of|in the (?:sum|amount) of)\b|\binsur(?:e|es|ed|ing)\b[^.;]{0,80}\bfor\b`)
	worksWell  = regexp.MustCompile(`\b(?:available for|available at least|availability|up-?time|scores?|accuracy|response rate)\b[^.;]{0,80}\b\d{1,3}(?:\.\d{1,4})?\s?(?:%|per ?cent)|\d\s?(?:%|per ?cent)[^.;]{0,40}\b(?:availability|up-?time|accuracy)\b`)
	ofMoney    = regexp.MustCompile(`\b(?:pay\w*|paid|premiums?|credit\w*|refund\w*|reimburs\w+|fees?|charges?|price|deduct\w*|discount\w*|costs?)\b`)
)

// unpayable reports whether a sentence, in lower case, states a cap on liability, insurance cover, or
// a service level rather than a payment.
func unpayable(text string) bool {
	kind, _, ok := liability.KindOf(text)
	return ok && kind == insightapi.LimitCap && !active.MatchString(text) ||
		(insuredFor.MatchString(text) || worksWell.MatchString(text)) && !ofMoney.MatchString(text)
}
