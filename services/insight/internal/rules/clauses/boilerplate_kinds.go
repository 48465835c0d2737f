package clauses

import regexp "github.com/rectohq/recto/services/insight/internal/pattern"

// cause is a reason to end a contract.
var cause = has(`\b(?:breach\w*|default\w*|fail(?:s|ed|ure)?|insolven\w+|bankrupt\w*|receiver\w*|liquidat(?:ion|ed|or)|dissolution|not (?:comply|cured|perform)|loses|non-?performance|non-?payment|violat\w+|misconduct|for (?:good |just )?cause)\b`)

// boilerplates are the kinds that most contracts have.
var boilerplates = [...]boilerplate{
	{
		kind: "Confidentiality", says: "Information must be kept confidential.",
		words:  []string{"confiden", "secre", "disclos", "divulge"},
		titles: regexp.MustCompile(`^(?:mutual )?(?:confidential(?:ity)?|confidential information|proprietary information|trade secrets|secrecy|(?:non-?|non )(?:disclosure|use)|disclosure of (?:confidential )?information)(?: (?:obligations?|undertakings?|covenants?|provisions?|information|of .*|by .*|restrictions?))?$`),
		clear: without(either(
			both(has(`\b(?:shall|will|must|agrees?|undertakes?|covenants?)\b`),
				followed(`\b(?:keep|kept|hold|held|maintain(?:ed)?|treat(?:ed)?|retain(?:ed)?|preserve[ds]?|safeguard|protect)\b`, `\b(?:confiden(?:tial|ce|tially|tiality)|secret|secrecy)\b`, 100, ``)),
			both(has(`\b(?:confidential|proprietary|secrets?|know-how|terms (?:and conditions )?of this|existence of this|information)\b`),
				followed(`\b(?:not|neither|nor|never|no party|none|no event)\b`, `\b(?:disclose|divulge|reveal|disseminate|be disclosed|be divulged)\b`, 100, `\b(?:apply|includes?|including|extend|prevent\w*|prohibit\w*|preclude\w*|restrict\w*|limit\w*|deemed|considered|construed|required|obligat\w+)\b`)),
			both(has(`\b(?:confidential (?:or proprietary )?information|proprietary information|trade secrets)\b`), either(
				followed(`\b(?:not|neither|nor|never|none)\b`, `\b(?:use|copy|reproduce|record|duplicate)\b`, 60, ``),
				followed(`\buse\b`, `\b(?:only|solely|exclusively|other than)\b`, 120, ``),
				has(`\bneed(?:s)? to know\b|\b(?:same|reasonable) (?:degree|standard) of care\b`),
			)),
			has(`\b(?:be|are|is) (?:deemed|considered|treated as|regarded as)\b[\w ]{0,20}\bconfidential\b`),
		), has(`\bconfidential treatment\b|\bredacted\b|\b(?:former|previous|prior) employers?\b|\b(?:information|secrets|property) (?:of|belonging to) any (?:other person|third part)|\b(?:shall|does|do) not (?:include|apply)\b|\bbreach of\b`)),
		under: without(has(`\b(?:confiden\w+|secre\w+|disclos\w+|proprietary|information)\b`), has(`\bconfidential treatment\b|\b(?:not include|includes?|consists?)\b`)),
	},
	{
		kind: "Indemnification", says: "A party must indemnify the other.",
		words:  []string{"indemn", "harmless", "defend"},
		titles: regexp.MustCompile(`^(?:general |mutual |cross[- ])*(?:indemnif(?:ication|y)|indemnit(?:y|ies)|hold harmless)(?: (?:by|of|for|against|from|obligations?|provisions?)\b.*)?$`),
		clear: without(either(
			followed(`\b(?:shall|will|must|agrees?|undertakes?|covenants?|hereby)\b`, `\b(?:indemnif(?:y|ies)|be indemnified|(?:hold|save|held|saved)\b[\w' ,()-]{0,60}\bharmless)\b`, 90,
				`\b(?:not|notif\w*|notice|give|cooperat\w*|which|whom|inform\w*|obligations?|survive|apply|right|request\w*|claims?|fail\w*|procure|maintain|seek\w*)\b`),
			has(`\bhereby indemnif(?:y|ies)\b`),
			both(followed(`\b(?:shall|will|must|agrees?)\b`, `\bdefend\b`, 60, `\bnot\b`), has(`\b(?:claims?|suits?|actions?|proceedings?)\b`), has(`\bpay\b`)),
		), has(`\bnor (?:shall|will|must)\b[\w ,]{0,20}\bindemnify\b`)),
		under: without(has(`\b(?:indemn\w+|harmless)\b`), has(`\bindemnif(?:ied|ying) part(?:y|ies) (?:shall|will|must|may|agrees?)\b|\bnotif(?:y|ies)\b|\bnotice\b`)),
	},
	{
		kind: "Force Majeure", says: "Events beyond a party's control excuse it.",
		words:  []string{"majeure", "beyond", "outside", "act of god", "acts of god"},
		titles: regexp.MustCompile(`^(?:force majeure\b.*|acts? of god|excus(?:able|ed) (?:delays?|performance)|unavoidable delays?|impossibility(?: of performance)?|delays? in performance)$`),
		clear: both(
			has(`\bforce majeure\b|\bacts? of god\b|\b(?:beyond|outside)\b[\w', -]{0,60}\bcontrol\b`),
			either(
				followed(`\b(?:not|neither|nor|no|without)\b`, `\b(?:liable|responsible|responsibility|liability|in (?:default|breach)|a (?:default|breach)|deemed|considered)\b`, 100, ``),
				has(`\b(?:is|are|be|been|being|stand)\s+(?:\w+\s+)?(?:excused|suspended|extended|relieved|released|postponed)\b|\bexcuses?\b|\bextend(?:s|ed)? the (?:time|date|period)`),
			)),
		under: has(`\b(?:not|excuse\w*|extend\w*|suspend\w*|relieve\w*|delay\w*)\b`),
	},
	{
		kind: "Entire Agreement", says: "The contract is the entire agreement of the parties.",
		words:  []string{"entire", "whole", "complete", "full", "sole", "supersed", "superced", "no other", "merged"},
		titles: regexp.MustCompile(`^(?:(?:entire|complete|whole|sole|full) (?:agreement|understanding|contract)s?\b.*|integration(?: clause)?|integrated agreement|merger(?: clause)?|prior agreements?|superse\w+(?: .*)?)$`),
		clear: either(
			followed(`\b(?:constitutes?|contains?|sets?|represents?|is|are|be|embod(?:y|ies)|comprises?|states?|express(?:es)?|forms?|reflects?)\b`,
				`\b(?:entire|whole|complete|full|sole)\b(?:,? (?:and|exclusive|final|complete|integrated|only|entire|legal|binding|sole|full|mutual))* (?:agreement|understanding|contract|statement|expression)s?\b`, 80, `\bnot\b`),
			followed(`\b(?:supersed\w+|superced\w+|replaces?|cancels?)\b`, `\b(?:agreements?|understandings?|negotiations?|discussions?|representations?|communications?|proposals?|arrangements?|contracts?)\b`, 120, `\bnot\b`),
			followed(`\b(?:prior|previous|earlier)\b`, `\b(?:superseded|superceded|merged|replaced)\b`, 160, `\bnot\b`),
			both(has(`\bno (?:other|oral|further|verbal)\b[\w ,]{0,40}\b(?:agreements?|understandings?|representations?|promises|warrant\w+)\b`), has(`\b(?:herein|contained|set forth|hereof|in this agreement|expressly)\b`)),
		),
		under: has(`\b(?:agreements?|understandings?|contract|supersed\w+|promises|representations?)\b`),
	},
	{
		kind: "Severability", says: "The contract stays in force if a provision is invalid.",
		words:  []string{"invalid", "severab", "unenforceab", "illegal", "void", "prohibited"},
		titles: regexp.MustCompile(`^(?:severab\w+|severance|separability|partial invalidity|invalid(?:ity)?(?: (?:of )?provisions?)?|(?:un)?enforceability|savings? clause|illegality|validity)$`),
		clear: either(
			has(`\b(?:is|are|be|deemed|considered)\b[\w ,]{0,40}\bseverable\b`),
			both(has(`\b(?:invalid\w*|unenforceab\w*|illegal\w*|void|prohibited|unlawful)\b`),
				has(`\b(?:provisions?|terms?|clauses?|parts?|portions?|sections?|covenants?|paragraphs?|sentences?)\b`),
				has(`\b(?:agreement|contract|lease|hereof|provisions?|clauses?)\b`),
				has(`\b(?:remain(?:s|der|ing)?|other (?:provisions?|terms?|clauses?|parts?)|balance|rest|not (?:be |in any way |thereby )*(?:affect\w*|impair\w*|invalidat\w*)|without (?:affecting|invalidating)|severed|deleted|stricken|replaced|substitut\w+|reform(?:ed)?)\b`)),
		),
		under: both(has(`\b(?:provisions?|terms?|clauses?|parts?|agreement|contract)\b`), has(`\b(?:invalid\w*|void|unenforceab\w*|illegal\w*|sever\w*)\b`)),
	},
	{
		kind: "Amendment", says: "The contract can be amended only in a certain form.",
		words:  []string{"amend", "modif", "chang", "alter", "varied", "variation", "supplement"},
		titles: regexp.MustCompile(`^(?:(?:oral |written )?(?:amendments?|modifications?|alterations?|variations?|changes)(?: (?:to|of|in) (?:this |the )?(?:agreement|contract|terms))?|amendments? in writing)$`),
		clear: without(both(
			has(`\b(?:in writing|written|writing|signed|instrument|executed by|mutual (?:written )?(?:agreement|consent))\b`),
			either(
				has(`(?:^|\b(?:no|any|all|each|every|such|nor)\b[\w ,]{0,40}?)\b(?:amendments?|modifications?|changes?|alterations?|variations?|supplements?)\b[\w ,]{0,40}\b(?:(?:to|of|in) (?:any of )?(?:the (?:terms|provisions) of )?(?:this|the) (?:[\w-]+ )?(?:agreement|contract|lease|terms|provisions)|hereof|hereto|any provision)\b`),
				has(`\bno (?:[\w-]+,? (?:or |and )?){0,3}?(?:amendments?|modifications?)\b[\w ,]{0,60}\b(?:shall|will|may|is|are|can)\b`),
				followed(`\b(?:agreement|contract|lease|terms|provisions?|hereof|it)\b`, `\b(?:amended|modified|changed|altered|varied|supplemented)\b`, 90, `[;:]|\b(?:services|specifications|products|software|was|were|as|has been)\b`),
				has(`\b(?:amend|modify|change|alter|vary)\b[\w ,]{0,30}\b(?:this|the) (?:[\w-]+ )?(?:agreement|contract|lease)\b`),
			),
			has(`\b(?:may|shall|can|no|any|must|cannot|only|not|will)\b`),
		), has(`\bhereby (?:further )?amend\w*|\bamended and restated\b|\bto read\b`)),
		under: both(has(`\b(?:amend\w*|modif\w+|chang\w+|alter\w*|vari(?:ed|ation)\w*)\b`), has(`\b(?:agreement|contract|amendments?|terms|hereof|writ\w+)\b`)),
	},
	{
		kind: "Waiver", says: "A right is not waived by silence, or only in writing.",
		words:  []string{"waive"},
		titles: regexp.MustCompile(`^(?:(?:implied )?waivers?|non-?waiver(?: of .*)?|waivers? (?:of (?:breach|default|rights?|terms?|provisions?|compliance).*|in writing|must be.*)|effect of waivers?|failure to (?:enforce|exercise).*)$`),
		clear: without(either(
			has(`\bno (?:[\w,-]+ ){0,6}?waivers?\b`),
			followed(`\b(?:failure|fail|delay|omission|forbearance|acceptance|course of dealing|indulgence|waivers?|breach)\b`, `\b(?:waivers?|waived|waive)\b`, 260, ``),
			followed(`\bwaivers?\b`, `\b(?:in writing|written|signed)\b`, 120, ``),
			followed(`\bwaived\b`, `\b(?:in writing|written|signed)\b`, 80, ``),
		), either(has(`\b(?:jury|subrogation|moral rights|immunit\w+|sovereign|approvals?|governmental|filings?|fees?)\b`), has(`\b(?:obtain\w*|grant\w*|contain) (?:a |the |such )*waivers?\b|\bhereby waives?\b`))),
		under: without(has(`\bwaiv\w+\b`), has(`\b(?:jury|subrogation|moral rights|immunit\w+)\b`)),
	},
	{
		kind: "Notices", says: "Notices must be given in a certain form or to certain addresses.",
		words:  []string{"notice", "communication"},
		titles: regexp.MustCompile(`^(?:notices?(?: (?:under|provisions?|requirements?|address(?:es)?|procedures?)\b.*)?|notices (?:to|by)\b.*|communications|(?:form|giving|method|manner|service|delivery) of (?:giving )?notices?|addresses(?: for notices?)?)$`),
		clear: without(both(
			has(`\b(?:in writing|written|deemed|address\w*|mail\w*|courier|facsimile|telecopy|fax|delivered|personally|e-?mail\w*|by hand|telegram)\b`),
			either(
				followed(`\b(?:all|any|every|each) (?:(?:[a-np-z]|o[a-eg-z])[\w ,()/'-]{0,60}? )?(?:notices?|communications?)\b`, `\b(?:shall|must|will|may|are|is to)\b[\w ,]{0,40}?\b(?:in writing|writing|deemed|delivered|sent|given|addressed|mailed|made|served|effective)\b`, 200,
					`^ (?:of|to (?:terminate|cure|renew|quit))\b|\b(?:terminat\w+|shall be reproduced)\b`),
				has(`(?:^|, |: |; )(?:written )?notices?\b[\w ,'-]{0,60}?\b(?:shall|must|will|may|are)\b[\w ,]{0,20}?\b(?:in writing|deemed|delivered|sent|given (?:by|to|in)|addressed|mailed|made|served|effective)\b`),
			)), has(`\b(?:copyright|proprietary|legends?|trademark|privacy|patent)\b`)),
		under: both(has(`\b(?:notices?|communications?|letters)\b`), has(`\b(?:writ\w+|address\w*|sent|send|deliver\w*|mail\w*|given|deemed|e-?mail\w*)\b`)),
	},
	{
		kind: "Counterparts", says: "The contract can be signed in several copies.",
		words:  []string{"counterpart", "duplicate", "triplicate", "original"},
		titles: regexp.MustCompile(`^(?:counterparts?(?: (?:and |originals?|execution|signatures?).*)?|(?:execution|signature) in counterparts|counterpart (?:execution|signatures?|originals?)|(?:multiple|duplicate) (?:counterparts|originals)|originals|copies)$`),
		clear: either(
			followed(`\b(?:executed|signed|execute|sign|delivered|entered into)\b`, `\bcounterparts?\b`, 100, ``),
			followed(`\b(?:executed|signed|drawn up|made|done|concluded|issued)\b`, `\bin (?:duplicate|triplicate|quadruplicate|(?:two|three|four|five|six|several|multiple|\d+)(?: \(\w+\))?(?: \w+)? (?:originals|copies|sets|counterparts))\b`, 60, ``),
			both(has(`\bcounterparts?\b`), has(`\b(?:deemed (?:to be )?(?:an )?originals?|(?:same|one|single)(?: and the same)? (?:instrument|agreement|document))\b`)),
		),
		under: has(`\b(?:counterparts?|originals?|copies|duplicate|facsimile|electronic\w*)\b`),
	},
	{
		kind: termKind, says: "The contract runs for a certain time.",
		words:  []string{"the term", "initial term", "original term", "a term", "this term", "year term", "month term", "force", "in effect", "effective", "take effect", "expire", "begin", "commence", "renew", "valid", "extend", "ends on", "end on", "terminates on", "terminate on", " runs ", " run for", " lasts ", " last for", " starts ", "continue", "subsist", "endure", " term of ", "period of"},
		titles: regexp.MustCompile(`^(?:(?:initial |original |lease |contract )?(?:term|duration)|(?:term|duration|length|period) of (?:this |the )?(?:agreement|contract|lease|license|engagement|appointment|employment)|effectiveness|tenure|(?:minimum|contract|licen[sc]e|subscription|commitment) period|period of performance|how long\b.*)$`),
		clear: both(lasting, either(plainTerm,
			followed(`\b(?:this|the) (?:[\w-]+ ){0,4}?(?:agreement|contract|lease|term)\b`, `\b(?:(?:shall|will|may|is|are|to) (?:\w+ )?(?:be )?(?:automatically )?(?:renew(?:ed|able)?|extend(?:ed)?)|renews|(?:is|be) valid (?:for|until|from))\b`, 60, `[;:]|\b(?:not|party|parties|time|if)\b`),
			followed(`\b(?:option|right) to (?:renew|extend)\b`, `\b(?:agreement|contract|lease|term)\b`, 40, ``),
			followed(`(?:^|, |: |; |and |that )(?:the |this )?(?:initial |original |primary |contract |cooperation |renewal )?(?:term|duration)(?: of (?:this|the) (?:[\w-]+ ){0,3}(?:agreement|contract|lease|license|engagement))?\b(?: \("[^"]*"\))?`, `\b(?:shall|will|is|be|begins?|commences?|continues?|runs?|starts?)\b`, 70, `\b(?:in|during|party|parties)\b`),
			both(followed(subject, `\b(?:remains?|continues?|be|stays?|is)\b[\w ,]{0,40}?\b(?:in (?:full )?(?:force|effect)|effective|valid)\b`, 110, notSubject),
				followed(`\b(?:force|effect|effective|valid)\b`, `\b(?:until|through|perpetual\w*|indefinitely|for (?:an?|the|\w+(?: \(\w+\))?) [\w ]{0,20}?(?:terms?|periods?|years?|months?|days)|unless (?:earlier |sooner )?terminated)\b`, 160, ``)),
			followed(subject, `\b(?:commences?|begins?|starts?|(?:take|takes|be|become|becomes) (?:effect|effective)\b[\w ,]{0,60}\band)\b[\w ,]{0,120}?\b(?:ends?|continues?|expires?|terminates?|until|through|for (?:an?|\w+(?: \(\w+\))?) [\w ]{0,20}?(?:terms?|periods?|years?|months?))\b`, 60, notSubject),
			followed(subject, `\b(?:shall|will)?\s?(?:automatically )?(?:expires?|ends?|terminates?)\b[\w ]{0,12}\b(?:on|upon|at|in|after)\b[\w ,()]{0,40}\b(?:anniversary|(?:19|20)\d\d|(?:months?|years?) (?:after|from))\b`, 60, notSubject),
			followed(subject, `\b(?:for|has|have|be for) an? (?:fixed |initial |\w+(?: \(\w+\))?[- ](?:year|month) )?(?:term|period|duration)\b`, 60, notSubject+`|\b(?:extend\w*|renew\w*|suspend\w*)\b`),
		)),
		under: both(has(`\b(?:this|the) (?:[\w-]+ ){0,3}(?:agreement|contract|lease|license|term)\b|\bterm\b`), has(`\b(?:shall|will|begins?|commences?|continues?|runs?|stays?|remains?|is|are|expires?|ends?)\b`), lasting),
	},
	{
		kind: "Termination For Cause", says: "The contract can be terminated for a breach or a similar cause.",
		words:  []string{"terminat", "terminab", "cancel", "rescind"},
		titles: regexp.MustCompile(`^(?:(?:early )?termination(?: (?:for (?:good )?cause|for (?:material )?(?:breach|default|bankruptcy|insolvency|non-?payment)|upon\b.*|by\b.*|events?|rights?|of (?:this |the )?(?:agreement|contract|lease)))?|(?:events? of )?defaults?|breach|insolvency|bankruptcy)$`),
		clear: without(both(either(cause, has(`\b(?:occurrence of|(?:any|one or more) of the following|following (?:events?|circumstances|conditions))\b|\b(?:may|right to) terminate\b.{0,120}\bif\b[^.]{0,40}:`)), either(
			followed(`\b(?:may|right to|entitled to|option to|can|elect to|right of)\b`, `\b(?:terminated?|cancel(?:led)?|rescind(?:ed)?|termination)\b`, 120, `\b(?:not|upon (?:such )?termination|after)\b`),
			followed(`\b(?:shall|will)\b`, `\b(?:automatically|immediately|forthwith|be)\b[\w ]{0,20}\b(?:terminate|be terminated|terminated)\b|^ terminate\b`, 60, `\b(?:not|if|until)\b`),
			has(`\bterminable\b|\b(?:option|right) of (?:terminating|cancel(?:l)?ing)\b`),
		), has(`\b(?:agreement|contract|lease|licen[sc]e|engagement|employment|appointment|rights|hereunder|franchise)\b`)), has(`\bconflict with\b|\bexecution and delivery\b|\bexecution, delivery\b`)),
		under: both(either(cause, has(`\bfollowing (?:events?|circumstances)\b`)), has(`\b(?:terminat\w+|cancel\w*|ends?)\b`)),
	},
	disputeResolution, arbitration, jurisdictionAndVenue, dataProtection, survival, assignmentPermitted,
}

// subject begins a statement about the contract as a whole, and notSubject matches what
// shows that it is about something else.
const (
	subject    = `(?:^|, |: |; |and |that |hereof )(?:the term of )?this (?:[\w-]+ ){0,3}?(?:agreement|contract|lease|license|engagement)\b`
	notSubject = `[;:]|\b(?:under|party|parties|shall have|provided|obligations?)\b`
)

// lasting is wording that has a time.
var lasting = has(`\b(?:years?|months?|days?|weeks?|until|through|perpetual\w*|indefinite\w*|dates?|anniversary|(?:19|20)\d\d|terminated|expir\w+|so long as|as long as)\b`)
