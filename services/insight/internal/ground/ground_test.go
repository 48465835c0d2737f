package ground_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/rules"
)

// twoPages returns a document of two pages. The sentence "é two three four" begins on the
// first and ends on the second.
func twoPages() *layout.Document {
	text := "One é two\nthree four \n"
	word := func(w string, page int, box layout.Box) layout.Word {
		at := strings.Index(text, w)
		return layout.Word{Span: layout.Span{Start: at, End: at + len(w)}, Page: page, Box: box}
	}
	return &layout.Document{
		Text: text,
		Pages: []layout.Page{
			{Span: layout.Span{Start: 0, End: 11}, Width: 612, Height: 792},
			{Span: layout.Span{Start: 11, End: len(text)}, Width: 612, Height: 792},
		},
		Words: []layout.Word{
			word("One", 1, layout.Box{Left: .1, Top: .1, Right: .2, Bottom: .12}),
			word("é", 1, layout.Box{Left: .2100001, Top: .1, Right: .22, Bottom: .12}),
			word("two", 1, layout.Box{Left: .1, Top: .13, Right: .1999999, Bottom: .15}),
			word("three", 2, layout.Box{Left: .1, Top: .1, Right: .2, Bottom: .12}),
			word("four", 2, layout.Box{Left: .3, Top: .1, Right: .4, Bottom: .12}),
		},
		Runs: []layout.Run{
			{Span: layout.Span{Start: 0, End: 3}, Path: "p#1"},
			{Span: layout.Span{Start: 3, End: len(text)}, Path: "p#2"},
		},
	}
}

func TestPlace(t *testing.T) {
	d := twoPages()
	g := ground.New(d)
	span := layout.Span{Start: 3, End: len(d.Text)}
	p, ok := g.Place(span)
	if !ok || p.Quote != "é two\nthree four" || *p.PageNumber != 1 || p.XMLPath != "p#2" {
		t.Errorf("got %+v, %v", p, ok)
	}
	want := insightapi.BoundingBox{Page: 1, Left: .1, Top: .1, Width: .12, Height: .05}
	if *p.BoundingBox != want {
		t.Errorf("got the box %+v, want %+v: only words on the first page count", *p.BoundingBox, want)
	}
	if err := ground.Check(d, span, p); err != nil {
		t.Error(err)
	}
	if at := g.Positions(span); at[0] != (insightapi.Position{Start: 4, End: 20}) {
		t.Errorf("got the positions %+v, want 4 to 20: characters, not bytes", at)
	}
}

func TestPlaceOfPlainText(t *testing.T) {
	p, ok := ground.New(&layout.Document{Text: "some text"}).Place(layout.Span{Start: 4, End: 9})
	if !ok || p.Quote != "text" || *p.PageNumber != 1 || p.BoundingBox != nil || p.XMLPath != "" {
		t.Errorf("got %+v, %v", p, ok)
	}
}

func TestPlaceOfTextOnNoPage(t *testing.T) {
	d := twoPages()
	d.Words = d.Words[:3]
	p, ok := ground.New(d).Place(layout.Span{Start: 11, End: 16})
	if !ok || *p.PageNumber != 2 || p.BoundingBox != nil {
		t.Errorf("got %+v, %v; want page 2 without a box", p, ok)
	}
}

func TestNoPlace(t *testing.T) {
	g := ground.New(twoPages())
	for _, s := range []layout.Span{{}, {Start: 9, End: 9}, {Start: 3, End: 4}, {Start: -1, End: 3}, {Start: 4, End: 99}, {Start: 5, End: 4}} {
		if p, ok := g.Place(s); ok {
			t.Errorf("%+v has the place %+v, want none", s, p)
		}
	}
}

// TestTrim shows that no quote begins or ends with white space, Unicode white space
// included.
func TestTrim(t *testing.T) {
	const spaces = "\u3000\u2028\u2029\u0085\u2007\u200b\u00a0\n"
	text := spaces + "契約 \u3000書" + spaces
	g := ground.New(&layout.Document{Text: text})
	if p, ok := g.Place(layout.Span{End: len(text)}); !ok || p.Quote != "契約 \u3000書" {
		t.Errorf("got %q, %v", p.Quote, ok)
	}
	if p, ok := g.Place(layout.Span{End: len(spaces)}); ok {
		t.Errorf("white space has the place %+v", p)
	}
}

