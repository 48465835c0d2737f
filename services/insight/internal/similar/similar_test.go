package similar_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/services/insight/internal/similar"
	"github.com/rectohq/recto/services/insight/internal/similar/similartest"
)

// threshold is that of the service.
const threshold = 0.5

// of returns the signature of a text that has words.
func of(t testing.TB, text string) *similar.Signature {
	t.Helper()
	s, ok := similar.Of(text)
	if !ok {
		t.Fatalf("%q has no words", text)
	}
	return &s
}

const template = `This agreement is made on %s between %s (the buyer) and %s (the seller). The buyer shall pay the seller a
price of %s for each unit that the seller delivers to the warehouse of the buyer, within thirty days of the receipt of an
invoice. The seller warrants that every unit is free of defects in material and workmanship for a period of one year after
its delivery, and shall replace a defective unit without charge. Notices are sent to %s.`

// TestRelations compares texts of each kind.
func TestRelations(t *testing.T) {
	one := fmt.Sprintf(template, "May 1, 2024", "Acme Corp.", "Zoe Ltd", "USD 12.50", "legal@acme.example")
	two := fmt.Sprintf(template, "12 June 2025", "Northwind Traders of America", "Paul Smith & Sons", "EUR 3,400", "12 Main Street, Springfield")
	blank := fmt.Sprintf(template, "________", "[●]", "________", "________", "________")
	edited := strings.Replace(one, "shall replace a defective unit without charge", "refunds the price", 1)
	for name, c := range map[string]struct {
		a, b     string
		relation similar.Relation
		least    float64
		most     float64
	}{
		"equal":           {one, one, similar.Same, 1, 1},
		"layout":          {one, strings.ToUpper(strings.Join(strings.Fields(one), "\n  ")), similar.Same, 1, 1},
		"ligatures":       {"The ﬁrst oﬃce", "the first of\u00adfice", similar.Same, 1, 1},
		"other values":    {one, two, similar.Template, 0.6, 0.95},
		"blanks":          {one, blank, similar.Template, 0.6, 0.95},
		"edited":          {one, edited, similar.Similar, 0.6, 0.95},
		"excerpt":         {one, one[:len(one)/8], similar.Similar, 0, 0.3},
		"numbers":         {"12 May 2024: 17,000 and 18", "13 June 2025: 11 and 12", similar.Similar, 0, 0},
		"one word":        {"Yes!", "yes", similar.Same, 1, 1},
		"other":           {"Yes", "No", similar.Similar, 0, 0},
		"order":           {"one two three four five six", "six five four three two one", similar.Similar, 0, 0},
		"without spaces":  {"本合同由双方于下列日期签署并立即生效。", "本合同由双方于下列日期签署，并立即生效", similar.Same, 1, 1},
		"Chinese, edited": {strings.Repeat("本", 1) + "合同由双方于下列日期签署并立即生效", "合同由双方于下列日期签署并立即生效", similar.Similar, 0.8, 0.99},
	} {
		got := similar.Compare(of(t, c.a), of(t, c.b))
		if got.Relation != c.relation || got.Similarity < c.least || got.Similarity > c.most {
			t.Errorf("%s: %+v, want %v from %v to %v", name, got, c.relation, c.least, c.most)
		}
		if back := similar.Compare(of(t, c.b), of(t, c.a)); back != got {
			t.Errorf("%s: the other way it is %+v, not %+v", name, back, got)
		}
	}
	if got := similar.Compare(of(t, one), of(t, one+" "+strings.Repeat("Something else follows here. ", 2)+two[:200])); got.Contained < 0.9 {
		t.Errorf("a text is contained to %v in one that begins with it", got.Contained)
	}
	for _, text := range []string{"", " \n", "____ [●] …", "\u00ad"} {
		if _, ok := similar.Of(text); ok {
			t.Errorf("%q has a signature", text)
		}
	}
}

// TestEstimate compares the estimates of 200 pairs with their exact similarity: they have no
// bias, and few are off by more than two standard errors.
func TestEstimate(t *testing.T) {
	texts := similartest.Texts(200)
	var bias, off float64
	for i, text := range texts {
		all := strings.Fields(strings.ToLower(strings.NewReplacer(".", " ", ",", " ", "@", " ").Replace(text.Text)))
		part := all[:len(all)*(20+i%80)/100]
		c := similar.Compare(of(t, strings.Join(all, " ")), of(t, strings.Join(part, " ")))
		a, b := set(all), set(part)
		// All words are in lower case, so those without a digit are the fixed wording.
		exact := (float64(len(b))/float64(len(a)) + fixedShare(all, part)) / 2
		bias += (c.Similarity - exact) / float64(len(texts))
		if math.Abs(c.Similarity-exact) > 2*c.Deviation {
			off++
		}
		if c.Deviation > 0.05 {
			t.Errorf("the standard error is %v", c.Deviation)
		}
	}
	if math.Abs(bias) > 0.01 || off/float64(len(texts)) > 0.08 {
		t.Errorf("the bias is %.4f; %v of %d estimates are off by more than two standard errors", bias, off, len(texts))
	}
}

// set returns the shingles of words.
func set(words []string) map[string]bool {
	s := map[string]bool{}
	for i := range len(words) - 4 {
		s[strings.Join(words[i:i+5], " ")] = true
	}
	return s
}

