// Package numbering reads the numbers of paragraphs: how they are written, which of them
// continue a series, and how deep each is.
package numbering

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// series is a style of numbering. Numbers of one series follow each other.
type series string

// The series whose rank follows from their form. The depth of others, such as "(a)" or
// "(i)", depends on where they first occur.
const (
	partSeries    series = "part"
	articleSeries series = "article"
	sectionSeries series = "section"
	decimalSeries series = "decimal" // followed by the number of parts
)

// reading is one way to read an enumerator: "(i)" is a letter or a Roman numeral.
type reading struct {
	series series
	value  int
	// prefix holds the parts before the value, such as "2" in "2.1".
	prefix string
}

// Enumerator is the number or letter at the beginning of a numbered paragraph.
type Enumerator struct {
	// Text is the enumerator as written, without a trailing period.
	Text string
	// End is the offset of the text after it.
	End      int
	readings []reading
	// Weak marks an enumerator that counts only if it fits the previous numbers.
	Weak bool
	// Keyword marks an enumerator with a word such as "Section".
	Keyword bool
}

var (
	keywordNumber = regexp.MustCompile(`^(?i:(article|section|sec\.|clause|part|chapter)[ \t\x{00a0}]+|(§{1,2})[ \t\x{00a0}]*)` +
		`([0-9]{1,3}(?:\.[0-9]{1,3})*|[IVXLC]{1,7}|[A-Z]|(?i:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))` +
		`((?:\([a-zA-Z0-9]{1,4}\))*)([.:)]?)`)
	decimalNumber = regexp.MustCompile(`^([0-9]{1,3}(?:\.[0-9]{1,3}){0,5})((?:\([a-zA-Z0-9]{1,4}\))*)([.):]?)`)
	// dayOfMonth matches the text after the day of a date: "1 March 2024" is not
	// numbered.
	dayOfMonth   = regexp.MustCompile(`^[ \t\x{00a0}]*(?i:st|nd|rd|th)?[ \t\x{00a0}]+(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?,?[ \t\x{00a0}]+[12][0-9]{3}\b`)
	parenNumber  = regexp.MustCompile(`^\(([a-zA-Z]{1,8}|[0-9]{1,2})\)`)
	letterNumber = regexp.MustCompile(`^([A-Za-z]|[ivxIVX]{2,5})([.)])`)
)

// Parse reads the enumerator that text begins with.
func Parse(text string) (Enumerator, bool) {
	text = wording.Head(text)
	if text == "" {
		return Enumerator{}, false
	}
	var e Enumerator
	ok := false
	switch c := text[0]; {
	case '0' <= c && c <= '9':
		e, ok = readDecimal(text)
	case c == '(':
		e, ok = readParen(text)
	case isLetter(c) && !IsWord(text), strings.HasPrefix(text, "§"):
		if e, ok = readKeyword(text); !ok {
			e, ok = readLetter(text)
		}
	}
	if !ok {
		return Enumerator{}, false
	}
	e.End += len(text[e.End:]) - len(strings.TrimLeftFunc(text[e.End:], unicode.IsSpace))
	if e.Keyword {
		e.End += dash(text[e.End:])
	}
	return e, true
}

// IsWord reports whether a text, which is not empty, begins with a letter but with no enumerator:
// neither with a word such as "Section", nor with a letter or a Roman numeral and a stop. Most texts
// do, so this saves reading them as each kind of enumerator.
func IsWord(text string) bool {
	if len(text) < 2 {
		return isLetter(text[0])
	}
	switch [2]byte{text[0] | 0x20, text[1] | 0x20} { // in lower case
	case [2]byte{'a', 'r'}, [2]byte{'s', 'e'}, [2]byte{'c', 'l'}, [2]byte{'p', 'a'}, [2]byte{'c', 'h'}:
		return false // article, section, clause, part, chapter
	}
	const roman = "ivxIVX"
	numeral := strings.IndexByte(roman, text[0]) >= 0 && strings.IndexByte(roman, text[1]) >= 0
	return isLetter(text[0]) && text[1] != '.' && text[1] != ')' && !numeral
}

