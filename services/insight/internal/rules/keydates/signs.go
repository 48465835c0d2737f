package keydates

import (
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
)

// sign recognizes the role of a date by the end of the text before it or the start of the
// text after it.
type sign struct {
	kind          string
	before, after *regexp.Regexp
	label, why    string
	confidence    float64
	// opening limits the sign to the beginning of a document.
	opening bool
}

// defined matches the text between a date and the name that it is given: (the "Effective
// Date"), (hereinafter referred to as the Effective Date).
const defined = `^[ ,]*\(?\s*(?:(?:herein\w*|referred|defined|called|known|being|such|date|shall|be|is|which|and|or|in|to|as|each|a|an|the|this|agreement|for|purposes|of)[\s,]+)*[("']*\s*(?:(?:the|this)\s+)?["']?`

// signs are tried in order; the first match wins. Both texts are on one line in lower
// case.
var signs = []sign{
	{insightapi.DateOther, regexp.MustCompile(`(?:\bsource:|\b(?:10-?[kq]|8-k|s-1|f-1|sb-2|10qsb|form)\b[ ,/a]*$|\b(?:incorporated|filed|(?:that|a) certain|predecessor|registration (?:no|number)|prospectus|act of|previously|originally|pursuant to)\b[^.;]{0,100}$)`), nil,
		"Date of another document", "The sentence refers to another document or event with this date.", 0.75, false},
	{insightapi.DateOther, regexp.MustCompile(`\b(?:version|edition|revision)(?: (?:no\.? ?)?[\d.]+)?,? (?:dated|date|of):?$`), nil,
		"Date of the version", "The text before the date says which version of the terms this is.", 0.75, false},
	{insightapi.DateExecution, nil, regexp.MustCompile(`^[ ,]*agreed as follows\b|^(?:, )?(?:concluded|entered into|made|signed|executed) (?:this|the following|the present)\b`),
		"Date of the agreement", "The parties agree on this date.", 0.9, true},
	{insightapi.DateExecution, nil, regexp.MustCompile(defined + `(?:execution|signing|signature|agreement|contract)\s?date\b`),
		"Date of the agreement", "The text calls this date the date of the agreement.", 0.93, false},
	{insightapi.DateEffective, nil, regexp.MustCompile(defined + `(?:effective|commencement|start|launch)\s?date\b`),
		"Effective date", "The text calls this date the effective date.", 0.93, false},
	{insightapi.DateExpiration, nil, regexp.MustCompile(defined + `(?:expiration|expiry|maturity|termination|end|(?:final |loan )?repayment|redemption)\s?date\b`),
		"Expiration date", "The text calls this date the last one.", 0.7, false},
	{insightapi.DateExpiration, regexp.MustCompile(`\b(?:expir\w*|terminat\w*|lapses?|finish\w*|ends?|ending|conclud(?:es?|ing)|until|matures?)(?:\s+automatically)?(?:\s+(?:on|at|upon|as of|at midnight on|at the close of business on|on or about))?\s*(?:the )?$`), nil,
		"Expiration date", "The text before the date says when something ends.", 0.55, false},
	{insightapi.DateExpiration, regexp.MustCompile(`\b(?:(?:shall|will|to|and|it|arrangement|agreement|contract|term) (?:now |currently |then )?(?:run|last|continue|endure|subsist|extend)s?|in (?:operation|force|effect))\b[^.;]{0,60}\b(?:up to|to|till|until)(?: and including)?(?: the)?$|\b(?:commenc\w*|begins?|starts?)\b[^.;]{0,60}\b(?:19|20)\d\d,? and (?:(?:shall|will) )?(?:stops?|ceases?|closes?|runs? out|is over)(?: on| at)?(?: the)?$|\b(?:years?|months?|weeks?),? \(?(?:i\.?e\.?|that is(?: to say)?|namely|viz\.?|so|hence|thus),? (?:up to|to|till|until|ending on|ends on)(?: and including)?(?: the)?$`),
		regexp.MustCompile(`^(?:, )?(?:when|at which (?:time|point|date)|(?:on|upon) which (?:day|date)|whereupon)\b[^.;]{0,20}\b(?:agreement|contract|engagement|arrangement|appointment|term|lease|licen[sc]e|it)\b[^.;]{0,20}\b(?:over|ends?|expires?|terminates?|lapses?|finish(?:es)?|ceases?|an end)\b`),
		"Expiration date", "The text around the date says when something ends.", 0.6, false},
	{insightapi.DateExpiration, closes, nil,
		"Expiration date", "The text before the date says when the contract ends.", 0.8, false},
	{insightapi.DateExpiration, regexp.MustCompile(`\b(?:repaid|repay)\b[^.;]{0,40}\b(?:in full|whole|entire|outstanding)\b[^.;]{0,60}\b(?:on|by)(?: the)?$`), nil,
		"Repayment date", "The text before the date says when a loan ends.", 0.65, false},
	{insightapi.DateEffective, regexp.MustCompile(`\beffective (?:date|time)?["')]*\s*(?:of this \w+ )?(?:as of|as from|is|on|shall be|means|shall mean|:|from|means the)?[ :,|]*(?:the )?["']?$`), nil,
		"Effective date", "The text before the date says when the contract takes effect.", 0.9, false},
	{insightapi.DateExpiration, regexp.MustCompile(`\b(?:remain|continue|stay)\w*\s+in (?:full )?(?:force(?: and effect)?|effect)\b[^.;]{0,40}\b(?:until|through|thru|to)\b[^.;]{0,40}$|\bthis (?:[\w-]+ ){0,3}(?:agreement|contract|lease) shall (?:terminate|expire)\b[^.;]{0,120}\bon$|\b(?:expir\w+|ceases?|ends?|terminates?) on the (?:earlier|earliest|later) of\b[^.;]{0,140}\b(?:or|and)(?:\s+\(\w{1,3}\))?(?:\s+on)?\s*$`), nil,
		"Expiration date", "The text before the date says when something ends.", 0.6, false},
	{insightapi.DateExecution, regexp.MustCompile(`\b(?:date of (?:this |the )?(?:lease|agreement|contract|deed|letter|licen[sc]e)\s*[:|]|this (?:[\w-]+ ){0,3}(?:agreement|contract|deed) (?:was|is|has been) (?:hereby )?concluded on)\s*$|(?:^|[.;] )given (?:on|this)(?: the)?$|\b(?:agreed|done|made|thus)(?: and)? drawn up\b[^.;]{0,40}\bon$|\bhave agreed on$|\bplace and date\b[^.;]{0,40}$`), nil,
		"Date of the agreement", "The text calls this date the date of the agreement.", 0.9, false},
	{insightapi.DateEffective, regexp.MustCompile(`\b(?:deemed|treated|considered|regarded|taken)(?: as| to)? (?:have|having) (?:been )?(?:commenced|begun|started|taken effect|(?:come|entered) into (?:force|effect))(?: on| from| as of| with effect from)?(?: the)?$|\b(?:effective|in effect|takes? effect|with (?:retroactive )?effect|(?:have|has|having) effect|in operation|retroactive(?: to)?)\b[^.;]{0,40}\b(?:as of|on|from|be|date)[ :]*(?:the )?$|\b(?:agreement|contract|lease|licen[sc]e|amendment|deed|letter),? (?:is )?effective[ :]*(?:the )?$|\b(?:subscription|contract|service|term|lease) start[ :|]*$|` +
		`\b(?:agreement|contract|lease|licen[sc]e|order|letter|deed|mou|memorandum) (?:(?:shall|will) )?(?:covers?|appl(?:y|ies)|governs?|operates?|subsists?|(?:has|have) effect)\b[^.;]{0,50}\bfrom(?: and including)?(?: the)?$|\bfirst day\b[^.;]{0,30}\b(?:is|will be|shall be)(?: on)?(?: \w{3,6}day,?)?(?: the)?$|` +
		`\b(?:take|takes|taking|took) effect(?: on)?(?: \w{3,6}day,?)?$|\b(?:` + undertakings + `) (?:(?:shall|will|is to|are to) )?(?:start to )?(?:` + startsUp + `)` + fromDay + `$`), nil,
		"Effective date", "The text before the date says when the contract takes effect.", 0.88, false},
	{insightapi.DateExpiration, regexp.MustCompile(`\b(?:until|expir\w+|terminat\w+|ending|ends?|end date|through|continu\w+ to|thru)\b[^.;]{0,60}$`), nil,
		"Expiration date", "The text before the date says when something ends.", 0.5, false},
	{insightapi.DateRenewal, regexp.MustCompile(`\b(?:renew\w*|extend\w*|extension)\b[^.;]{0,80}$`), nil,
		"Renewal date", "The text before the date is about a renewal.", 0.7, false},
	{insightapi.DateEffective, regexp.MustCompile(`\b(?:term|agreement|contract|lease|licen[sc]e|services|engagement|employment|tenancy|appointment)\b[^.;]{0,120}\b(?:commenc\w+|begin\w*|start\w*)\b[^.;]{0,40}$`), nil,
		"Start date", "The text before the date says when the contract starts.", 0.75, false},
	{insightapi.DateEffective, regexp.MustCompile(`\b(?:commenc\w+|begin\w*|start\w*)\b[^.;]{0,40}$`), nil,
		"Start date", "The text before the date says when something starts.", somethingStarts, false},
	{insightapi.DateExecution, regexp.MustCompile(`\b(?:in witness whereof|executed (?:this|the)|set (?:their|his|her|its) hands?|signed this|signed on)\b[^;]{0,160}$|\b(?:subscribed|signed|executed)\b[^.;]{0,160}\b(?:at|in) [^.;]{1,40} on(?: the)?$`), nil,
		"Date of signing", "The parties sign on this date.", 0.8, false},
	{insightapi.DateExecution, regexp.MustCompile(`^concluded (?:at|in|on)\b[^.;]{0,90}$|\b(?:made|entered into|executed|dated|signed)\b[^.;]{0,90}$|\b(?:agree|(?:sign|make|conclude|execute|enter into) this [\w -]{3,60}) on(?: the)?$`), nil,
		"Date of the agreement", "The text before the date says when the agreement was made.", 0.75, true},
	{insightapi.DateExecution, regexp.MustCompile(`(?:(?:^\W*|\b(?:agreements?|contract|lease|deed|letter|amendment|addendum|licen[sc]e|plan|note|order|guaranty|guarantee|indenture|warrant|made|entered|executed|effective|dated?|signed|between|inc|corp|llc|ltd|limited|company|and)\b[^;]{0,100})\bas of|\bdated?:?|\bthis)[ :]*(?:the )?(?:as of )?$`), nil,
		"Date of the agreement", "The beginning of the document gives this date.", 0.7, true},
	{insightapi.DateNotice, regexp.MustCompile(`\b(?:notice|notify|notification)\b[^.;]{0,80}$`), nil,
		"Notice date", "The text before the date is about a notice.", 0.65, false},
	{insightapi.DatePayment, regexp.MustCompile(`\b(?:pay\w*|paid|due|invoice\w*|instal?lments?|fees?)\b[^;]{0,80}$`), nil,
		"Payment date", "The text before the date is about a payment.", 0.65, false},
}

