package amounts

import (
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// Patterns for sentences that settle a price without saying that it is paid, in lower case.
var (
	// elsewhere matches a price that another part of the contract states.
	elsewhere = regexp.MustCompile(`\b(?:prices?|pricing|fees?|royalty|royalties|commissions?|rates?|charges)\b[^;.]* (?:is|are|(?:shall|will) be) (?:as )?(?:set forth|set out|specified|listed|stated|provided|supplied|shown)(?: by [a-z ]+)?,? (?:in|on|as|below)\b`)
	// soldAt matches goods or services that are sold at a price or with a discount.
	soldAt = regexp.MustCompile(`\b(?:shall|will|may|agrees?|to|entitled|right)\b[^;.]*\b(?:purchase|buy|repurchase|sell|sold|offer|offered|available)\b[^;.]* at (?:an?|the|then|its|their)\b[^;.,]* ?(?:prices?|discount|discounted rate|rate)\b`)
	// adjusted matches how a price is calculated or changed.
	adjusted = regexp.MustCompile(`\b(?:prices?|fees?|royalty|royalties|commissions?|rates?|compensation|consideration)\b[^;.]*\b(?:shall|will)(?: then| thereafter)? be (?:\w+ )?(?:based|reduced|increased|decreased|added|calculated|computed)\b`)
	// discounted matches a discount on a price.
	discounted = regexp.MustCompile(`(?:%|\bper ?cent)\)? ?discount\b|\bdiscount of [^;.]*(?:%|\bper ?cent)|(?:%|\bper ?cent)\)? off\b`)
	// charged matches goods or services that cost extra.
	charged = regexp.MustCompile(`\bchargeable (?:by|to|at)\b|\bsubject to (?:the )?payment\b[^;.]* of\b|\bat [\w.' ]*'s (?:then[- ]current |standard |prevailing )+(?:charges|fees|prices)\b|\b(?:following|these|such) (?:charges|rates|fees)\b[^;.]* (?:shall|will) apply\b`)
	// refunded matches a right to a refund, or a duty to give a credit.
	refunded = regexp.MustCompile(`\b(?:receive|exchange for|entitled to|obtain) (?:an? |the )?(?:[\w-]+ ){0,2}refund\b|\b(?:shall|will) (?:issue |give |provide )?(?:[\w.]+ )?(?:with )?(?:an? )?credit (?:equal|for|customer|against|of|the account)\b`)
	// contributed matches what a party contributes.
	contributed = regexp.MustCompile(`\bcontributions?\b[^;.]* (?:shall|will) (?:be|consist of)\b[^;]*` + unit)
)

// settlesPrice reports whether a sentence, in lower case, settles a price.
func settlesPrice(text string) bool {
	for _, re := range []*regexp.Regexp{elsewhere, soldAt, adjusted, discounted, charged, refunded, contributed} {
		if re.MatchString(text) {
			return true
		}
	}
	return atOthersExpense(text)
}

// expense matches the party that bears an expense: "at the expense of the buyer", "at the
// buyer's cost and expense".
var expense = regexp.MustCompile(`\bat (?:the )?(?:sole |reasonable )?(?:costs?|expenses?)(?: and (?:costs?|expenses?))? of (?:the )?([a-z][\w.-]*)|\bat (?:the )?([a-z][\w.-]*)(?:'|'s) (?:sole |reasonable |full )?(?:costs?|expenses?)\b`)

// atOthersExpense reports whether a sentence says that a party does something at the expense
// of another.
func atOthersExpense(text string) bool {
	m := expense.FindStringSubmatchIndex(text)
	if m == nil {
		return false
	}
	group := 2
	if m[group] < 0 {
		group = 4
	}
	name := text[m[group]:m[group+1]]
	for _, subject := range subjects.FindAllString(text, -1) {
		if strings.Contains(subject, name) {
			return false
		}
	}
	return subjects.MatchString(text) && !protective.MatchString(text)
}

// protective matches a protective order, whose cost is not a payment under the contract.
var protective = regexp.MustCompile(`\bprotective order\b`)

// subjects matches the words before a verb that obliges or permits.
var subjects = regexp.MustCompile(`(?:[\w.,'-]+ ){1,3}(?:shall|will|may|must|agrees?)\b`)