// TestLongQuote shows that of a long span only the beginning is quoted, in whole
// characters.
func TestLongQuote(t *testing.T) {
	d := &layout.Document{Text: "x" + strings.Repeat("é", 3000) + " " + strings.Repeat("\xa9", 5000)}
	g, span := ground.New(d), layout.Span{Start: 1, End: 6001}
	p, ok := g.Place(span)
	if !ok || p.Quote != strings.Repeat("é", 2000) {
		t.Errorf("got %d bytes, %v", len(p.Quote), ok)
	}
	if err := ground.Check(d, span, p); err != nil {
		t.Error(err)
	}
	if err := ground.CheckPositions(d.Text[:6001], p.Quote, g.Positions(span)); err != nil {
		t.Error(err)
	}
	if p, ok := g.Place(layout.Span{Start: 6002, End: len(d.Text)}); ok {
		t.Errorf("text without a whole character is quoted by %d bytes", len(p.Quote))
	}
	d.Text = strings.Repeat("é", 1999) + strings.Repeat(" ", 3000) + "x"
	if p, _ := ground.New(d).Place(layout.Span{End: len(d.Text)}); p.Quote != strings.Repeat("é", 1999) {
		t.Errorf("got %q at the end", p.Quote[len(p.Quote)-9:])
	}
}

func TestOutwardHoldsAll(t *testing.T) {
	b := ground.Outward(1, layout.Box{Left: -.1, Top: .123456, Right: .333333, Bottom: 1.2})
	if *b != (insightapi.BoundingBox{Page: 1, Left: 0, Top: .12345, Width: .33334, Height: .87655}) {
		t.Errorf("got %+v", *b)
	}
}

func TestItems(t *testing.T) {
	d := twoPages()
	found := []rules.Found[insightapi.Date]{
		{Item: insightapi.Date{DateLabel: "lost"}, Span: layout.Span{Start: 50, End: 60}},
		{Item: insightapi.Date{DateLabel: "kept"}, Span: layout.Span{Start: 4, End: 10}, Reasoning: "It says so.", Confidence: .7},
	}
	got := ground.Items(ground.New(d), found)
	if len(got) != 1 || got[0].DateLabel != "kept" || got[0].Quote != "é two" || *got[0].Reasoning != "It says so." || got[0].ConfidenceScore != .7 {
		t.Fatalf("got %+v", got)
	}
	if err := ground.CheckPositions(d.Text, got[0].Quote, got[0].InsertionPositions); err != nil {
		t.Error(err)
	}
	if none := ground.Items[insightapi.Clause](ground.New(d), nil); none == nil {
		t.Error("without items the list is nil, want an empty one")
	}
}

func TestPositionsInLongText(t *testing.T) {
	text := strings.Repeat("é", 5000) + "here" + strings.Repeat("ü", 5000)
	at := ground.New(&layout.Document{Text: text}).Positions(layout.Span{Start: 10000, End: 10004})
	if at[0] != (insightapi.Position{Start: 5000, End: 5004}) {
		t.Errorf("got %+v", at)
	}
}

// TestCheckFindsFaults shows that every kind of wrong place is detected, since the
// benchmark relies on these checks.
func TestCheckFindsFaults(t *testing.T) {
	d := twoPages()
	span := layout.Span{Start: 4, End: len(d.Text)}
	right, _ := ground.New(d).Place(span)
	two := 2
	for name, spoil := range map[string]func(p *insightapi.Place){
		"quote": func(p *insightapi.Place) { p.Quote += "x" },
		"page":  func(p *insightapi.Place) { p.PageNumber = &two },
		"path":  func(p *insightapi.Place) { p.XMLPath = "p#1" },
		"no box": func(p *insightapi.Place) {
			p.BoundingBox = nil
		},
		"small box": func(p *insightapi.Place) {
			p.BoundingBox = &insightapi.BoundingBox{Page: 1, Left: .1, Top: .1, Width: .01, Height: .01}
		},
	} {
		wrong := right
		spoil(&wrong)
		if ground.Check(d, span, wrong) == nil {
			t.Errorf("%s: a wrong place passes", name)
		}
	}
	if ground.CheckPositions(d.Text, "two", []insightapi.Position{{Start: 5, End: 8}}) == nil {
		t.Error("wrong positions pass")
	}
}

// TestBox shows that only a field quotes the empty box before a choice.
func TestBox(t *testing.T) {
	for text, want := range map[string]string{
		"[    ]\tBreach of Section 3": "Breach of Section 3", "(  ) \nCustomer owns it": "Customer owns it", "☐ Yes": "Yes",
		"[3] Yes": "[3] Yes", "[  ]": "[  ]", "(a) Yes": "(a) Yes", "Yes [ ] No": "Yes [ ] No",
	} {
		g, span := ground.New(&layout.Document{Text: text}), layout.Span{End: len(text)}
		clauses := ground.Items(g, []rules.Found[insightapi.Clause]{{Span: span}})
		if len(clauses) != 1 || clauses[0].Quote != want {
			t.Errorf("%q: got %+v, want the quote %q", text, clauses, want)
		}
		if fields := ground.Items(g, []rules.Found[insightapi.Field]{{Span: span}}); len(fields) != 1 || fields[0].Quote != text {
			t.Errorf("%q: got %+v, want a field that quotes all", text, fields)
		}
	}
}
