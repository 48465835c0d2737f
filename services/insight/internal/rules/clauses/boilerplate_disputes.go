package clauses

import (
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// The kinds of boilerplate about disputes, personal data, and what outlasts the contract or
// a party.
var (
	disputeResolution = boilerplate{
		kind: "Dispute Resolution", says: "It is agreed how disputes are resolved.",
		words:  []string{"disput", "controvers", "disagree", "differences", "unable to agree", "cannot agree", "no settlement", "mediat", "consensus"},
		titles: regexp.MustCompile(`^(?:(?:informal |internal |alternative )?disputes?(?: (?:resolution|settlement|escalation|procedures?|management)\b.*)?|(?:resolution|settlement|negotiation) of (?:disputes?|controversies|claims)\b.*|escalation(?: procedures?)?|mediation|negotiation|(?:amicable|friendly) settlement|conciliation|controversies)$`),
		clear: either(both(
			followed(`\b(?:shall|will|must|agrees?|undertakes?|may)\b`, `\b(?:resolved?|resolving|resolution|settled?|settling|mediat\w+|negotiat\w+|escalat\w+)\b`, 160, `\b(?:not|pay|withhold)\b`),
			has(`\b(?:disputes?|controvers(?:y|ies)|disagreements?|differences)\b`),
			has(`\b(?:negotiat\w+|mediat\w+|amicabl\w+|good faith|friendly|consult\w+|executives?|(?:chief|executive|senior) officers?|senior|management|escalat\w+|in accordance with (?:this|the following|the procedures?)|following procedures?)\b`),
		), without(both(
			has(`\b(?:disputes?|controvers(?:y|ies)|disagreements?|differences|unable to (?:agree|resolve|reach)|cannot agree|settlement|consensus|claims?)\b`),
			followed(`\b(?:shall|will|must|may|agrees?|attempt|is|are)\b`, `\b(?:submit\w*|refer(?:red)?|resolved?|settled?|determined?|decided?|resort|designated|mediate|arbitrated?|demand)\b`, 80, `\bnot\b`),
			has(`\b(?:arbitrat\w+|mediat\w+|independent (?:technical )?(?:expert|laboratory|accountants?|consultant|third[- ]party)|third[- ]party (?:expert|laboratory|testing)|president|chief executive|senior)\b`),
		), has(`\b(?:attorneys'? fees|costs and expenses)\b`))),
		under: has(`\b(?:disput\w+|controvers\w+|disagree\w+|claims?|differences|mediat\w+)\b`),
	}
	arbitration = boilerplate{
		kind: "Arbitration", says: "Disputes are decided by arbitration.",
		words:  []string{"arbitra", "tribunal", "award"},
		titles: regexp.MustCompile(`^(?:(?:binding|mandatory|final|compulsory) )*(?:arbitration(?: (?:procedures?|proceedings?|rules|provisions?|clause|of (?:disputes?|claims)).*)?|arbitrators?)$`),
		clear: without(both(has(`\b(?:shall|will|must|agrees?|may|is|are)\b`), either(
			followed(`\b(?:settled?|resolved?|determined|decided|submit\w*|refer(?:red)?|subject to|adjudicated|brought|proceed|resort|demand)\b`, `\b(?:arbitration|arbitrators?|arbitral)\b`, 120, `\bnot\b`),
			followed(`\b(?:agrees?|shall|will|must|may)\b`, `\barbitrated?\b`, 40, `\bnot\b`),
			followed(`\b(?:award|decision|judge?ment)s?\b`, `\b(?:final|binding|conclusive|judge?ment|entered|enforce\w*)\b`, 120, `\bnot\b`),
			both(has(`\barbitra\w+\b|\btribunal\b`), either(
				followed(`\b(?:tribunal|panel|arbitrators?)\b`, `\b(?:consist|be composed|be (?:jointly )?(?:appointed|selected|chosen|designated|named|agreed))\b`, 60, `\bnot\b`),
				followed(`\b(?:appoint|select|choose|designate|name)\b`, `\barbitrators?\b`, 60, `\bnot\b`),
			)),
			followed(`\barbitration\b`, `\b(?:shall|will|must)\b[\w ]{0,20}\b(?:be (?:held|conducted|administered|governed|final)|take place)\b`, 60, `\bnot\b`),
		)), has(`\b(?:pending|threatened|no (?:suit|litigation|action|claim))\b|\bby suit\b`)),
		under: has(`\barbitra(?:tion|tors?|ted?|l)\b`),
	}
	jurisdictionAndVenue = boilerplate{
		kind: "Jurisdiction And Venue", says: "It is agreed which courts have jurisdiction.",
		words:  []string{"jurisdiction", "venue", "court", "forum"},
		titles: regexp.MustCompile(`^(?:(?:exclusive|submission to|consent to|personal|choice of|applicable|place of|legal|waiver of) )*(?:jurisdiction|venue|forum|courts?)(?: of (?:the )?courts?.*)?$`),
		clear: func(in *regexp.Text) bool {
			if text := strings.ReplaceAll(in.String(), " of competent jurisdiction", ""); text != in.String() {
				rest := ofBoilerplate.In(text)
				return choosesCourts(&rest)
			}
			return choosesCourts(in)
		},
		under: without(has(`\b(?:courts?|jurisdiction|venue|forum)\b`), has(`\bcompetent jurisdiction\b`)),
	}
	dataProtection = boilerplate{
		kind: "Data Protection", says: "Personal data must be protected.",
		words:  []string{"personal", "data protection", "privacy", "gdpr", "hipaa", "protected health"},
		titles: regexp.MustCompile(`^(?:(?:personal |customer |user |consumer )?(?:data (?:protection|privacy|processing)|privacy)\b.*|(?:protection|processing) of (?:personal )?(?:data|information)\b.*|personal (?:data|information)|gdpr|hipaa\b.*)$`),
		clear: both(
			has(`\b(?:shall|will|must|agrees?|undertakes?|represents?|warrants?|may (?:only|not))\b`),
			has(`\b(?:personal(?:ly)?(?:[ -]identif\w+)? (?:data|information)|data (?:protection|privacy)|privacy (?:and \w+ )?(?:laws?|polic(?:y|ies)|regulations?|rules?|requirements?|legislation|acts?)|gdpr|hipaa|protected health information)\b`),
			has(`\b(?:compl(?:y|ies|iance)|process\w*|protect\w*|safeguard\w*|collect\w*|uses?|notify|secur\w+|adhere\w*|store\w*|disclos\w+|accordance|measures)\b`),
		),
		under: has(`\b(?:data|privacy|personal\w*|information)\b`),
	}
	survival = boilerplate{
		kind: "Survival", says: "Some provisions survive the end of the contract.",
		words:  []string{"survive", "remain", "continue", "prejudice", "relieve", "accrued", "release", "affect", "notwithstanding"},
		titles: regexp.MustCompile(`^(?:survival\b.*|surviving (?:provisions?|obligations?|terms?|clauses?|rights?|sections?)|continuing obligations)$`),
		clear: either(
			both(has(`\bsurvives?\b`), has(`\b(?:terminat\w+|expir\w+|cancel\w*|closings?|completion|end|delivery|execution|consummation|indefinitely|survive (?:for|this)|period of|years?)\b`)),
			followed(`\b(?:sections?|articles?|provisions?|obligations?|clauses?)\b[\w .,()-]{0,100}?\b(?:remain|continue)\b[\w ]{0,20}\b(?:in (?:full )?(?:force|effect)|binding|to apply)\b`, `\b(?:after|following|notwithstanding|beyond|despite)\b[\w ]{0,40}\b(?:terminat\w+|expir\w+|end)\b`, 60, ``),
			followed(`\b(?:terminat(?:ion|ed)|expir(?:y|ation|ed)|cancellation)\b`, `\b(?:without prejudice to|not (?:\w+ )?(?:prejudice|relieve|release|affect|impair|discharge|exempt))\b`, 140, ``),
			followed(`\b(?:notwithstanding|following|despite|after) (?:the |any )?(?:terminat\w+|expir\w+)`, `\b(?:remain|continue|be|are)\b[\w ]{0,20}\b(?:in (?:full )?(?:force|effect)|binding|bound|govern)\b|\bcontinue to\b`, 200, ``),
		),
		under: has(`\b(?:surviv\w+|remain|continue)\b`),
	}
	assignmentPermitted = boilerplate{
		kind: "Assignment Permitted", says: "The contract may be assigned without consent.",
		words:  []string{"assign", "transfer"},
		titles: regexp.MustCompile(`^(?:permitted |free )?(?:assign(?:ments?|s|ability)|transfers?)\b.*$`),
		clear:  accepts(permitsAssignment),
		under:  either(accepts(unneeded.MatchString), without(both(accepts(freely.MatchString), has(`\bmay\b`)), has(`\b(?:not|neither|nor|consent)\b`))),
	}
)

// actions are what courts hear.
const actions = `\b(?:actions?|suits?|proceedings?|litigation|disputes?|claims?|controvers(?:y|ies)|matters?)\b`

// choosesCourts is the wording of sentences that say which courts have jurisdiction, or
// where they are.
var choosesCourts = without(either(
	followed(`\bcourts?\b`, `\b(?:have|has)\b[\w ,-]{0,50}\bjurisdiction\b`, 120, `\b(?:if|any)\b`),
	followed(`\b(?:submits?|consents?|agrees?|accepts?|subject)\b`, `\b(?:jurisdiction|venue)\b`, 100, `\bnot\b`),
	both(has(`(?:^|, |; |\band |\bexclusive |\bproper |\bthe |\blegal )(?:venue|place of jurisdiction|place of venue|forum)\b(?: (?:for|of|in|and|shall|will|is|lies?|with|over)\b)`), has(actions+`|\b(?:courts?|county|lies?|place of jurisdiction)\b`), has(`\b(?:shall|will|is|lies?|must|be)\b`)),
	both(has(`\b(?:shall|will|must|may|agrees?)\b`),
		followed(actions, `\b(?:brought|commenced|instituted|filed|litigated|heard|tried|adjudicated|resolved|submitted|settled|decided|maintained|bring|commence)\b[\w ,-]{0,80}\bcourts? (?:of|in|located|for|sitting|having|situated|at|which)\b`, 140, ``)),
), has(`\bany court having\b|\bnot (?:be )?(?:subject|submit)`))