// fixedShare returns how many of the shingles of words without digits are in a part.
func fixedShare(all, part []string) float64 {
	digits := func(w string) bool { return strings.ContainsAny(w, "0123456789") }
	a, b := set(slices.DeleteFunc(slices.Clone(all), digits)), set(slices.DeleteFunc(slices.Clone(part), digits))
	return float64(len(b)) / float64(len(a))
}

// TestEncoding shows that a decoded signature is the same, and that other data is refused.
func TestEncoding(t *testing.T) {
	for _, text := range []string{"Yes", template} {
		s := of(t, text)
		data := s.Encode()
		back, err := similar.Decode(data)
		if err != nil || back != *s || !bytes.Equal(data, of(t, text).Encode()) {
			t.Errorf("%.20q is not decoded as it was encoded, or not deterministic: %v", text, err)
		}
		if _, err := similar.Decode(data[1:]); err == nil {
			t.Error("a short signature is decoded")
		}
	}
}

// TestKeys shows that equal texts share every key within an organization, different texts do
// not share the first, and organizations share none.
func TestKeys(t *testing.T) {
	a, b := of(t, template), of(t, template+" More.")
	if keys := a.Keys("org_1"); !slices.Equal(keys, of(t, strings.Join(strings.Fields(template), "\n")).Keys("org_1")) || len(keys) != 65 {
		t.Errorf("equal texts have different keys, or %d", len(keys))
	}
	if a.Keys("org_1")[0] == b.Keys("org_1")[0] {
		t.Error("different texts share the first key")
	}
	for _, key := range a.Keys("org_2") {
		if slices.Contains(a.Keys("org_1"), key) {
			t.Errorf("two organizations share the key %d", key)
		}
	}
}

// index finds similar texts by their keys.
type index struct {
	signatures []*similar.Signature
	byKey      map[int64][]int
}

// newIndex returns an index of texts.
func newIndex(t testing.TB, texts []similartest.Text) *index {
	t.Helper()
	x := &index{byKey: map[int64][]int{}}
	for i, text := range texts {
		x.signatures = append(x.signatures, of(t, text.Text))
		for _, key := range x.signatures[i].Keys("org_1") {
			x.byKey[key] = append(x.byKey[key], i)
		}
	}
	return x
}

// matches returns the texts that are similar to a text.
func (x *index) matches(text int) (found []int, compared int) {
	seen := map[int]bool{text: true}
	for _, key := range x.signatures[text].Keys("org_1") {
		for _, i := range x.byKey[key] {
			if seen[i] {
				continue
			}
			seen[i] = true
			if similar.Compare(x.signatures[text], x.signatures[i]).Similarity >= threshold {
				found = append(found, i)
			}
		}
	}
	return found, len(seen) - 1
}

// score counts the pairs that are found and those that are similar.
type score struct{ right, found, similar, compared int }

func (x *index) score(texts []similartest.Text, queries int) (s score) {
	groups := map[int]int{}
	for _, text := range texts {
		groups[text.Group]++
	}
	for q := range queries {
		found, compared := x.matches(q)
		for _, i := range found {
			if texts[i].Group == texts[q].Group {
				s.right++
			}
		}
		s.found, s.compared, s.similar = s.found+len(found), s.compared+compared, s.similar+groups[texts[q].Group]-1
	}
	return s
}

func (s score) precision() float64 { return float64(s.right) / float64(s.found) }
func (s score) recall() float64    { return float64(s.right) / float64(s.similar) }

// TestPrecisionAndRecall finds the similar ones among 1000 texts.
func TestPrecisionAndRecall(t *testing.T) {
	texts := similartest.Texts(1000)
	s := newIndex(t, texts).score(texts, len(texts))
	t.Logf("precision %.3f, recall %.3f, %.1f comparisons per text, of %+v", s.precision(), s.recall(), float64(s.compared)/float64(len(texts)), s)
	if s.similar < 500 || s.precision() < 0.95 || s.recall() < 0.95 {
		t.Errorf("precision %.3f, recall %.3f of %d similar pairs", s.precision(), s.recall(), s.similar)
	}
}

// TestMany prints precision, recall and the time per text among 100,000 texts.
func TestMany(t *testing.T) {
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("a bench; set RECTO_BENCH=1")
	}
	texts := similartest.Texts(100_000)
	begin := time.Now()
	x := newIndex(t, texts)
	signed := time.Since(begin)
	begin = time.Now()
	const queries = 5000
	s := x.score(texts, queries)
	t.Logf("precision %.3f, recall %.3f, %.1f comparisons per text; %v to sign a text and %v to find its matches in memory",
		s.precision(), s.recall(), float64(s.compared)/queries, signed/time.Duration(len(texts)), time.Since(begin)/queries)
}

// FuzzSignature checks that every text has a signature of the same size, if it has words,
// and that it equals that of the same text with other white space.
func FuzzSignature(f *testing.F) {
	for _, seed := range []string{template, "", "a\u0300\xff", "ﷺ www.x.y 本合同", strings.Repeat("\u0300", 100), "ǅ I\u0307"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := similar.Of(text)
		spaced, again := similar.Of("\n" + text + " \t")
		if ok != again || ok && similar.Compare(&s, &spaced).Relation != similar.Same {
			t.Errorf("white space makes a difference")
		}
		if back, err := similar.Decode(s.Encode()); err != nil || back != s {
			t.Errorf("the signature is not decoded: %v", err)
		}
		if ok && len(s.Keys("org_1")) < 33 {
			t.Errorf("there are only %d keys", len(s.Keys("org_1")))
		}
	})
}
