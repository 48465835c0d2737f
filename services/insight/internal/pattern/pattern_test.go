package pattern_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/pattern"
)

// expressions have what the expressions of rules have.
var expressions = []string{
	``, `a`, `^`, `$`, `\b`, `\B`, `^$`, `(?m)^a$`, `(?m)$`, `a|`, `[^a]`, `.`, `(?s).b`, `\pL\b`, `(?i)k`, `(?i)ſt`, `[^\x00-\x{10FFFF}]`,
	`\bshall\b[^.;]{0,80}?\bpay\b`, `\b(?:pay|pays|paid|due)\b`, `(?i)\b(?:new\s+york|new\s+jersey|utah)\b`, `^\s{0,2}\(([\pL -]{3,80})\)`,
	`\b(?:not\s+(?:be\s+)?required\s+to|no\s+rights?\s+(?:to|of))\s+(?:[\w'-]+\s+){0,3}(?:renew\w*|audit)\b`, `(?:\b(?:RMB|CN)\s?)?[€£¥]\s{0,2}$`,
	`\b(?:until|through)\b[^.;]{0,60}$`, `^[\W\d]*(?:governing|applicable) law[.:]?$`, `(\d{1,2})(?:st|nd)?\s+of\s+(may|june)`, `x{2,40}y`, `(?:ab){5,}`,
	`a{0,2}b{4}`, `(?i)liab(?:le|ilit(?:y|ies))`, `\x{fffd}`, `[“"']a`, `(a*)*b`, `\Aa\z`, `(?U)a+b`, `(a){0}b`, `(?:^|[ .,])(may|june)\b`, `(a|ab)(?:b\b|)`, `(?m)(x*)$|y`, `a*?b??`,
	`(?i)[ (]+(?:may|june)$`, `(\w+) (\w+)$`, `\B(a|)`, `(x{2,9}?)(x*)(?m:$)`,
	`\b(?:shall|must)\s+pay\b`, `(?:new )?york`, `go[vw]erning (?:law|rules?)`, `(?:jun|jul)e? (?:1st|2nd)`, `(?:audit)+\w`, `(?:through|may ?)`, `\x{fffd}may`,
	`(?i)12may`, `(?i)12€1st`, `\btaudit`, `until.{0,3}renewal`, `a*york`, `(?:paid|)x`, `(?m)^until`, `(?m:^)york$`, `\Byork`,
}

// pieces are what texts for the expressions are made of.
var pieces = []string{
	"a", "b", "x", "xx", "y", "k", "K", "\u212a", "ſ", "s", "T", "t", " ", "  ", "\n", ".", ";", "shall", "pay", "paid", "new", "York", "jersey", "utah", "(", ")",
	"ten", "not", "be", "required", "to", "no", "rights", "of", "renewal", "audit", "RMB", "€", "until", "through", "governing", "law", "12", "1st", "may", "june",
	"liability", "LIABLE", "\xff", "\xe2\x82", "\u00e9", "“", "\U0001F600", "\ufffd", "_", "-", "'", "\u00a0",
}

