package layout_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
)

func TestWordsOf(t *testing.T) {
	doc := &layout.Document{Text: "one two three"}
	for _, s := range []layout.Span{{Start: 0, End: 3}, {Start: 4, End: 7}, {Start: 8, End: 13}} {
		doc.Words = append(doc.Words, layout.Word{Span: s})
		doc.Runs = append(doc.Runs, layout.Run{Span: s})
	}
	for _, test := range []struct {
		span layout.Span
		want []string
	}{
		{layout.Span{Start: 0, End: 13}, []string{"one", "two", "three"}}, {layout.Span{Start: 2, End: 5}, []string{"one", "two"}}, {layout.Span{Start: 3, End: 4}, nil},
		{layout.Span{Start: 3, End: 5}, []string{"two"}}, {layout.Span{Start: 12, End: 13}, []string{"three"}}, {layout.Span{Start: 13, End: 13}, nil},
	} {
		var words, runs []string
		for _, w := range doc.WordsOf(test.span) {
			words = append(words, doc.Quote(w.Span))
		}
		for _, r := range doc.RunsOf(test.span) {
			runs = append(runs, doc.Quote(r.Span))
		}
		if !slices.Equal(words, test.want) || !slices.Equal(runs, test.want) {
			t.Errorf("%v: words %q, runs %q, want %q", test.span, words, runs, test.want)
		}
	}
}

// TestWordsByPage shows that the words of a page stay together and in order, wherever they are in
// the document, and that the document stays as it is when words of it are added.
func TestWordsByPage(t *testing.T) {
	word := func(at, page int) layout.Word {
		return layout.Word{Span: layout.Span{Start: at, End: at + 1}, Page: page}
	}
	d := layout.Document{Words: []layout.Word{word(0, 1), word(2, 1), word(4, 2), word(6, 1), word(8, 3)}}
	want := map[int][]layout.Word{1: {word(0, 1), word(2, 1), word(6, 1)}, 2: {word(4, 2)}, 3: {word(8, 3)}}
	if got := d.WordsByPage(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := d.Words[2]; got != word(4, 2) {
		t.Errorf("the third word of the document is now %v", got)
	}
	if got := new(layout.Document).WordsByPage(); len(got) != 0 {
		t.Errorf("got %v for a document without words", got)
	}
}

func TestUnion(t *testing.T) {
	a, b := layout.Box{Left: 0.1, Top: 0.2, Right: 0.3, Bottom: 0.4}, layout.Box{Left: 0.2, Top: 0.1, Right: 0.25, Bottom: 0.5}
	for _, test := range []struct{ a, b, want layout.Box }{
		{a, b, layout.Box{Left: 0.1, Top: 0.1, Right: 0.3, Bottom: 0.5}}, {a, layout.Box{}, a}, {layout.Box{}, b, b},
	} {
		if got := test.a.Union(test.b); got != test.want {
			t.Errorf("%v and %v: %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestSpans(t *testing.T) {
	s := layout.Span{Start: 2, End: 5}
	for _, test := range []struct {
		other              layout.Span
		contains, overlaps bool
	}{{layout.Span{Start: 2, End: 5}, true, true}, {layout.Span{Start: 3, End: 4}, true, true}, {layout.Span{Start: 4, End: 6}, false, true}, {layout.Span{Start: 5, End: 6}, false, false}, {layout.Span{Start: 0, End: 2}, false, false}} {
		if s.Contains(test.other) != test.contains || s.Overlaps(test.other) != test.overlaps {
			t.Errorf("%v: contains %v, overlaps %v", test.other, s.Contains(test.other), s.Overlaps(test.other))
		}
	}
}