// dash returns the length of the dash and spaces that a text begins with, which separate a
// number from its title.
func dash(text string) int {
	rest := strings.TrimLeft(text, "-–—")
	if rest == text || !strings.HasPrefix(rest, " ") {
		return 0
	}
	return len(text) - len(strings.TrimLeft(rest, " "))
}

// isLetter reports whether a byte is an ASCII letter.
func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

// readKeyword reads "ARTICLE II", "Section 3.2." and "§ 4".
func readKeyword(text string) (Enumerator, bool) {
	m := keywordNumber.FindStringSubmatch(text)
	if m == nil {
		return Enumerator{}, false
	}
	word, number, stop := strings.ToLower(m[1]), m[3], m[5]
	after := text[len(m[0]):]
	if !boundary(after) || stop == "" && refers(after) {
		return Enumerator{}, false
	}
	e := Enumerator{Text: strings.TrimSuffix(m[0], stop), End: len(m[0]), Keyword: true}
	switch {
	case word == "chapter":
		e.readings = []reading{{series: partSeries, value: ordinal(number)}}
	case word == "article" || word == "part":
		e.readings = []reading{{series: series(word), value: ordinal(number)}}
	case strings.Contains(number, "."):
		e.readings = []reading{decimalReading(number)}
	default:
		e.readings = []reading{{series: sectionSeries, value: ordinal(number)}}
	}
	return e, true
}

// refers reports whether the text after "Section 3.2" makes it a reference, such as "of this
// Agreement". A heading continues with a capital letter or not at all.
func refers(after string) bool {
	after = strings.TrimLeftFunc(after, unicode.IsSpace)
	r, _ := utf8.DecodeRuneInString(after)
	return unicode.IsLower(r) || r == ',' || r == ';' || r == '(' || r == ')'
}

// readDecimal reads "1.", "1.1" and "2.1(a)".
func readDecimal(text string) (Enumerator, bool) {
	m := decimalNumber.FindStringSubmatch(text)
	if m == nil {
		return Enumerator{}, false
	}
	after := text[len(m[0]):]
	dotted := strings.Contains(m[1], ".")
	next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(after, unicode.IsSpace))
	glued := !boundary(after)
	if glued && !(unicode.IsUpper(next) && (dotted || m[3] == ".")) {
		return Enumerator{}, false
	}
	if unicode.IsDigit(next) && !dotted || next == '%' || next == '$' {
		return Enumerator{}, false
	}
	first, _ := strconv.Atoi(strings.SplitN(m[1], ".", 2)[0])
	if first == 0 || first > 99 || !dotted && first <= 31 && dayOfMonth.MatchString(after) {
		return Enumerator{}, false
	}
	if m[3] == "" && !dotted && (next == utf8.RuneError || strings.HasPrefix(strings.TrimLeft(after, " "), "\n")) {
		return Enumerator{}, false // a page number
	}
	e := Enumerator{Text: m[1] + m[2], End: len(m[0]), readings: []reading{decimalReading(m[1])}}
	if m[3] == ")" && !dotted {
		e.Text, e.readings = m[1]+")", []reading{{series: "1)", value: first}}
	}
	bare := m[3] == "" && !dotted && !strings.HasPrefix(after, "  ") && !strings.HasPrefix(after, "\t")
	e.Weak = bare || glued && !dotted || unicode.IsLower(next) || next == utf8.RuneError && m[3] == ""
	return e, true
}

// decimalReading reads "2.1". Its value is the last part, in the series of its depth.
func decimalReading(number string) reading {
	parts := strings.Split(number, ".")
	if len(parts) > 1 && parts[len(parts)-1] == "0" {
		parts = parts[:len(parts)-1] // "1.0" is the same as "1."
	}
	value, _ := strconv.Atoi(parts[len(parts)-1])
	prefix := strings.Join(parts[:len(parts)-1], ".")
	return reading{decimalSeries + series(strconv.Itoa(len(parts))), value, prefix}
}

