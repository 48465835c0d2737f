package title

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// maxKindWords is the maximum number of words in the kind of a document.
const maxKindWords = 7

var (
	// amending matches a title that names what it changes: "second amendment to the
	// lease".
	amending = regexp.MustCompile(`(?i)^(amendment|addendum|supplement)(?:\s+(?:agreement|letter))?(?:\s*(?:no\.?|number|#)?\s*(?:\d+[\w.()-]*|[ivx]+|one|two|three|four|five))?(?:\s+to\s+(?:the\s+)?|\s*:\s+|\s+[–—-]\s+)(.+)$`)
	// headOf matches a kind that begins with its noun: "deed of guarantee". The kind is
	// only the short phrase; the words after it describe the subject.
	headOf = regexp.MustCompile(`(?i)^((?:deed|notice|certificate|agreement|contract|letter|bill|memorandum|heads|articles|assignment|declaration|instrument|offer|terms and conditions|terms)\s+(?:of|for)\s+` +
		`[\pL-]+(?:\s+(?:and|or|&)\s+[\pL-]+)?(?:\s+[\pL-]+)?)(?:$|[,(]|\s+(?:of|for|to|in|on|by|with|between|dated|no)\b)`)
	// addendumTo matches a title that gives the kind of an addendum and the document it
	// belongs to.
	addendumTo = regexp.MustCompile(`(?i)^((?:[\pL-]+\s+){1,4}addendum)\s+to\b`)
	// amends matches the name of the document that one without a name in its title changes.
	amends = regexp.MustCompile(`(?:\b[Rr]eference\s+is\s+(?:hereby\s+)?made\s+to|\b(?i:that|those)\s+certain|\b[Aa]mend(?:s|ing)?|\b(?i:amendment|addendum|supplement|appendix)\s+to)\s+(?:(?:the|an?|that|those|certain|fully|executed|existing|original)\s+)*` +
		`((?:[\p{Lu}][\pL’'-]*\s+(?:(?:and|&|of|for)\s+)?){1,6}(?:Agreement|Contract|Lease|License|AGREEMENT|CONTRACT|LEASE|LICENSE))\b`)
	// articleOf matches a word that such a phrase must not contain or end in.
	articleOf = regexp.MustCompile(`(?i)\b(?:of|for)\s+(?:the|a|an|certain|all|this)\b|\s(?:the|a|an|of|for|to|in|on|by|with|and|between|dated)$`)
)

// phraseKind returns the kind in a title that begins with the noun for the document, with
// the confidence. name is the title without ordinals.
func phraseKind(name string) (kind string, confidence float64, ok bool) {
	if m := amending.FindStringSubmatch(name); m != nil {
		if base, sure := kindOf(m[2]); base != "" && len(strings.Fields(base)) < maxKindWords-1 {
			return titleCase(strings.ToLower(m[1])) + " to " + base, min(sure, 0.9), true
		}
	}
	if m := addendumTo.FindStringSubmatch(name); m != nil {
		return titleCase(m[1]), 0.9, true
	}
	if m := headOf.FindStringSubmatch(name); m != nil && !articleOf.MatchString(m[1]) {
		return titleCase(m[1]), 0.9, true
	}
	return "", 0, false
}

// amended returns the kind of the document that the first sentences say is changed, and
// where they name it.
func amended(d *structure.Document) (kind string, at layout.Span, ok bool) {
	for _, m := range amends.FindAllStringSubmatchIndex(d.Text[:min(len(d.Text), amendedReach)], 4) {
		at = layout.Span{Start: m[2], End: m[3]}
		if kind, _ = kindOf(passage.Text(d, at)); !vague(kind) && len(strings.Fields(kind)) < maxKindWords-1 {
			return kind, at, true
		}
	}
	return "", layout.Span{}, false
}

// amendedReach is how many bytes at the beginning of a document are searched for the name
// of what it changes.
const amendedReach = 3000

// headed matches a kind that begins with its noun, and phraseStart the last words that begin a phrase
// about it.
var (
	headed      = regexp.MustCompile(`(?i)^(?:agreement|contract|deed|memorandum|terms|conditions)\s+(?:on|about|regarding|concerning|relating to|for|of|governing)\s`)
	phraseStart = regexp.MustCompile(`(?i)\s+(?:of|for|to|in|on|by|with|between|at|from|under|and|as|during)\b`)
)

// shortened returns a kind that begins with its noun without its last phrases, if it has too many
// words: "Agreement on the Temporary Loan" of "… of an Employee".
func shortened(kind string) string {
	if !headed.MatchString(kind) {
		return kind
	}
	for len(strings.Fields(kind)) > maxKindWords {
		all := phraseStart.FindAllStringIndex(kind, maxPlainTitle)
		if len(all) < 2 {
			return kind
		}
		kind = kind[:all[len(all)-1][0]]
	}
	return kind
}

// bareChange are the kinds of documents that change another.
var bareChange = map[string]bool{"Amendment": true, "Addendum": true, "Supplement": true}

// withoutOrdinals returns a title without its number and without the words that
// distinguish it from others of its kind.
func withoutOrdinals(title string) string {
	name := numberMark.ReplaceAllString(passage.OneLine(title), "")
	for ordinalWords.MatchString(name) {
		name = ordinalWords.ReplaceAllString(name, "")
	}
	return name
}

// nounAlone reports whether s is only a noun for a document that needs words before it.
func nounAlone(s string) bool {
	return slices.Contains([]string{"agreement", "contract", "amendment", "addendum", "plan", "lease"}, strings.ToLower(s))
}

// kindAlone reports whether s is only the name of a kind of document.
func kindAlone(s string) bool {
	m := titleNoun.FindStringIndex(s)
	return m != nil && m[1]-m[0] == len(s)
}
