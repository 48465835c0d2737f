package quotes

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/rectohq/recto/services/insight/internal/rules/number"
)

// hyphenated matches the hyphen and the white space at the end of a line within a word.
var hyphenated = regexp.MustCompile(`(\pL)-[ \t]*\r?\n\s*(\p{Ll})`)

// token matches a word or a number in plain text, or a sign that belongs to an amount.
var token = regexp.MustCompile(`[\pL\pM\p{Nd}]+(?:'\pL+|(?:[.,/:'-]\p{Nd}[\pL\p{Nd}]*))*|\p{Sc}|[%§‰]`)

// tokens returns the words, the numbers and the signs of amounts of a text, in a form in
// which equal ones are equal strings. "cannot" and "isn't" are two words each.
func tokens(text string) []string {
	var out []string
	for _, t := range token.FindAllString(flat(text), -1) {
		out = appendToken(out, t)
	}
	return out
}

// appendToken appends the tokens of a match of token. Only numbers have separators.
func appendToken(out []string, t string) []string {
	switch base, negated := strings.CutSuffix(t, "n't"); {
	case t == "cannot" || t == "can't":
		return append(out, "can", "not")
	case t == "won't":
		return append(out, "will", "not")
	case t == "shan't":
		return append(out, "shall", "not")
	case negated:
		return append(out, base, "not")
	case strings.ContainsAny(t, ".,/:-") && !startsDigit(t):
		return append(out, strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune(".,/:-", r) })...)
	}
	return append(out, strings.ReplaceAll(t, "'", ""))
}

// flat returns a text in lower case and in normal form KC, with one kind of quotation mark
// and of dash, and without hyphenation.
func flat(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch p := plain(r); {
		case unicode.IsSpace(r):
			b.WriteRune(r)
		case p == invisible:
		case unicode.Is(unicode.No, r): // "½" is not part of the number before it
			b.WriteString(" " + norm.NFKC.String(string(r)) + " ")
		default:
			b.WriteRune(p)
		}
	}
	s := hyphenated.ReplaceAllString(norm.NFKC.String(b.String()), "$1$2")
	return strings.ToLower(strings.ReplaceAll(s, "⁄", "/"))
}

// vocabulary returns how often each word occurs in a text.
func vocabulary(text string) map[string]int {
	n := map[string]int{}
	for _, t := range tokens(text) {
		n[t]++
	}
	return n
}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// negations are words that turn the meaning of others.
var negations = setOf("not no nor never none neither nothing nobody nowhere non without unless except excluding exclude excludes excluded hardly only solely otherwise")

// decisive are other words that a passage must have in common with its quote: bounds, units
// of time and money, and dates.
var decisive = setOf(`least most more less maximum minimum exceed fewer half quarter double triple twice once dozen percent
	dollar euro pound sterling yen yuan franc rupee usd eur gbp chf jpy cny cad aud inr cent
	day week month year hour minute daily weekly monthly quarterly annual annually yearly biennial
	monday tuesday wednesday thursday friday saturday sunday
	january february march april june july august september october november december
	jan feb mar apr jun jul aug sep sept oct nov dec`)

// distinct are words that are never misspellings of others: duties and rights, and what
// relates or counts things.
var distinct = setOf(`shall may must will should can could would might cannot before after until within prior following
	greater over under above below than from to for by with all each every both either some and or if only`)

// critical returns the tokens that a passage must have in common with its quote, in order:
// numbers, amounts, dates, negations and other decisive words.
func critical(words []string) []string {
	var out []string
	for _, t := range words {
		if unit := strings.TrimSuffix(t, "s"); decisive[unit] {
			out = append(out, unit)
		} else if negations[t] || decisive[t] || isNumber(t) {
			out = append(out, t)
		}
	}
	return out
}

// isNumber reports whether a token is a number, a word for one, or a sign of an amount.
func isNumber(t string) bool {
	if number.IsWord(t) || strings.ContainsFunc(t, func(r rune) bool {
		return unicode.IsNumber(r) || unicode.Is(unicode.Sc, r) || strings.ContainsRune("%‰§", r)
	}) {
		return true
	}
	_, ordinal := number.Ordinal(t)
	return ordinal
}

func startsDigit(s string) bool { return unicode.IsNumber(runeAfter(s, 0)) }