// readParen reads "(a)", "(iv)" and "(1)", or several of them.
func readParen(text string) (Enumerator, bool) {
	m := parenNumber.FindStringSubmatch(text)
	if m == nil {
		return Enumerator{}, false
	}
	readings := letterReadings(m[1], "(", ")")
	if len(readings) == 0 {
		return Enumerator{}, false
	}
	e := Enumerator{Text: m[0], End: len(m[0]), readings: readings, Weak: unicode.IsDigit(rune(m[1][0]))}
	rest := strings.TrimLeft(text[e.End:], " ")
	if inner, ok := readParen(rest); ok {
		skipped := len(text) - e.End - len(rest)
		e.Text += inner.Text
		e.End += skipped + inner.End
	}
	return e, true
}

// readLetter reads "A.", "b)" and "IV.".
func readLetter(text string) (Enumerator, bool) {
	m := letterNumber.FindStringSubmatch(text)
	if m == nil || !boundary(text[len(m[0]):]) {
		return Enumerator{}, false
	}
	readings := letterReadings(m[1], "", m[2])
	if len(readings) == 0 {
		return Enumerator{}, false
	}
	return Enumerator{Text: strings.TrimSuffix(m[0], "."), End: len(m[0]), readings: readings, Weak: true}, true
}

// boundary reports whether a number can end before text.
func boundary(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text == "" || unicode.IsSpace(r) || strings.ContainsRune(`"“'‘([–—-`, r)
}

// letterReadings returns the readings of a letter, a Roman numeral or a number.
func letterReadings(s, before, after string) []reading {
	if n, err := strconv.Atoi(s); err == nil {
		return []reading{{series: series(before + "1" + after), value: n}}
	}
	letter, roman := "a", "i"
	lower := strings.ToLower(s)
	switch s {
	case lower:
	case strings.ToUpper(s):
		letter, roman = "A", "I"
	default:
		return nil
	}
	var readings []reading
	if strings.Count(lower, lower[:1]) == len(lower) && len(lower) <= 3 {
		readings = append(readings, reading{series: series(before + letter + after), value: int(lower[0]-'a') + 1 + 26*(len(lower)-1)})
	}
	if n := romanValue(lower); n > 0 && n < 50 {
		readings = append(readings, reading{series: series(before + roman + after), value: n})
	}
	return readings
}

// ordinal reads the number of an article: a number, a Roman numeral, a letter or a word.
func ordinal(s string) int {
	if n, err := strconv.Atoi(strings.SplitN(s, ".", 2)[0]); err == nil {
		return n
	}
	lower := strings.ToLower(s)
	for i, word := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"} {
		if lower == word {
			return i + 1
		}
	}
	if n := romanValue(lower); n > 0 {
		return n
	}
	return int(lower[0]-'a') + 1
}

// romanValue reads a Roman numeral in lower case. It returns 0 for any other text.
func romanValue(s string) int {
	digits := map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100}
	sum := 0
	for i := range len(s) {
		d, ok := digits[s[i]]
		if !ok {
			return 0
		}
		if i+1 < len(s) && digits[s[i+1]] > d {
			d = -d
		}
		sum += d
	}
	if sum <= 0 || romanText(sum) != s {
		return 0
	}
	return sum
}

// romanText returns a number below 400 as a Roman numeral.
func romanText(n int) string {
	var b strings.Builder
	for _, d := range []struct {
		value int
		text  string
	}{{100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		for n >= d.value && b.Len() < 20 {
			b.WriteString(d.text)
			n -= d.value
		}
	}
	return b.String()
}

// Rank returns the depth of an enumerator by its form, 0 for "(a)" and the like.
func (e Enumerator) Rank() int {
	if len(e.readings) == 0 {
		return 0
	}
	return rank(e.readings[0].series)
}
