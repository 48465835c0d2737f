package align_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/align"
)

// shown returns a document with words on pages, from lines separated by "\n" and pages
// separated by "\f". Each line is a hundredth of the page high, each character a hundredth
// wide.
func shown(pages string) *layout.Document {
	doc := &layout.Document{}
	var text strings.Builder
	for i, page := range strings.Split(pages, "\f") {
		doc.Pages = append(doc.Pages, layout.Page{Width: 600, Height: 800})
		for y, line := range strings.Split(page, "\n") {
			x := 0
			for _, word := range strings.SplitAfter(line, " ") {
				start := text.Len()
				text.WriteString(word)
				if w := strings.TrimSpace(word); w != "" {
					doc.Words = append(doc.Words, layout.Word{
						Span: layout.Span{Start: start, End: start + len(w)}, Page: i + 1,
						Box: layout.Box{Left: float64(x) / 100, Top: float64(y) / 100, Right: float64(x+len(w)) / 100, Bottom: float64(y+1) / 100},
					})
				}
				x += len(word)
			}
			text.WriteByte('\n')
		}
	}
	doc.Text = text.String()
	return doc
}

// written returns a document of paragraphs. The prefix of a paragraph up to ">" is its
// role.
func written(paragraphs ...string) *layout.Document {
	doc := &layout.Document{}
	for _, p := range paragraphs {
		role, rest, ok := strings.Cut(p, ">")
		if !ok {
			role, rest = "", p
		}
		start := len(doc.Text)
		doc.Text += rest
		doc.Blocks = append(doc.Blocks, layout.Block{Span: layout.Span{Start: start, End: len(doc.Text)}, Role: layout.Role(role)})
		doc.Text += "\n"
	}
	return doc
}

// places returns the words of a document with their page, line and column.
func places(doc *layout.Document) []string {
	var out []string
	for _, w := range doc.Words {
		out = append(out, fmt.Sprintf("%s %d/%.0f/%.0f", doc.Quote(w.Span), w.Page, w.Box.Top*100, w.Box.Left*100))
	}
	return out
}

