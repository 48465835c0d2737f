package detect

import (
	"strings"
	"testing"
)

// TestLabelsOfPlaces checks the labels found in the text around places.
func TestLabelsOfPlaces(t *testing.T) {
	const place = string(Object)
	for _, c := range []struct{ before, text, label, question string }{
		{"", "Name: " + place, "Name", "Name"},
		{"", "x " + place + " Date: " + place, "x", ""},
		{"Are you insured?", place + " Yes", "", "Are you insured?"},
		{"Are you insured?", place, "Are you insured?", "Are you insured?"},
		{"A heading", place, "", ""},
		{"", place + " (the tenant)", "tenant", ""},
		{"", strings.Repeat("é", 300) + ": " + place, strings.Repeat("é", 119), strings.Repeat("é", 119)},
	} {
		paragraphs := []Paragraph{{Text: c.before}, {Text: c.text}}
		labels, at := LabelsOf(paragraphs), strings.Index(c.text, place)
		if got := labels.At(1, at, at+len(place)); got != c.label {
			t.Errorf("%q: label %q, want %q", c.text, got, c.label)
		}
		if got := labels.Question(1, at); got != c.question {
			t.Errorf("%q: question %q, want %q", c.text, got, c.question)
		}
	}
}

func TestBoxSigns(t *testing.T) {
	for s, want := range map[string]bool{"☐": true, "☐ a": true, "a ☒": false, "[ ] a": true, "": false, "a": false} {
		if got := BeginsWithBox(s); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

func TestAsksForValue(t *testing.T) {
	for label, want := range map[string]bool{"Title": true, "Name of tenant": true, "Witness": true, "Jane Doe": false, "Norden Pumps": false, "": false} {
		if got := AsksForValue(label); got != want {
			t.Errorf("%q: %v, want %v", label, got, want)
		}
	}
}
