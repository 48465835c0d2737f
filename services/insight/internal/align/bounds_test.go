package align

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
)

// lined returns a document with one line on one page.
func lined(text string) *layout.Document {
	doc := &layout.Document{Text: text, Pages: []layout.Page{{Width: 600, Height: 800}}}
	at := 0
	for word := range strings.FieldsSeq(text) {
		start := at + strings.Index(text[at:], word)
		at = start + len(word)
		doc.Words = append(doc.Words, layout.Word{Span: layout.Span{Start: start, End: at}, Page: 1, Box: layout.Box{Right: 1, Bottom: 1}})
	}
	return doc
}

// matcherOf returns a matcher of two texts with a limit on its steps.
func matcherOf(doc, pages string, steps int) *matcher {
	m := &matcher{doc: wordsOf(&layout.Document{Text: doc}), pages: pageWords(lined(pages)), left: steps}
	number(m.doc, m.pages)
	m.match = make([]int32, len(m.doc.chars))
	for i := range m.match {
		m.match[i] = none
	}
	m.used = make([]bool, len(m.pages.words))
	return m
}

// TestSteps shows that the comparison of adversarial texts stops at the limit.
func TestSteps(t *testing.T) {
	const steps = 1_000_000
	for name, test := range map[string]struct{ doc, pages string }{
		// All diagonals of the diff stay equally good for long.
		"a diff": {strings.Repeat(strings.Repeat("a", 1000)+"b", 1000), strings.Repeat(strings.Repeat("a", 1000)+"c", 1000)},
		// Words begin the same everywhere, and end at the same place nowhere.
		"elsewhere": {strings.Repeat("aa ", 50_000), strings.Repeat(strings.Repeat("a", 401)+" ", 1000)},
		// Each run of words occurs many times.
		"runs": {strings.Repeat("one two ", 50_000), strings.Repeat("two one ", 50_000)},
	} {
		t.Run(name, func(t *testing.T) {
			m := matcherOf(test.doc, test.pages, steps)
			m.inOrder()
			m.verify()
			inOrder := steps - m.left
			m.left = steps
			m.matchMoved()
			elsewhere := steps - m.left
			t.Logf("%d steps, and %d elsewhere", inOrder, elsewhere)
			once := runSteps*(len(m.doc.words)+len(m.pages.words)) + len(m.doc.chars) // between two checks of the limit
			if inOrder > steps+once || elsewhere > steps+once {
				t.Errorf("%d steps, and %d elsewhere, of %d", inOrder, elsewhere, steps)
			}
			if max(inOrder, elsewhere) < steps {
				t.Error("the texts do not reach the limit")
			}
		})
	}
}

// TestManyWords shows that only the first maxWords words of a text are compared.
func TestManyWords(t *testing.T) {
	text := wordsOf(&layout.Document{Text: strings.Repeat("a ", maxWords+10)})
	if len(text.words) != maxWords || len(text.chars) != maxWords {
		t.Errorf("%d words, %d characters", len(text.words), len(text.chars))
	}
}
