package questions

import (
	"slices"

	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
)

// topic is a matter on which the usual clauses decide, in the words of everyday questions.
type topic struct {
	asks *regexp.Regexp
	find func(*source) []evidence
	is   scope
}

// scope is how a question relates to a topic that its words name.
type scope int

const (
	decisive scope = iota // the question is about the topic
	wide                  // it may only touch on the topic
	moneyed               // it asks for money
)

// topics are the matters, with the kinds of clauses that decide on them.
var topics = []topic{
	on(`\b(?:walk|get|got|pull|back|bail|opt|move)\w* (?:out|away)\b|\bpart(?:ing)? ways\b|\bcall \w* ?off\b|\b(?:no|without) (?:a |any |giving )*(?:good )?reason|\bchang\w+ (?:\w+ )?minds?\b|\blet (?:\w+ ){1,3}go\b|\b(?:end|cancel|terminate|leave|quit|stop|withdraw|drop) (?:\w+ ){0,4}(?:early|sooner|whenever|any time|contract|agreement|lease|deal|membership|project|order|us)\b|\bhow much (?:notice|warning)\b`,
		"Termination For Convenience"),
	on(`\b(?:fire|dismiss|throw|kick|sack|terminat|cancel|end)\w*\b.*\b(?:breach|default|fail|miss|late|ignore|bankrupt|insolven|test)\w*|\b(?:breach|default|fail|miss|late|ignore|bankrupt|insolven)\w*\b.*\b(?:terminat|cancel|end|happens)\w*`, terminationForCause),
	on(`\b(?:roll|carry|keep|go|stay|continu)\w* (?:on|over|going)\b|\b(?:renew|extend|extension|continu|another (?:\w+ )?years?|extra (?:\w+ )?years?|carry on)\w*`, "Renewal Term", "Notice Period To Terminate Renewal"),
	on(`\b(?:sold|sell out|sells out|tak\w+ (?:\w+ )?over|take-?over|new owner|merge\w*|acquir\w+|buys? (?:\w+ ){0,4}(?:company|shares|business|supplier|provider|us|out)|chang\w+ hands|majority)\b`, "Change Of Control", "Anti-Assignment", "Assignment Permitted"),
	on(`\b(?:hand|pass|give|transfer|assign|outsource|farm|sublet|let)\w* (?:\w+ ){0,5}(?:over|on|out|to|else)\b|\bsub-?(?:contract|let|lease|licen[cs]e)\w*`, "Anti-Assignment", "Assignment Permitted"),
	on(`\b(?:sue|sued|lawsuit|litigation|arbitrat\w+|courts?|dispute|disagreement|heard)\b`, courts, "Arbitration", "Dispute Resolution"),
	on(`\b(?:own|owns|belong|belongs|rights in|copyright|keeps? the rights)\b`, "IP Ownership Assignment"),
	on(`\b(?:leak|hack|breach|security|personal|privacy)\w*`, "Data Protection"),
	on(`\b(?:rival|compet|another brand|kept (?:out|away)|barred)\w*`, "Non-Compete", "Exclusivity"),
	on(`\b(?:poach|hire|recruit|employ|take on)\w*`, "No-Solicit Of Employees"),
	on(`\b(?:secret|confidential|talk about|keep quiet)\w*`, "Confidentiality"),
	on(`\b(?:insur|covered by)\w*`, "Insurance"),
	on(`\b(?:guarant|warrant|vouch|defect|faulty)\w*`, "Warranty Duration"),
	on(`\b(?:check|inspect|audit|look at|examine|verify)\w*`, "Audit Rights"),
	on(`\b(?:least|minimum|committed|commit|on the hook|quota|have to (?:buy|take|order))\b`, "Minimum Commitment"),
	on(`\b(?:late|delay|delayed|penalty|fine|walk away)\b`, "Liquidated Damages"),
	on(`\b(?:strike|disaster|hurricane|flood|pandemic|war|walk-out|excuse)\w*`, "Force Majeure"),
	on(`\b(?:notice|notify|e-?mail|in writing)\b`, "Notices"),
	on(`\b(?:change|amend|edit|vary)\w* (?:\w+ ){0,3}(?:contract|agreement|terms|deal)`, "Amendment"),
	on(`\b(?:exclusive|sole|directly|monopoly|someone else|somebody else|competitors)\b`, "Exclusivity"),
	{asks: regexp.MustCompile(`\b(?:most|maximum|limit|liable|liability|responsible for|damages|cap)\b`), find: limited},
}

