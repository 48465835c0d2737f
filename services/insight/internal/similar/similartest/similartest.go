// Package similartest makes texts for tests and benches of similarity: templates that are
// filled with values, edited copies, and unrelated texts that share standard clauses.
package similartest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Text is a text of a group. Texts of the same group are similar, those of different groups
// are not.
type Text struct {
	Group int
	Text  string
}

// groupSize is how many texts of each group there are: filled copies of a template, the last
// two of which are edited.
const groupSize = 5

// Texts returns n texts, in random order, which depends on nothing but n. Half of them are
// of groups of groupSize, and the others are alone in their group.
func Texts(n int) []Text {
	m := newMaker(uint64(n))
	var texts []Text
	for group := 0; len(texts) < n; group++ {
		template, copies := m.template(), 1
		if group%(groupSize+1) == 0 {
			copies = min(groupSize, n-len(texts))
		}
		for i := range copies {
			filled := m.fill(template)
			if i >= groupSize-2 {
				filled = m.edit(filled)
			}
			texts = append(texts, Text{group, strings.Join(filled, " ")})
		}
	}
	m.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	return texts
}

// maker makes texts out of a vocabulary and of standard clauses.
type maker struct {
	*rand.Rand
	vocabulary []string
	clauses    [][]string
}

func newMaker(seed uint64) *maker {
	m := &maker{Rand: rand.New(rand.NewPCG(1, seed))} //nolint:gosec // texts need no secret
	for range 3000 {
		w := ""
		for range 1 + m.IntN(4) {
			w += string("bcdfglmnprstv"[m.IntN(13)]) + string("aeiou"[m.IntN(5)])
		}
		m.vocabulary = append(m.vocabulary, w)
	}
	for range 12 {
		m.clauses = append(m.clauses, m.paragraph(60))
	}
	return m
}

// slots are the kinds of values in a template.
var slots = []string{"<name>", "<name>", "<amount>", "<date>", "<address>", "<phrase>"}

// template returns a text of 200 to 1000 words. Every 20th word or so is a slot, and two
// paragraphs are standard clauses.
func (m *maker) template() []string {
	var text []string
	for range 2 + m.IntN(9) {
		text = append(text, m.paragraph(80)...)
	}
	for range 2 {
		text = append(text, m.clauses[m.IntN(len(m.clauses))]...)
	}
	return text
}

// paragraph returns about n words in sentences.
func (m *maker) paragraph(n int) []string {
	var text []string
	for len(text) < n {
		first := m.word()
		text = append(text, strings.ToUpper(first[:1])+first[1:])
		for range 8 + m.IntN(16) {
			if m.IntN(20) == 0 {
				text = append(text, slots[m.IntN(len(slots))])
			} else {
				text = append(text, m.word())
			}
		}
		text[len(text)-1] += "."
	}
	return text
}

// word returns a word. Like those of a language, some words are much more frequent than
// others.
func (m *maker) word() string {
	return m.vocabulary[int(float64(len(m.vocabulary))*m.Float64()*m.Float64()*m.Float64())]
}

// fill returns a template with values in its slots.
func (m *maker) fill(template []string) []string {
	filled := make([]string, len(template))
	for i, w := range template {
		end := ""
		if strings.HasSuffix(w, ">.") {
			w, end = w[:len(w)-1], "."
		}
		filled[i] = m.value(w) + end
	}
	return filled
}

// value returns a value for a slot, and any other word as it is.
func (m *maker) value(slot string) string {
	name := func() string { w := m.word(); return strings.ToUpper(w[:1]) + w[1:] }
	switch slot {
	case "<name>":
		return name() + " " + name() + " Inc."
	case "<amount>":
		return fmt.Sprintf("USD %d,%03d.00", 1+m.IntN(99), m.IntN(1000))
	case "<date>":
		return fmt.Sprintf("March %d, %d", 1+m.IntN(28), 2000+m.IntN(30))
	case "<address>":
		return fmt.Sprintf("%d %s Street, %s, info@%s.com", 1+m.IntN(200), name(), name(), m.word())
	case "<phrase>": // a value that nothing tells from the wording
		return m.word() + " " + m.word()
	}
	return slot
}

// edit returns a text of which a few passages were rewritten, removed or moved.
func (m *maker) edit(text []string) []string {
	edited := append([]string{}, text...)
	for range 2 {
		at, n := m.IntN(len(edited)-20), 5+m.IntN(15)
		switch m.IntN(3) {
		case 0:
			copy(edited[at:at+n], m.paragraph(n)[:n])
		case 1:
			edited = append(edited[:at], edited[at+n:]...)
		default:
			moved := append([]string{}, edited[at:at+n]...)
			edited = append(append(edited[:at], edited[at+n:]...), moved...)
		}
	}
	return edited
}
