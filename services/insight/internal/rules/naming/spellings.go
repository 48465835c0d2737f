package naming

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
)

// maxNames is the maximum number of names of a document.
const maxNames = 150

// together groups places by name. A short form, such as a surname, joins the longer name, unless it shortens
// several.
func together(text string, places []layout.Span) []Name {
	var all []Name
	at := map[string]int{}
	for _, p := range places {
		words := wordsOf(text[p.Start:p.End])
		key := strings.Join(words, " ")
		i, known := at[key]
		if !known {
			if len(words) == 0 || len(all) == maxNames {
				continue
			}
			i = len(all)
			at[key] = i
			all = append(all, Name{Span: p, words: words})
		}
		all[i].places = append(all[i].places, p)
	}
	shortest := make([]int, len(all))
	for i := range all {
		shortest[i] = i
	}
	slices.SortStableFunc(shortest, func(i, j int) int { return len(all[i].words) - len(all[j].words) })
	for _, i := range shortest { // so that a short form of a short form goes on to the fullest name
		if j := fuller(all, i); j >= 0 {
			all[j].places = append(all[j].places, all[i].places...)
			all[i].places = nil
		}
	}
	all = slices.DeleteFunc(all, func(n Name) bool { return len(n.places) == 0 })
	byStart := func(a, b layout.Span) int { return a.Start - b.Start }
	for i := range all {
		slices.SortFunc(all[i].places, byStart)
	}
	slices.SortStableFunc(all, func(a, b Name) int { return byStart(a.places[0], b.places[0]) })
	return all
}

// fuller returns the index of the longest name that name i shortens. It returns -1 if there is none, or if
// several names have the same short form.
func fuller(all []Name, i int) int {
	found := -1
	for j := range all {
		if j == i || !shortened(all[i].words, all[j].words) {
			continue
		}
		switch {
		case found < 0 || partOf(all[found].words, all[j].words):
			found = j
		case !partOf(all[j].words, all[found].words):
			return -1
		}
	}
	return found
}

// shortened reports whether words are a short form of others: fewer of them, or initials.
func shortened(words, of []string) bool {
	return len(words) < len(of) && partOf(words, of) || len(words) <= len(of) && initialed(words, of)
}

// partOf reports whether words are the first or the last of others.
func partOf(words, of []string) bool {
	n := len(words)
	return n <= len(of) && (slices.Equal(of[:n], words) || slices.Equal(of[len(of)-n:], words))
}

// initialed reports whether words are others with initials for all but the last: "A. Kern" for "Ada Kern".
func initialed(words, of []string) bool {
	if len(words) < 2 || words[len(words)-1] != of[len(of)-1] || slices.Equal(words, of) {
		return false
	}
	for i, w := range words[:len(words)-1] {
		if i >= len(of)-1 || len(w) > 2 || !strings.HasPrefix(of[i], w[:1]) {
			return false
		}
	}
	return true
}

// wordsOf returns the words of a name in lower case, without "the" at the beginning.
func wordsOf(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !inWord(r) && !unicode.IsDigit(r) })
	if len(words) > 1 && words[0] == "the" {
		words = words[1:]
	}
	return words
}

// inWord reports whether a character is part of words.
func inWord(r rune) bool { return unicode.IsLetter(r) || r == '\'' || r == '’' }
