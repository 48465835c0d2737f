// Package law finds which law a contract chooses. It lists the jurisdictions that it
// knows.
package law

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// lawNames matches names of the law that governs, in labels and headings.
const lawNames = `(?:the\s+)?(?:jurisdiction\s+and\s+)?(?:governing|applicable|controlling|proper)\s+law|choice\s+of\s+law|law\s+(?:governing|of\s+(?:the|this)\s+(?:contract|agreement|lease)|(?:that|which)\s+(?:applies|governs))|(?:what|which|whose)\s+law(?:\s+\w+){0,5}|(?:the\s+)?law`

// lawAnd matches what shares a label or heading with the law that governs.
const lawAnd = `(?:\s*(?:and|&|,|/)\s*(?:the\s+)?(?:jurisdiction|venue|courts?|forum|disputes?|dispute\s+resolution|arbitration|language))*`

// Patterns for places in sentences that choose a law, on one line.
var (
	lawNoun = regexp.MustCompile(`\blaws?\b`)
	lawOf   = regexp.MustCompile(`(?i)\blaws?\b[^.;]{0,100}?\b(?:of|in)\s+(?:the\s+)?`)
	// passive matches words before the law by which something is done.
	passive = regexp.MustCompile(`(?i)\b(?:governed|construed|interpreted)\b`)
	// lawAfter matches the law that follows the name of its place.
	lawAfter = regexp.MustCompile(`(?i)^\.?(?:['’]s?)?\s+(?:state\s+|sar\s+)?` + lawKinds + `laws?\b`)
	// lawIs matches the law that precedes the name of its place.
	lawIs = regexp.MustCompile(`(?i)\b(?:governing|applicable|controlling|proper)\s+laws?\b[^.;]{0,60}?\b(?:is|be)\s+(?:(?:that|those)\s+of\s+)?(?:the\s+)?(?:(?:state|commonwealth|province|republic|kingdom)\s+of\s+)?|\btakes?\s+(?:its|their)\s+law\s+from\s+(?:the\s+)?`)
	// thatLaw matches the law of a place that the sentence names before.
	thatLaw = regexp.MustCompile(`(?i)^laws?\s+(?:of|in force in)\s+(?:which\b|(?:such|that|said|the\s+(?:said|same|aforesaid|foregoing))\s+(?:state|province|commonwealth|territory|country|place|jurisdiction)\b)`)
	// whoseLaw matches the same: "the courts of Kenya, whose law governs".
	whoseLaw = regexp.MustCompile(`(?i)\bwhose\s+` + lawKinds + `laws?\b`)
	// withPart matches what joins the name of a country to that of a part of it.
	withPart = regexp.MustCompile(`(?i)^(?:\s+(?:which\s+are\s+)?(?:applicable|in\s+force)(?:\s+therein)?(?:\s+in)?)?[\s,]*(?:and|&|or|/)?\s*(?:of\s+|in\s+)?(?:the\s+)?(?:(?:internal\s+|substantive\s+)?laws?\s+(?:of|in)\s+)?(?:the\s+)?(?:(?:state|province|commonwealth|territory)\s+of\s+)?$`)
	// lawLabel matches a label before the name of a place.
	lawLabel = regexp.MustCompile(`(?i)^[\W\d]*(?:` + lawNames + `)` + lawAnd + `\s*[:|?–—-]\s*`)
	// lawRow matches a row of key terms with such a label, which no colon separates from the place.
	lawRow   = regexp.MustCompile(`(?im)^[ \t|]*(?:item[ ]+\d{1,2}[ ]+)?(?:` + lawNames + `)` + lawAnd + `(?:[ ]{2,}|[ ]*\t|[ ]*\|)[ \t]*(\S[^\n]{2,80})$`)
	lawTitle = regexp.MustCompile(`^[\W\d]*(?:` + lawNames + `)` + lawAnd + `[.:?]?$`)
)

// Chosen returns the place whose law a sentence chooses for the contract, with the
// confidence.
func Chosen(d *structure.Document, s structure.Sentence) (place string, confidence float64, ok bool) {
	text := s.Lower
	if !strings.Contains(text, "law") && !strings.Contains(text, "governed") && len(text) > maxPlace {
		return "", 0, false // most sentences end here
	}
	if place, ok := labelledLaw(d, s); ok {
		return place, 0.85, true
	}
	confidence = choice(text)
	if confidence == 0 {
		return "", 0, false
	}
	quote := passage.Text(d, s.Span)
	if place, ok = chosenLaw(quote); !ok {
		place, ok = lawOfSite(d, text)
	}
	switch {
	case !ok || ofOtherContract(d.Text[:min(s.Start, nameReach)], quote):
		return "", 0, false
	case strings.HasPrefix(place, "United States") && elliptic.MatchString(text):
		return "", 0, false // a title
	case strings.HasPrefix(place, "United States"):
		// Contracts in the United States are normally governed by the law of a state.
		confidence = 0.5
	case governs.MatchString(text) && !ownLaw.MatchString(text):
		confidence -= 0.12
	}
	return place, confidence, true
}

