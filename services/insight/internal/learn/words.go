package learn

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// maxWords is the number of words that are read of a sentence or a title. What follows is
// mostly a list or a table that was not recognized as one.
const maxWords = 400

// maxLetters is the number of letters of a word that are read: mostly its stem.
const maxLetters = 7

// word is a word of a document.
type word struct {
	// hash is the hash of the beginning of the word, in lower case: "terminate" and
	// "termination" have the same. So have all numbers, such as "5" and "1,500.00", and all
	// text that is left out, such as "[***]".
	hash       uint32
	start, end int32
}

// Words holds the words of a document by sentence and by section. It is immutable.
type Words struct {
	doc *structure.Document
	all []word
	// sentences holds where the words of each sentence begin, and titles the same for the
	// title of each section. The last element is where the words of the last one end.
	sentences, titles []int32
}

// ReadWords hashes the words of a document, in one pass over its text.
func ReadWords(d *structure.Document) *Words {
	w := &Words{
		doc: d, all: make([]word, 0, len(d.Text)/5),
		sentences: make([]int32, 0, len(d.Sentences)+1), titles: make([]int32, 0, len(d.Sections)+1),
	}
	margin := 0
	for _, s := range d.Sentences {
		w.sentences = append(w.sentences, int32(len(w.all)))
		for margin < len(d.Margins) && d.Margins[margin].End <= s.Start {
			margin++
		}
		w.readAround(s.Span, d.Margins[margin:])
	}
	w.sentences = append(w.sentences, int32(len(w.all)))
	for _, s := range d.Sections {
		w.titles = append(w.titles, int32(len(w.all)))
		w.read(s.TitleSpan, maxWords)
	}
	w.titles = append(w.titles, int32(len(w.all)))
	return w
}

// WordsOf returns a function that returns the words of a document, and reads them once.
func WordsOf(d *structure.Document) func() *Words {
	return sync.OnceValue(func() *Words { return ReadWords(d) })
}

// readAround reads the words of a span without the margins in it.
func (w *Words) readAround(s layout.Span, margins []layout.Span) {
	left := maxWords
	for _, m := range margins {
		if m.Start >= s.End {
			break
		}
		if m.Start > s.Start {
			left -= w.read(layout.Span{Start: s.Start, End: m.Start}, left)
		}
		s.Start = max(s.Start, min(m.End, s.End))
	}
	w.read(s, left)
}

// sentence returns the words of a sentence, nil for one that does not exist.
func (w *Words) sentence(i int) []word {
	if i < 0 || i+1 >= len(w.sentences) {
		return nil
	}
	return w.all[w.sentences[i]:w.sentences[i+1]]
}

// title returns the words of the title of a section.
func (w *Words) title(section int) []word {
	return w.all[w.titles[section]:w.titles[section+1]]
}

// The constants of the FNV-1a hash.
const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

// read appends at most limit words of a span, and returns how many.
func (w *Words) read(s layout.Span, limit int) int {
	text, n := w.doc.Text, 0
	for at := s.Start; at < s.End && n < limit; {
		start, hash := at, uint32(fnvOffset)
		r, size := letterAt(text, at, s.End)
		switch r {
		case 0:
			gap, sign := gapAt(text[at:s.End])
			if gap == 0 {
				at += size
				continue
			}
			hash, at = (hash^uint32(sign))*fnvPrime, at+gap
		case '$', '%':
			hash, at = (hash^uint32(r))*fnvPrime, at+size
		default:
			hash, at = hashAt(text, at, s.End)
		}
		w.all = append(w.all, word{hash, int32(start), int32(at)})
		n++
	}
	return n
}

// hashAt returns the hash of the word that begins at an offset, and where the word ends. Digits
// that follow each other count as one, with the separators between them: the size of a number
// says little, and a long one would take the place of several words.
func hashAt(text string, at, end int) (hash uint32, after int) {
	hash = fnvOffset
	last, letters := rune(0), 0
	for at < end {
		r, size := letterAt(text, at, end)
		switch {
		case r == 0 && last == '0' && separates(text[at:end]):
		case r == 0 && !hidden(text, at, size), r == '$', r == '%':
			return hash, at
		case r == 0, r == '0' && last == '0':
		case letters < maxLetters:
			hash = (hash ^ uint32(r)) * fnvPrime
			letters++
			last = r
		default:
			last = r
		}
		at += size
	}
	return hash, at
}

// separates reports whether text begins with a separator in a number: "," in "1,500", "." in "2.5".
func separates(text string) bool {
	return len(text) > 1 && (text[0] == ',' || text[0] == '.') && text[1] >= '0' && text[1] <= '9'
}

// gapAt returns the length of the sign for left-out text that text begins with, and what it
// is: '*' for text that is kept secret or still to be agreed, such as "[***]", and '_' for a
// blank. The length is 0 if there is none.
func gapAt(text string) (length int, sign byte) {
	switch text[0] {
	case '[':
		end := 1 + lengthOf(text[1:], "*●• ")
		if end < len(text) && text[end] == ']' && strings.TrimSpace(text[1:end]) != "" {
			return end + 1, '*'
		}
	case '*', '_':
		if n := lengthOf(text, text[:1]); n > 1 {
			return n, text[0]
		}
	}
	return 0, 0
}

// lengthOf returns how many bytes at the beginning of text are in a set.
func lengthOf(text, set string) int {
	return len(text) - len(strings.TrimLeft(text, set))
}

// letterAt returns the lower case of the letter at an offset, '0' for a digit, a sign that
// is a word by itself, or 0 for anything else; and how many bytes it has.
func letterAt(text string, at, end int) (rune, int) {
	switch c := text[at]; {
	case c >= 'a' && c <= 'z', c == '$', c == '%':
		return rune(c), 1
	case c >= 'A' && c <= 'Z':
		return rune(c | 0x20), 1
	case c >= '0' && c <= '9':
		return '0', 1
	case c < utf8.RuneSelf:
		return 0, 1
	}
	r, size := utf8.DecodeRuneInString(text[at:end])
	switch {
	case unicode.IsLetter(r):
		return unicode.ToLower(r), size
	case unicode.IsDigit(r):
		return '0', size
	}
	return 0, size
}

// hidden reports whether a character is invisible inside a word, such as a soft hyphen.
func hidden(text string, at, size int) bool {
	switch text[at : at+size] {
	case "\u00ad", "\u200b", "\u2060", "\ufeff":
		return true
	}
	return false
}
