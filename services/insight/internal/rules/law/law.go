// Package law finds which law a contract chooses. It lists the jurisdictions that it
// knows.
package law

import (
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

const contractNoun = `(?:agreement|contract|lease|licen[sc]e|amendment|addendum|deed|plan|guaranty|letter|dpa|nda|order|terms|policy|tenancy)`

// Patterns for sentences that choose a law, on one line in lower case.
var (
	lawNoun = regexp.MustCompile(`\blaws?\b`)
	// governs matches a law that governs something.
	governs = regexp.MustCompile(`\b(?:governed|govern|governs|governing (?:law|document|jurisdiction))\b|\bgoverning\b[^.;]{0,60}\bthis\b`)
	// construed matches a law by which something is interpreted.
	construed = regexp.MustCompile(`\b(?:constru(?:ed|ction)|interpret(?:ed|ation))\b`)
	// applies matches a law that applies or prevails.
	applies = regexp.MustCompile(`\blaws?\b[^.;]{0,60}\b(?:appl(?:y|ies)|controls?|prevails?)\b(?:\s+to\s+(?:this|the)\b|[^\w]*$)|\b(?:applicable|proper) laws?\b[^.;]{0,40}\b(?:is|are|shall be|will be)\b|` +
		`\bapplicable law:|\bparties\b[^.;]{0,20}\b(?:choose|chose|select|elect)\b[^.;]{0,30}\blaws?\b`)
	// underLaw matches a contract that is subject to a law.
	underLaw = regexp.MustCompile(`\b` + contractNoun + `\b[^.;]{0,60}\b(?:is|are|be|and)\s+(?:\w+\s+){0,3}subject\s+(?:exclusively\s+|only\s+)?to\s+(?:the\s+)?(?:\w+\s+){0,2}laws?\b`)
	notByLaw = regexp.MustCompile(`\bnot (?:be )?governed by\b`)
	lawOf    = regexp.MustCompile(`(?i)\blaws?\b[^.;]{0,100}?\b(?:of|in)\s+(?:the\s+)?`)
	lawAfter = regexp.MustCompile(`(?i)^(?:['’]s?)?\s+(?:state\s+)?(?:substantive\s+|internal\s+)?laws?\b`)
	// ownLaw matches a mention of this contract.
	ownLaw = regexp.MustCompile(`\b(?:this (?:[\w-]+ ){0,5}(?:agreement|contract|lease|license|amendment|addendum|deed|plan|guaranty|letter)|hereof|hereunder|agreement|hereto)\b`)
	// otherLaw matches mentions of laws in other roles, such as compliance or
	// incorporation.
	otherLaw = regexp.MustCompile(`\b(?:compliance|comply|organi[sz]ed|existing under|incorporated|permitted by|required by|duly|prohibited)\b`)
	// otherContract matches a sentence whose subject is another contract.
	otherContract = regexp.MustCompile(`\b(?:[Tt]he|[Ss]uch|[Tt]hat|[Ee]ach)\s+((?:[A-Z][\w'’&-]*\s+){1,5}(?:Agreement|Contract|Lease|Deed|Guaranty|Guarantee|License|Note|Bond))\s+(?:shall|will|is|are|and)\b[^.;]{0,60}\bgoverned\b`)
	// lawLabel matches a label before the name of a place.
	lawLabel = regexp.MustCompile(`(?i)^[\W\d]*(?:governing|applicable)\s+law(?:\s+and\s+(?:jurisdiction|venue))?\s*[:|–—-]\s*`)
	lawTitle = regexp.MustCompile(`^[\W\d]*(?:governing|applicable) law(?: and (?:jurisdiction|venue))?[.:]?$`)
)

// Chosen returns the place whose law a sentence chooses for the contract, with the
// confidence. text is the sentence on one line in lower case.
func Chosen(d *structure.Document, s structure.Sentence, text string) (place string, confidence float64, ok bool) {
	if place, ok := labelledLaw(d, s); ok {
		return place, 0.85, true
	}
	if !strings.Contains(text, "law") || !lawNoun.MatchString(text) {
		return "", 0, false
	}
	confidence = choice(text)
	if confidence == 0 {
		return "", 0, false
	}
	quote := passage.Text(d, s.Span)
	place, ok = chosenLaw(quote)
	switch {
	case !ok || ofOtherContract(d.Text[:min(s.Start, nameReach)], quote):
		return "", 0, false
	case strings.HasPrefix(place, "United States"):
		// Contracts in the United States are normally governed by the law of a state.
		confidence = 0.5
	case governs.MatchString(text) && !ownLaw.MatchString(text):
		confidence -= 0.12
	}
	return place, confidence, true
}

// choice returns the confidence that a sentence chooses a law, 0 if it says something
// else about laws.
func choice(text string) float64 {
	other := otherLaw.MatchString(text)
	switch {
	case notByLaw.MatchString(text) && strings.Count(text, "govern") == 1:
		return 0
	case governs.MatchString(text) && other:
		return 0.8
	case governs.MatchString(text):
		return 0.95
	case other:
		return 0
	case construed.MatchString(text):
		return 0.75
	case underLaw.MatchString(text), applies.MatchString(text):
		return 0.8
	}
	return 0
}

// Chooses reports whether a sentence, on one line in lower case, chooses a law for
// something, even if it is not known whose law that is.
func Chooses(text string) bool {
	return lawNoun.MatchString(text) && choice(text) > 0
}

// labelledLaw returns the place after a label, such as "Governing law: Delaware", or
// below one.
func labelledLaw(d *structure.Document, s structure.Sentence) (string, bool) {
	quote := passage.Text(d, s.Span)
	rest := quote
	if m := lawLabel.FindString(quote); m != "" {
		rest = quote[len(m):]
	} else if len(quote) > maxPlace || s.Paragraph == 0 || !titlesLaw(d, d.Paragraphs[s.Paragraph-1]) {
		return "", false
	}
	j := jurisdiction.FindStringSubmatchIndex(rest[:min(len(rest), 2*maxPlace)])
	if j == nil || len(strings.Fields(rest[:j[0]])) > 4 || len(rest)-j[1] > maxPlace {
		return "", false
	}
	return stateOf(placeName(rest[j[2]:j[3]]), rest[:j[0]]), true
}

// titlesLaw reports whether a paragraph is a heading such as "Governing law" above the
// name of a place.
func titlesLaw(d *structure.Document, p structure.Paragraph) bool {
	return p.Len() <= 2*maxPlace && lawTitle.MatchString(passage.Lower(d.Quote(p.Span)))
}

// maxPlace is the maximum length in bytes of a place name that stands alone.
const maxPlace = 60

// nameReach is how many bytes at the beginning of a document are searched for its own
// name.
const nameReach = 2000

// ofOtherContract reports whether a sentence names the law of a contract other than this
// one: a contract that the beginning of the document does not mention.
func ofOtherContract(beginning, quote string) bool {
	m := otherContract.FindStringSubmatchIndex(quote)
	if m == nil || strings.Contains(strings.ToLower(quote[:m[1]]), "this ") {
		return false
	}
	return !strings.Contains(passage.Lower(beginning), passage.Lower(quote[m[2]:m[3]]))
}

// chosenLaw returns the place whose law a sentence names.
func chosenLaw(text string) (string, bool) {
	for _, m := range lawOf.FindAllStringIndex(text, 4) {
		rest := text[m[0]:min(len(text), m[0]+260)]
		if j := jurisdiction.FindStringSubmatchIndex(rest); j != nil {
			return stateOf(placeName(rest[j[2]:j[3]]), rest[:j[0]]), true
		}
	}
	for _, j := range jurisdiction.FindAllStringSubmatchIndex(text, 8) {
		if lawAfter.MatchString(text[j[1]:]) {
			return stateOf(placeName(text[j[2]:j[3]]), text[:j[0]]), true
		}
	}
	for _, m := range nationalLaw.FindAllStringSubmatch(text, 8) {
		if place := nationalLaws[strings.ToLower(m[1])]; place != "" {
			return place, true
		}
	}
	return "", false
}

// FirstPlace returns the first place that a sentence about law names.
func FirstPlace(text string) (string, bool) {
	m := jurisdiction.FindString(text)
	return passage.OneLine(m), m != ""
}
