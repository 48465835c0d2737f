package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/space"
)

// SentenceEnd returns the end of the first sentence of a text, which is the rest of a
// paragraph.
func SentenceEnd(text string) int {
	for i := range len(text) {
		switch text[i] {
		case '.', '!', '?':
		default:
			continue
		}
		if n, ok := stopAt(text, i); ok {
			return n
		}
	}
	return len(text)
}

// EndsAt reports whether the stop at i ends a sentence.
func EndsAt(text string, i int) bool {
	_, ok := stopAt(text, i)
	return ok
}

// stopAt reports whether the stop at i ends a sentence, and returns the end of the sentence:
// after the closing quotation marks and parentheses.
func stopAt(text string, i int) (int, bool) {
	end := i + 1
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !strings.ContainsRune("\"'”’)]»", r) {
			break
		}
		end += size
	}
	rest := text[end:]
	next := strings.TrimLeftFunc(rest, space.Is)
	if next == "" {
		return end, true
	}
	if len(next) == len(rest) || i > 0 && text[i-1] == '.' && !strings.HasSuffix(text[:i], "etc.") {
		return 0, false // within a word, or an ellipsis or leaders
	}
	r, _ := utf8.DecodeRuneInString(next)
	if bulleted(rest[:len(rest)-len(next)], next) {
		return end, true
	}
	if unicode.IsLower(r) || strings.ContainsRune(",;:.)]–—-&_", r) {
		return 0, false
	}
	if text[i] == '.' && end == i+1 && abbreviated(text[:i], next) {
		return 0, false
	}
	return end, true
}

// bulleted reports whether a list item begins on a new line: gap is the white space before next, which
// begins with a dash and a capital letter.
func bulleted(gap, next string) bool {
	item := strings.TrimLeft(next, "–—-")
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(item, " \t"))
	return len(next)-len(item) > 0 && len(next)-len(item) <= len("—") && strings.HasPrefix(item, " ") && strings.Contains(gap, "\n") && unicode.IsUpper(r)
}

// maxWord is the assumed maximum length of a word before a stop, in bytes.
const maxWord = 24

// abbreviated reports whether the period between before and next belongs to an
// abbreviation, or to the initial of a name.
func abbreviated(before, next string) bool {
	if len(before) > 3*maxWord {
		before = before[len(before)-3*maxWord:]
	}
	word, lead := lastWord(before)
	key := strings.ToLower(word)
	nextWord := FirstLetters(next)
	switch {
	case word == "":
		return false
	case abbreviations[key]:
		return key != "no" || nextIsNumber(next)
	case currencies[key]:
		return unicode.IsDigit(rune(next[0]))
	case closers[key]:
		return !starters[strings.ToLower(nextWord)] || len(nextWord) == 1 && nextWord != "A"
	case len(word) == 1 && unicode.IsUpper(rune(word[0])):
		previous, _ := lastWord(strings.TrimRightFunc(lead, space.Is))
		return !numberedWords[strings.ToLower(previous)] && !starters[strings.ToLower(nextWord)]
	case len(word) <= 5 && strings.Contains(word, ".") && !strings.ContainsFunc(word, unicode.IsDigit):
		return !starters[strings.ToLower(nextWord)] // "J.P. Morgan"
	}
	return false
}

// nextIsNumber reports whether a number follows, as after "No."
func nextIsNumber(next string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, "#[(*"))
	return unicode.IsDigit(r) || len(FirstLetters(next)) == 1
}

// RealStop reports whether the last stop of a text is not that of an abbreviation.
func RealStop(text string) bool {
	text = text[max(0, len(text)-4*maxWord):] + " X"
	return EndsAt(text, max(0, strings.LastIndexAny(text, ".!?")))
}

// lastWord returns the last word of a text, and the text before it.
func lastWord(text string) (word, before string) {
	at := strings.LastIndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".'’/", r)
	})
	word = text[at+1:]
	if at < 0 {
		return word, ""
	}
	return word, text[:at+1]
}
