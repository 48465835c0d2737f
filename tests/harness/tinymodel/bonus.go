package tinymodel

// bonus is what a token scores besides a random number with a standard deviation of about
// 2.5: the greatest of all the random numbers is about 6. For steady tokens that number is
// smaller.
type bonus struct {
	always, afterQuote, afterPhrase float32
	steady                          bool
}

// The bonus of tokens that are never chosen, and of those that always are, if the grammar
// allows them.
const (
	never  = -40
	always = 30
)

// bonusOf returns the bonus of a token. Strings are not empty and end after some words,
// lists are short, and the text ends as soon as it may. Many strings are a phrase.
func (m Model) bonusOf(token int) bonus {
	switch {
	case token == turnEnd:
		return bonus{always: always}
	case token < firstByte:
		return bonus{always: never}
	case token >= firstPhrase:
		return bonus{always: -4, afterQuote: 8.5, afterPhrase: never}
	case token == space:
		return bonus{always: -1}
	}
	return m.bonusOfByte(byte(token - firstByte))
}

// bonusOfByte returns the bonus of the token of a byte. Models write only ASCII of their
// own: the bytes of other characters in random order are not UTF-8.
func (m Model) bonusOfByte(b byte) bonus {
	switch {
	case m.Endless && (b == '"' || b == ']' || b == '}'):
		return bonus{always: never}
	case b == '"':
		return bonus{always: 2.5, afterQuote: -10, afterPhrase: always}
	case b == '{':
		return bonus{always: 2, steady: true}
	case b == ']' || b == '}':
		return bonus{always: 1, steady: true}
	case b == ',':
		return bonus{steady: true}
	case b < ' ' || b > '~' || b == '\\':
		return bonus{always: never}
	}
	return bonus{}
}
