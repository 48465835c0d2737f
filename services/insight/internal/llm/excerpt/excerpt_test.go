package excerpt_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/llm/excerpt"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// read returns the structure of a text.
func read(text string) *structure.Document { return structure.Read(&layout.Document{Text: text}) }

// lease returns a long contract in sections.
func lease() string {
	var b strings.Builder
	b.WriteString("LEASE AGREEMENT\n\nThis Lease is made between Willow Estates Ltd (the \"Landlord\") and Poppy Bakers plc (the \"Tenant\").\n\n")
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&b, "%d. Section %s\n\n", i, strings.Repeat("x", i))
		for j := 1; j <= 4; j++ {
			fmt.Fprintf(&b, "%d.%d The parties agree on matter %d in paragraph %d. They also agree that nothing else is agreed there.\n\n", i, j, i*j, j)
		}
	}
	b.WriteString("41. Premises\n\n41.1 The Tenant shall:\n\n(a) keep the common stairs clean;\n\n(b) let the inspector see the Boiler; and\n\n(c) water the garden.\n\n")
	filler := strings.Repeat("No neighbour of it matters. ", 4)
	b.WriteString("42. Definitions\n\n" + filler + "\n\n\"Boiler\" means the machine that heats the house.\n\n" + filler + "\n\n\"Unused\" means nothing.\n\n" + filler + "\n\n43. Ferrets\n\nOn Sundays the Tenant may keep ferrets. Théy must be quiet.\n")
	return b.String()
}

// hostile returns texts without structure.
func hostile() map[string]string {
	return map[string]string{
		"one line":        strings.Repeat("word and ", 1<<20/9),
		"one word":        strings.Repeat("a", 1<<18),
		"wide characters": strings.Repeat("契約", 1<<16),
		"invalid bytes":   strings.Repeat("\xa9", 1<<16),
		"line breaks":     strings.Repeat("\n", 1<<16),
		"white space":     strings.Repeat(" \u00a0", 1<<15),
		"headings":        strings.Repeat("1. A\n", 1<<14),
		"short sentences": strings.Repeat("A b. ", 1<<15),
		"colons":          strings.Repeat("(a) x:\n", 1<<13),
	}
}

func TestText(t *testing.T) {
	d := read("One. Two. Three. Four.")
	p := excerpt.Part{Spans: []layout.Span{{Start: 0, End: 4}, {Start: 10, End: 16}}}
	if got := p.Text(d); got != "One.\n[…]\nThree." {
		t.Errorf("got %q", got)
	}
	if got := (excerpt.Part{}).Text(d); got != "" {
		t.Errorf("got %q for no passage", got)
	}
}

// TestParts shows that parts cover the text in order, within the size, and overlap as asked.
func TestParts(t *testing.T) {
	texts := hostile()
	texts["a lease"] = lease()
	for name, text := range texts {
		d := read(text)
		for _, size := range []int{-1, 256, 1000, 12_000, 1 << 22} {
			for _, overlap := range []int{0, 200, 1 << 20} {
				checkParts(t, fmt.Sprintf("%s, %d, %d", name, size, overlap), d, size, overlap)
			}
		}
	}
	if got := excerpt.Parts(read(""), 100, 10); len(got) != 0 {
		t.Errorf("got %v for no text", got)
	}
}

// checkParts checks the parts of a document.
func checkParts(t *testing.T, name string, d *structure.Document, size, overlap int) {
	t.Helper()
	parts := excerpt.Parts(d, size, overlap)
	size = max(size, 256)
	overlap = min(overlap, size/3)
	covered, begun := 0, -1
	for _, p := range parts {
		s := p.Spans[0]
		if len(p.Spans) != 1 || s.Len() > size || s.Start > covered || s.Start <= begun || s.End <= covered {
			t.Fatalf("%s: part %v is too long or out of order: the text is covered up to %d", name, p.Spans, covered)
		}
		if covered > 0 && covered-s.Start > overlap+utf8.UTFMax {
			t.Fatalf("%s: %v overlaps the part before it by %d bytes, want at most %d", name, s, covered-s.Start, overlap)
		}
		checkEdges(t, name, d.Text, s)
		covered, begun = s.End, s.Start
	}
	if covered != len(d.Text) {
		t.Fatalf("%s: the text is covered up to %d of %d bytes", name, covered, len(d.Text))
	}
	if most := 6*len(d.Text)/size + 1; len(parts) > most {
		t.Errorf("%s: %d parts, want at most %d", name, len(parts), most)
	}
	if again := excerpt.Parts(d, size, overlap); !reflect.DeepEqual(parts, again) {
		t.Errorf("%s: the parts differ between two calls", name)
	}
}

// checkEdges fails the test if a span cuts a character. Between invalid bytes, any cut is
// right.
func checkEdges(t *testing.T, name, text string, s layout.Span) {
	t.Helper()
	if cutsCharacter(text, s.Start) || cutsCharacter(text, s.End) {
		t.Fatalf("%s: the span %v cuts a character", name, s)
	}
}

