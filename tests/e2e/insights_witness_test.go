package e2e

import (
	"math"
	"slices"
	"testing"
)

// TestWitnessOfPages checks lookAt with a PDF whose words are at known places. If lookAt
// saw nothing, the tests that rely on it would prove nothing.
func TestWitnessOfPages(t *testing.T) {
	view, ok := lookAt(t, pdfOf("", textPage(1), textPage(2)))
	if !ok || len(view.pages) != 2 {
		t.Fatalf("there are %d pages", len(view.pages))
	}
	quote := lettersOf("Section 2.7 The Supplier")
	if on := view.pagesWith(quote); !slices.Equal(on, []int{2}) {
		t.Errorf("the quote is on pages %v, want page 2", on)
	}
	if on := view.beginnings(quote); !slices.Equal(on, []int{2}) {
		t.Errorf("the quote begins on pages %v, want page 2", on)
	}
	if on := view.pagesWith(lettersOf("Section 2.7 The Client")); on != nil {
		t.Errorf("a text that does not occur is on pages %v", on)
	}
	places := view.pages[1].places(quote)
	if len(places) != 1 || len(places[0]) != 4 {
		t.Fatalf("the quote occurs at %v, want one place of four words", places)
	}
	first := places[0][0] // on the eighth line, 7 × 14 points below the first at 740
	if baseline := 1 - (740-7*14)/792.0; math.Abs(first.left-72/612.0) > 0.002 || first.top > baseline || first.bottom < baseline {
		t.Errorf("the quote begins at %+v, but its line is at %.4f", first, baseline)
	}
	box := placeBox{2, first.left, first.top, places[0][3].right - first.left, first.bottom - first.top}
	if !box.holds(first) || !box.fits(places[0]) {
		t.Errorf("%+v does not contain or does not fit %+v", box, places[0])
	}
	if below := (placeBox{2, box.Left, box.Top + 0.018, box.Width, box.Height}); below.holds(first) {
		t.Errorf("the box of the line below, %+v, contains %+v", below, first)
	}
	if page := (placeBox{2, 0, 0, 1, 1}); page.fits(places[0]) {
		t.Error("a box of the whole page fits the words")
	}
}

// TestWitnessOfPaths checks textAt with valid and invalid XML paths, and beginsIn.
func TestWitnessOfPaths(t *testing.T) {
	parts := map[string]string{"word/document.xml": `<?xml version="1.0"?><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>one</w:t></w:r></w:p><w:tbl/>` +
		`<w:p><w:r><w:t>two</w:t><w:tab/><w:t>three</w:t></w:r><w:r><w:t>four</w:t></w:r></w:p></w:body></w:document>`}
	for path, want := range map[string]string{
		"word/document.xml#/w:document[1]/w:body[1]/w:p[2]/w:r[1]": "two three",
		"word/document.xml#/w:document[1]/w:body[1]/w:p[2]":        "two threefour",
		"word/document.xml#/w:document[1]/w:body[1]/w:p[3]":        "",
		"word/document.xml#/w:document[1]/w:body[1]/w:p[1]/w:r[2]": "",
		"word/header1.xml#/w:hdr[1]":                               "",
		"":                                                         "",
	} {
		if got, err := textAt(parts, path); got != want || (err == nil) != (want != "") {
			t.Errorf("the text at %s is %q, %v, want %q", path, got, err, want)
		}
	}
	for _, tc := range []struct {
		text, quote string
		begins      bool
	}{{"abc", "bcd", true}, {"abc", "b", true}, {"abc", "d", false}, {"abc", "acd", false}, {"", "a", false}} {
		if beginsIn(tc.text, tc.quote) != tc.begins {
			t.Errorf("beginsIn(%q, %q) is not %t", tc.text, tc.quote, tc.begins)
		}
	}
}

// TestWitnessOfShares checks that statements that are not true often enough, or were never
// counted, are faults.
func TestWitnessOfShares(t *testing.T) {
	floors := map[string]float64{"mostly": 0.5}
	s := newShares()
	if n := len(s.faults(nil)); n != 1 {
		t.Errorf("with nothing counted there are %d faults, want 1", n)
	}
	s.count("always", true, "")
	if n := len(s.faults(floors)); n != 1 {
		t.Errorf("with a floor but no count there are %d faults, want 1", n)
	}
	s.count("mostly", true, "")
	s.count("mostly", false, "once")
	if faults := s.faults(floors); faults != nil {
		t.Errorf("with all floors reached the faults are %v", faults)
	}
	s.count("mostly", false, "twice")
	s.count("always", false, "once")
	if n := len(s.faults(floors)); n != 2 {
		t.Errorf("with two floors missed there are %d faults, want 2", n)
	}
}
