package e2e

import (
	"math"
	"slices"
	"testing"
)

// TestWitnessOfPages holds what lookAt sees of a PDF whose words stand at known places:
// if it saw nothing, all that is held against it would hold.
func TestWitnessOfPages(t *testing.T) {
	view, ok := lookAt(t, pdfOf("", textPage(1), textPage(2)))
	if !ok || len(view.pages) != 2 {
		t.Fatalf("there are %d pages", len(view.pages))
	}
	quote := lettersOf("Section 2.7 The Supplier")
	if on := view.pagesWith(quote); !slices.Equal(on, []int{2}) {
		t.Errorf("it is on %v", on)
	}
	if on := view.beginnings(quote); !slices.Equal(on, []int{2}) {
		t.Errorf("it begins on %v", on)
	}
	if on := view.pagesWith(lettersOf("Section 2.7 The Client")); on != nil {
		t.Errorf("what is not there is on %v", on)
	}
	places := view.pages[1].places(quote)
	if len(places) != 1 || len(places[0]) != 4 {
		t.Fatalf("it stands at %v", places)
	}
	first := places[0][0] // on the eighth line, 7 × 14 points below 740
	if baseline := 1 - (740-7*14)/792.0; math.Abs(first.left-72/612.0) > 0.002 || first.top > baseline || first.bottom < baseline {
		t.Errorf("it begins at %+v, the line is at %.4f", first, baseline)
	}
	box := placeBox{2, first.left, first.top, places[0][3].right - first.left, first.bottom - first.top}
	if !box.holds(first) || !box.fits(places[0]) {
		t.Errorf("%+v does not hold %+v", box, places[0])
	}
	if below := (placeBox{2, box.Left, box.Top + 0.018, box.Width, box.Height}); below.holds(first) {
		t.Errorf("the line below, %+v, holds %+v", below, first)
	}
	if page := (placeBox{2, 0, 0, 1, 1}); page.fits(places[0]) {
		t.Error("the whole page is no larger than the words")
	}
}

// TestWitnessOfPaths follows paths of XML, and some that lead nowhere.
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
			t.Errorf("%s leads to %q, %v", path, got, err)
		}
	}
	for _, tc := range []struct {
		text, quote string
		begins      bool
	}{{"abc", "bcd", true}, {"abc", "b", true}, {"abc", "d", false}, {"abc", "acd", false}, {"", "a", false}} {
		if beginsIn(tc.text, tc.quote) != tc.begins {
			t.Errorf("that %q begins in %q is not %t", tc.quote, tc.text, tc.begins)
		}
	}
}

// TestWitnessOfShares holds that what is counted can fail, and what is not as well.
func TestWitnessOfShares(t *testing.T) {
	floors := map[string]float64{"mostly": 0.5}
	s := newShares()
	if n := len(s.faults(nil)); n != 1 {
		t.Errorf("where nothing was looked at there are %d faults", n)
	}
	s.count("always", true, "")
	if n := len(s.faults(floors)); n != 1 {
		t.Errorf("where nothing was counted that has a floor there are %d faults", n)
	}
	s.count("mostly", true, "")
	s.count("mostly", false, "once")
	if faults := s.faults(floors); faults != nil {
		t.Errorf("where all holds it says %v", faults)
	}
	s.count("mostly", false, "twice")
	s.count("always", false, "once")
	if n := len(s.faults(floors)); n != 2 {
		t.Errorf("where two do not hold there are %d faults", n)
	}
}