// closes matches the words before the last day of a contract that name it and say that it ends.
var closes = regexp.MustCompile(`\b` + contracts + ` (?:(?:shall|will|is to) )?(?:(?:thus|then|automatically|thereby) )?(?:ceases?|closes?|determines?|runs? out|be over|is over|be at an end|finish(?:es)?|comes? to (?:a|an|its) (?:close|end|conclusion|term))(?: (?:on|at|with|upon|at the end of|at midnight on))*(?: the)?$|\blast day of (?:the|this|your|our) (?:[\w-]+ )?` + contracts + ` (?:is|will be|shall be)(?: on)?(?: \w{3,6}day,?)?(?: the)?$`)

// undertakings matches the subject of a sentence about a contract or its project, startsUp a verb
// for its first day, and fromDay the words before that day.
const (
	undertakings = `(?:this|these|the|your|our) (?:[\w-]+ ){0,2}(?:arrangement|programme|program|project|franchise|retainer|distributorship|agency|consultancy|mandate|secondment|assignment|placement|subscription|collaboration|cooperation|co-operation|partnership|research|charter|hire|supply|services?|terms|conditions|agreement|contract|deed|letter|licen[sc]e|tenancy|engagement|appointment)`
	startsUp     = `appl(?:y|ies)|commences?|begins?|starts?|runs?|operates?|comes? into (?:force|effect|operation)|(?:is|are|be|becomes?) (?:operative|in force)`
	fromDay      = `(?: (?:as )?(?:on|from|of|with effect from))*(?: and including)?(?: \w{3,6}day,?)?(?: the)?`
)