// cutsCharacter reports whether an offset is within a character.
func cutsCharacter(text string, at int) bool {
	for i := max(0, at-utf8.UTFMax+1); i < at; i++ {
		if r, size := utf8.DecodeRuneInString(text[i:]); r != utf8.RuneError && i+size > at {
			return true
		}
	}
	return false
}

// TestPartsBeginAtSections shows where the parts of a contract begin.
func TestPartsBeginAtSections(t *testing.T) {
	d := read(lease())
	parts := excerpt.Parts(d, 4000, 0)
	for _, p := range parts[1:] {
		if text := p.Text(d); !strings.Contains(text[:min(len(text), 20)], ". ") || !strings.Contains(strings.SplitN(text, "\n", 2)[0], "Section") && !strings.HasPrefix(text, "4") {
			t.Errorf("a part begins with %q, want a section", text[:40])
		}
	}
	for _, p := range excerpt.Parts(d, 4000, 300)[1:] {
		if text := p.Text(d); !strings.HasPrefix(text, "They") && (text[0] < '0' || text[0] > '9') {
			t.Errorf("a part begins with %q, want a paragraph or a sentence", text[:40])
		}
	}
	overlaps, parts := 0, excerpt.Parts(d, 4000, 300)
	for i, p := range parts[1:] {
		if p.Spans[0].Start < parts[i].Spans[0].End {
			overlaps++
		}
	}
	if overlaps < len(parts)-1 {
		t.Errorf("%d of %d parts overlap the one before", overlaps, len(parts)-1)
	}
	line := read(strings.Repeat("word and ", 5000))
	for _, p := range excerpt.Parts(line, 1000, 100) {
		if text := strings.TrimSpace(p.Text(line)); !strings.HasPrefix(text, "word") && !strings.HasPrefix(text, "and") {
			t.Errorf("a part begins with %q, want a word", text[:20])
		}
	}
}

// TestHalves shows that halves have all of a part, and are shorter.
func TestHalves(t *testing.T) {
	texts := hostile()
	texts["a lease"] = lease()
	for name, text := range texts {
		d := read(text)
		for _, p := range append(excerpt.Parts(d, 9000, 500), excerpt.Relevant(d, rules.NewQuestions(d, ""), "May the tenant keep ferrets and agree on matter 7?", 5000)) {
			checkHalves(t, name, d, p, 0)
		}
	}
	d := read(lease())
	if got := (excerpt.Part{Spans: []layout.Span{{Start: 0, End: 1499}}}).Halves(d); got != nil {
		t.Errorf("a short part has the halves %v", got)
	}
	if got := (excerpt.Part{}).Halves(d); got != nil {
		t.Errorf("no part has the halves %v", got)
	}
	halves := excerpt.Parts(d, 4000, 0)[0].Halves(d)
	if halves[0].Spans[0].End <= halves[1].Spans[0].Start {
		t.Errorf("the halves %v do not overlap", halves)
	}
}

// checkHalves checks the halves of a part, and theirs.
func checkHalves(t *testing.T, name string, d *structure.Document, p excerpt.Part, depth int) {
	t.Helper()
	halves := p.Halves(d)
	if halves == nil {
		if len(p.Text(d)) >= 1500 {
			t.Fatalf("%s: a part of %d bytes has no halves", name, len(p.Text(d)))
		}
		return
	}
	if len(halves) != 2 || depth > 20 {
		t.Fatalf("%s: %d halves, at a depth of %d", name, len(halves), depth)
	}
	has := map[int]bool{}
	for _, h := range halves {
		if 4*len(h.Text(d)) > 3*len(p.Text(d)) {
			t.Fatalf("%s: a half has %d of %d bytes", name, len(h.Text(d)), len(p.Text(d)))
		}
		for _, s := range h.Spans {
			checkEdges(t, name, d.Text, s)
			for i := s.Start; i < s.End; i++ {
				has[i] = true
			}
		}
	}
	n := 0
	for _, s := range p.Spans {
		for i := s.Start; i < s.End; i++ {
			if n++; !has[i] {
				t.Fatalf("%s: no half has byte %d", name, i)
			}
		}
	}
	if n != len(has) {
		t.Fatalf("%s: the halves have %d bytes, the part %d", name, len(has), n)
	}
	if depth == 0 {
		checkHalves(t, name, d, halves[1], depth+1)
	}
}

