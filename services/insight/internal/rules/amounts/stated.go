package amounts

import (
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// Parts of the patterns below: what is paid, the sign or the code of a currency or a percentage,
// a number in words, the beginning of an amount, which may be left out, the words before an
// audit, and what is announced. The patterns count to three at most: package pattern decides
// about such patterns by itself, and fast.
const (
	feeNoun  = `\b(?:fees?|royalt(?:y|ies)|rent|salary|commissions?|compensation|deposit|retainer|payments?|interest|charges?)`
	unit     = `(?:[$€£%]|\[\s?\*|\bdollars\b|\bper ?cent\b|\b(?:usd|eur|gbp|rmb|chf|cad|aud|jpy|inr|cny)(?:\b|\d))`
	tens     = `(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|an? hundred)`
	inFull   = `(?:[$€£\d]|usd|eur|\[\s?\*|` + tens + `[ -][a-z -]*\b(?:dollars|euros|percent)\b)`
	auditing = `(?:of|for) (?:(?:the|such|any|each|that|an?) )?(?:\w+ )?`
	sums     = `(?:payments?|fees?|sums?|compensation|royalties)`
)

// worded holds the patterns for sentences that require a payment without a verb for paying, in lower
// case.
var worded = regexp.NewSet()

var (
	// priced matches a fee, costing a price, and rated a charge or a rate that is stated with
	// its amount. One pattern for all of them would have too many states.
	priced  = worded.MustCompile(feeNoun + `\b[^;,]*\b(?:(?:shall|will) (?:(?:not )?be|equal)|rate of|at (?:the|a) rate)\b[^;]*` + unit)
	costing = worded.MustCompile(`\b(?:prices?|costs?|amount|bonus|compensation|consideration)\b[^;]*\b(?:shall|will) (?:be|equal):? (?:(?:the|an?|at|of|equal|to|us|between) ){0,3}` + inFull)
	rated   = worded.MustCompile(`\b(?:fees?|charges?|surcharges?) of (?:usd?\s?)?[$€£]\s?\d[^;]*\b(?:shall|will) appl(?:y|ies)\b` +
		`|\b(?:shall|will) be at (?:the|an?) (?:\w+ ){0,2}(?:price|rate) of [^;]*(?:[$€£%]|\[\s?\*)` +
		`|\d\s?(?:%|per ?cent)\)? (?:royalty|commission)(?: (?:on|of|for|to|will|shall|is)\b|[,.;]|$)` +
		`|\b(?:finance|late|service)(?: payment)? (?:charges?|fees?) (?:of|at|equal to)\b[^;]*(?:%|\bper ?cent\b)`)
	// stated matches a fee that is stated in the present tense, or in a list, with its
	// amount, and a purchase at a price.
	stated = worded.MustCompile(`\b(?:fees?|royalt(?:y|ies)|rent|salary|commissions?|retainer|price|charges?)\b[^;,.]* (?:is|are|=) (?:(?:equal|to|at|an?|the|rate|of|usd|us) ){0,3}(?:` + inFull + `|as follows\b)` +
		`|\b(?:shall|will|agrees? to) (?:\w+ )?(?:purchase|buy)\b[^;]*\b(?:at|for) (?:an? |the )?(?:aggregate |total )?(?:purchase )?price (?:of|equal to)\b` +
		`|[$€£]\s?[\d.,]+(?: million)?\)?,? (?:(?:is|are|shall be|will be) )?(?:due|payable)\b` +
		`|\bsubject to (?:payment of )?an? (?:[\w-]+ ){0,3}(?:fee|charge|royalty|commission)\b|\bfees?: ?(?:us)?[$€£]\s?[\d.]+|\bin (?:consideration|exchange|return) (?:for|of) (?:an? |the )?(?:\w+ )?(?:payment|sum|fee|price) of\b`)
	// pricedBy matches a fee that is stated by reference to a table, a calculation or rates.
	pricedBy = worded.MustCompile(`\b(?:fees?|royalt(?:y|ies)|rent|commissions?|compensation)\b[^;,.]*\b(?:shall|will) be (?:\w+ ){0,2}as (?:set forth|set out|follows|specified|stated)\b` +
		`|\b(?:fees?|royalt(?:y|ies)|rent|commissions?|compensation|prices?|pricing)\b[^;,.]*\b(?:shall|will) be (?:\w+ ){0,2}(?:based (?:up)?on|as (?:\w+ )?agreed|in accordance with|determined|calculated|agreed|(?:an amount )?equal to)\b` +
		`|\b(?:shall|will)\b[^;]*\bat (?:(?:the|its|their|such) )?(?:[\w.]+'s )?(?:(?:then|current|then-current|hourly|daily|standard|applicable|\w+ly) ){0,3}(?:rates?|fees?)\b(?: (?:set forth|set out|specified|stated|listed|in effect|for)\b|[,.])`)
	// audited matches who pays for an audit, which mostly depends on what it shows.
	audited = worded.MustCompile(`\b(?:costs?|expenses?|fees?) ` + auditing + `(?:audit|examination|inspection|review)\b[^.;]*\b(?:shall|will|must) be (?:borne|paid|reimbursed) by\b` +
		`|\b(?:bear|assume|cover)\b (?:\w+ ){0,3}(?:costs?|expenses?|fees?) ` + auditing + `audit\b`)
	// hasPaid matches a payment that was made under the contract.
	hasPaid = worded.MustCompile(`\b(?:(?:has|have) (?:already )?(?:paid|advanced)|acknowledges? (?:the )?receipt of)\b (?:[^ ;]+ ){0,3}[^ ;]*(?:[$€£\[]|\bdollars\b|\b(?:usd|eur|gbp))`)
	// withPayment matches what is sent with a payment.
	withPayment = worded.MustCompile(`\b(?:shall|will|must)\b[^;]*\b(?:along|together|accompanied) (?:with|by) (?:the |a |its |his )?(?:\w+ )?payment\b` +
		`|\b(?:along|together) with (?:the |a |its |his )?(?:\w+ )?payment (?:of|for)\b`)
	// shared matches revenue or costs that the parties share, and damages whose amount is agreed, and
	// unshared the denial of either.
	shared = worded.MustCompile(`\b(?:shall|will|agrees? to|each party) (?:\w+ )?(?:shares?|split)\b (?:[^ ;.]+ ){0,3}(?:revenues?|profits?|proceeds|income|receipts|costs?|expenses?|fees)\b` +
		`|\b(?:(?:both|the) parties share|each party shares) (?:[^ ;.]+ ){0,3}(?:revenues?|profits?|proceeds|income|receipts|costs|expenses|\d+%)` +
		`|\b(?:profits?|revenues?|income|costs?|expenses?|fees|recovery|proceeds)\b[^;.]* (?:shall|will) be (?:\w+ )?(?:shared|divided|split|apportioned)(?: (?:equally|evenly|between|by|among|in|pro|as|on)\b|\W*$)` +
		`|\b(?:costs?|expenses?|fees?|charges?)\b[^;.]* (?:shall|will) be the (?:sole |full )?responsibility of\b` +
		`|\b(?:shall|will) (?:\w+ ){0,3}(?:be|constitute) (?:(?:considered|deemed|paid|as|to|be|the|an?) ){0,3}(?:\w+,? ){0,3}liquidated damages\b`)
	unshared = worded.MustCompile(`\b(?:shall|will|does|do) (?:not|never)\b[^;.]*\b(?:shares?|liquidated damages)\b`)
	// announced matches announcements of payments, and sums that will be due.
	announced = worded.MustCompile(`\b(?:shall|will)\b[^;.]*\bthe following (?:\w+ ){0,3}` + sums + `\b` +
		`|\bthe following (?:\w+ ){0,3}(?:amounts?|` + sums + `) (?:shall|will|are)\b` +
		`|\bpayments?\b[^;.]*\b(?:the following schedule|the schedule below)\b` +
		`|\bthere (?:shall|will) be an? (?:\w+ ){0,3}(?:fees?|royalty|charge|commission|amount)\b[^;.]*\b(?:paid|payable|due|of)\b` +
		`|\b(?:shall|will|must|agrees? to) (?:commence|begin|start|continue) (?:to (?:pay|make (?:\w+ )?payments?)|paying|payments?|making (?:\w+ )?payments?)\b` +
		`|\b(?:request|demand|require|ask)s? (?:\w+ ){1,3}to pay\b` +
		`|(?:[$€£]\s?[\d.,]+|\*\]|\b(?:fees?|payments?|royalties|amounts?)) (?:shall|will) be due to\b`)
	// changed matches the change of a price, which is stated elsewhere.
	changed = worded.MustCompile(`\b(?:be|is|are) (?:\w+ ){0,2}(?:reduced|decreased|adjusted)\b`)
	// credit matches the duty to open a letter of credit.
	credit = worded.MustCompile(`\b(?:shall|will|must|agrees to)\b[^.;]*\bopen\b[^.;]*\bletter of credit\b`)
)

// wordedDuty returns how certain it is that a sentence, on one line in lower case, requires
// a payment by one of the patterns, at least as certain as known.
func wordedDuty(text string, known duty) duty {
	in := worded.In(text)
	switch {
	case in.Any(pricedBy, audited, withPayment, announced), in.Any(settling...), in.Has(shared) && !in.Has(unshared):
		return certain
	case known != none:
		return known
	case in.Any(credit, hasPaid):
		return likely
	case mayState(text) && in.Any(priced, costing, rated, stated) && !in.Has(changed):
		return likely
	}
	return none
}

// mayState is a cheap test that every sentence with a stated price passes: it has an
// amount, in figures or in words, or announces one.
func mayState(text string) bool {
	return strings.ContainsAny(text, "$€£%[0123456789") || strings.Contains(text, "dollars") || strings.Contains(text, "euros") ||
		strings.Contains(text, "percent") || strings.Contains(text, "as follows")
}

// atPrice reports whether a sentence states a fee, a price or a rate with its amount.
func atPrice(text string) bool {
	in := worded.In(text)
	return in.Any(priced, costing, rated)
}
