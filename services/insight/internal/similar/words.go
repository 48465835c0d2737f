package similar

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxText is how many bytes of a text count. The rest of a longer text is ignored.
const MaxText = 8 << 20

// word is one word of a text, as a hash of its folded letters and digits.
type word struct {
	hash uint64
	// value reports whether the word looks like a value that was filled in: a number, a
	// name, an address.
	value bool
}

// words returns the words of a text. Two texts that differ only in case, punctuation,
// white space, or in compatible characters such as ligatures, have the same words.
func words(text string) []word {
	if len(text) > MaxText {
		text = strings.ToValidUTF8(text[:MaxText], "")
	}
	var found []word
	for token := range strings.FieldsSeq(norm.NFKC.String(text)) {
		found = appendWords(found, token)
	}
	return found
}

// appendWords appends the words of a token, which is a text without white space.
func appendWords(found []word, token string) []word {
	address := strings.Contains(token, "@") || strings.Contains(token, "://") || strings.HasPrefix(token, "www.")
	open := false // the last word may continue
	for _, r := range token {
		switch {
		case unicode.Is(unicode.Cf, r): // soft hyphens, joiners and marks of direction
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			open = false
			continue
		}
		if alone := unicode.In(r, unspaced...); !open || alone {
			found = append(found, word{hash: offset, value: address || unicode.IsUpper(r) || unicode.IsTitle(r)})
			open = !alone
		}
		w := &found[len(found)-1]
		w.hash = (w.hash ^ uint64(unicode.ToLower(r))) * prime
		w.value = w.value || unicode.IsDigit(r)
	}
	return found
}

// offset and prime are those of the hash FNV-1a (Fowler, Noll and Vo).
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

// unspaced are the scripts that put no spaces between words. Each character of them counts
// as a word.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// fixed returns the words that are not values: the wording of a template.
func fixed(all []word) []word {
	kept := make([]word, 0, len(all))
	for _, w := range all {
		if !w.value {
			kept = append(kept, w)
		}
	}
	return kept
}
