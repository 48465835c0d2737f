package quotes_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/llm/quotes"
)

// random returns a source of random numbers that is the same in each run.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 17)) }

// writing has the words of contract, which made-up texts are made of.
var writing = append(strings.Fields(`the this of Agreement party “Tenant” shall not pay Landlord's fee term Notice ﬁnal
	non-exclusive Zürich café Ｔｅｒｍ $1,250.00 thirty (30) 12/31/2024 2½ 契約 — § 5.2 including, without limitation; terminate`), "con- sideration")

// madeUp returns a text of n random words.
func madeUp(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(writing[r.IntN(len(writing))])
		b.WriteString([]string{" ", " ", " ", "\n", "\u00a0", ". ", "\n\n"}[r.IntN(7)])
	}
	return b.String()
}

// cut returns a random part of a text that begins and ends with white space, so that it
// cuts neither words nor numbers.
func cut(r *rand.Rand, text string, length int) string {
	from := r.IntN(len(text) - length)
	from += strings.IndexFunc(text[from:], unicode.IsSpace)
	to := from + strings.LastIndexFunc(text[from:from+length], unicode.IsSpace)
	return strings.TrimSpace(text[from:to])
}

// letters returns the letters and digits of a text, which noise does not change.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, quotes.Fold(text, false))
}

// TestAnyPart shows that any part of a text is found exactly, and with changed white space
// and signs as a passage with the same letters. The text before it never matches.
func TestAnyPart(t *testing.T) {
	r := random(1)
	text := madeUp(r, 3000)
	f := quotes.New(text)
	for range 1500 {
		quote := cut(r, text, 40+r.IntN(900))
		span, how, ok := f.Find(quote, all(text))
		if !ok || how != quotes.Exact || text[span.Start:span.End] != quote {
			t.Fatalf("%q: got %q, %v, %v", quote, text[span.Start:span.End], how, ok)
		}
		if first := strings.Index(text, quote); span.Start > first && !unicode.IsLetter(before(text, first)) {
			t.Fatalf("%q: found at %d, but it is at %d too", quote, span.Start, first)
		}
		noisy := noise(r, quote)
		span, how, ok = f.Find(noisy, all(text))
		if !ok || how == quotes.Fuzzy || letters(text[span.Start:span.End]) != letters(quote) {
			t.Fatalf("%q: got %q, %v, %v; want the letters of %q", noisy, text[span.Start:span.End], how, ok, quote)
		}
	}
}

func before(text string, at int) rune { r, _ := utf8.DecodeLastRuneInString(text[:at]); return r }

// noise changes a text as models do without changing its letters.
func noise(r *rand.Rand, text string) string {
	changes := [][2]string{
		{"\n", " "}, {" ", "\n"}, {" ", "\u2003 "}, {"\u00a0", " "}, {"“", `"`}, {"”", `"`}, {"'", "’"}, {"—", "-"}, {"—", "--"}, {"ﬁ", "fi"}, {"Ｔｅｒｍ", "Term"},
		{"é", "e\u0301"}, {"½", " 1/2"}, {"con- sideration", "consideration"}, {"non-exclusive", "non\u2011exclusive"}, {"Agreement", "Agree\u00adment"}, {"\n\n", "\r\n"},
	}
	for range 1 + r.IntN(6) {
		c := changes[r.IntN(len(changes))]
		text = strings.ReplaceAll(text, c[0], c[1])
	}
	return strings.Replace([]string{"%", "\"%\"", "... % …", "“%”", "\t% \n"}[r.IntN(5)], "%", text, 1)
}

// TestNoPart shows that a quote that is not of the text is not found: random letters, words
// of the text in random order, and parts of it with another number.
func TestNoPart(t *testing.T) {
	r := random(2)
	text := madeUp(r, 3000)
	f := quotes.New(text)
	for range 500 {
		foreign := make([]byte, 20+r.IntN(400))
		for i := range foreign {
			foreign[i] = "abcdefghijklmnopqrstuvwxyz     "[r.IntN(31)]
		}
		quote := cut(r, text, 300)
		for _, q := range []string{string(foreign), madeUp(r, 20), strings.Replace(quote, "30", "60", 1), strings.Replace(quote, "not", "", 1), strings.Replace(quote, "1,250", "1,280", 1)} {
			if strings.Contains(text, q) {
				continue
			}
			if span, how, ok := f.Find(q, all(text)); ok && letters(text[span.Start:span.End]) != letters(q) && !sameNumbers(text[span.Start:span.End], q) {
				t.Fatalf("%q: found %q (%v)", q, text[span.Start:span.End], how)
			}
		}
	}
}

