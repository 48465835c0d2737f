package form

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// bareButtons returns checkboxes of different fields without appearances.
func bareButtons() []string {
	var all []string
	for i := range 10 {
		all = append(all, fmt.Sprintf("%s/T(b%d)/MK<</BC[0]>>>>", checkbox, i))
	}
	return all
}

// TestFillRepeats checks that the same order gives the same bytes, also with fonts that no
// other file has been filled with.
func TestFillRepeats(t *testing.T) {
	buttons := bareButtons()
	file := widgets("/NeedAppearances true", append(buttons, textWidget+">>", "<</Subtype/Widget/Rect[10 20 100 40]/FT/Ch/T(list)/Opt[(a)(b)]>>")...)
	values := []Value{text(len(buttons), "Zoë Жук"), {Widgets: []Widget{at(len(buttons) + 1)}, Export: []string{"b"}, Text: "b"}}
	for i := range buttons[1:] { // the last is only drawn
		values = append(values, Value{Widgets: []Widget{on(i)}})
	}
	values = append(values, Value{Stamps: []Stamp{{Page: 1, Box: place, Tick: true}}})
	for _, o := range []Order{{Values: values}, {Values: values, Flatten: true}} {
		var first []byte
		for i := range 5 {
			r, err := Fill(file, o, nil, typeset.NewFonts("/usr/share/fonts"))
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = r.Update
				check(t, applied(file, r))
			} else if !bytes.Equal(r.Update, first) {
				t.Errorf("flatten %v: the %d. result differs from the first", o.Flatten, i+1)
			}
		}
	}
}

// TestStatesRepeat checks that the same states are read if the texts of a file exceed the
// budget.
func TestStatesRepeat(t *testing.T) {
	var all []string
	for i := range 10 {
		all = append(all, fmt.Sprintf("%s/T(b%d)/AP<</N<</Off 4 0 R/State%d 4 0 R>>>>>>", checkbox, i, i))
	}
	file := widgets("", all...)
	states := func(budget int) (names []string, left int) {
		f, err := open(file)
		if err != nil {
			t.Fatal(err)
		}
		f.budget = budget
		for _, w := range f.readForm().widgets {
			names = append(names, w.state.name)
		}
		return names, f.budget
	}
	_, left := states(maxTexts)
	budget := maxTexts - left - 30 // which lacks that of three states
	first, _ := states(budget)
	if n := len(slices.Compact(slices.Sorted(slices.Values(first)))); n == 1 || n == len(all) {
		t.Fatalf("the budget is exceeded by all or none: %q", first)
	}
	for range 5 {
		if again, _ := states(budget); !slices.Equal(again, first) {
			t.Errorf("got %q, then %q", first, again)
		}
	}
}