// wideTopics are matters that a question may touch on without being about them.
var wideTopics = []topic{
	on(`\b(?:tied|locked|stuck|committed|sign\w* up|bound) (?:in|to|for|with)\b|\bhow long\b.*\b(?:last|run|runs|go|goes|term|contract|agreement|deal|lease|stay|get|have)\b|\bhow long (?:is|are) (?:it|this|the|we)\b|\b(?:end|ends|over|expire|expires|run out|runs out|finish\w*|until when|last day)\b`, "Term"),
	{asks: regexp.MustCompile(`\b(?:end|ends|over|expire|expires|expiry|run out|runs out|come to an end|finish\w*|until when|last day|how long|last|lasts)\b`), find: dated(insightapi.DateExpiration)},
	{asks: regexp.MustCompile(`\b(?:start|starts|begin|begins|kick\w* (?:off|in)|take\w* effect|go(?:es)? live|from when|first day|in force|effective|commence\w*)\b`), find: dated(insightapi.DateEffective)},
	on(`\b(?:whose|which|what) (?:\w+ ){0,2}(?:law|laws|rules)\b|\blaws? (?:appl|govern)`, clauses.GoverningLaw),
	on(`\b(?:sell|selling|deal|work|working|act|acting|supply|buy|buying|help|helping|teach|perform|play|source|get|order|use|using) (?:\w+ ){0,4}(?:for|from|with|to|at) (?:\w+ ){0,3}(?:anyone|anybody|someone|somebody|else|others?|another|elsewhere|rivals?|competitors?)\b|\b(?:other|another|different) (?:\w+ )?(?:suppliers?|providers?|customers?|clients?|vendors?|distributors?|agents?|dealers?|brands?|sponsors?|publishers?|makers?|firms?|contractors?|companies|company|buyers?)\b|\bonly (?:one|ones|supplier|dealer|distributor|agent)\b|\bcompeting\b`, "Exclusivity", "Non-Compete", "No-Solicit Of Customers"),
	on(`\b(?:customers?|clients?|accounts?|members?|patients?|tenants?)\b.*\b(?:approach|contact|steal|poach|take|go after|call|directly|lure|solicit|with (?:me|them|us))\b|\b(?:approach|contact|steal|poach|take|go after|lure|solicit)\w*\b.*\b(?:customers?|clients?|accounts?|members?|patients?)\b`, "No-Solicit Of Customers"),
	on(`\b(?:own|owns|owned|belong|belongs|keep|keeps|rights|copyright|title|property)\b.*\b(?:work|works|photos?|pictures?|images?|designs?|drawings?|code|software|programs?|reports?|results?|inventions?|ideas?|content|material|materials|data|recordings?|songs?|music|videos?|films?|articles?|texts?|documents?|files?|improvements?|developments?|creations?|art|artwork|models?|plans?|recipes?|lessons?|courses?|website|site|logo|brand)\b|\bwhose (?:\w+ ){0,3}(?:is|are|property|work)\b|\bwho (?:gets|has|holds) (?:the )?(?:rights?|copyright|ip|patents?)\b`, "IP Ownership Assignment", "Joint IP Ownership"),
	on(`\b(?:together|jointly|joint|both)\b`, "Joint IP Ownership"),
	on(`\bhow many (?:\w+ )?(?:users?|seats?|copies|devices?|machines?|computers?|servers?|vehicles?|sites?|people)\b|\b(?:use|using|install|run|copy|reproduce|print|display) (?:\w+ ){0,3}(?:software|program|system|app|data|material|content|images?|photos?|name|logo|trade ?marks?|brand|work|it)\b|\blicen[cs]e\b`, "License Grant"),
	on(`\b(?:leftover|left over|remaining|unsold|afterwards|after (?:it|this|we|they|the)|once (?:it|this|we|they|the)|when (?:it|this|we|they|the)|hand ?over|transition|switch|wind down|sell off|keep using|export)\b.*\b(?:end|ends|ended|over|leave|stop|stopped|finish\w*|terminat\w*|expire\w*|contract|agreement|deal|stock|inventory|data|provider|supplier)\b`, "Post-Termination Services", "Survival"),
	on(`\bstill\b|\b(?:surviv|carr(?:y|ies) on|continue|live on|lives on|after (?:it|the \w+) (?:ends|is over))`, "Survival", "Post-Termination Services"),
	on(`\b(?:sued|sues|claims?|lawsuit|third part\w+|someone else|somebody else|injured|hurt|damage\w*|infring\w*|cover (?:us|me|them)|protect\w*|defend\w*|pick\w* up|compensat\w*|pay for|pays for|responsible)\b`, "Indemnification"),
	on(`\b(?:earlier|previous|prior|old|before this|side letter|promised|promises|e-?mails|said|verbal\w*|brochure|sales ?(?:man|person|people|rep)|proposal|letter of intent|replac\w*)\b`, "Entire Agreement"),
	on(`\b(?:invalid|unenforceable|illegal|struck (?:down|out)|thrown out|part of (?:it|this|the)|one (?:part|clause|term|provision))\b`, "Severability"),
	on(`\b(?:let (?:\w+ )?slide|ignor\w*|overlook\w*|forgiv\w*|give up|gave up|lose (?:our|the|my) right|didn't complain|don't complain|once before|turn a blind eye)\b`, "Waiver"),
	on(`\b(?:outsider\w*|third part\w+|anyone else|anybody else|not (?:a )?part\w*|outside the)\b.*\b(?:rights?|rely|enforce|benefit|claim|sue)\w*\b`, "Third Party Beneficiary"),
	on(`\b(?:verbal\w*|oral\w*|by e-?mail|in writing|written|word of mouth|phone call|whatsapp|text message|handshake|informal\w*)\b`, "Amendment", "Notices"),
	on(`\b(?:official|formal|legal) (?:notices?|letters?|mail)\b|\bwhere (?:do|should|must|would|can) (?:\w+ )?(?:send|write|post|mail|address)\b|\bnotices?\b.*\b(?:sent|send|served?|address|delivered|go|goes|e-?mail)\b|\bcount\w* as (?:received|delivered|served)\b`, "Notices"),
	on(`\b(?:best price|better price|better deal|cheaper|lowest|same price|match|others pay|favou?r\w*|undercut)\b`, "Most Favored Nation", "Price Restrictions"),
	on(`\b(?:price|prices|pricing|resale|discount|discounts|raise|increase|hike|put up|go up|goes up|inflation)\w*\b`, "Price Restrictions"),
	on(`\b(?:first (?:refusal|dibs|look|offer|chance|call|shot|pick)|right to (?:buy|match)|offer (?:it )?to us first|match)\b`, "ROFR/ROFO/ROFN"),
	on(`\b(?:share|split|slice|cut|percentage|percent|royalt\w+|commission|profit\w*|revenue|takings|proceeds|earnings)\b`, "Revenue/Profit Sharing"),
	on(`\b(?:bad ?-?mouth\w*|critici[sz]\w*|complain\w* (?:about|publicly)|say (?:\w+ )?(?:bad|negative|nasty)|trash\w*|disparag\w*|negative|review|reputation|speak ill|slag\w*)\b`, "Non-Disparagement"),
	on(`\b(?:source code|code|escrow|goes bust|go bust|bankrupt)\b`, "Source Code Escrow"),
	on(`\b(?:no limit|unlimited|uncapped|without limit|exceptions? to (?:the )?(?:cap|limit)|not capped|fraud|gross negligence|wilful)\b`, "Uncapped Liability"),
	on(`\b(?:most|maximum|limit|cap|capped|ceiling|how much)\b.*\b(?:sue|claim|recover|liable|owe|lose|pay out|wrong|mistake|damages?|get (?:back|from))\b|\b(?:goes wrong|mess\w* up|screw\w* up|lost profits?|lost business|lost sales)\b`, "Cap On Liability"),
	on(`\bhow (?:much|long) notice\b|\bhow (?:much|far|long|many)\b.*\b(?:notice|warning|in advance|ahead|before)\b|\bnotice period\b`, "Termination For Convenience", "Notice Period To Terminate Renewal"),
	on(`\b(?:sick|dies?|death|bankrupt\w*|insolven\w*|goes under|bust|misconduct|theft|steal\w*|caught|for cause|on the spot|immediately|at once|right away|straight away)\b`, terminationForCause),
}