// random returns a text of pieces.
func random(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(14) {
		b.WriteString(pieces[r.IntN(len(pieces))])
		if r.IntN(3) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// differs returns what a pattern answers differently from package regexp, "" for nothing.
func differs(p *pattern.Regexp, re *regexp.Regexp, s string) string {
	mark := func(s string) string { return "<" + s + ">" }
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"MatchString", p.MatchString(s), re.MatchString(s)},
		{"FindString", p.FindString(s), re.FindString(s)},
		{"FindStringIndex", p.FindStringIndex(s), re.FindStringIndex(s)},
		{"FindStringSubmatch", p.FindStringSubmatch(s), re.FindStringSubmatch(s)},
		{"FindStringSubmatchIndex", p.FindStringSubmatchIndex(s), re.FindStringSubmatchIndex(s)},
		{"FindAllString", p.FindAllString(s, 3), re.FindAllString(s, 3)},
		{"FindAllStringIndex", p.FindAllStringIndex(s, -1), re.FindAllStringIndex(s, -1)},
		{"FindAllStringSubmatch", p.FindAllStringSubmatch(s, -1), re.FindAllStringSubmatch(s, -1)},
		{"FindAllStringSubmatchIndex", p.FindAllStringSubmatchIndex(s, 2), re.FindAllStringSubmatchIndex(s, 2)},
		{"Split", p.Split(s, 3), re.Split(s, 3)},
		{"ReplaceAllString", p.ReplaceAllString(s, "[$0]"), re.ReplaceAllString(s, "[$0]")},
		{"ReplaceAllStringFunc", p.ReplaceAllStringFunc(s, mark), re.ReplaceAllStringFunc(s, mark)},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			return fmt.Sprintf("%s(%q) of %q: got %v, want %v", c.name, s, re, c.got, c.want)
		}
	}
	return ""
}

// TestSame shows that patterns answer as package regexp does on random texts.
func TestSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, expr := range expressions {
		p, re := pattern.MustCompile(expr), regexp.MustCompile(expr)
		if p.String() != expr {
			t.Errorf("got the expression %q, want %q", p, expr)
		}
		for range 2000 {
			if d := differs(p, re, random(r)); d != "" {
				t.Fatal(d)
			}
		}
	}
}

// TestSameInContracts shows that patterns answer as package regexp does on the lines of
// real contracts.
func TestSameInContracts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus.Folder(t, "contracts"), "txt", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, error %v", len(files), err)
	}
	for i := 0; i < len(files); i += 40 {
		text, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for _, expr := range expressions {
			p, re := pattern.MustCompile(expr), regexp.MustCompile(expr)
			for _, line := range lines {
				if got, want := p.FindStringSubmatchIndex(line), re.FindStringSubmatchIndex(line); !reflect.DeepEqual(got, want) {
					t.Fatalf("%q in %q: got %v, want %v", expr, line, got, want)
				}
				if got, want := p.FindAllStringIndex(line, -1), re.FindAllStringIndex(line, -1); !reflect.DeepEqual(got, want) {
					t.Fatalf("all of %q in %q: got %v, want %v", expr, line, got, want)
				}
				if got, want := p.MatchString(line), re.MatchString(line); got != want {
					t.Fatalf("%q in %q: got %v, want %v", expr, line, got, want)
				}
			}
		}
	}
}

// TestCounting shows that patterns count repetitions as package regexp does, with a number of states
// that grows with what they count and not with the number of ways in which it can overlap.
func TestCounting(t *testing.T) {
	for expr, most := range map[string]int{
		`a.{0,80}b`: 100, `a[^.]{0,60}?b`: 80, `a.{2,9}b`: 40, `a.{0,10}.{0,10}b`: 40, `a[^.]{0,20}[^.]{0,9}[.]b`: 40,
		`(?:a.{0,5}){2}b`: 30, `a(?:c.{0,9}|d.{0,7})b`: 80, `ac{0,9}cb`: 20, `a(?:c{0,5}d?){0,5}b`: 20, `(?:c{0,9})*b.{4,}d`: 20, `\ba\b.{0,30}\bb\b`: 60,
	} {
		p, re := pattern.MustCompile(expr), regexp.MustCompile(expr)
		r := rand.New(rand.NewPCG(1, 4))
		text := make([]byte, 200)
		for range 500 {
			for i := range text {
				text[i] = "eeeeeeeeeeacd. "[r.IntN(15)]
			}
			text[r.IntN(len(text))] = 'b'
			if d := differs(p, re, string(text)); d != "" {
				t.Fatal(d)
			}
		}
		if n := p.States(); n > most {
			t.Errorf("%s: it has %d states, more than %d", expr, n, most)
		}
	}
}