// labelledLaw returns the place after a label, such as "Governing law: Delaware", or
// below one.
func labelledLaw(d *structure.Document, s structure.Sentence) (string, bool) {
	quote := passage.Text(d, s.Span)
	rest := quote
	if m := lawLabel.FindString(quote); m != "" {
		rest = quote[len(m):]
	} else if m := lawRow.FindStringSubmatch(d.Quote(s.Span)); m != nil {
		rest = passage.OneLine(m[1])
	} else if len(quote) > maxPlace || !belowLaw(d, s) {
		return "", false
	}
	if m := nationalLaw.FindStringSubmatchIndex(rest); m != nil && m[0] == 0 && (rest != quote || m[1] >= len(rest)-1) {
		if place := nationalLaws[strings.ToLower(passage.OneLine(rest[m[2]:m[3]]))]; place != "" {
			return place, true
		}
	}
	j := jurisdiction.FindStringSubmatchIndex(rest[:min(len(rest), 2*maxPlace)])
	if j == nil || len(strings.Fields(rest[:j[0]])) > 4 || len(rest)-j[1] > maxPlace {
		return "", false
	}
	return stateOf(placeName(rest[j[2]:j[3]]), rest[:j[0]]), true
}

// belowLaw reports whether a sentence follows a heading such as "Governing law", in the
// paragraph before or at the beginning of its own.
func belowLaw(d *structure.Document, s structure.Sentence) bool {
	if i := passage.SentenceAt(d, s.Start); i > 0 && d.Sentences[i-1].Paragraph == s.Paragraph {
		return titlesLaw(d, d.Sentences[i-1].Span)
	}
	return s.Paragraph > 0 && titlesLaw(d, d.Paragraphs[s.Paragraph-1].Span)
}

// titlesLaw reports whether a text is only a heading such as "Governing law".
func titlesLaw(d *structure.Document, s layout.Span) bool {
	return s.Len() <= 2*maxPlace && lawTitle.MatchString(passage.Lower(d.Quote(s)))
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
	place, ok := lawOfPlace(text)
	parts := partsOf(place)
	if ok && parts == nil {
		return place, true
	}
	for _, j := range jurisdiction.FindAllStringIndex(text, 8) {
		if name := placeName(text[j[0]:j[1]]); lawAfter.MatchString(text[j[1]:]) && (!ok || slices.Contains(parts, name)) {
			return stateOf(name, text[:j[0]]), true
		}
	}
	if ok {
		return place, true
	}
	for _, m := range nationalLaw.FindAllStringSubmatch(text, 8) {
		if place := nationalLaws[strings.ToLower(passage.OneLine(m[1]))]; place != "" {
			return place, true
		}
	}
	if m := whoseLaw.FindStringIndex(text); m != nil {
		if place, ok := lastPlace(text[:m[0]]); ok {
			return place, true
		}
	}
	for _, before := range []*regexp.Regexp{lawIs, byState} {
		if m := before.FindStringIndex(text); m != nil {
			word, _, _ := strings.Cut(strings.TrimRight(text[m[1]:], "."), " ")
			if place := nationalLaws[strings.ToLower(word)]; place != "" {
				return place, true
			}
			if j := jurisdiction.FindStringIndex(text[m[1]:]); j != nil && j[0] == 0 {
				return firstPlace(text[m[0]:])
			}
		}
	}
	return "", false
}

// lawOfPlace returns the place in "the laws of …". If there are several, those after
// "governed" count before the others, and a state of the United States before that country.
func lawOfPlace(text string) (place string, ok bool) {
	at := lawOf.FindAllStringIndex(text, maxPlaces)
	if m := passive.FindStringIndex(text); m != nil {
		after := slices.IndexFunc(at, func(law []int) bool { return law[0] > m[1] })
		at = slices.Concat(at[max(after, 0):], at[:max(after, 0)])
	}
	for _, m := range at {
		next, found := firstPlace(text[m[0]:min(len(text), m[0]+lawReach)])
		if thatLaw.MatchString(text[m[0]:]) {
			if last, ok := lastPlace(text[:m[0]]); ok {
				next, found = last, true
			}
		}
		switch {
		case found && !ok:
			place, ok = next, true
		case found && InUnitedStates(next) && !strings.HasPrefix(next, "United States"):
			return next, true
		}
		if ok && !strings.HasPrefix(place, "United States") {
			return place, true
		}
	}
	return place, ok
}

// lawReach is how many bytes after the word "law" its place is expected in.
const lawReach = 260

// maxPlaces is the maximum number of places that are read of a sentence.
const maxPlaces = 16

// firstPlace returns the first place that a text names. If it is a federal country, and a
// part of it follows, that is the place: its law governs contracts.
func firstPlace(text string) (string, bool) {
	at := jurisdiction.FindAllStringIndex(text, 2)
	if len(at) == 0 {
		return "", false
	}
	j := at[0]
	if parts := partsOf(placeName(text[j[0]:j[1]])); len(at) > 1 && slices.Contains(parts, placeName(text[at[1][0]:at[1][1]])) && withPart.MatchString(text[j[1]:at[1][0]]) {
		j = at[1]
	}
	return stateOf(placeName(text[j[0]:j[1]]), text[:j[0]]), true
}

// lastPlace returns the last place that a text names.
func lastPlace(text string) (string, bool) {
	at := jurisdiction.FindAllStringIndex(text, maxPlaces)
	if len(at) == 0 {
		return "", false
	}
	j := at[len(at)-1]
	return stateOf(placeName(text[j[0]:j[1]]), text[:j[0]]), true
}

// FirstPlace returns the first place that a sentence about law names.
func FirstPlace(text string) (string, bool) {
	m := jurisdiction.FindString(text)
	return passage.OneLine(m), m != ""
}
