package clauses

import (
	"regexp"
	"strings"
)

// refusals matches, by kind, sentences that use the words of a clause to mean the
// opposite: they deny what the clause grants or demands.
var refusals = map[string]*regexp.Regexp{
	"Anti-Assignment":             regexp.MustCompile(`\b(?:may|can|free to|entitled to|permitted to|right to)\s+(?:freely\s+)?(?:assign|transfer)\b[^.;]{0,160}?\bwithout\b[^.;]{0,60}?\b(?:consent|approval|permission)\b`),
	RenewalTerm:                   refusal(`renew\w*|extend\w*|extension`, `renewals?|extensions?`, `renew\w*|extend\w*`),
	"Insurance":                   refusal(`maintain|carry|procure|obtain|keep|provide|purchase|effect|take out`, `insurance`, ``),
	"Audit Rights":                refusal(`audit\w*|inspect\w*|examin\w*`, `audit rights?|inspection rights?`, `audit|inspect|examine`),
	"Liquidated Damages":          refusal(`pay (?:any )?(?:liquidated|termination)|liquidated`, `liquidated damages|termination fees?`, ``),
	"ROFR/ROFO/ROFN":              refusal(`first (?:refusal|offer|negotiation)`, `rights? of first (?:refusal|offer|negotiation)|first (?:refusal|offer|negotiation)`, ``),
	"Minimum Commitment":          refusal(`purchase|order|buy|guarantee|commit\w*`, `minimum (?:purchase|order|commitment|volume|quantit\w+|spend)`, ``),
	"Termination For Convenience": regexp.MustCompile(`\b(?:neither party|no party|may not|shall not|cannot|not be entitled to|no right to|not have the right to)\b[^.;]{0,40}\bterminat`),
	"Exclusivity":                 regexp.MustCompile(`\b(?:no|not|nothing)\b(?:\s+[\w'-]+){0,5}\s+exclusiv`),
	"Non-Compete":                 regexp.MustCompile(`\bnothing\b[^.;]{0,80}\b(?:prevent|restrict|prohibit|preclude|limit|restrain)\w*\b|\b(?:free|entitled) to compete\b`),
	"IP Ownership Assignment":     regexp.MustCompile(`\b(?:nothing|does not|do not|shall not|not be deemed to)\b[^.;]{0,60}\b(?:assign|transfer)`),
	"Source Code Escrow":          refusal(`deposit|place|escrow`, `escrow`, ``),
}

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
	if m == nil || yet.MatchString(text[m[1]:]) {
		return false
	}
	if kind == RenewalTerm && strings.Contains(text[:m[0]], "renew") {
		return false // it refuses to continue what an earlier part grants
	}
	return kind != "Anti-Assignment" || !forbids.MatchString(strings.ReplaceAll(text, text[m[0]:m[1]], " "))
}

// forbids matches a word by which a sentence forbids part of what it otherwise allows.
var forbids = regexp.MustCompile(`\b(?:not|neither|nor|no|void|only|otherwise|subject)\b`)
