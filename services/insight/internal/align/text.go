package align

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/rectohq/recto/libs/formats/layout"
)

// text is a text in the form in which it is compared: words, and their letters, digits and
// boxes in lower case and normal form KC. Other characters vary with style.
type text struct {
	words []token
	chars []char
	// body is the number of words of the body. The other words are elsewhere on the
	// pages.
	body int
}

// token is a word.
type token struct {
	span layout.Span
	// from and to are the range of its characters, empty if none is compared.
	from, to int
	// id is the same for words with the same characters, 0 for words without any.
	id int32
	// index, page and box are those of the word on the pages.
	index, page int
	box         layout.Box
	// role and block are those of its paragraph.
	role  layout.Role
	block int
}

// char is a character.
type char struct {
	r rune
	// word is the index of its word, and offset its offset in that word, in bytes. They
	// are int32 because a text may have tens of millions of characters.
	word, offset int32
}

// ids numbers the words of both texts. One table serves both, so that equal words have
// equal numbers. A hash would do if it had no collisions.
type ids map[string]int32

// of returns the id of a word with the characters.
func (n ids) of(chars []char) int32 {
	if len(chars) == 0 {
		return 0
	}
	key := make([]byte, 0, 32)
	for _, c := range chars {
		key = utf8.AppendRune(key, c.r)
	}
	if id, ok := n[string(key)]; ok {
		return id
	}
	id := int32(len(n) + 1)
	n[string(key)] = id
	return id
}

// maxWords is the maximum number of words of a text that are compared, far more than the
// pages of a document have. The rest of a longer text is not found.
const maxWords = 2 << 20

// full reports whether the text has the maximum number of words.
func (t *text) full() bool { return len(t.words) >= maxWords }

// begins reports whether a word begins at character c, or c is the end of the text.
func (t *text) begins(c int32) bool {
	return int(c) >= len(t.chars) || t.words[t.chars[c].word].from == int(c)
}

// add appends a word.
func (t *text) add(s string, w token) {
	w.from = len(t.chars)
	t.chars = appendChars(t.chars, s, len(t.words))
	w.to = len(t.chars)
	t.words = append(t.words, w)
}

// appendChars appends the characters of a word that are compared.
func appendChars(out []char, s string, word int) []char {
	ascii := true
	for i := range len(s) {
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if ascii {
		for i, r := range s {
			out = appendChar(out, r, word, i)
		}
		return out
	}
	var it norm.Iter
	for it.InitString(norm.NFKC, s); !it.Done(); {
		at := it.Pos()
		for _, r := range string(it.Next()) {
			out = appendChar(out, r, word, at)
		}
	}
	return out
}

// appendChar appends a character if it is compared.
func appendChar(out []char, r rune, word, offset int) []char {
	if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_☐☒☑", r) {
		return append(out, char{unicode.ToLower(r), int32(word), int32(offset)})
	}
	return out
}

// number sets the ids of the words of the texts.
func number(texts ...*text) {
	known := ids{}
	for _, t := range texts {
		for i := range t.words {
			t.words[i].id = known.of(t.chars[t.words[i].from:t.words[i].to])
		}
	}
}

// wordsOf returns the words of a document, body words first.
func wordsOf(doc *layout.Document) *text {
	t := &text{chars: make([]char, 0, len(doc.Text))}
	blocks := doc.Blocks
	if len(blocks) == 0 {
		blocks = []layout.Block{{Span: layout.Span{End: len(doc.Text)}}}
	}
	for i, b := range blocks {
		if b.Role == layout.Body {
			t.addBlock(doc, b, i)
		}
	}
	t.body = len(t.words)
	for i, b := range blocks {
		if b.Role != layout.Body {
			t.addBlock(doc, b, i)
		}
	}
	return t
}

// addBlock appends the words of a paragraph.
func (t *text) addBlock(doc *layout.Document, b layout.Block, index int) {
	start := none
	s := doc.Quote(b.Span)
	for i, r := range s {
		if t.full() {
			return
		}
		switch space := unicode.IsSpace(r); {
		case space && start != none:
			t.add(s[start:i], token{span: layout.Span{Start: b.Start + start, End: b.Start + i}, role: b.Role, block: index})
			start = none
		case !space && start == none:
			start = i
		}
	}
	if start != none && !t.full() {
		t.add(s[start:], token{span: layout.Span{Start: b.Start + start, End: b.End}, role: b.Role, block: index})
	}
}

// pageWords returns the words of pages that have compared characters.
func pageWords(pages *layout.Document) *text {
	t := &text{chars: make([]char, 0, len(pages.Text))}
	for i, w := range pages.Words {
		if t.full() {
			break
		}
		before := len(t.chars)
		t.add(pages.Quote(w.Span), token{span: w.Span, index: i, page: w.Page, box: w.Box})
		if len(t.chars) == before {
			t.words = t.words[:len(t.words)-1]
		}
	}
	t.body = len(t.words)
	return t
}
