// Package naming lists the people and organizations that a document names, and says which of them are
// likely parties to it. It reads how a name is used, wherever it is. So it also finds the parties to
// letters, notes and forms that name them in no usual way: "Tom rents from Ann".
package naming

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn/names"
	"github.com/rectohq/recto/services/insight/internal/rules/preamble"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Name is a person or an organization that a document names.
type Name struct {
	// Span is where the fullest spelling of the name occurs first.
	layout.Span
	// places are all places with the name or a part of it, in text order.
	places []layout.Span
	// words are the words of the name in lower case.
	words []string
}

// Names are the people and organizations that a document names, with other words that look like names,
// in the order of their first places.
type Names struct {
	d   *structure.Document
	all []Name
	// lower has the words that the document also writes in lower case.
	lower map[string]bool
}

// maxText is the length of the longest text that is read, in bytes. Long contracts name their parties in the
// usual ways, and so many others that some look like parties by chance.
const maxText = 12_000

// Reads reports whether a text is short enough for its names to be read.
func Reads(text string) bool { return len(text) <= maxText }

// Read returns the names in a document, none if it is long.
func Read(d *structure.Document) *Names {
	n := &Names{d: d, lower: map[string]bool{}}
	if !Reads(d.Text) {
		return n
	}
	s := scanner{text: d.Text}
	s.scan()
	n.all = together(d.Text, s.found)
	for w := range strings.FieldsFuncSeq(d.Text, func(r rune) bool { return !inWord(r) }) {
		if c, _ := utf8.DecodeRuneInString(w); unicode.IsLower(c) {
			n.lower[w] = true
		}
	}
	return n
}

// All returns the names.
func (n *Names) All() []Name { return n.all }

// Key returns a form of a name that its spellings share.
func Key(name string) string { return strings.Join(wordsOf(name), " ") }

// Judged is a name and what the weights say about it.
type Judged struct {
	Name
	// Party means that it is probably the name of a party, and Probability says how probably.
	Party       bool
	Probability float64
	// Person means that a party with this name is a person rather than an organization.
	Person bool
	// Reason says what suggests a party: it follows "between". It is "" for other names, and if nothing
	// can be said.
	Reason string
}

// likely is the minimum probability of a party. It maximizes F1: below about half of F1, a further item costs
// more precision than it adds recall.
const likely = 0.33

// Judge judges the names. votes says by its Key which rule takes a name for that of a party.
func (n *Names) Judge(m *names.Model, votes map[string]string) []Judged {
	all, odds := make([]Judged, len(n.all)), make([]float64, len(n.all))
	for i, x := range n.all {
		f := n.Features(i, votes)
		all[i], odds[i] = Judged{Name: x, Person: m.Person(f)}, m.Odds(f)
	}
	for i, p := range m.Probabilities(odds) {
		x := &all[i]
		x.Probability, x.Party = p, p >= likely && !n.signsForOther(x.Name)
		if x.Party {
			x.Reason = n.reason(m, i)
		}
	}
	return all
}

// signsForOther reports whether a person signs for an organization: with the title of an officer, or after
// "By:".
func (n *Names) signsForOther(x Name) bool {
	return slices.ContainsFunc(n.d.Signatures, func(s structure.Signature) bool {
		if s.Name.Len() == 0 || !slices.ContainsFunc(x.places, s.Name.Overlaps) {
			return false
		}
		return s.Title.Len() > 0 && !preamble.IsBareRole(n.d.Plain(s.Title)) || by.MatchString(n.d.Text[s.Start:s.End])
	})
}

// by matches the label of a signature for an organization, at the beginning of a line.
var by = space.Compile(`(?im)^[ \t]*(?:by|per):`)

// maxReasons is how many reasons are given for a party.
const maxReasons = 2

// reason says what suggests most that a name is that of a party, "" for nothing that can be said.
func (n *Names) reason(m *names.Model, i int) string {
	type reason struct {
		text   string
		weight float64
	}
	var all []reason
	add := func(text string, weight float64) {
		if text != "" && weight > 0 && !slices.ContainsFunc(all, func(r reason) bool { return r.text == text }) {
			all = append(all, reason{text, weight})
		}
	}
	for _, fact := range n.facts(i) {
		add(saidOf[fact], float64(m.Weight(names.FeatureOf(fact))))
	}
	uses := n.uses(i)
	for _, u := range uses {
		add(u.said(), float64(m.Weight(names.FeatureOf(u.text())))*names.Use(len(uses)))
	}
	slices.SortStableFunc(all, func(a, b reason) int { return cmp.Compare(b.weight, a.weight) })
	var texts []string
	for _, r := range all[:min(len(all), maxReasons)] {
		texts = append(texts, r.text)
	}
	return strings.Join(texts, ", and ")
}

// saidOf maps facts to the reasons that they give for a party.
var saidOf = map[string]string{
	"signs":                       "it is in a signature block",
	"signed for":                  "someone signs for it",
	"at both ends":                "it is at the beginning and at the end",
	"in " + early:                 "it is at the beginning",
	"alone in a line in " + early: "it has a line of its own at the beginning",
	"alone in a line in " + late:  "it has a line of its own at the end",
	"form":                        "it has a legal form",
	"short forms":                 "the document shortens it",
}
