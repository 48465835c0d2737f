package form

import (
	"bytes"
	"cmp"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// adopt returns the file with the update of Adopt, which must change nothing that Describe
// finds.
func adopt(t *testing.T, file []byte) []byte {
	t.Helper()
	r, err := Adopt(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Update) == 0 {
		return file
	}
	out := applied(file, r)
	check(t, out)
	before, err := Describe(file)
	if err != nil {
		t.Fatal(err)
	}
	after, err := Describe(out)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(after, before) {
		t.Errorf("%+v became %+v", before, after)
	}
	return out
}

// TestAdopt checks what Adopt gives to the widgets of a page.
func TestAdopt(t *testing.T) {
	const widget = "<</Type/Annot/Subtype/Widget/F 4/Rect[0 0 100 20]"
	for _, c := range []struct {
		name    string
		objects []string // from number 5 on; all are annotations, except dictionaries of fields
		// want holds the type and the full name of each widget, which may be repeated for
		// widgets of one field.
		want []string
	}{
		{"nothing to do", []string{widget + "/FT/Tx/T(a)>>", widget + ">>"}, nil},
		{"the parent has the type", []string{widget + "/T(a)/Parent 6 0 R>>", "<</FT/Tx>>"}, nil},
		{"the type is two levels up", []string{widget + "/T(a)/Parent 6 0 R>>", "<</T(b)/Parent 7 0 R>>", "<</FT/Ch>>"}, []string{"/Ch b.a"}},
		{"no name", []string{widget + "/FT/Tx>>", widget + "/FT/Tx/T()>>"}, []string{"/Tx Recto unnamed 1o5", "/Tx Recto unnamed 1o6"}},
		{"no name of a field with two widgets", []string{widget + "/Parent 7 0 R>>", widget + "/Parent 7 0 R>>", "<</FT/Btn/Ff 32768>>"}, []string{"/ Recto unnamed 4o7", "/ Recto unnamed 4o7"}},
		{"a widget with kids", []string{widget + "/FT/Tx/T(a)/Kids[6 0 R]>>", "<<>>"}, []string{"/Tx a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := widgets("", c.objects...)
			out := adopt(t, file)
			if c.want == nil {
				if !bytes.Equal(out, file) {
					t.Errorf("the update is %s", out[len(file):])
				}
				return
			}
			f := reopen(t, out)
			for i, want := range c.want {
				w := f.byRef[Ref{1, i}]
				got := "/" + f.file.name(w.Dict["FT"]) + " " + cmp.Or(w.name, f.text(w.inherited("T"), maxName))
				if got != want || w.Dict["Kids"] != nil {
					t.Errorf("widget %d is %s with kids %v, want %s", i, got, w.Dict["Kids"], want)
				}
			}
		})
	}
}

// TestAdoptKeepsAppearances checks that the appearances of filled fields stay, that older
// ones go, and that a file without filled fields keeps its flag.
func TestAdoptKeepsAppearances(t *testing.T) {
	const drawn = textWidget + "/V(old)/AP<</N 7 0 R>>>>"
	other, stream := strings.Replace(drawn, "(name)", "(other)", 1), streamObject("/Subtype/Form/BBox[0 0 9 9]", "")
	signed := widgets("/NeedAppearances true", drawn, other, stream,
		"<</Subtype/Widget/Rect[0 0 9 9]/FT/Sig/T(s)/V<</Type/Sig/Contents<00>/ByteRange[0 1 2 3]>>>>")
	if out := adopt(t, signed); !bytes.Equal(out, signed) {
		t.Errorf("without filled fields, the update is %s", out[len(signed):])
	}
	filled := fill(t, signed, text(0, "new"))
	if f := reopen(t, filled); !f.boolean(f.acro.Dict["NeedAppearances"]) {
		t.Fatal("filling has cleared the flag of a signed file")
	}
	f := reopen(t, adopt(t, filled))
	if f.acro.Dict["NeedAppearances"] != nil {
		t.Error("the flag is still there")
	}
	if w := f.byRef[Ref{1, 0}]; w.Dict["AP"] == nil {
		t.Error("the filled field has lost its appearance")
	}
	if w := f.byRef[Ref{1, 1}]; w.Dict["AP"] != nil {
		t.Error("the other field has kept its appearance")
	}
	// Another program appends a value without an appearance.
	f = reopen(t, filled)
	f.byRef[Ref{1, 0}].Dict["V"] = textString("newest")
	f.change(f.byRef[Ref{1, 0}].node)
	r, err := f.result(false)
	if err != nil {
		t.Fatal(err)
	}
	stale := applied(filled, r)
	if out := adopt(t, stale); !bytes.Equal(out, stale) {
		t.Errorf("the appearance is older than the value, but the update is %s", out[len(stale):])
	}
}

// TestAdoptFixtures checks that Adopt changes no field of any fixture.
func TestAdoptFixtures(t *testing.T) {
	for _, n := range pdfforms.All() {
		t.Run(n.Name, func(t *testing.T) { adopt(t, n.File) })
	}
}

func TestAdoptDamaged(t *testing.T) {
	if _, err := Adopt([]byte("no PDF")); !errors.Is(err, Damaged) {
		t.Errorf("got %v", err)
	}
	file := widgets("", textWidget+">>", strings.Replace(textWidget, "/T(name)", "", 1)+">>")
	damaged := append([]byte("junk\n"), file...)
	r, err := Adopt(damaged)
	if err != nil || !r.Whole {
		t.Fatalf("got %+v, %v", r, err)
	}
	if f := reopen(t, r.Update); len(f.byRef) != 2 || !strings.HasPrefix(f.get(1, "T"), Unnamed) {
		t.Errorf("the widgets are %v", f.byRef)
	}
}

// TestFillIdentifies checks that filled widgets get the type and the name that some viewers
// require, others do not, and those of a signed file do not either.
func TestFillIdentifies(t *testing.T) {
	const widget = "<</Type/Annot/Subtype/Widget/F 4/Rect[10 300 200 320]"
	objects := []string{widget + "/FT/Tx>>", widget + "/T(a)/Parent 8 0 R>>", widget + "/FT/Tx>>", "<</T(b)/Parent 9 0 R>>", "<</FT/Tx/Ff 2>>"}
	file := widgets("", objects...)
	filled := fill(t, file, text(0, "first"), text(1, "second"))
	filled = fill(t, filled, text(0, "again")) // it is still the same field
	f := reopen(t, filled)
	f.want(0, "T", Unnamed+"1o5", "V", "again")
	f.want(1, "T", "a", "V", "second")
	f.want(2, "T", "", "V", "")
	if ft := f.byRef[Ref{1, 1}].Dict["FT"]; ft != types.Name("Tx") {
		t.Errorf("the type of the second widget is %v", ft)
	}
	if name := f.byRef[Ref{1, 0}].name; name != "" {
		t.Errorf("the first widget has become %q", name)
	}
	signature := "<</Subtype/Widget/Rect[0 0 9 9]/FT/Sig/T(s)/V<</Type/Sig/Contents<00>/ByteRange[0 1 2 3]>>>>"
	f = reopen(t, fill(t, widgets("", append(objects, signature)...), text(0, "first"), text(1, "second")))
	f.want(0, "T", "", "V", "first")
	if ft := f.byRef[Ref{1, 1}].Dict["FT"]; ft != nil {
		t.Errorf("in a signed file, the type of the second widget is %v", ft)
	}
}
