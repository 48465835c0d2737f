package form

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// system holds the fonts of the system, so that all tests read them once.
var system = typeset.NewFonts("/usr/share/fonts")

// fonts returns the fonts of the system.
func fonts() *typeset.Fonts { return system }

// fill fills a file, and checks that the result is a sound file whose update was appended.
func fill(t *testing.T, file []byte, values ...Value) []byte {
	t.Helper()
	r, err := Fill(file, Order{Values: values}, nil, fonts())
	if err != nil {
		t.Fatal(err)
	}
	if r.Whole {
		t.Error("the whole file was written")
	}
	out := applied(file, r)
	check(t, out)
	return out
}

// at returns the widget with an index on the first page.
func at(index int) Widget { return Widget{Ref: Ref{1, index}} }

// on returns the same, switched on.
func on(index int) Widget { return Widget{Ref: Ref{1, index}, On: true} }

// text returns a value for a widget of the first page.
func text(index int, s string) Value { return Value{Widgets: []Widget{at(index)}, Text: s} }

// reader looks at the form of a filled file.
type reader struct {
	*testing.T
	*form
}

func reopen(t *testing.T, file []byte) reader {
	t.Helper()
	f, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	return reader{t, f.readForm()}
}

// get returns an entry of a widget or its field: a text, a name or a number.
func (r reader) get(index int, key string) string {
	o, _ := r.resolve(r.byRef[Ref{1, index}].inherited(key), 0)
	switch o := o.(type) {
	case nil:
		return ""
	case types.Name:
		return "/" + string(o)
	case types.Array:
		var all []string
		for _, e := range o {
			if s, ok := e.(types.HexLiteral); ok {
				all = append(all, decodeText(octets(s, maxText)))
			} else {
				all = append(all, e.String())
			}
		}
		return strings.Join(all, "|")
	case types.Integer:
		return o.String()
	}
	return r.text(o, maxText)
}

// want checks entries of a widget, given as pairs of key and value.
func (r reader) want(index int, pairs ...string) {
	r.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := r.get(index, pairs[i]); got != pairs[i+1] {
			r.Errorf("widget %d: %s is %q, want %q", index, pairs[i], got, pairs[i+1])
		}
	}
}

const (
	textWidget = "<</Type/Annot/Subtype/Widget/F 4/Rect[10 300 200 320]/FT/Tx/T(name)"
	checkbox   = "<</Type/Annot/Subtype/Widget/F 4/Rect[10 300 30 320]/FT/Btn"
	mark       = "/AP<</N<</Off 4 0 R/On 4 0 R>>>>"
)

func TestFillText(t *testing.T) {
	for _, s := range []string{"Jane", "Jürgen", "Łukasz Жук", "a\nb", "12 € netto", "(a\\b)"} {
		out := fill(t, widgets("", textWidget+"/V(old)/RV(<p>old</p>)/DV(default)>>"), text(0, s))
		r := reopen(t, out)
		r.want(0, "V", s, "DV", "default", "RV", "", "Ff", "1")
		printed := run(t, "pdftotext", save(t, out), "-")
		for _, line := range strings.Split(s, "\n") {
			if !strings.Contains(printed, line) {
				t.Errorf("pdftotext finds %q, want %q", printed, s)
			}
		}
		if strings.Contains(printed, "old") {
			t.Errorf("pdftotext finds the old value: %q", printed)
		}
	}
}

func TestFillWritesTheFieldOfTheWidget(t *testing.T) {
	file := build(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R]>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[4 0 R 6 0 R]>>",
		"<</Subtype/Widget/Rect[0 0 99 19]/Parent 5 0 R/V(stray)/Ff 4096>>",
		"<</T(name)/FT/Tx/V(old)/Ff 2/Kids[4 0 R 6 0 R]>>",
		"<</Subtype/Widget/Rect[0 50 99 69]/Parent 5 0 R>>",
	)
	out := fill(t, file, text(0, "new"))
	r := reopen(t, out)
	r.want(0, "V", "new", "Ff", "4097")
	r.want(1, "V", "new", "Ff", "3")
	if r.byRef[Ref{1, 0}].Dict["V"] != nil {
		t.Error("the widget has a value of its own")
	}
	if n := strings.Count(run(t, "pdftotext", save(t, out), "-"), "new"); n != 2 {
		t.Errorf("the value is shown %d times", n)
	}
}

func TestFillFieldsOfOneName(t *testing.T) {
	file := widgets("", textWidget+">>", textWidget+"/Rect[10 100 200 120]>>")
	r := reopen(t, fill(t, file, text(1, "both")))
	r.want(0, "V", "both")
	r.want(1, "V", "both")
}