// somethingStarts is the confidence of the sign of a date on which something starts, which may
// be something else than the contract.
const somethingStarts = 0.7

// unknown is the sign of a date whose role is not known.
var unknown = sign{kind: insightapi.DateOther, label: "Date", why: "The document contains this date.", confidence: 0.7}

// reference matches the date of another agreement: "the Supply Agreement dated".
var reference = regexp.MustCompile(`\b(?:the|that|certain|an|a|such|our|his|her|their|its)\s+(?:[\w&',-]+\s+){0,8}(?:agreement|contract|lease|license|plan|order|letter|note|certificate(?: of trust)?|indenture|declaration|guaranty|guarantee|specification|proposal|quotation|policy|undertaking|statement)\b[^.;]{0,60}\b(?:dated|entered into|executed|made)[^.;]{0,24}$|\b(?:the|your|our|an?|my|that|its|his|her|their)\s+(?:[\w'’:#/-]+\s+){1,5}dated(?:\s+(?:as of|the|(?:\d{1,2}(?:st|nd|rd|th)?(?: \w{3,9})?(?: (?:19|20)\d\d)?(?:,| and|, and) ?)+))?\s*$|` +
	`\b(?:valuation|report|appraisal|survey|memorandum|certificate|resolution|invoice|notice|e-?mail|term sheet|tender|bid|quote|public deed|power of attorney|cheque|check|draft|receipt|transfer|review|minutes|permission|(?:master|general|standard) (?:[\w-]+ ){0,2}(?:term|condition))s?\b,?[^.;]{0,40}\bdated$|\b(?:vide|by|via|per|with|under|see)\s+(?:an?\s+)?(?:[\w#/-]+\s+){1,3}dated$|\b(?:agreement|contract|lease|order|sow|statement of work) (?:no\.?|number|ref\.?) ?[\w/-]+,? (?:\w+ )?dated$|\b(?:with reference|further|in (?:response|reply)) to (?:your|our|the)\b[^.;]{0,160}$|\b(?:amendment|variation|addendum|supplement|novation|extension)\b[^.;:]{0,30}[:–][^.;]{0,60}\b(?:agreement|contract|lease|deed|licen[sc]e)s?\b[^.;]{0,30}\bdated$`)

