package parties

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rectohq/recto/services/insight/internal/rules/preamble"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// knownNames are the names of the parties at the beginning of a document.
type knownNames []knownName

type knownName struct {
	name  string
	words []string
}

// namesOf returns the names of the parties that the beginning of d names.
func namesOf(d *structure.Document) knownNames {
	var n knownNames
	for _, p := range preamble.Find(d) {
		name := nameOf(d, p)
		n = append(n, knownName{name, nameWords(name)})
	}
	return n
}

// complete returns the full name of a party if a signature block gives only part of it. The part may lack
// the legal form, or it may be the end of the name, with the beginning on the line above. before is the
// text before the party. complete returns any other name unchanged.
func (n knownNames) complete(party, before string) string {
	words, full := nameWords(party), ""
	if len(words) == 0 {
		return party
	}
	for _, k := range n {
		if slices.Equal(k.words, words) {
			return party
		}
		missing := len(k.words) - len(words)
		if missing <= 0 || !(slices.Equal(k.words[missing:], words) && (endsWith(before, k.words[:missing]) || beside(before, k.words[:missing]))) && !(slices.Equal(k.words[:len(words)], words) && onlyForms(k.words[len(words):])) {
			continue
		}
		if full != "" {
			return party // it may be either
		}
		full = k.name
	}
	return cmp.Or(full, party)
}

// endsWith reports whether a text ends with words.
func endsWith(text string, words []string) bool {
	has := nameWords(text)
	return len(has) >= len(words) && slices.Equal(has[len(has)-len(words):], words)
}

// beside reports whether the last line above a text, which another column may follow, begins or ends with words.
func beside(text string, words []string) bool {
	above := text
	if at := strings.LastIndexByte(above, '\n'); at >= 0 {
		above = above[:at]
	}
	has := nameWords(above[strings.LastIndexByte(above, '\n')+1:])
	if len(has) > 0 && has[0] == "the" && words[0] != "the" {
		has = has[1:]
	}
	return len(has) > len(words) && (slices.Equal(has[:len(words)], words) || slices.Equal(has[len(has)-len(words):], words))
}

// onlyForms reports whether words are legal forms.
func onlyForms(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !legalForms[w] })
}
