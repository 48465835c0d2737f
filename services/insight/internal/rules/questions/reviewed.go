package questions

import (
	"math"
	"slices"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/learn"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// matter is a matter that reviewers compare a confidentiality agreement with. Its name is the kind
// of its passages in learn.Secrecy.
type matter struct {
	name string
	// statement says what most agreements say about it.
	statement string
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

// matters are in the order in which a statement is compared with them: the first one that it is
// about counts.
var matters = []matter{
	{"No reverse engineering", "The recipient shall not reverse engineer any objects that embody Confidential Information.", regexp.MustCompile(`\b(?:reverse[- ]?engineer|decompil|disassembl)\w*`)},
	{"Confidentiality of Agreement", "The recipient shall not disclose the fact that the agreement was made or negotiated.", regexp.MustCompile(tells + facts + `|` + facts + `.*` + tells)},
	{"No solicitation", "The recipient shall not solicit employees or other representatives of the discloser.", regexp.MustCompile(`\b(?:solicit|poach|hire|recruit|entice)\w*`)},
	{"Notice on compelled disclosure", "The recipient shall notify the discloser if law, regulation or judicial process requires it to disclose Confidential Information.", regexp.MustCompile(`\b(?:required|compelled|obliged|ordered|requested)\b.*\b(?:law|courts?|judicial|regulat\w+|legal process|governments?|authorit(?:y|ies))\b|\b(?:law|regulation|court|process)\b.*\b(?:requires|compels|orders|demands)\b|\bsubpoena\w*|\bcourt orders?\b|\bcompelled disclosures?\b`)},
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

// VotesOn returns the votes of the rules on the sentences of a confidentiality agreement: those that
// answer the usual statement on a matter.
func VotesOn(d *structure.Document) []learn.Votes {
	votes, q := make([]learn.Votes, len(d.Sentences)), New(d, "")
	for k, m := range matters {
		for _, f := range q.Answers(m.statement) {
			for i := passage.SentenceAt(d, f.Span.Start); i >= 0 && i < len(votes) && d.Sentences[i].Overlaps(f.Span); i++ {
				votes[i] |= 1 << k
			}
		}
	}
	return votes
}

// VotesOf returns the votes on the matter with a name.
func VotesOf(name string) learn.Votes {
	i := slices.IndexFunc(matters, func(m matter) bool { return m.name == name })
	if i < 0 {
		return 0
	}
	return 1 << i
}

// SetSecrecy sets the weights that find the passages of a confidentiality agreement that statements
// are compared with. nil leaves statements to the words that they share with sentences.
func (q *Questions) SetSecrecy(weights *learn.Model) { q.weights = weights }

// matterOf returns the name of the matter that a statement or a question, in lower case, is about.
// It returns false if there is none, or the document is no confidentiality agreement.
func (q *Questions) matterOf(text string) (string, bool) {
	if q.weights == nil {
		return "", false
	}
	for _, m := range matters {
		if m.asks.MatchString(text) {
			return m.name, q.secretive()
		}
	}
	return "", false
}

// secretive reports whether the document is a confidentiality agreement, which it finds out once.
func (q *Questions) secretive() bool {
	if q.passages == nil {
		q.passages = map[string][]learn.Passage{}
		if keepsSecrets(q.doc) {
			q.passages = q.weights.Likeliest(learn.ReadWords(q.doc), VotesOn(q.doc))
			q.secret = true
		}
	}
	return q.secret
}

// reviewed returns the passages that settle a matter.
func (q *Questions) reviewed(question string, a *asking, name string) []finding.Found[insightapi.PromptAnswer] {
	var found []finding.Found[insightapi.PromptAnswer]
	for _, p := range q.passages[name] {
		span := q.doc.Sentences[p.Sentence].Span
		f := finding.Found[insightapi.PromptAnswer]{
			Item: insightapi.PromptAnswer{Message: question}, Span: span, Confidence: math.Round(100*p.Probability) / 100,
			Reasoning: finding.Weighed("what reviewers compare with such a statement", q.doc, p),
		}
		a.fill(q.doc, &f, span, false)
		found = append(found, f)
	}
	return found
}
