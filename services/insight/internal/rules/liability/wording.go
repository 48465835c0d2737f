package liability

import (
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// Parts of the patterns below.
const (
	// bound says that a party answers for something.
	bound = `(?:liable|responsible|answerable|accountable)`
	// duty is what a maximum limits.
	duty = `(?:liabilit(?:y|ies)|(?:financial )?exposure|financial responsibility|(?:total|aggregate|maximum|recoverable) (?:damages|claims|compensation)|damages payable|duty to (?:compensate|indemnify)|obligation to (?:compensate|indemnify)|indemnity)`
	// negation are the words that deny something.
	negation = `(?:neither|no|not|never|nor|none|cannot|can't|won't|isn't|aren't|without)`
	// sum is the beginning of an amount of money, or of words that describe one. A number
	// alone is none: it may count days.
	sum = `(?:(?:[a-z]{0,3}[$€£¥₹]|usd|eur|gbp|chf|aud|cad|nzd|sgd|hkd|inr|zar|omr|aed|sar|qar|kes|ngn|jpy|krw|cny|rmb|brl|nok|sek|dkk|pln|rs\.?|rm?) ?\d` +
		`|\d[\d.,]* ?(?:%|per ?cent|times|x\b|euros?|dollars|pounds)|[a-z -]{3,40}(?:per ?cent|percent|times|dollars|euros|pounds)\b|twice|double` +
		`|(?:the|an?|its|his|her|their|our|your|one) (?:[\w-]+ ){0,3}?(?:amounts?|sums?|total|aggregate|fees?|price|charges|value|limit|maximum|consideration|premiums?|remuneration|rent|dues|retainer|payments?|funds|cost|commissions?|proceeds|purchase)\b)`
	// atMost are words before the most that something can be.
	atMost = `(?:at most|(?:no|not|never|not for|never for) (?:more|greater|higher|larger) than|up to(?: a (?:maximum|total|limit) of)?|not (?:to )?exceed(?:ing)?|(?:to|of) a (?:maximum|total) of` +
		`|(?:subject to|with) an? (?:\w+ )?(?:maximum|limit|cap|ceiling) of|(?:and |is |are |be )?(?:each )?(?:limited|restricted|capped|confined) (?:to|at))`
	// lost are the losses that contracts exclude most often.
	lost = `(?:(?:indirect|consequential|incidental|punitive|special|exemplary|economic)\b[^.;]{0,60}\b(?:damages?|loss(?:es)?)|lost (?:profits?|revenues?|savings|production|data|business|sales|goodwill|opportunit\w+|income)` +
		`|loss(?:es)? (?:of|in) (?:[\w-]+ ){0,3}?(?:profits?|business|revenues?|data|use|goodwill|production|markets?|sales|opportunit\w+|contracts?|income|savings|rents?|rental|crops?|throughput|anticipated|agency|custom|reputation)\b` +
		`|diminution in value|(?:compensation|indemnity) (?:for|in respect of) (?:\w+ ){0,3}goodwill)`
	// grave are the acts and duties for which limits mostly do not count.
	grave = `(?:fraud|dishonest|negligen|wil+ful|intent|deliberate|reckless|knowing|death|injur|indemni|confiden|breach|broken|infring|misconduct|misappropriat|wrongdoing|privacy|crime|fines|fault|title|law)`
	// limitation is a noun for a limit, and part a part of a contract.
	limitation = `(?:limit(?:s|ations?)?|caps?|ceilings?|maximum|exclusions?|disclaimers?)`
	part       = `(?:sections?|clauses?|paragraphs?|articles?)`
)

// limitWords is a cheap test before the patterns: every sentence that they match has one of these
// words. A sentence with words of the second group alone counts only if a limit is near: "This
// does not apply to clause 7.2."
var limitWords = regexp.NewGroups(
	[]string{"liab", "respons", "answer", "accountab", "limit", "ceiling", "maximum", " cap", "exclu", "disclaim", "owe ", "owes ", "the most", "deduct",
		"damages", "credit", "penalt", "compensat", "reimburse", "recover", "claim", "reduced by", "bear ", "bears ", "risk", "nothing", "lost", "loss", "release", "statutory", "consumer",
		"exceed", "up to ", "more than", "beyond"},
	[]string{"this", "that", "these", "those", "clause", "section", "paragraph", "article", "provision"},
)

// limits is the first group of limitWords.
const limits = 1

// Patterns for sentences that limit nothing.
var (
	// beside matches phrases that name liability, but limit none: insurance against it, the
	// form of a company, and lists that are not complete.
	beside = regexp.MustCompile(`\bliability(?: and [\w ]{3,30}?)? (?:insurance|polic(?:y|ies)|cover(?:age)?)\b|\b(?:un)?limited liability (?:compan(?:y|ies)|partnerships?)\b` +
		`|\b(?:not|not be|in any way) limited (?:to|by)\b|\bincluding,? (?:but )?without limitation,?`)
	// insured matches a duty to insure.
	insured = limiting.MustCompile(`\b(?:maintain|carry|procure|obtain|effect|take out|keep|hold|provide)s?\b[^;]{0,120}\b(?:insurance|cover(?:age)?|polic(?:y|ies))\b|\binsurance\b[^;]{0,240}\b(?:at least|not less than)\b`)
	// forceMajeure matches the excuse of a party that an event prevents from performing.
	forceMajeure = limiting.MustCompile(`\b(?:delay|failures?|fail|perform)\w*\b[^;]{0,200}\b(?:acts? of god|beyond|strikes?|wars?|floods?|riots?|epidemic|pandemic|force majeure|cannot reasonably control)\b|\b(?:acts? of god|force majeure)\b|\bbecause of an? (?:earthquake|flood|fire|storm|war|strike|lockdown)\b`)
)

// limiting holds the patterns below, which are matched with the same sentences.
var limiting = regexp.NewSet()

// statedCap are the patterns of sentences that state a maximum for liability.
var statedCap = []*regexp.Regexp{
	// The liability does not exceed a maximum.
	limiting.MustCompile(`\b` + negation + `\b[^;]{0,240}\b` + duty + `\b[^;]{0,240}\b(?:exceed|go beyond|extend beyond|be (?:more|greater|higher|larger) than|be in excess of|amount to more than)\b` +
		`|\b` + duty + `\b[^;]{0,240}\b(?:` + negation + `\b[^.;]{0,60}\b(?:exceed|go beyond|extend beyond|be (?:more|greater|higher|larger) than|in excess of)|(?:is|be) no (?:more|greater|higher|larger) than)\b`),
	// The liability is limited to an amount, or to a remedy.
	limiting.MustCompile(`\b` + duty + `\b[^;]{0,240}\b(?:is|are|be|being)\b[^;]{0,30}?\b(?:limited|restricted|capped|confined)(?:,[^,;]{0,60},)? (?:[\w-]+ ){0,3}?(?:to|at)\b`),
	limiting.MustCompile(`\b` + duty + `\b[^;]{0,160}\b(?:tops? out at|ends? (?:at|with)|stops? at|(?:is|are|be) subject to an? (?:\w+ )?(?:maximum|cap|limit|ceiling) of)\b`),
	// A party is liable up to an amount.
	limiting.MustCompile(`\b` + bound + ` (?:(?:only )?(?:to [^;]{1,40} )?for\b[^;]{0,240}\b)?` + atMost + ` ` + sum),
	limiting.MustCompile(`\b` + negation + `\b[^.;]{0,80}\b(?:owes?|recover|claim|` + bound + `)\b[^.;]{0,80}\bmore than ` + sum),
	limiting.MustCompile(`\bthe (?:most|maximum(?: amount)?) (?:that )?[^.;,]{0,50}\b(?:pay|owe|recover|claim|` + bound + `)\b[^;]{0,160}\b(?:is|be|will be)\b|\b(?:pay|owe) (?:\w+ )?(?:compensation|damages) ` + atMost + `|\bcompensation of ` + atMost),
	// The limit has a value, or is changed to another.
	limiting.MustCompile(`\b(?:liability (?:cap|ceiling|limit|maximum)|limit of liability|(?:maximum|aggregate|total|overall) liability)\b(?:[^.;]{0,60}?(?:\b(?:is|be|to|of|at)\b|:))? ` + sum),
}

// statedDamages are the patterns of sentences that state a maximum for what a party owes for a
// delay or a defect.
var statedDamages = []*regexp.Regexp{
	limiting.MustCompile(`\b(?:liquidated damages|(?:service|performance|availability)(?: level)? credits?|delay (?:damages|deductions?|compensation)|(?:contractual|delay) penalt(?:y|ies))\b[^;]{0,200}\b(?:(?:cannot|(?:shall|will|may|do|does|must) not) exceed|` + atMost + `) (?:` + sum + `|[\w-]+ (?:days|weeks|months))`),
	limiting.MustCompile(`\b(?:deduct|reduced by|claim|credit)\b[^;]{0,120}\b(?:each|every|per|commenced)\b[^;]{0,60}\b(?:day|week|month|hour)\b[^;]{0,60}\b` + atMost + ` ` + sum),
	limiting.MustCompile(`\b(?:pay|reimburse|bear|compensate)s?\b[^;]{0,160}\b(?:defect\w*|damage[ds]?|los[es]|lost|loss|breach|fault|fitted|remov\w+|reinstall\w*|replacement)\b[^;]{0,160}\b` + atMost + ` ` + sum),
}

// statedPay are the patterns of such sentences in short contracts. Long contracts use the same words for
// other limits.
var statedPay = []*regexp.Regexp{
	limiting.MustCompile(`\b(?:damage[ds]?|lost|stolen|broken|repairs?|loss(?:es)?|liable)\b[^;]{0,160}\bpays?\b[^.;]{0,60}\b` + atMost + ` ` + sum + `|\bguarant(?:ees?|eed|or)\b[^;]{0,160}\b` + atMost + ` ` + sum),
}

// statedExclusion are the patterns of sentences that exclude the losses which contracts exclude
// most often.
var statedExclusion = []*regexp.Regexp{
	limiting.MustCompile(`\b` + negation + `\b[^;]{0,160}\b(?:liab(?:le|ility)|responsible|answer(?:able)?|accountable|owes?|claims?|compensat\w+|recover|entitled)\b[^;]{0,240}\b` + lost + `|\b(?:exclud|waiv|disclaim)\w+\b[^;]{0,60}\b(?:liability|claims?|rights?|damages)\b[^;]{0,80}\b` + lost),
	limiting.MustCompile(`\b` + lost + `[^.;]{0,120}\b(?:(?:is|are|be) (?:not|never) (?:compensated|recoverable|recovered|payable|claimed)|(?:is|are|be) (?:hereby |expressly )?(?:excluded|waived))\b`),
}

// statedRelease are the patterns of sentences that exclude liability for any other loss.
var statedRelease = []*regexp.Regexp{
	limiting.MustCompile(`\b` + negation + `\b[^.;]{0,80}\b` + bound + ` (?:to [^.;]{1,40} )?for (?:(?:any|an?|the|all|such) )?(?:[\w-]+,? ){0,4}?(?:loss(?:es)?|damages?|injur(?:y|ies)|theft|delays?|failures?|interruption|harm|negligence|act or omission|lost|cost)\b`),
	limiting.MustCompile(`\b(?:accepts?|accepted|assumes?|bears?) no (?:\w+ ){0,2}liability\b|\b(?:do|does|shall|will) not (?:accept|assume|bear) (?:any )?(?:\w+ )?liability (?:for|to)\b`),
	limiting.MustCompile(`\b(?:stored|kept|left|used|carried|parked|deposited|brought|remain|be|are|is) (?:\w+ )?at (?:the |your |its |their )?(?:(?:sole|own|entire) (?:and \w+ )?)?risk of\b|\bat (?:the |your |its |their |his |her )?(?:[\w'’-]+ )?(?:own|sole) risk\b`),
	limiting.MustCompile(`\b(?:is|are|am|be)(?: not|n['’]t) (?:be )?(?:\w+ )?(?:liable|answerable)\b|\b(?:do|does|can)(?: ?not|n['’]t) answer for\b|\b(?:we|i)(?: are| am|['’]re|['’]m)(?: not|n['’]t) responsible for\b|\bisn['’]t responsible for\b|\b(?:liable|answerable) (?:to(?:wards?)? [^.;]{1,40} )?only for\b|\b(?:no|neither) (?:[\w-]+ ){1,8}(?:is|are|shall be|will be) (?:\w+ )?(?:liable|answerable)\b|\bneither (?:party|side|of us) answers for\b`),
	limiting.MustCompile(`\bliability\b[^.;]{0,80}\b(?:is|are) (?:hereby |expressly )?excluded\b`),
}

// statedUncapped are the patterns of sentences that say what is not limited.
var statedUncapped = []*regexp.Regexp{
	limiting.MustCompile(`\b(?:nothing\b[^;]{0,100}|(?:neither|no) (?:party|side|of us)\b[^;]{0,40}|(?:do|does|shall|will) not (?:in any way |seek to |operate to |purport to )?)\b(?:limits?|excludes?|restricts?|limited|excluded|caps?)\b[^;]{0,100}\bliab`),
	limiting.MustCompile(`\bliab(?:le|ility)\b[^;]{0,100}\b(?:without (?:any )?(?:limit|limitation|restriction)\b|(?:is|are|be) (?:unlimited|uncapped|not limited|not capped)\b)|\bunlimited(?:ly)? liab|\bno (?:limit|cap)(?:ation)?s? (?:on|to|of|for)\b[^;]{0,60}\bliab`),
	limiting.MustCompile(`\bnothing\b[^;]{0,100}\b(?:relieves?|releases?)\b[^;]{0,60}\bliab|\bliab(?:le|ility)\b[^;]{0,120}\b(?:remains?|is|stays?) (?:unaffected|untouched|unlimited)\b|\b(?:falls?|is|are|be|lies?) outside (?:the|this|that|these) (?:\w+ ){0,3}` + limitation + `\b|\bnot count towards? (?:the|this|that) (?:\w+ ){0,3}` + limitation + `\b`),
	// The law gives consumers rights that a contract leaves as they are.
	limiting.MustCompile(`\bnothing\b[^;]{0,80}\b(?:takes?|affects?|excludes?|restricts?|modif\w+|limits?)\b[^;]{0,60}\b(?:consumer|guarantees|statutory rights)\b|\b(?:consumer|statutory)\b[^;]{0,60}\b(?:is|are|remain) (?:unaffected|not affected)\b`),
}

// Patterns for exceptions to a limit.
var (
	// notApplied matches limits that do not apply to something.
	notApplied = limiting.MustCompile(`\b(?:` + limitation + `|foregoing|` + part + `|this|that|these|those|provisions?|release)\b[^;]{0,100}\b(?:(?:do|does|shall|will|is|are) not (?:apply|extend|be applicable|applicable|limit|protect|benefit)|falls? away|ceases? to apply)\b[^;]{0,200}\b(?:` + grave + `|` + part + `)` +
		`|\b(?:neither|none|no)\b[^;]{0,40}\b(?:` + limitation + `|provisions?|clauses?)\b[^;]{0,40}\b(?:appl(?:y|ies)|benefits?|protects?|covers?|limits?)\b[^;]{0,100}\b` + grave)
	// thatLimit matches a sentence that lifts the limit before it.
	thatLimit = limiting.MustCompile(`\b(?:this|that|these|those|the) (?:` + limitation + `|two limits) (?:do|does|shall|will) not (?:apply|hold|count|operate)\b|^[^a-z]*(?:this|that) does not (?:hold|apply) if\b`)
	// beyondMost matches a sentence that limits liability rather than excluding it.
	beyondMost = limiting.MustCompile(`\b(?:liable|answerable)\b[^.;]{0,60}\b(?:more than|beyond|in excess of|exceeding|only up to|restricted to|at most)\b`)
	// asked matches the heading of an exclusion: "What the Lender is not liable for".
	asked = limiting.MustCompile(`^[^a-z]*what\b`)
	// ofLimits matches a limit that is named by its place.
	ofLimits = limiting.MustCompile(`\b` + limitation + ` (?:in|of|under|set)\b[^;]{0,30}\b(?:` + part + `|liability|\d)`)
	// excepted matches an exception to what a sentence says, otherwise one that has a limit of its
	// own, and noLimit that this is none.
	excepted  = limiting.MustCompile(`\b(?:except|save|other than|apart from|excluding|with the exception of)\b[^;]{0,100}\b` + grave + `|\b(?:except|other than|apart from|save) (?:for )?(?:\w+ ){0,4}(?:obligations?|indemni\w+)\b`)
	otherwise = limiting.MustCompile(`\b(?:as to|for|in respect of) which\b`)
	noLimit   = limiting.MustCompile(`\bwhich (?:there is no|no) (?:limit|cap)\b|\bwhich [^.;,]{0,40}\b(?:unlimited|uncapped|not limited|not capped)\b`)
)
