package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
)

// NextGap returns the offset after the next white space from at on.
func NextGap(body string, at int) int {
	return skip(body, skip(body, at, false), true)
}

// skip returns the offset after the characters from at on that are white space, or those
// that are not.
func skip(body string, at int, white bool) int {
	for at < len(body) {
		r, size := rune(body[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(body[at:])
		}
		if (r <= ' ' || r >= utf8.RuneSelf) && space.Is(r) != white || r > ' ' && r < utf8.RuneSelf && white {
			return at
		}
		at += size
	}
	return at
}

// maxHead is how many bytes are examined to find what a text begins with, such as the number
// of a paragraph.
const maxHead = 80

// Head returns the beginning of a text: at most maxHead bytes, without a partial character.
func Head(text string) string {
	if len(text) <= maxHead {
		return text
	}
	cut := maxHead
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// FirstRune returns the first character of a text.
func FirstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// FirstLetters returns the letters that a text begins with, after opening marks.
func FirstLetters(text string) string {
	text = strings.TrimLeft(text, "\"'“‘([")
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		return text
	}
	return text[:end]
}

// LastLetters returns the last word of a text.
func LastLetters(text string) string {
	return text[strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
}

// OneLine returns a text on one line, with single spaces.
func OneLine(text string) string { return strings.Join(strings.FieldsFunc(text, space.Is), " ") }

// companyEnd matches the end of a company name.
var companyEnd = regexp.MustCompile(`(?i:[, ](?:inc|incorporated|corp|corporation|company|co|ltd|limited|llc|l\.l\.c|pllc|lp|l\.p|llp|lllp|l\.l\.p|plc|p\.l\.c|dac|clg|p\.c|p\.a|gmbh|kg|kgaa|ohg|s\.a|s\.a\.s|s\.p\.a|s\.r\.l|s\.r\.o|sp\. z o\.o|a\.s|s\.à r\.l|s\.l|n\.v|b\.v|c\.v|ag|a/s|aps|oyj?|k\.k|kk|kaisha|bhd|ltda|partnership|trust|bank|n\.a|(?-i:PC|SpA|S[AÀ]RL|S[aà]rl|S[Rr][Ll]|SASU?|ANS|ASA|Kft|Zrt|Lda|UAB|OOD|EOOD|JSC|FZE|FZCO|WLL))\.?:?)$`)

// EndsCompany reports whether a text ends like a company name.
func EndsCompany(text string) bool { return companyEnd.MatchString(text) }
