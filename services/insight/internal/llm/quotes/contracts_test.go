package quotes_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/llm/quotes"
)

// reading is the length of the text around a passage that the model has read.
const reading = 20_000

// passage is an annotated passage of a contract.
type passage struct {
	layout.Span
	quote string
}

// real is a contract with its annotated passages.
type real struct {
	text     string
	finder   *quotes.Finder
	passages []passage
}

// contracts returns some contracts and at most twelve passages of each.
func contracts(t *testing.T) []real {
	dir := corpus.Folder(t, "contracts")
	annotated, err := evaluation.Contracts(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := random(8)
	var out []real
	for i := 0; i < len(annotated); i += 4 {
		text, err := os.ReadFile(filepath.Join(dir, "txt", annotated[i].Txt))
		if err != nil {
			t.Fatal(err)
		}
		c := real{text: string(text), finder: quotes.New(string(text))}
		for _, name := range slices.Sorted(maps.Keys(annotated[i].Clauses)) {
			for _, m := range annotated[i].Clauses[name] {
				at := strings.Index(c.text, m.Text)
				if at >= 0 && len(m.Text) >= 30 {
					c.passages = append(c.passages, passage{layout.Span{Start: at, End: at + len(m.Text)}, m.Text})
				}
			}
		}
		r.Shuffle(len(c.passages), func(i, j int) { c.passages[i], c.passages[j] = c.passages[j], c.passages[i] })
		c.passages = c.passages[:min(len(c.passages), 12)]
		out = append(out, c)
	}
	return out
}

// tally counts how quotes were found, and how many overlap the passage they are from.
type tally struct{ all, right, exact, normalized, fuzzy int }

func (c *tally) add(how quotes.How, found, right bool) {
	c.all++
	if right {
		c.right++
	}
	if found {
		*[]*int{&c.exact, &c.normalized, &c.fuzzy}[how]++
	}
}

// String returns the shares in percent.
func (c *tally) String() string {
	share := func(n int) float64 { return 100 * float64(n) / float64(max(c.all, 1)) }
	return fmt.Sprintf("%5d quotes: exact %5.1f %%, normalized %5.1f %%, fuzzy %5.1f %%, not found %5.1f %%; at the passage %5.1f %%",
		c.all, share(c.exact), share(c.normalized), share(c.fuzzy), share(c.all-c.exact-c.normalized-c.fuzzy), share(c.right))
}

// TestContracts measures on contracts how damaged quotes are found, and how often quotes of
// one contract are found in another, where they are not.
func TestContracts(t *testing.T) {
	all := contracts(t)
	for _, damage := range []struct {
		name   string
		damage func(*rand.Rand, string) string
		right  float64 // the least share that must be found at its passage
	}{
		{"as they are", func(_ *rand.Rand, s string) string { return s }, 0.99},
		{"white space", func(_ *rand.Rand, s string) string { return strings.Join(strings.Fields(s), " ") }, 0.99},
		{"signs", signs, 0.99},
		{"a slip", slip, 0.7},
		{"0.5 % misread", func(r *rand.Rand, s string) string { return misread(r, s, 0.005) }, 0.85},
		{"2 % misread", func(r *rand.Rand, s string) string { return misread(r, s, 0.02) }, 0.6},
	} {
		r, c := random(9), &tally{}
		for _, d := range all {
			for _, p := range d.passages {
				within := layout.Span{Start: p.Start - reading/2, End: p.End + reading/2}
				span, how, ok := d.finder.Find(damage.damage(r, p.quote), within)
				c.add(how, ok, ok && span.Overlaps(p.Span))
			}
		}
		t.Logf("%-14s %v", damage.name, c)
		if float64(c.right) < damage.right*float64(c.all) {
			t.Errorf("%s: too few quotes are found", damage.name)
		}
	}
	foreign(t, all)
}

// foreign counts the quotes of other contracts that are found. Contracts share phrases, so a
// quote that the other one has, letter by letter, does not count.
func foreign(t *testing.T, all []real) {
	for _, name := range []string{"foreign, short", "foreign, long"} {
		c := &tally{}
		for i, d := range all {
			folded := quotes.Fold(d.text, true)
			for j := 1; j <= 6; j++ {
				for _, p := range all[(i+j)%len(all)].passages {
					if short := len(p.quote) < 100; short != (name == "foreign, short") || strings.Contains(folded, quotes.Fold(p.quote, true)) {
						continue
					}
					span, how, ok := d.finder.Find(p.quote, layout.Span{End: len(d.text)})
					c.add(how, ok, false)
					if ok {
						t.Logf("%v: %q is no quote of %q", how, d.text[span.Start:span.End], p.quote)
					}
				}
			}
		}
		t.Logf("%-14s %v", name, c)
		if found := c.exact + c.normalized + c.fuzzy; found*200 > c.all {
			t.Errorf("%d quotes of other contracts are found", found)
		}
	}
}

// signs changes quotation marks and dashes as models do, and adds some around the quote.
func signs(_ *rand.Rand, s string) string {
	return "“" + strings.NewReplacer(`"`, "”", "'", "’", "-", "–", "“", `"`, "”", `"`, "’", "'").Replace(s) + "...”"
}

// slip leaves out a word, and exchanges two letters of another.
func slip(r *rand.Rand, s string) string {
	words := strings.Fields(s)
	if i := r.IntN(len(words)); len(words) > 12 {
		words = append(words[:i], words[i+1:]...)
	}
	if i := r.IntN(len(words)); len(words[i]) > 4 {
		w := []byte(words[i])
		w[1], w[2] = w[2], w[1]
		words[i] = string(w)
	}
	return strings.Join(words, " ")
}

// misread changes a share of the letters to ones that look like them, as optical character
// recognition does.
func misread(r *rand.Rand, s string, share float64) string {
	alike := map[rune]string{'e': "c", 'c': "e", 'l': "i", 'i': "l", 'm': "rn", 'n': "ri", 'h': "b", 'o': "c", 'a': "o", 't': "f", 'u': "ii", 's': "", 'r': "n", 'g': "q", ' ': "  "}
	var b strings.Builder
	for _, c := range s {
		other, ok := alike[unicode.ToLower(c)]
		if ok && r.Float64() < share {
			b.WriteString(other)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
