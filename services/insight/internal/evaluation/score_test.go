package evaluation

import (
	"math"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
)

func TestScore(t *testing.T) {
	var s Score
	s.Add(true, true, true)
	s.Add(true, true, false)
	s.Add(true, false, false)
	s.Add(false, true, false)
	s.Add(false, false, true)
	if s.Found != 3 || s.Gold != 3 || s.Precision() != 1.0/3 || s.Recall() != 1.0/3 || math.Abs(s.F1()-1.0/3) > 1e-9 {
		t.Errorf("got %+v: P %v, R %v, F1 %v", s, s.Precision(), s.Recall(), s.F1())
	}
	var none Score
	if none.Precision() != 0 || none.Recall() != 0 || none.F1() != 0 {
		t.Error("an empty score is not 0")
	}
}

func TestCalibration(t *testing.T) {
	var c Calibration
	for _, right := range []bool{true, true, true, false} {
		c.Add(0.75, right)
	}
	if c.Error() != 0 {
		t.Errorf("three of four are right at 0.75: the error is %v, want 0", c.Error())
	}
	c.Add(1, false)
	if got := c.Error(); math.Abs(got-0.2) > 1e-9 {
		t.Errorf("got %v, want 0.2: one of five is wrong by 1", got)
	}
	if bins := c.Bins(); len(bins) != 2 || bins[0].Items != 4 || bins[1].Right != 0 {
		t.Errorf("got %+v", bins)
	}
}

func TestGoldValues(t *testing.T) {
	for answer, want := range map[string]string{"6/21/1999": "1999-06-21", "": "", "3/1/03": "2003-03-01"} {
		if got, known := goldDate(answer); got != want || !known {
			t.Errorf("%q: got %q, %v", answer, got, known)
		}
	}
	for _, answer := range []string{"perpetual", "[]/[]/2000"} {
		if got, known := goldDate(answer); known {
			t.Errorf("%q: got %q, want unknown", answer, got)
		}
	}
	if got, known := goldMonths("successive 1 year"); got != "12 months" || !known {
		t.Errorf("got %q, %v", got, known)
	}
}

func TestFindLetters(t *testing.T) {
	text := "é The  Term-\nination, shall"
	s, ok := findLetters(text, "term ination shall")
	if !ok || text[s.Start:s.End] != "Term-\nination, shall" {
		t.Errorf("got %+v, %v", s, ok)
	}
	if _, ok := findLetters(text, "other"); ok {
		t.Error("found text that does not exist")
	}
}

func TestSpansIn(t *testing.T) {
	got := Marked{Spans: [][2]int{{1, 3}}}.spansIn("éüx.")
	if len(got) != 1 || got[0] != (layout.Span{Start: 2, End: 5}) {
		t.Errorf("got %+v", got)
	}
}

func TestNames(t *testing.T) {
	if !SameName("Co-Branding\nAgreement", "CO-BRANDING AGREEMENT.") || SameName("", "") || SameName("a", "b") {
		t.Error("names are not compared by their letters and digits")
	}
	if !NameWithin("Delaware", "State of Delaware") || NameWithin("", "x") {
		t.Error("names within others are not compared by their letters and digits")
	}
	if !ofFolder("Consulting Agreement", "Consulting Agreements") || !ofFolder("Co-Branding Agreement", "Co_Branding") || ofFolder("Lease", "IP") {
		t.Error("types and folders are not compared by words")
	}
}

// TestReportAsJSON shows that the JSON of a report has the calibration.
func TestReportAsJSON(t *testing.T) {
	r := NewReport()
	r.Calibration.Add(0.5, true)
	data, err := json.Marshal(r, json.Deterministic(true))
	if err != nil || !strings.Contains(string(data), `"Calibration":{"error":0.5,"bins":[{"Confidence":0.5,"Right":1,"Items":1}]}`) {
		t.Errorf("%s, %v", data, err)
	}
}
