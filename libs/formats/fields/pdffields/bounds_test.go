package pdffields_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/pdffields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
)

// The most of each kind that a file can have.
const (
	manyWidgets = 20_000
	manyBlanks  = 5_000
	manyRules   = 50_000
	pageRules   = 2_000
)

// crowd is many more rules than a page can have. Find does not rely on that limit.
const crowd = 100_000

// large returns files that are as large as can be in one respect.
func large() map[string]*pdf.File {
	return map[string]*pdf.File{
		"widgets on one page": widgets(manyWidgets, func(i int) pdf.Field { return pdf.Field{Name: fmt.Sprint(i), Type: pdf.Text} }),
		"one field":           widgets(manyWidgets, func(int) pdf.Field { return pdf.Field{Name: "a", Type: pdf.Text} }),
		"one option": widgets(manyWidgets, func(i int) pdf.Field {
			return pdf.Field{Name: "a", Type: pdf.Radio, Details: form.Details{State: fmt.Sprint("s", i), Caption: "same"}}
		}),
		"large widgets": widgets(manyWidgets, func(i int) pdf.Field {
			return pdf.Field{Name: fmt.Sprint(i), Type: pdf.Checkbox, Box: layout.Box{Right: 1, Bottom: 1}}
		}),
		"blanks":   lines(manyBlanks+10, "Name: ________ [Date] # A # B"),
		"labels":   lines(manyBlanks+10, "Name:      Date:"),
		"one line": lines(1, strings.Repeat("Name: ________ [Date] ", 20*manyBlanks)),
		"crowded": crowded(func(i int) layout.Box {
			y := float64(i) / crowd
			return layout.Box{Left: .1, Right: .9, Top: y, Bottom: y + .1/crowd}
		}),
		"squares": crowded(func(i int) layout.Box { return at(i%40, i/40%100, 2) }),
		"drawn":   drawn(func(i int) layout.Box { return at(i%40, i/40%100, 4) }),
		"nested":  drawn(func(i int) layout.Box { return layout.Box{Left: float64(i) / 4000, Top: .5, Right: 1, Bottom: .501} }),
		"dense": drawn(func(i int) layout.Box {
			return layout.Box{Left: .001 * float64(i%500), Top: .5, Right: .001*float64(i%500) + .01, Bottom: .51}
		}),
	}
}

// widgets returns a file with widgets on one page.
func widgets(n int, widget func(int) pdf.Field) *pdf.File {
	m := &maker{}
	m.page(strings.Repeat("Name: ", 500))
	for i := range n {
		w := widget(i)
		w.Page, w.Annotation = 1, i
		if w.Box == (layout.Box{}) {
			w.Box = at(i%40, i/40%80, 3)
		}
		m.Fields = append(m.Fields, w)
	}
	return m.file()
}

// lines returns a file with lines of text, all at the same place of one page.
func lines(n int, line string) *pdf.File {
	m := &maker{}
	for range n {
		m.page(line)
	}
	for i := range m.Words {
		m.Words[i].Page = 1
	}
	return m.file()
}

// drawn returns a file with as many rules as a file can have, on pages full of words.
func drawn(box func(int) layout.Box) *pdf.File {
	m := &maker{}
	row := strings.Repeat("By: ", 100)
	for len(m.Rules) < manyRules {
		var text []string
		for range 40 {
			text = append(text, row)
		}
		m.page(text...)
		for i := range pageRules {
			m.Rules = append(m.Rules, pdf.Rule{Page: len(m.Pages), Box: box(i)})
		}
	}
	return m.file()
}

// crowded returns a file of one page with a crowd of rules among words.
func crowded(box func(int) layout.Box) *pdf.File {
	m := &maker{}
	m.page(slices.Repeat([]string{strings.Repeat("By: ", 100)}, 40)...)
	for i := range crowd {
		m.Rules = append(m.Rules, pdf.Rule{Page: 1, Box: box(i)})
	}
	return m.file()
}

// TestLargeFiles checks that large files have no more fields than allowed, each with a place
// and an ID of its own, and that all can be filled.
func TestLargeFiles(t *testing.T) {
	for name, f := range large() {
		found := pdffields.Find(f)
		ids := map[string]fields.Filling{}
		places, detected := 0, 0
		for _, f := range found {
			ids[f.ID] = fields.Filling{Type: fields.Text, Text: "x"}
			places += len(f.Places)
			if f.Source == fields.Detected {
				detected++
			}
			if len(f.Places) == 0 {
				t.Fatalf("%s: %s has no place", name, f.ID)
			}
		}
		if len(ids) != len(found) || detected > manyBlanks {
			t.Errorf("%s: %d fields have %d IDs; %d are blanks", name, len(found), len(ids), detected)
		}
		if want := len(f.Fields); places-detected < want && !strings.Contains(name, "drawn") && detected == 0 {
			t.Errorf("%s: %d places for %d widgets", name, places, want)
		}
		if _, _, err := pdffields.Order(found, ids); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkFind measures Find for the largest files.
func BenchmarkFind(b *testing.B) {
	for name, f := range large() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				pdffields.Find(f)
			}
		})
	}
}
