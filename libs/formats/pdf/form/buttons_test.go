package form

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestFillButtons(t *testing.T) {
	for _, c := range []struct {
		name    string
		flags   string
		widgets []string
		listed  []Widget
		// want holds the state of each widget, and the value.
		want []string
	}{
		{"checkbox", "", []string{mark}, []Widget{on(0)}, []string{"/On", "/On"}},
		{"checkbox off", "", []string{mark + "/AS/On/V/On"}, []Widget{at(0)}, []string{"/Off", "/Off"}},
		{"bare checkbox", "", []string{""}, []Widget{on(0)}, []string{"/Yes", "/Yes"}},
		{"same checkboxes", "", []string{mark, mark}, []Widget{on(0)}, []string{"/On", "/On", "/On"}},
		{"different checkboxes", "", []string{mark, "/AS/B"}, []Widget{on(1)}, []string{"/Off", "/B", "/B"}},
		{"two checkboxes of a field", "", []string{"/AS/A", "/AS/B"}, []Widget{on(0), on(1)}, []string{"/A", "/B", "/A"}},
		{"radio", "/Ff 32768", []string{"/AS/A/V/A", "/AS/B"}, []Widget{at(0), on(1)}, []string{"/Off", "/B", "/B"}},
		{"radio not listed", "/Ff 32768", []string{"/AS/A/V/A", "/AS/B"}, []Widget{on(1)}, []string{"/Off", "/B", "/B"}},
		{"one radio", "/Ff 32768", []string{"/AS/A", "/AS/B"}, []Widget{on(0), on(1)}, []string{"/A", "/Off", "/A"}},
		{"same radios", "/Ff 32768", []string{mark, mark}, []Widget{on(1)}, []string{"/Off", "/On", "/On"}},
		{"radios in unison", "/Ff 33587200", []string{mark, mark}, []Widget{on(1)}, []string{"/On", "/On", "/On"}},
		{"radio cleared", "/Ff 49152", []string{"/AS/A/V/A", "/AS/B"}, []Widget{at(0), at(1)}, []string{"/Off", "/Off", "/Off"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var all []string
			for _, w := range c.widgets {
				all = append(all, checkbox+"/T(b)"+c.flags+w+">>")
			}
			all[0] = strings.ReplaceAll(all[0], "4 0 R", "99 0 R")
			file := widgets("", append(slices.Clone(all), "null")...)
			file = []byte(strings.ReplaceAll(string(file), "99 0 R", " 4 0 R"))
			r := reopen(t, fill(t, file, Value{Widgets: c.listed}))
			for i := range c.widgets {
				r.want(i, "AS", c.want[i], "V", c.want[len(c.want)-1])
			}
		})
	}
}

func TestFillDrawsBareButtons(t *testing.T) {
	out := fill(t, widgets("", checkbox+"/T(b)/MK<</BC[0]>>>>"), Value{Widgets: []Widget{on(0)}})
	r := reopen(t, out)
	ap, _ := r.sub(r.byRef[Ref{1, 0}].node, "AP")
	states, _ := r.sub(ap, "N")
	if states.Dict["Yes"] == nil || states.Dict["Off"] == nil {
		t.Errorf("the appearances are %v", ap)
	}
}

// TestStateNames checks states whose names are no UTF-8, as older programs write them: they
// have different texts, and are written as they are.
func TestStateNames(t *testing.T) {
	states := []string{"J#C4", "J#C3#84", "N#FCll", "#FE#FF#01A", "a#0Ab", "#80", "J\xc4?"}
	var all []string
	for _, s := range states {
		all = append(all, checkbox+"/Ff 32768/T(b)/AP<</N<</Off 13 0 R/"+s+" 13 0 R>>>>>>")
	}
	file := widgets("", append(all, "null", streamObject("/BBox[0 0 9 9]", ""))...)
	d, err := Describe(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"JÄ", "JÄ (2)", "Nüll", "Ł", "a b", "•", "JÄ?"} {
		if got := d.Details[Ref{1, i}].State; got != want {
			t.Errorf("state %d is %q, want %q", i, got, want)
		}
	}
	for i, want := range []string{"J\xc4", "J\xc3\x84", "N\xfcll", "\xfe\xff\x01A", "a\nb", "\x80", "J\xc4?"} {
		out := fill(t, file, Value{Widgets: []Widget{on(i)}})
		reopen(t, out).want(i, "AS", "/"+want, "V", "/"+want)
		if written := []byte("/V /" + states[i]); i < 6 && !bytes.Contains(out, written) {
			t.Errorf("%s is not in the update", written)
		}
	}
}

// TestStateOfPressedButton checks that the name of a state is found if only the appearance of
// the pressed button has it.
func TestStateOfPressedButton(t *testing.T) {
	file := widgets("", checkbox+"/T(b)/AP<</N<</Off 6 0 R>>/D<</Off 6 0 R/Ja 6 0 R>>>>>>", streamObject("/BBox[0 0 9 9]", ""))
	r := reopen(t, fill(t, file, Value{Widgets: []Widget{on(0)}}))
	r.want(0, "AS", "/Ja", "V", "/Ja")
	ap, _ := r.sub(r.byRef[Ref{1, 0}].node, "AP")
	if states, _ := r.sub(ap, "N"); states.Dict["Ja"] == nil {
		t.Errorf("the appearances are %v", ap)
	}
}

// TestManyUnnamedStates checks the names of buttons whose file takes those that would be chosen.
func TestManyUnnamedStates(t *testing.T) {
	var all []string
	for i := range 300 {
		w := checkbox + "/Ff 32768/T(b)"
		if i%2 == 1 {
			w += fmt.Sprintf("/AS/%d", 300+i)
		}
		all = append(all, w+">>")
	}
	d, err := Describe(widgets("", all...))
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]bool{}
	for _, x := range d.Details {
		states[x.State] = true
	}
	if len(states) != len(all) {
		t.Errorf("%d buttons have %d states", len(all), len(states))
	}
}