func TestAlign(t *testing.T) {
	for name, test := range map[string]struct {
		doc   *layout.Document
		pages string
		want  []string
	}{
		"the same":            {written("One two.", "Three"), "One two.\nThree", []string{"One 1/0/0", "two. 1/0/4", "Three 1/1/0"}},
		"numbers before":      {written("Term", "Fees"), "1. Term\n2. Fees", []string{"Term 1/0/3", "Fees 1/1/3"}},
		"a glued number":      {written("Definitions"), "1Definitions", []string{"Definitions 1/0/0"}},
		"a hyphen":            {written("an agreement here"), "an agree-\nment here", []string{"an 1/0/0", "agree 1/0/3", "ment 1/1/0", "here 1/1/5"}},
		"a page in a word":    {written("an agreement here"), "an agree-\fment here", []string{"an 1/0/0", "agree 1/0/3", "ment 2/0/0", "here 2/0/5"}},
		"two words for one":   {written("and/or more"), "and/ or more", []string{"and/or 1/0/0", "more 1/0/8"}},
		"one word for two":    {written("one two"), "onetwo", []string{"one 1/0/0", "two 1/0/0"}},
		"other forms":         {written("ﬁrst “Ｔｅｒｍ” CAFE\u0301"), "First \"term\" café", []string{"ﬁrst 1/0/0", "“Ｔｅｒｍ” 1/0/6", "CAFE\u0301 1/0/13"}},
		"signs":               {written("a & b $ 5 ¶"), "a & b $ 5 x", []string{"a 1/0/0", "& 1/0/2", "b 1/0/4", "$ 1/0/6", "5 1/0/8"}},
		"lines and boxes":     {written("☐ Yes ____ x"), "☐ Yes ____ x", []string{"☐ 1/0/0", "Yes 1/0/4", "____ 1/0/8", "x 1/0/13"}},
		"not there":           {written("alpha missing beta"), "alpha beta", []string{"alpha 1/0/0", "beta 1/0/6"}},
		"single letters":      {written("xylophone"), "x y l o p h o n e", []string{"xylophone 1/0/0"}},
		"scattered letters":   {written("cat"), "concrete another table", nil},
		"a header":            {written("Body one.", "Body two.", "header>Confidential", "footer>Page of"), "Confidential\nBody one.\nPage of\fConfidential\nBody two.\nPage of", []string{"Body 1/1/0", "one. 1/1/5", "Body 2/1/0", "two. 2/1/5", "Confidential 1/0/0", "Page 1/2/0", "of 1/2/5"}},
		"a text box":          {written("Before it.", "text box>In the box", "Behind it."), "In the box\nBefore it.\nBehind it.", []string{"Before 1/1/0", "it. 1/1/7", "In 1/0/0", "the 1/0/3", "box 1/0/7", "Behind 1/2/0", "it. 1/2/7"}},
		"cells side by side":  {written("alpha beta", "gamma delta", "one two", "three four"), "alpha beta one two\ngamma delta three four", []string{"alpha 1/0/0", "beta 1/0/6", "gamma 1/1/0", "delta 1/1/6", "one 1/0/11", "two 1/0/15", "three 1/1/12", "four 1/1/18"}},
		"far and short":       {written(append(slices.Repeat([]string{"filler text"}, 30), "end")...), strings.Repeat("filler text\f", 30) + "\fen d x y", nil},
		"a broken sign":       {written("½ ﬃ"), "1\f2 ff\ni", []string{}},
		"no pages":            {written("one"), "", nil},
		"no text":             {written(), "one", nil},
		"nothing but symbols": {written("***"), "one", nil},
	} {
		t.Run(name, func(t *testing.T) {
			pages := shown(test.pages)
			out, c := align.Align(test.doc, pages)
			checkAligned(t, out, pages)
			if got := places(out); test.want != nil && !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
			if c.Found > c.Words || c.Share() < 0 || c.Share() > 1 {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestPages(t *testing.T) {
	doc := written("One two.", "Three four.", "", "Five", "header>Top")
	out, _ := align.Align(doc, shown("Top\nOne two.\nThree\f\fTop\nfour.\f\fTop\nFive\f"))
	var got []string
	for _, p := range out.Pages {
		got = append(got, doc.Quote(p.Span))
	}
	if want := []string{"One two.\nThree ", "", "four.\n\n", "", "Five\nTop\n", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if out.Pages[0].Width != 600 || out.Pages[0].Height != 800 || doc.Pages != nil {
		t.Errorf("%+v, %+v", out.Pages, doc.Pages)
	}
}

// TestLong aligns a long text with repetitive words, changed paragraphs and page headers.
// At least 99.9 % of the unchanged words are found.
func TestLong(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var paragraphs []string
	var pages strings.Builder
	words := []string{"the", "party", "shall", "agreement", "of", "and", "term", "notice", "hereby", "section"}
	changed := 0
	for i := range 3000 {
		var p []string
		for range 5 + random.IntN(40) {
			p = append(p, words[random.IntN(len(words))])
		}
		paragraphs = append(paragraphs, strings.Join(p, " "))
		if random.IntN(50) == 0 {
			changed += len(p)
			p = []string{"something", "else", "altogether"}
		}
		for line := range slices.Chunk(p, 8) {
			pages.WriteString(strings.Join(line, " ") + "\n")
		}
		if i%10 == 9 {
			fmt.Fprintf(&pages, "\fHeader of the agreement %d\n", i)
		}
	}
	doc, shown := written(paragraphs...), shown(pages.String())
	out, c := align.Align(doc, shown)
	at := 0
	for _, w := range out.Words {
		if w.Start < at {
			t.Fatalf("%+v does not begin after %d", w, at)
		}
		at = w.End
	}
	t.Logf("%d pages, %d words, %d of them changed: %d found", len(out.Pages), c.Words, changed, c.Found)
	if c.Found < (c.Words-changed)*999/1000 {
		t.Errorf("%d of %d words found, %d were changed", c.Found, c.Words, changed)
	}
}

// FuzzAlign checks the invariants for any two texts.
func FuzzAlign(f *testing.F) {
	f.Add("One two.\nheader>Top\nThree", "Top\nOne two.\fTop\nThree")
	f.Add("an agreement\ntext box>box", "box an agree-\nment")
	f.Add("ﬁ ﬁ ﬃ Å ½", "f i\nfi ffi\nÅ 1\f2")
	f.Add(strings.Repeat("a b ab ", 200), strings.Repeat("b a ba ", 200))
	f.Fuzz(func(t *testing.T, text, on string) {
		if len(text)+len(on) > 20_000 || strings.ContainsRune(text+on, '\x00') {
			return
		}
		text, on = strings.ToValidUTF8(text, "?"), strings.ToValidUTF8(on, "?")
		pages := shown(on)
		doc := written(strings.Split(text, "\n")...)
		out, c := align.Align(doc, pages)
		checkAligned(t, out, pages)
		again, c2 := align.Align(doc, pages)
		if !slices.Equal(out.Words, again.Words) || c != c2 || c.Found > c.Words {
			t.Errorf("%+v, then %+v", c, c2)
		}
	})
}