// own matches the date of this agreement.
var own = regexp.MustCompile(`\bthis\b[^.;]{0,120}\b(?:agreement|contract|amendment|lease|deed|license|addendum|plan)\b[^;]{0,100}$`)

// ownVerb matches the date of this agreement, whatever else the sentence refers to: "This
// Amendment of the Supply Agreement is made".
var ownVerb = regexp.MustCompile(`\bthis (?:[\w-]+ ){0,4}(?:agreement|contract|amendment|lease|deed|license|addendum|plan)\b[^;]{0,160}\bis (?:hereby )?(?:made|entered into|executed|dated)\b[^.;]{0,60}$`)

// both matches an agreement date that is also the effective date.
var both = regexp.MustCompile(`\b(?:as of|effective)\b[^.;]{0,30}$`)

// datedOf matches an agreement that is only dated, and witnessed the date on which it is
// signed.
var (
	datedOf   = regexp.MustCompile(`\bdated\s+as of\b[^.;]{0,30}$`)
	witnessed = regexp.MustCompile(`\bwitness whereof\b|\bexecute this\b`)
)

// onlyDated reports whether the text before a date does not say that the agreement takes
// effect then.
func onlyDated(before string) bool {
	return datedOf.MatchString(before) || witnessed.MatchString(before) || !made.MatchString(before) && !own.MatchString(before)
}

// ownTerm matches a mention of the contract or its term as the thing that ends.
var ownTerm = regexp.MustCompile(`\b(?:this (?:[\w-]+ ){0,3}(?:agreement|contract|amendment|lease|licen[sc]e|deed|mou|memorandum|sow|arrangement)|the (?:initial |original )?term\b|term of|(?:the|your) (?:agreement|contract|joint venture|tenancy|appointment|engagement|employment|licen[sc]e|loan)\b|expiration date|term:|rights granted)`)

// otherTerm matches something other than the contract that lasts until a day.
var otherTerm = regexp.MustCompile(`\b(?:invoice\w*|pay\w*|fees?|royalt\w*|compensation|bonus|shares?|options?|exercis\w*|fiscal|offer\w*|insurance|warrant\w*|exclusiv\w*|notice)\b`)

