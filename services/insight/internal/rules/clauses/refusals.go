package clauses

import (
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// refusals matches, by kind, sentences that use the words of a clause to mean the
// opposite: they deny what the clause grants or demands. Notices that ask for a renewal, and deadlines
// for orders, prevent no renewal.
var refusals = map[string]*regexp.Regexp{
	"Anti-Assignment":                   regexp.MustCompile(`\b(?:may|can|free to|entitled to|permitted to|right to)\s+(?:freely\s+)?(?:assign|transfer)\b[^.;]{0,160}?\bwithout\b[^.;]{0,60}?\b(?:consent|approval|permission)\b`),
	NoticePeriod:                        regexp.MustCompile(`\b(?:may|can|right|options?|entitled)\b[^.;]{0,60}\b(?:renew|extend|prolong)\b|\bnot (?:be )?(?:renew|extend|prolong)\w*\b|\brenewal\b[^.;]{0,20}\bexcluded\b|\borders?\b[^.;]{0,80}\bbefore\b`),
	RenewalTerm:                         refusal(`renew\w*|extend\w*|extension`, `renewals?|extensions?`, `renew\w*|extend\w*`),
	"Insurance":                         refusal(`maintain|carry|procure|obtain|keep|provide|purchase|effect|take out`, `insurance`, ``),
	"Audit Rights":                      refusal(`audit\w*|inspect\w*|examin\w*`, `audit rights?|inspection rights?`, `audit|inspect|examine`),
	"Liquidated Damages":                refusal(`pay (?:any )?(?:liquidated|termination)|liquidated`, `liquidated damages|termination fees?`, ``),
	"ROFR/ROFO/ROFN":                    refusal(`first (?:refusal|offer|negotiation)`, `rights? of first (?:refusal|offer|negotiation)|first (?:refusal|offer|negotiation)`, ``),
	"Minimum Commitment":                refusal(`purchase|order|buy|guarantee|commit\w*`, `minimum (?:purchase|order|commitment|volume|quantit\w+|spend)`, ``),
	"Termination For Convenience":       noTermination,
	"Termination For Cause":             noTermination,
	"Exclusivity":                       regexp.MustCompile(`\b(?:no|not|nothing)\b(?:\s+[\w'-]+){0,5}\s+exclusiv`),
	"Non-Compete":                       regexp.MustCompile(`\bnothing\b[^.;]{0,80}\b(?:prevent|restrict|prohibit|preclude|limit|restrain)\w*\b|\b(?:free|entitled) to compete\b`),
	"IP Ownership Assignment":           regexp.MustCompile(`\b(?:nothing|does not|do not|shall not|not be deemed to)\b[^.;]{0,60}\b(?:assign|transfer)`),
	"Source Code Escrow":                refusal(`deposit|place|escrow`, `escrow`, ``),
	"Arbitration":                       regexp.MustCompile(`\bnot (?:be )?(?:subject to|submit\w*|settled|resolved|required|obligated|agree\w*)[^.;]{0,60}\barbitrat|\bno\s+(?:[\w-]+\s+)?arbitration\b`),
	"Assignment Permitted":              regexp.MustCompile(`\b(?:may not|shall not|cannot|neither|no party|not be)\b[^.;]{0,80}?\b(?:assign|transfer)`),
	"Confidentiality":                   refusal(`keep|hold|maintain|treat|preserve`, `(?:obligation|duty) of confiden\w+`, ``),
	"Counterparts":                      regexp.MustCompile(`\bnot\b[^.;]{0,40}\bcounterparts\b`),
	"Data Protection":                   regexp.MustCompile(`\bno personal (?:data|information)\b`),
	"Entire Agreement":                  regexp.MustCompile(`\b(?:does|do|shall|will) not (?:constitute|supersede|contain|represent|replace)\b`),
	"Force Majeure":                     regexp.MustCompile(`\b(?:majeure|events?)\b[^.;]{0,80}\b(?:shall|will|does|do|may|must|can)\s*not\s+(?:excuse|relieve|release|apply|extend|suspend)`),
	"Indemnification":                   refusal(`indemnify|defend|hold`, `indemnit(?:y|ies)|indemnification`, `indemnify`),
	"Jurisdiction And Venue":            regexp.MustCompile(`\b(?:not|neither)\b[^.;]{0,40}\b(?:submit|consent)\w*\b[^.;]{0,60}\bjurisdiction`),
	"Severability":                      regexp.MustCompile(`\bnot (?:be )?severable\b`),
	"Unlimited/All-You-Can-Eat-License": regexp.MustCompile(`\bcounterparts?\b`),
	"Survival":                          regexp.MustCompile(`\bnot (?:\w+ )?survive\b|\b(?:none|no)\b[^.;]{0,120}\bsurvives?\b`),
}

// noTermination matches sentences that deny a right to end the contract.
var noTermination = regexp.MustCompile(`\b(?:neither party|no party|may not|shall not|cannot|not be entitled to|no right to|not have the right to)\b[^.;]{0,40}\bterminat`)

// refusal returns a pattern for sentences that say that one need not or may not do what
// acts matches, that there is nothing that things matches, or that what done matches does
// not happen.
func refusal(acts, things, done string) *regexp.Regexp {
	expr := `\b(?:not\s+(?:be\s+)?(?:required|obliged|obligated|bound|entitled|permitted|allowed|liable)\s+to|no\s+(?:right|obligation|duty|requirement|option|need)s?\s+(?:to|of|for)|` +
		`not\s+have\s+(?:any|the|a)\s+(?:right|obligation|duty|option)\s+(?:to|of))\s+(?:[\w'-]+\s+){0,3}(?:` + acts + `)\b|` +
		`\bno\s+(?:[\w'-]+\s+)?(?:` + things + `)\b`
	if done != "" {
		expr += `|\b(?:shall|will|may|does|must)\s+not\s+(?:be\s+)?(?:automatically\s+)?(?:` + done + `)\b`
	}
	return regexp.MustCompile(expr)
}

// yet matches a word that restricts or reverses the refusal before it.
var yet = regexp.MustCompile(`\b(?:unless|except|other than|but|however|until|more than|provided)\b`)

// Refused reports whether a sentence denies what clauses of this kind say.
func Refused(kind, text string) bool {
	re := refusals[kind]
	if re == nil {
		return false
	}
	m := re.FindStringIndex(text)
	if m == nil || yet.MatchString(text[m[1]:]) || kind == NoticePeriod && prevents.MatchString(text) {
		return false
	}
	if kind == RenewalTerm && strings.Contains(text[:m[0]], "renew") {
		return false // it refuses to continue what an earlier part grants
	}
	return kind != "Anti-Assignment" || !forbids.MatchString(strings.ReplaceAll(text, text[m[0]:m[1]], " "))
}

// prevents matches wordings by which a party stops a renewal.
var prevents = regexp.MustCompile(`\b(?:unless|if (?:no|neither|not)|(?:wish|intend|desire|elect|choose|decide|does|do|did) not|not to|refus\w*|stops?|prevent\w*|contrary|declin\w*|object\w*|no longer|nobody|non-?renew\w*|opt\w* out)\b`)

// forbids matches a word by which a sentence forbids part of what it otherwise allows.
var forbids = regexp.MustCompile(`\b(?:not|neither|nor|no|void|only|otherwise|subject)\b`)
