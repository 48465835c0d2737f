// Package reviewed knows what reviewers of confidentiality agreements look for, and which
// statements and questions are about it.
package reviewed

import regexp "github.com/rectohq/recto/services/insight/internal/pattern"

// Matter is a matter that reviewers compare a confidentiality agreement with.
type Matter struct {
	// Name is the kind of its passages in learn.Secrecy.
	Name string
	// Statement says what most agreements say about it.
	Statement string
	// asks matches a statement or a question about it, on one line in lower case.
	asks *regexp.Regexp
}

// Parts of the patterns below.
const (
	tells  = `\b(?:shar|disclos|show|pass|giv|reveal|provid|tell|announc|publi|confidential|secre)\w*\b.*`
	facts  = `\b(?:fact that|existence|negotiat\w+|discussions|talks)\b`
	hisOwn = `\b(?:employees?|staff|personnel|officers?|directors?|workers?)\b`
	others = `\b(?:third[- ]part(?:y|ies)|consultants?|agents?|advis[eo]rs?|(?:sub-?)?contractors?|affiliates?|subsidiaries|lawyers?|attorneys?|accountants?|outsiders?|(?:any|some)(?:one|body) else)\b`
)

// Matters are the matters, in the order in which a statement is compared with them: the first one
// that it is about counts.
var Matters = []Matter{
	{"No reverse engineering", "The recipient shall not reverse engineer any objects that embody Confidential Information.", regexp.MustCompile(`\b(?:reverse[- ]?engineer|decompil|disassembl)\w*`)},
	{"Confidentiality of Agreement", "The recipient shall not disclose the fact that the agreement was made or negotiated.", regexp.MustCompile(tells + facts + `|` + facts + `.*` + tells)},
	{"No solicitation", "The recipient shall not solicit employees or other representatives of the discloser.", regexp.MustCompile(`\b(?:solicit|poach|hire|recruit|entice)\w*`)},
	{"Notice on compelled disclosure", "The recipient shall notify the discloser if law, regulation or judicial process requires it to disclose Confidential Information.", regexp.MustCompile(`\b(?:required|compelled|obliged|ordered|requested) (?:by|under)\b.*\b(?:law|courts?|judicial|regulat\w+|legal process|governments?|authorit(?:y|ies))\b|\b(?:law|regulation|court|process)\b.*\b(?:requires|compels|orders|demands)\b|\bsubpoena\w*|\bcourt orders?\b|\bcompelled disclosures?\b`)},
	{"Permissible acquirement of similar information", "The recipient may acquire information similar to Confidential Information from a third party.", regexp.MustCompile(`\b(?:acquire|obtain|receive|get|learn)s?\b.*\bfrom\b.*` + others)},
	{"Permissible development of similar information", "The recipient may independently develop information similar to Confidential Information.", regexp.MustCompile(`\bindependent\w*\b.*\bdevelop\w*|\bdevelop\w*\b.*\b(?:independent\w*|similar|competing)\b`)},
	{"Inclusion of verbally conveyed information", "Confidential Information may include information that is conveyed verbally or orally.", regexp.MustCompile(`\b(?:verbal|oral)(?:ly)?\b|\bspoken\b|\bby word of mouth\b`)},
	{"None-inclusion of non-technical information", "Confidential Information shall only include technical information.", regexp.MustCompile(`\b(?:non-?)?technical\b`)},
	{"No licensing", "The agreement shall not grant the recipient any license or right to Confidential Information.", regexp.MustCompile(`\blicen[cs]\w+|\bgrant\w*\b.*\b(?:rights?|title|interest|ownership)\b|\b(?:rights?|title|ownership)\b (?:in|to|of) (?:\w+ ){0,3}(?:confidential|proprietary)\b`)},
	{"Permissible post-agreement possession", "The recipient may retain some Confidential Information even after its return or destruction.", regexp.MustCompile(`\b(?:retain|archiv)\w*|\bback-?ups?\b|\bkeeps? (?:an? |any |some |the )?(?:\w+ )?(?:cop(?:y|ies)|information|materials?)\b`)},
	{"Return of confidential information", "The recipient shall return or destroy Confidential Information upon termination of the agreement.", regexp.MustCompile(`\b(?:return|destroy|destruct|delet|shred|eras)\w*|\b(?:give|hand)s? back\b`)},
	{"Permissible copy", "The recipient may create a copy of Confidential Information in some circumstances.", regexp.MustCompile(`\b(?:cop(?:y|ies|ied|ying)|reproduc\w+|duplicat\w+)\b`)},
	{"Survival of obligations", "Some obligations of the agreement survive its termination.", regexp.MustCompile(`\bsurviv\w+|\b(?:continu|remain|last|bind)\w*\b.*\bafter\b.*\b(?:terminat\w+|expir\w+|ends?)\b`)},
	{"Explicit identification", "All Confidential Information shall be expressly identified or marked by the discloser.", regexp.MustCompile(`\b(?:expressly|explicitly|identif(?:y|ied|ies)|mark(?:ed|ing)?|labell?ed|legends?|designated|stamped)\b`)},
	{"Sharing with employees", "The recipient may share Confidential Information with some of its employees.", regexp.MustCompile(tells + hisOwn)},
	{"Sharing with third-parties", "The recipient may share Confidential Information with third parties such as consultants, agents and professional advisors.", regexp.MustCompile(tells + others)},
	{"Limited use", "The recipient shall not use Confidential Information for any purpose other than those stated in the agreement.", regexp.MustCompile(`\bus(?:e|es|ed|ing)\b.*\b(?:purposes?|other than|only|except)\b`)},
}

// Of returns the matter that a statement or a question, on one line in lower case, is about. It
// returns false if there is none.
func Of(text string) (Matter, bool) {
	for _, m := range Matters {
		if m.asks.MatchString(text) {
			return m, true
		}
	}
	return Matter{}, false
}