// billing matches a period for which something is invoiced.
var billing = regexp.MustCompile(`\b(?:invoic\w*|reimburs\w*)\b`)

// endsContract reports whether the text before the day on which something ends says that
// it is the contract.
func endsContract(before string) bool {
	if billing.MatchString(before) {
		return false
	}
	all := ownTerm.FindAllStringIndex(before, -1)
	return all != nil && !otherTerm.MatchString(before[all[len(all)-1][1]:])
}

// made matches a date on which the agreement is made.
var made = regexp.MustCompile(`\b(?:made|dated|signed and|entered into|entered|executed)\b[^.;]{0,90}$`)

// madeBetween matches the date after a list of the parties, whose names may end sentences.
var madeBetween = regexp.MustCompile(`\bthis (?:[\w-]+ ){0,4}(?:agreement|contract|amendment|lease) (?:is|was) (?:hereby )?(?:made|entered into) by and (?:between|among)\b[^;]*,? (?:effective|dated) as of(?: the)?$`)

// otherDay matches another date between the words that an agreement is made and a date.
var otherDay = regexp.MustCompile(`\b(?:made|dated|entered into|entered|executed)\b[^.;]{0,60}\b(?:19|20)\d\d\b[^.;]{0,60}$`)

// partOf matches "made a part of", which is about an attachment.
var partOf = regexp.MustCompile(`\bmade (?:a )?part\b`)

// signLine matches the text before the date of a signature.
var signLine = regexp.MustCompile(`(?:\b(?:by|name|title|its|position|signature|signed)\s*:[^;]{0,120}|/s/[^;]{0,120})\bdated?\s*:?\s*$|(?:^|[.;] )signed\b[^.;]{0,100}\bdated?\s*:?\s*$|\((?:signature|signed|seal|stamp)\)\s*$|\bsignatures?\b[^.;]{0,80}\b(?:on|dated?)[ :]*$`)

// signedOn matches the beginning of a sentence that says when a contract was signed: "Signed at
// Cork on".
var signedOn = regexp.MustCompile(`(?:^|[.;|] )(?:thus |done and )*(?:electronically |(?:accepted|agreed|acknowledged) and )?(?:signed|accepted|agreed|acknowledged|countersigned)(?: electronically| digitally)?(?::| at\b| in\b| on\b| by\b| for\b| between us\b| round\b)[^;]{0,120}$|\b(?:made|done|drawn up|signed|executed|given) in (?:\w+ ){0,3}(?:copies|originals|counterparts|duplicate|triplicate)\b[^.;]{0,120}\bon(?: the)?$|\b(?:executed|signed)\b[^;]{0,200}\band by [^.;]{0,60} at [\w ]{3,30} on$`)

// signing is the sign of a date that goes with a signature.
var signing = sign{kind: insightapi.DateExecution, label: "Date of signing", why: "The date is next to a signature.", confidence: 0.6}

// signOf returns the sign for a date.
func signOf(at date.Date, before, after string) sign {
	first := at.Start <= opening
	for _, line := range []*regexp.Regexp{signLine, signedOn} {
		if m := line.FindString(before); m != "" && !ending.MatchString(m) && !starting.MatchString(m) && !strings.Contains(after, "effective date") {
			return signing
		}
	}
	if s, ok := namedDate(before); ok {
		return s
	}
	if s, ok := running(before, after); ok {
		return s
	}
	if first && own.MatchString(before) && !referred(before) && !strings.Contains(before, "pursuant") {
		// A sentence in which the agreement names itself gives its own date.
		for _, s := range signs[1:] {
			if s.fits(before, after) && s.kind != insightapi.DatePayment && s.kind != insightapi.DateNotice {
				return s
			}
		}
	}
	if referred(before) {
		return signs[0]
	}
	for _, s := range signs {
		if s.fits(before, after) && (first || !s.opening) {
			return s
		}
	}
	return unknown
}

func (s sign) fits(before, after string) bool {
	return s.before != nil && s.before.MatchString(before) || s.after != nil && s.after.MatchString(after)
}

// referred reports whether the text before a date refers to another agreement.
func referred(before string) bool {
	if ownVerb.MatchString(before) {
		return false
	}
	m := reference.FindStringIndex(before)
	return m != nil && !own.MatchString(before[m[0]:])
}