// sameNumbers reports whether two texts have the same digits and the same number of "not".
func sameNumbers(a, b string) bool {
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	return digits(a) == digits(b) && strings.Count(a, "not") == strings.Count(b, "not")
}

// TestDistance compares the distances in blocks of letters with those of the textbook.
func TestDistance(t *testing.T) {
	r := random(3)
	for range 2000 {
		a, b := word(r, 1+r.IntN(200)), word(r, r.IntN(200))
		whole, part := quotes.Distance(a, b)
		if w, p := plainDistance(a, b, 1), plainDistance(a, b, 0); whole != w || part != p {
			t.Fatalf("%q and %q: got %d and %d, want %d and %d", a, b, whole, part, w, p)
		}
	}
}

func word(r *rand.Rand, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte('a' + r.IntN(3))
	}
	return string(out)
}

// plainDistance returns the edit distance between a and b if skip is 1, and the least one
// between a and a part of b if it is 0.
func plainDistance(a, b string, skip int) int {
	column := make([]int, len(a)+1)
	for i := range column {
		column[i] = i
	}
	least := column[len(a)]
	for j := range len(b) {
		diagonal := column[0]
		column[0] = (j + 1) * skip
		for i := range len(a) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = column[i+1]
			column[i+1] = min(cost, column[i]+1, column[i+1]+1)
		}
		least = min(least, column[len(a)])
	}
	if skip == 1 {
		return column[len(a)]
	}
	return least
}

// TestConcurrent shows that a Finder gives the same answers to several callers at once.
func TestConcurrent(t *testing.T) {
	r := random(4)
	text := madeUp(r, 1000)
	f := quotes.New(text)
	quote := strings.Replace(cut(r, text, 300), "t", "f", 1)
	want, _, wantOK := quotes.New(text).Find(quote, all(text))
	done := make(chan bool)
	for range 8 {
		go func() {
			got, _, ok := f.Find(quote, all(text))
			done <- got == want && ok == wantOK
		}()
	}
	for range 8 {
		if !<-done {
			t.Error("the answers differ")
		}
	}
}

// FuzzFind checks the invariants for any text and quote.
func FuzzFind(f *testing.F) {
	f.Add("The fee is due in 30 days.", "fee is due", 0, 20)
	f.Add("a\u0301\u0301\xff ﬁ½2½ 1 000 “x”-\n-y … [...]", "fi½2", -1, 99)
	f.Add("The Tenant shall pay the fee on time in all cases.", "The Tenant ... fee on tirne in all cases", 3, 30)
	f.Add("The Tenant shall pay the fee on time in all cases.", "The Tenant shall pay tha fee on time in all cases", 0, 50)
	f.Add("ＡＢＣ\u200b\u00ad\u2011\ufe0f’''``\u2028", "abc---''", 0, 9)
	f.Fuzz(func(t *testing.T, text, quote string, start, end int) {
		if len(text)+len(quote) > 1<<14 {
			return
		}
		finder := quotes.New(text)
		within := layout.Span{Start: start, End: end}
		span, how, ok := finder.Find(quote, within)
		if again, howAgain, okAgain := finder.Find(quote, within); again != span || howAgain != how || okAgain != ok {
			t.Errorf("got %v, %v, %v and then %v, %v, %v", span, how, ok, again, howAgain, okAgain)
		}
		if !ok {
			return
		}
		if span.Start < 0 || span.End > len(text) || span.Start >= span.End {
			t.Fatalf("the span %v is empty or outside of the text of %d bytes", span, len(text))
		}
		if !edge(text, span.Start) || !edge(text, span.End) {
			t.Errorf("the span %v cuts a character", span)
		}
		if how == quotes.Exact && text[span.Start:span.End] != strings.TrimFunc(quote, func(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' }) {
			t.Errorf("%q is not %q", text[span.Start:span.End], quote)
		}
	})
}

// edge reports whether no character is cut at an offset. Each invalid byte is a character.
func edge(text string, at int) bool {
	for i := range text {
		if i >= at {
			return i == at
		}
	}
	return at == len(text)
}
