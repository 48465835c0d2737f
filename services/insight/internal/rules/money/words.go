package money

import (
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/number"
	"github.com/rectohq/recto/services/insight/internal/space"

	"github.com/shopspring/decimal"
)

var (
	// country matches a country before the name of a currency.
	country = space.Compile(`(?i)\b(?:` + adjective + `)\s+$`)
	// tailOfWords matches the text between an amount in words and its digits.
	tailOfWords = space.Compile(`(?i)\s*(?:(?:(?:` + adjective + `)\s+)?(?:` + noun + `)|U\.?S\.?|united states)?\s*(?:only)?\s*$`)
	cents       = space.Compile(`(?i)\s*(?:,?\s*and\s+|&\s*)?(?:\d\d|no|zero|xx)\s?/\s?100$`)
)

// inWords returns the amounts written in words: "Ten Thousand Dollars", "USD Fifty
// Thousand".
func inWords(text string, limit int) []Amount {
	var found []Amount
	for at := 0; at < len(text) && len(found) < 2*limit; {
		if !isLetter(text[at]) {
			at++
			continue
		}
		end := at
		for end < len(text) && isLetter(text[end]) {
			end++
		}
		if word := text[at:end]; len(word) == 3 && iso[word] || likeNoun(word) && nouns[strings.ToLower(word)] {
			found = appendWords(found, text, layout.Span{Start: at, End: end})
		}
		at = end
	}
	return found
}

// nounLengths holds for each letter the lengths of the nouns that begin with it: bit n
// stands for length n.
var nounLengths = func() (lengths ['z' + 1]uint32) {
	for noun := range nouns {
		lengths[noun[0]] |= 1 << len(noun)
	}
	return lengths
}()

// likeNoun reports whether a word of ASCII letters has the first letter and the length of
// a noun. It saves looking up most words.
func likeNoun(word string) bool { return nounLengths[word[0]|0x20]>>len(word)&1 != 0 }

// appendWords appends the amount in words before or after the currency at name, if there
// is one.
func appendWords(found []Amount, text string, name layout.Span) []Amount {
	from := name.Start
	base := max(0, from-lookBehind)
	if m := country.FindStringIndex(text[base:from]); m != nil && !iso[text[from:name.End]] {
		from = base + m[0]
	}
	currency := text[from:name.End]
	shared := isShared(currency)
	if !iso[currency] {
		currency = currencyNamed(currency)
	}
	if currency == "" {
		return found
	}
	if start := wordsStart(text, from); start < from {
		if n, ok := number.Parse(text[start:from]); ok {
			return append(found, Amount{layout.Span{Start: start, End: name.End}, decimal.NewFromInt(int64(n)), currency, shared})
		}
	}
	first := name.End
	first += len(text[first:]) - len(strings.TrimLeft(text[first:], " \t\u00a0\u202f"))
	end := wordsEnd(text, first)
	if n, ok := number.Parse(text[first:end]); ok && first > name.End && n >= smallest {
		return append(found, Amount{layout.Span{Start: from, End: end}, decimal.NewFromInt(int64(n)), currency, shared})
	}
	return found
}

// smallest is the minimum for an amount in words after its currency: "US Dollars one
// month" is not an amount.
const smallest = 100

// wordsEnd returns the end of the spelled-out number that begins at start.
func wordsEnd(text string, start int) int {
	end := start
	for at := start; at < len(text) && at < start+maxWords; {
		size := strings.IndexFunc(text[at:], partsWords)
		if size < 0 {
			size = len(text) - at
		}
		w := text[at : at+size]
		if !number.IsWord(w) && (end == start || !strings.EqualFold(w, "and")) {
			break
		}
		at += size
		if number.IsWord(w) {
			end = at
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if r != ' ' && r != '\u00a0' && r != '-' {
			break
		}
		at += size
	}
	return end
}

// partsWords reports whether r separates words.
func partsWords(r rune) bool { return space.Is(r) || strings.ContainsRune("-(),.;:\"", r) }

// hundredths returns the amount in words whose cents end with n: "Fifty and 25/100
// Dollars". The currency must follow.
func hundredths(text string, n numeral) (Amount, bool) {
	if text[n.Start:n.End] != "100" {
		return Amount{}, false
	}
	base := max(0, n.Start-lookBehind)
	m := fraction.FindStringSubmatchIndex(text[base:n.Start])
	if m == nil {
		return Amount{}, false
	}
	words := base + m[0]
	start := wordsStart(text, words)
	whole, ok := number.Parse(text[start:words])
	a := Amount{Span: layout.Span{Start: start, End: n.End}, Value: decimal.NewFromInt(int64(whole))}
	if c := text[base+m[2] : base+m[3]]; isDigit(c[0]) {
		a.Value = a.Value.Add(plain(c).Shift(-2))
	}
	a = a.after(text)
	return a, ok && a.Currency != ""
}

// withWords returns the start of the amount whose digits begin at from, including the
// words before them: "One Million Dollars ($1,000,000)".
func withWords(text string, from int) int {
	base := max(0, from-maxWords)
	head := strings.TrimRightFunc(text[base:from], space.Is)
	if !strings.HasSuffix(head, "(") {
		return from
	}
	head = strings.TrimRightFunc(head[:len(head)-1], space.Is)
	head = head[:tailOfWords.FindStringIndex(head)[0]]
	if m := cents.FindStringIndex(head); m != nil {
		head = head[:m[0]]
	}
	if start := wordsStart(text, base+len(head)); start < base+len(head) {
		return start
	}
	return from
}

// wordsStart returns the start of the spelled-out number that ends before end, or end if
// there is none.
func wordsStart(text string, end int) int {
	base := max(0, end-maxWords)
	start := end
	for at := end; at > base; {
		head := strings.TrimRightFunc(text[base:at], func(r rune) bool { return space.Is(r) || r == '-' })
		cut := 0
		if i := strings.LastIndexFunc(head, func(r rune) bool { return r != ')' && partsWords(r) }); i >= 0 {
			_, size := utf8.DecodeRuneInString(head[i:])
			cut = i + size
		}
		w := head[cut:]
		if !number.IsWord(w) && (start == end || !strings.EqualFold(w, "and")) {
			break
		}
		at = base + cut
		if number.IsWord(w) {
			start = at
		}
	}
	return start
}