// TestManyMatches shows that all matches of a long text are found in a time that grows with its
// length: if each were followed by a look through the rest, this would take many minutes.
func TestManyMatches(t *testing.T) {
	const count = 200_000
	p, text := pattern.MustCompile(`\b\w+ (?:shall|will|may|must|agrees?)\b`), strings.Repeat("it agrees ", count)
	if found := len(p.FindAllStringIndex(text, -1)); found != count {
		t.Errorf("found %d matches, want %d", found, count)
	}
	found := 0
	for at := p.FindStringIndex(text); at != nil; at = p.FindStringIndex(text) {
		text = text[at[1]:]
		found++
	}
	if found != count {
		t.Errorf("found %d matches one after another, want %d", found, count)
	}
}

// TestManyBegins shows that a match is found in a time that grows with the length of the text if
// many parts before it only lack the end of a match: if each were read from its beginning to the
// end of the text, this would take minutes.
func TestManyBegins(t *testing.T) {
	const count = 400_000
	p, text := pattern.MustCompile(`[ab]+c|b$`), strings.Repeat("a", count)+"b"
	if got, want := p.FindStringIndex(text), []int{count, count + 1}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// TestPlaces shows that patterns find and replace matches without package regexp.
func TestPlaces(t *testing.T) {
	const text = "it may, €12, may"
	for expr, want := range map[string]string{
		`\bmay\b`: "it [], €12, []", `(?i)[a-z]{1,5}$`: "it may, €12, []", `(?:^|[ .,])(it|may)\b`: "[][], €12,[]", `a.*?y|a.*,`: "it m[], €12, m[]",
		`€?\d+`: "it may, [], may", `\s*,\s*`: "it may[]€12[]may", `.$|€`: "it may, []12, ma[]",
	} {
		p := pattern.MustCompile(expr).Alone()
		if got := p.ReplaceAllString(text, "[]"); got != want {
			t.Errorf("%s: got %q, want %q", expr, got, want)
		}
		if got, want := strings.Join(p.Split(text, -1), "[]"), want; got != want {
			t.Errorf("%s: got the parts %q, want %q", expr, got, want)
		}
	}
	if got, want := pattern.MustCompile(`\d+`).Alone().FindStringSubmatch(text), []string{"12"}; !slices.Equal(got, want) {
		t.Errorf("got the groups %q, want %q", got, want)
	}
}

// TestManyClasses shows that a pattern that distinguishes too many characters for an
// automaton answers too.
func TestManyClasses(t *testing.T) {
	var letters strings.Builder
	for r := 'あ'; r < 'あ'+80; r++ {
		letters.WriteRune(r)
	}
	for r := '一'; r < '一'+300; r++ {
		letters.WriteRune(r)
	}
	p, re := pattern.MustCompile("x"+letters.String()), regexp.MustCompile("x"+letters.String())
	for _, s := range []string{"", "x", letters.String(), "ax" + letters.String() + "b"} {
		if d := differs(p, re, s); d != "" {
			t.Error(d)
		}
	}
}

// TestInvalid shows that an invalid expression panics as with package regexp.
func TestInvalid(t *testing.T) {
	defer func() {
		if r := fmt.Sprint(recover()); !strings.Contains(r, "missing closing )") {
			t.Errorf("got panic %q, want one about the parenthesis", r)
		}
	}()
	pattern.MustCompile("(").MatchString("a")
}

// FuzzSame shows that patterns answer as package regexp does for any expression and text.
func FuzzSame(f *testing.F) {
	for _, expr := range expressions {
		f.Add(expr, "You shall pay € 12 until the 1st of may.")
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		if len(expr) > 100 || len(text) > 1000 {
			return
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return
		}
		p := pattern.MustCompile(expr)
		for _, s := range []string{text, text + expr, expr} {
			if d := differs(p, re, s); d != "" {
				t.Error(d)
			}
		}
	})
}