// moneyTopics are matters on which the payments of the contract and its amounts decide.
var moneyTopics = []topic{
	{asks: regexp.MustCompile(`\b(?:pay|pays|paid|paying|payment|payments|owe|owed|bill|bills|billed|invoice\w*|money|fee|fees|rent|salary|wages?|deposit|settle)\b`), find: paidWhen},
	{asks: regexp.MustCompile(`\bhow much\b|\bwhat\b.*\b(?:cost\w*|price\w*|pay\w*|paid|fees?|charge\w*|rent|salary|wages?|deposit|amount|bonus|budget|owe|worth|rate)\b|^(?:[a-z'&-]+ ){0,4}(?:prices?|fees?|costs?|rent|salary|deposit|amount|value|rate|charge)s?\W*$`), find: amountsOf},
}

// allTopics are topics, wideTopics and moneyTopics.
var allTopics = slices.Concat(topics, scoped(wide, wideTopics), scoped(moneyed, moneyTopics))

// scoped returns topics with a scope.
func scoped(is scope, all []topic) []topic {
	for i := range all {
		all[i].is = is
	}
	return all
}

// on returns a topic that clauses of some kinds decide.
func on(asks string, kinds ...string) topic {
	return topic{asks: regexp.MustCompile(asks), find: func(d *source) []evidence {
		var all []evidence
		for _, k := range kinds {
			all = append(all, clausesOf(k)(d)...)
		}
		return all
	}}
}

// evidenceOn returns the findings on the topic with index i. They are computed once.
func (q *Questions) evidenceOn(i int) []evidence {
	key := -1 - i
	all, found := q.evidence[key]
	if !found {
		all = allTopics[i].find(q.source())
		q.evidence[key] = all
	}
	return all
}