// TestRelevant shows which passages of a contract are sent for a question.
func TestRelevant(t *testing.T) {
	d := read(lease())
	q := rules.NewQuestions(d, "")
	for name, test := range map[string]struct {
		question   string
		want, miss []string
	}{
		"words":             {"May the tenant keep ferrets?", []string{"may keep ferrets", "must be quiet"}, []string{"heats the house"}},
		"other forms":       {"Who is inspecting the machine?", []string{"let the inspector see"}, nil},
		"the item's list":   {"Must anybody water the garden?", []string{"(c) water the garden", "41.1 The Tenant shall:"}, nil},
		"a definition":      {"Who sees it with the inspector?", []string{"see the Boiler", "\"Boiler\" means"}, []string{"\"Unused\""}},
		"a defined term":    {"What about the boiler?", []string{"\"Boiler\" means"}, nil},
		"no shared word":    {"Zygote?", []string{"Section x"}, []string{"ferrets"}},
		"no word to search": {"???", []string{"Section x"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := excerpt.Relevant(d, q, test.question, 1200).Text(d)
			for _, s := range append(test.want, "LEASE AGREEMENT", "Poppy Bakers") {
				if !strings.Contains(got, s) {
					t.Errorf("%q is not in %q", s, got)
				}
			}
			for _, s := range test.miss {
				if strings.Contains(got, s) {
					t.Errorf("%q is in %q", s, got)
				}
			}
		})
	}
	around := read("LEASE\n\n" + strings.Repeat("It is agreed. ", 80) + "The inspector comes. Tea is served. " + strings.Repeat("Nothing is said. ", 80))
	if got := excerpt.Relevant(around, rules.NewQuestions(around, ""), "Who is the inspector?", 600).Text(around); !strings.Contains(got, "Tea is served.") {
		t.Errorf("%q does not have the passage after the one with a word of the question", got)
	}
	if got := excerpt.Relevant(d, q, "ferrets", len(d.Text)); got.Text(d) != d.Text {
		t.Error("not all of a document that fits is sent")
	}
}

// TestRelevantDefinition shows that the definition of a term of the question is sent, also
// if many passages have the term.
func TestRelevantDefinition(t *testing.T) {
	long := "and whatever serves to heat rooms of any kind or size "
	d := read("LEASE\n\n1. Duties\n\n" + strings.Repeat("The boiler is kept by the boiler keeper.\n\n", 60) + "2. Words\n\nNothing else.\n\nNo more.\n\n\"Boiler\" means a machine " + long + "in the house.\n\nNo less.\n")
	got := excerpt.Relevant(d, rules.NewQuestions(d, ""), "Who keeps the boiler?", 2500).Text(d)
	if !strings.Contains(got, "\"Boiler\" means") {
		t.Errorf("the definition is not in %q", got)
	}
}

// TestRelevantInvariants shows that an excerpt is in text order, within its size, and
// deterministic.
func TestRelevantInvariants(t *testing.T) {
	texts := hostile()
	texts["a lease"] = lease()
	for name, text := range texts {
		d := read(text)
		for _, size := range []int{-1, 256, 2000, 50_000} {
			checkRelevant(t, name, d, "What word and paragraph x a matter 契約?", size)
		}
	}
	d := read("")
	if got := excerpt.Relevant(d, rules.NewQuestions(d, ""), "x", 1000).Text(d); got != "" {
		t.Errorf("got %q of no text", got)
	}
}

// checkRelevant checks what is sent for a question.
func checkRelevant(t *testing.T, name string, d *structure.Document, question string, size int) {
	t.Helper()
	q := rules.NewQuestions(d, "")
	p := excerpt.Relevant(d, q, question, size)
	if n := len(p.Text(d)); n > max(size, 256) || n == 0 && d.Text != "" {
		t.Fatalf("%s: %d bytes are sent, want at most %d", name, n, size)
	}
	end := -1
	for _, s := range p.Spans {
		if s.Start <= end || s.End < s.Start || s.End > len(d.Text) {
			t.Fatalf("%s: the span %v is not after %d, or outside of the text", name, s, end)
		}
		checkEdges(t, name, d.Text, s)
		end = s.End
	}
	if again := excerpt.Relevant(d, q, question, size); !reflect.DeepEqual(p, again) {
		t.Fatalf("%s: what is sent differs between two calls", name)
	}
}

// FuzzExcerpt checks the invariants for any text and question.
func FuzzExcerpt(f *testing.F) {
	f.Add("1. A. One. Two (the \"B\"): (a) c;\n\n(b) \"B\" means d.", "what is b?", 300, 40)
	f.Add(lease(), "ferrets", 700, 100)
	f.Add(strings.Repeat("\xff契\n", 500), "契", 256, 0)
	f.Fuzz(func(t *testing.T, text, question string, size, overlap int) {
		if len(text) > 1<<14 || len(question) > 1<<10 {
			return
		}
		d := read(text)
		checkParts(t, "parts", d, size%(1<<15), max(overlap%(1<<15), 0))
		checkRelevant(t, "relevant", d, question, size%(1<<15))
		for _, p := range excerpt.Parts(d, 4000, 100) {
			checkHalves(t, "halves", d, p, 0)
		}
	})
}
