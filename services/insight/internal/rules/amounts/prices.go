package amounts

import regexp "github.com/rectohq/recto/services/insight/internal/pattern"

// Patterns for sentences that settle a price without saying that it is paid, in lower case.
var (
	// elsewhere matches a price that another part of the contract states.
	elsewhere = worded.MustCompile(`\b(?:prices?|pricing|fees?|royalty|royalties|commissions?|rates?|charges)\b[^;.]* (?:is|are|(?:shall|will) be) (?:as )?(?:set forth|set out|specified|listed|stated|provided|supplied|shown)(?: by [a-z ]+)?,? (?:in|on|as|below)\b`)
	// soldAt matches goods or services that are sold at a price or with a discount.
	soldAt = worded.MustCompile(`\b(?:shall|will|may|agrees?|to|entitled|right)\b[^;.]*\b(?:purchase|buy|repurchase|sell|sold|offer|offered|available)\b[^;.]* at (?:an?|the|then|its|their)\b[^;.,]* ?(?:prices?|discount|discounted rate|rate)\b`)
	// adjusted matches how a price is calculated or changed.
	adjusted = worded.MustCompile(`\b(?:prices?|fees?|royalty|royalties|commissions?|rates?|compensation|consideration)\b[^;.]*\b(?:shall|will)(?: then| thereafter)? be (?:\w+ )?(?:based|reduced|increased|decreased|added|calculated|computed)\b`)
	// discounted matches a discount on a price.
	discounted = worded.MustCompile(`(?:%|\bper ?cent)\)? ?discount\b|\bdiscount of [^;.]*(?:%|\bper ?cent)|(?:%|\bper ?cent)\)? off\b`)
	// charged matches goods or services that cost extra.
	charged = worded.MustCompile(`\bchargeable (?:by|to|at)\b|\bsubject to (?:the )?payment\b[^;.]* of\b|\bsubject to reimbursement\b|\bat [\w.' ]*'s (?:then[- ]current |standard |prevailing )+(?:charges|fees|prices)\b|\b(?:following|these|such) (?:charges|rates|fees)\b[^;.]* (?:shall|will) apply\b`)
	// tariff matches rates and charges that apply, extra the price of what is not included, and
	// prepaid what must be paid before delivery.
	tariff  = worded.MustCompile(`\b(?:rates?|charges?|surcharges?|fees?)\b (?:[^ ;.]+ ){0,3}(?:shall|will) (?:apply|be applied|be applicable|be assessed|be levied|begin)\b|\b(?:rates?|charges?|fees?) to (?:apply|be applied) (?:shall|will) be\b`)
	extra   = worded.MustCompile(`\b(?:for|at|subject to|incur) an? (?:additional|extra|separate|further) (?:\w+ )?(?:charge|fee|cost)\b|\b(?:charge|fee|surcharge|allowance)\b(?: of [^;]*)? (?:shall|will) be (?:made|levied|assessed|charged|imposed|allowed)\b|\bthere (?:shall|will) be an? (?:\w+ )?(?:charge|surcharge)\b`)
	prepaid = worded.MustCompile(`\b(?:must|shall|will) be (?:\w+ )?(?:prepaid|paid in advance)\b|\bterms (?:are|shall be)(?::)? (?:strictly )?(?:net|cash|c\.o\.d)\b`)
	// refunded matches a right to a refund, or a duty to give a credit.
	refunded = worded.MustCompile(`\b(?:receive|exchange for|entitled to|obtain) (?:an? |the )?(?:[\w-]+ ){0,2}refund\b|\b(?:shall|will) (?:issue |give |provide )?(?:[\w.]+ )?(?:with )?(?:an? )?credit (?:equal|for|customer|against|of|the account)\b`)
	// contributed matches what a party contributes.
	contributed = worded.MustCompile(`\bcontributions?\b[^;.]* (?:shall|will) (?:be|consist of)\b[^;]*` + unit)
)

// settling are the patterns for sentences that settle a price.
var settling = []*regexp.Regexp{elsewhere, soldAt, adjusted, discounted, charged, tariff, extra, prepaid, refunded, contributed}
