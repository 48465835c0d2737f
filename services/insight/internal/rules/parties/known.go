package parties

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/services/insight/internal/rules/preamble"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// names are the names of the parties at the beginning of a document, with their words.
type names []knownName

type knownName struct {
	name  string
	words []string
}

// namesOf returns the names of the parties that the beginning of d names.
func namesOf(d *structure.Document) names {
	var n names
	for _, p := range preamble.Find(d) {
		name := strings.Trim(underline.ReplaceAllString(d.Plain(p.Name), " "), " ,;")
		n = append(n, knownName{name, nameWords(name)})
	}
	return n
}

// called are words that documents call a party, although they also end names of companies.
var called = map[string]bool{"company": true, "corporation": true, "partnership": true, "bank": true, "trust": true, "fund": true, "club": true, "association": true, "university": true}

// complete returns the full name of a party of which a signature block has only a part: the last
// words, if the name goes over two lines, or all but the legal form. It returns other names as they
// are.
func (n names) complete(party string) string {
	words, full := nameWords(party), ""
	if len(words) == 0 {
		return party
	}
	for _, k := range n {
		if slices.Equal(k.words, words) {
			return party
		}
		n := len(k.words) - len(words) // how many words are missing
		if n <= 0 || !(slices.Equal(k.words[n:], words) && !called[strings.Join(words, " ")]) && !(slices.Equal(k.words[:len(words)], words) && onlyForms(k.words[len(words):])) {
			continue
		}
		if full != "" {
			return party // it may be either
		}
		full = k.name
	}
	if full == "" {
		return party
	}
	return full
}

// onlyForms reports whether words are legal forms.
func onlyForms(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !legalForms[w] })
}
