package questions

import (
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// topic is a matter on which the usual clauses decide, in the words of everyday questions.
type topic struct {
	asks *regexp.Regexp
	find func(*source) []evidence
}

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
	{regexp.MustCompile(`\b(?:most|maximum|limit|liable|liability|responsible for|damages|cap)\b`), limited},
}

// on returns a topic that clauses of some kinds decide.
func on(asks string, kinds ...string) topic {
	return topic{regexp.MustCompile(asks), func(d *source) []evidence {
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
		all = topics[i].find(q.source())
		q.evidence[key] = all
	}
	return all
}