func TestFillNeedAppearances(t *testing.T) {
	rest := []string{
		"<</Subtype/Widget/Rect[10 200 200 220]/FT/Tx/T(other)/V(Untouched)>>",
		"<</Subtype/Widget/Rect[10 170 200 190]/FT/Ch/Ff 131072/T(combo)/V(1)/Opt[[(1)(Dropped)]]>>",
		"<</Subtype/Widget/Rect[10 120 200 160]/FT/Ch/T(list)/V[(b)]/Opt[(a)(b)]>>",
		"<</Subtype/Widget/Rect[10 100 20 110]/FT/Btn/T(check)/V/Yes>>",
		"<</Subtype/Widget/Rect[10 50 100 70]/FT/Btn/Ff 65536/T(push)/MK<</CA(Press)>>>>",
		"<</Subtype/Widget/Rect[10 20 100 40]/FT/Ch/Ff 393216/T(own)/V(Odd)>>",
		"<</Subtype/Widget/Rect[110 20 200 40]/FT/Ch/Ff 393216/T(none)>>",
		"<</Subtype/Widget/Rect[110 50 200 70]/FT/Sig/T(sig)>>",
	}
	file := widgets("/NeedAppearances true", append([]string{textWidget + ">>"}, rest...)...)
	out := fill(t, file, text(0, "Jane"))
	r := reopen(t, out)
	if r.acro.Dict["NeedAppearances"] != nil {
		t.Error("viewers would draw the fields again")
	}
	r.want(1, "V", "Untouched", "Ff", "")
	r.want(4, "AS", "/Yes")
	printed := run(t, "pdftotext", save(t, out), "-")
	for _, s := range []string{"Jane", "Untouched", "Dropped", "Press", "Odd"} {
		if !strings.Contains(printed, s) {
			t.Errorf("%s is missing in %q", s, printed)
		}
	}
	strange := widgets("/NeedAppearances true", textWidget+">>", "<</Subtype/Widget/Rect[10 200 200 220]/FT/Tx/T(other)/V<FEFFFFFF>>>")
	if r := reopen(t, fill(t, strange, text(0, "Jane"))); r.acro.Dict["NeedAppearances"] == nil {
		t.Error("viewers would not draw the field that Fill could not draw")
	}
}

func TestFillRemovesXFAAndUsageRights(t *testing.T) {
	r := reopen(t, fill(t, pdfforms.HybridXFA(), text(0, "Jane")))
	if r.acro.Dict["XFA"] != nil {
		t.Error("XFA would show the old values")
	}
	dynamic := bytes.Replace(widgets("/XFA[]", textWidget+">>"), []byte("/Catalog"), []byte("/Catalog/NeedsRendering true"), 1)
	if r := reopen(t, applied(dynamic, filled(t, dynamic, text(0, "Jane")))); r.root["NeedsRendering"] != nil {
		t.Error("viewers would wait for XFA")
	}
	file := build(
		"<</Type/Catalog/Pages 2 0 R/Perms<</UR3 5 0 R>>/AcroForm<</Fields[4 0 R]>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[4 0 R]>>",
		textWidget+">>",
		"<</Type/Sig/Contents<00>>>",
	)
	if r := reopen(t, fill(t, file, text(0, "Jane"))); r.root["Perms"] != nil {
		t.Error("Adobe Reader would warn about the file")
	}
}

func TestFillRefuses(t *testing.T) {
	file := widgets("", textWidget+">>")
	for _, c := range []struct {
		name  string
		file  []byte
		order Order
		want  Refusal
	}{
		{"no widget", file, Order{Values: []Value{text(7, "x")}}, Missing},
		{"no page", file, Order{Values: []Value{{Stamps: []Stamp{{Page: 2}}}}}, Missing},
		{"page 0", file, Order{Values: []Value{{Stamps: []Stamp{{Page: 0}}}}}, Missing},
		{"no picture", file, Order{Values: []Value{{Widgets: []Widget{at(0)}, Pictures: []int{0}}}}, Missing},
		{"no field", widgets("", "<</Subtype/Widget/Rect[0 0 9 9]>>"), Order{Values: []Value{text(0, "x")}}, Missing},
		{"XFA", pdfforms.OnlyXFA(), Order{Values: []Value{{Stamps: []Stamp{{Page: 1}}}}}, XFA},
		{"too many objects", []byte(strings.Replace(string(file), "/Size 6", "/Size 8388609", 1)), Order{}, Damaged},
		{"nothing", nil, Order{}, Damaged},
		{"no PDF", []byte("Dear Sir"), Order{}, Damaged},
		{"no catalog", []byte("%PDF-1.7\ntrailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF"), Order{}, Damaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Fill(c.file, c.order, nil, fonts()); !errors.Is(err, c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// filled returns the result of filling a file that need not be sound.
func filled(t *testing.T, file []byte, values ...Value) *Result {
	t.Helper()
	r, err := Fill(file, Order{Values: values}, nil, fonts())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFillMissingCharacter(t *testing.T) {
	var missing *typeset.MissingError
	_, err := Fill(widgets("", textWidget+">>"), Order{Values: []Value{text(0, "a\U000F1234")}}, nil, fonts())
	if !errors.As(err, &missing) || missing.Rune != 0xF1234 {
		t.Errorf("got %v", err)
	}
}

func TestFillCalculations(t *testing.T) {
	for _, c := range []struct {
		acro, entries string
		want          bool
	}{
		{"", "", false},
		{"/CO[5 0 R]", "", true},
		{"", "/AA<</C<</S/JavaScript/JS(x)>>>>", true},
	} {
		r, err := Fill(widgets(c.acro, textWidget+c.entries+">>"), Order{Values: []Value{text(0, "x")}}, nil, fonts())
		if err != nil || r.Calculations != c.want {
			t.Errorf("%q %q: got %v, %v", c.acro, c.entries, r, err)
		}
	}
}

func TestFillNothing(t *testing.T) {
	r, err := Fill(widgets("", textWidget+">>"), Order{}, nil, fonts())
	if err != nil || r.Whole || len(r.Update) != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}
