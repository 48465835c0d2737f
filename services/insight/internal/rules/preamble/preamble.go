// Package preamble reads how the beginning of a contract names its parties: "between Acme
// Inc., a Delaware corporation with offices at … ("Supplier"), and …", lists after
// "BETWEEN:", lines with labels such as "Party A:", rows and fields of forms, letters, and
// the terms by which a contract calls its parties. It also reads single names of
// organizations, for other packages that find them elsewhere.
package preamble

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Party is a party as a document names it.
type Party struct {
	// Name is the name, and Whole the text about the party that begins with it: the name,
	// its description and the defined term.
	Name, Whole layout.Span
	// Terms are the terms that the document defines for the party, "Supplier" or "Acme".
	Terms []string
	// Titled says that a courtesy title is before the name, which only people have: "Ms."
	Titled bool
	// Role is what a label before the name calls the party, "" for none.
	Role string
	// About is the description after the name on one line, without the defined terms.
	About string
	// Sure means that the name itself, a term or the description shows that this is a
	// party.
	Sure bool
}

// Limits for what is read, in bytes unless noted.
const (
	// reach is how much of the beginning of a document is searched. A preamble may follow a
	// cover page and a table of contents.
	reach = 40_000
	// maxList is the maximum length of a list of parties.
	maxList = 6000
	// maxAnchors is how many places are tried at which a list of parties may begin.
	maxAnchors = 40
	// maxTerms is how many defined terms are compared with the names.
	maxTerms = 2000
	// maxParties is the maximum number of parties of a document.
	maxParties = 100
)

// Find returns the parties that the beginning of a document names, in text order: those of
// the list with the most signs that it is the list of parties, the first among equals.
func Find(d *structure.Document) []Party {
	text, terms := d.Text[:cut(d.Text, reach)], termsOf(d)
	var best []Party
	quality := 0
	for _, at := range anchors(text) {
		found := slices.DeleteFunc(list(text, at), func(p Party) bool {
			key := termKey(d.Plain(p.Name))
			return terms[key] && !p.defines(key)
		})
		q := rate(found)
		if q == 0 && len(found) > 1 && underHeading(text, at) && numbered.MatchString(strings.TrimLeftFunc(text[at:], space.Is)) {
			q = full / 2
		}
		if len(found) > 0 && !found[0].Sure && subject.MatchString(text[max(0, at-maxBefore):at]) {
			continue
		}
		if !ofDocument(text, at) {
			q /= 2
		}
		if q > quality && (at < labelReach || q >= full) {
			best, quality = found, q
		}
		if quality >= full {
			break
		}
	}
	return undivided(d, best)
}

// defines reports whether the document defines the name of the party as its term here: "Alder
// Systemes, a company (“Alder Systemes”)".
func (p Party) defines(key string) bool {
	return slices.ContainsFunc(p.Terms, func(t string) bool { return termKey(t) == key })
}

// subject matches words that the subject of an agreement may follow, rather than a party:
// "Cooperation Agreement of the Alder Power Project".
var subject = regexp.MustCompile(`(?i)agreement of$`)

// termsOf returns the defined terms of a document that are not also names of organizations,
// in lower case. A list of these is about the parties rather than the list of parties.
func termsOf(d *structure.Document) map[string]bool {
	terms := map[string]bool{}
	for _, def := range d.Definitions[:min(len(d.Definitions), maxTerms)] {
		if !HasForm(def.Term) {
			terms[termKey(def.Term)] = true
		}
	}
	return terms
}

// termKey returns a form of a term in which its spellings are the same.
func termKey(term string) string {
	return strings.ToLower(hyphens.Replace(term))
}

// hyphens removes hyphens, which may be soft ones.
var hyphens = strings.NewReplacer("\u00ad", "", "-", "")

// full is the rate of a list that is surely that of the parties.
const full = 8

// rate returns how much a list looks like that of the parties to a contract, 0 for not at
// all.
func rate(found []Party) int {
	sure, terms := 0, 0
	for _, p := range found {
		if p.Sure {
			sure++
		}
		if len(p.Terms) > 0 {
			terms++
		}
	}
	switch {
	case len(found) > 1 && terms > 0 && sure == len(found):
		return full
	case len(found) > 1 && sure > 0:
		return full/2 + min(terms, 1)
	case sure > 0:
		return 2 + min(terms, 1)
	case len(found) > 1 && terms > 0:
		return 3
	}
	return 0
}

// kinds are words for documents, in lower case.
var kinds = []string{"agreement", "contract", "lease", "deed", "amendment", "addendum", "memorandum", "letter", "license", "licence", "plan", "made", "entered"}

// maxBefore is how many bytes before a list of parties are searched for what it is about.
const maxBefore = 400

// ofDocument reports whether the text before a list says that it is about a contract.
func ofDocument(text string, at int) bool {
	before := strings.ToLower(text[max(0, at-maxBefore):at])
	for _, kind := range kinds {
		if strings.Contains(before, kind) {
			return true
		}
	}
	return false
}

// anchorWords are the words after which a list of parties may begin, in lower case.
var anchorWords = []string{"between", "b e t w e e n", "among", "amongst", "into by", "made by", "executed by", "agreement of", "undersigned:", "on the one side", "on the one hand", "of the one part", "on one side"}

// dated matches the text before the party that makes a deed: "made the 9th day of June 2021 by".
var dated = space.Compile(`(?i)\b(?:made|given|executed|dated|entered\s+into)\s[^.;()]{0,60}?\d{4},?\s+by\s`)

// headed matches the heading of a numbered list of parties.
var headed = space.Compile(`(?i)(?:^|\n)[ \t]*(?:\d{1,2}\.?[ \t]*)?(?:(?:the[ \t]+)?(?:contracting[ \t]+)?parties|who[ \t]+we[ \t]+are)[ \t]*:?[ \t]*\n`)

// underHeading reports whether an offset follows such a heading.
func underHeading(text string, at int) bool {
	before := text[max(0, at-maxHeading):at]
	return slices.ContainsFunc(headed.FindAllStringIndex(before, -1), func(m []int) bool { return m[1] == len(before) })
}

// maxHeading is the maximum length of the heading of a list of parties, in bytes.
const maxHeading = 60

// anchors returns the offsets after the words in text that may begin a list of parties, in
// order.
func anchors(text string) (found []int) {
	lower := asciiLower(text)
	for _, w := range anchorWords {
		for at, n := 0, 0; n < maxAnchors; {
			i := strings.Index(lower[at:], w)
			if i < 0 {
				break
			}
			end := at + i + len(w)
			if !letterAt(lower, at+i-1) && (!letterAt(lower, end) || w[len(w)-1] == ':') {
				found, n = append(found, end), n+1
			}
			at = end
		}
	}
	for _, m := range headed.FindAllStringIndex(text[:cut(text, labelReach)], maxAnchors) {
		found = append(found, m[1])
	}
	for _, m := range dated.FindAllStringIndex(text[:cut(text, labelReach)], maxAnchors) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	return found[:min(len(found), maxAnchors)]
}
