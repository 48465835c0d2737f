package form

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

func TestDescribeDetails(t *testing.T) {
	const widget = "<</Type/Annot/Subtype/Widget/Rect[0 0 100 20]"
	for _, c := range []struct {
		name, entries string
		want          Details
	}{
		{"text", "/FT/Tx/T(a)", Details{Name: "a"}},
		{"UTF-16 name", "/FT/Tx/T<FEFF0141>", Details{Name: "Ł"}},
		{"UTF-8 name", "/FT/Tx/T<EFBBBFC581>", Details{Name: "Ł"}},
		{"PDFDocEncoding", "/FT/Tx/T(\\200\\240\\030)", Details{Name: "•€˘"}},
		{"multiline", "/FT/Tx/T(a)/Ff 4096/MaxLen 9", Details{Name: "a", Multiline: true, MaxLength: 9}},
		{"password", "/FT/Tx/T(a)/Ff 8192", Details{Name: "a", Password: true}},
		{"comb", "/FT/Tx/T(a)/Ff 16777216/MaxLen 4", Details{Name: "a", Comb: true, MaxLength: 4}},
		{"comb of several lines", "/FT/Tx/T(a)/Ff 16781312/MaxLen 4", Details{Name: "a", Multiline: true, MaxLength: 4}},
		{"negative length", "/FT/Tx/T(a)/MaxLen -4", Details{Name: "a"}},
		{"format", "/FT/Tx/T(a)/AA<</F<</S/JavaScript/JS(AFDate_FormatEx\\(\"mm/dd/yyyy\"\\))>>>>", Details{Name: "a", Format: `AFDate_FormatEx("mm/dd/yyyy")`}},
		{"long format", "/FT/Tx/T(a)/AA<</F<</S/JavaScript/JS(" + strings.Repeat("x", 1000) + ")>>>>", Details{Name: "a", Format: strings.Repeat("x", maxFormat)}},
		{"calculation", "/FT/Tx/T(a)/AA<</C<</S/JavaScript/JS(x)>>>>", Details{Name: "a", Calculated: true}},
		{"dropdown", "/FT/Ch/Ff 131072/T(a)/Opt[(x)[(1)(one)][(y)(y)]]", Details{Name: "a", Options: []Option{{"x", ""}, {"one", "1"}, {"y", ""}}}},
		{"editable", "/FT/Ch/Ff 393216/T(a)/Opt[[(1)]]", Details{Name: "a", Editable: true, Options: []Option{{"1", ""}}}},
		{"list", "/FT/Ch/Ff 2097152/T(a)/Opt[[]]", Details{Name: "a", MultiSelect: true, Options: []Option{{}}}},
		{"drawn checkbox", "/FT/Btn/T(a)/AP<</N<</Off 4 0 R/On#20it 4 0 R>>>>", Details{Name: "a", State: "On it"}},
		{"state without appearance", "/FT/Btn/T(a)/AS/Ja", Details{Name: "a", State: "Ja"}},
		{"off without appearance", "/FT/Btn/T(a)/AS/Off", Details{Name: "a", State: "Yes"}},
		{"current of several states", "/FT/Btn/T(a)/AS/C/AP<</N<</B 4 0 R/C 4 0 R>>>>", Details{Name: "a", State: "C"}},
		{"caption by number", "/FT/Btn/T(a)/Opt[(x)(y)]/AP<</N<</1 4 0 R>>>>", Details{Name: "a", State: "1", Caption: "y"}},
		{"caption by place", "/FT/Btn/T(a)/Opt[(x)(y)]/AP<</N<</Z 4 0 R>>>>", Details{Name: "a", State: "Z", Caption: "x"}},
		{"radio button", "/FT/Btn/Ff 32768/T(a)", Details{Name: "a", State: "1"}},
		{"push button", "/FT/Btn/Ff 65536/T(a)", Details{Name: "a", Icon: true}},
		{"push button that submits", "/FT/Btn/Ff 65536/T(a)/A<</S/SubmitForm>>", Details{Name: "a"}},
		{"push button that scripts", "/FT/Btn/Ff 65536/T(a)/AA<</U<</S/JavaScript/JS(go)>>>>", Details{Name: "a"}},
		{"push button that imports", "/FT/Btn/Ff 65536/T(a)/A<</S/JavaScript/JS(event.target.buttonImportIcon\\(\\))>>", Details{Name: "a", Icon: true}},
		{"push button with an icon", "/FT/Btn/Ff 65536/T(a)/A<</S/SubmitForm>>/MK<</TP 1/I 4 0 R>>", Details{Name: "a", Icon: true}},
		{"signature", "/FT/Sig/T(a)", Details{Name: "a"}},
		{"signed", "/FT/Sig/T(a)/V<</Type/Sig/Contents<00>/ByteRange[0 1 2 3]>>", Details{Name: "a", Signed: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Describe(widgets("", widget+c.entries+">>"))
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Details[Ref{1, 0}]; !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if d.Signed != c.want.Signed {
				t.Errorf("Signed is %v", d.Signed)
			}
		})
	}
}

func TestDescribeInherits(t *testing.T) {
	file := build(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R]>>>>",
		"<</Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[4 0 R<</Subtype/Link>>7 0 R]>>",
		"<</Subtype/Widget/Rect[0 0 9 9]/Parent 6 0 R>>",
		"<</T(party)/FT/Tx/Ff 4096/MaxLen 7/Kids[6 0 R 7 0 R]>>",
		"<</T(name)/Parent 5 0 R/Kids[4 0 R]>>",
		"<</Subtype/Widget/T(age)/Ff 0/Rect[0 0 9 9]/Parent 5 0 R>>",
	)
	d, err := Describe(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[Ref]Details{
		{1, 0}: {Name: "party.name", Multiline: true, MaxLength: 7},
		{1, 2}: {Name: "party.age", MaxLength: 7},
	}
	if !reflect.DeepEqual(d.Details, want) {
		t.Errorf("got %+v", d.Details)
	}
}

func TestDescribeNamesRadioButtons(t *testing.T) {
	const radio = "<</Subtype/Widget/Rect[0 0 9 9]/FT/Btn/Ff 32768/T(r)"
	d, err := Describe(widgets("", radio+">>", radio+"/AS/1>>", radio+">>"))
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]bool{}
	for _, x := range d.Details {
		states[x.State] = true
	}
	if len(states) != 3 || d.Details[Ref{1, 1}].State != "1" {
		t.Errorf("got %+v", d.Details)
	}
}

func TestDescribeCalculationOrder(t *testing.T) {
	d, err := Describe(widgets("/CO[5 0 R]", "<</Subtype/Widget/Rect[0 0 9 9]/FT/Tx/T(sum)>>"))
	if err != nil || !d.Details[Ref{1, 0}].Calculated {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestDescribeFixtures(t *testing.T) {
	for _, f := range pdfforms.All() {
		d, err := Describe(f.File)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		found := f.Text == ""
		for _, x := range d.Details {
			found = found || x.Name == f.Text
		}
		if !found {
			t.Errorf("%s: no field %s", f.Name, f.Text)
		}
	}
}

// TestPageTree checks the numbers of pages in trees that are not as they should be. They
// must be those of PDFium.
func TestPageTree(t *testing.T) {
	page := func(name string) string {
		return "<</Type/Page/MediaBox[0 0 9 9]/Annots[<</Subtype/Widget/Rect[0 0 9 9]/FT/Tx/T(" + name + ")>>]>>"
	}
	for _, c := range []struct {
		name    string
		objects []string
		want    map[string]int
	}{
		{"nested", []string{"<</Kids[3 0 R 4 0 R]>>", page("a"), "<</Kids[5 0 R]>>", page("b")}, map[string]int{"a": 1, "b": 2}},
		{"missing page", []string{"<</Kids[9 0 R 3 0 R]>>", page("a")}, map[string]int{"a": 2}},
		{"loop", []string{"<</Kids[2 0 R 3 0 R 2 0 R]>>", page("a")}, map[string]int{"a": 1}},
		{"page as root", []string{page("a")}, map[string]int{"a": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Describe(build(append([]string{"<</Pages 2 0 R>>"}, c.objects...)...))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int{}
			for ref, x := range d.Details {
				got[x.Name] = ref.Page
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// TestDescribeBounds checks that names and texts stay within what package pdf takes.
func TestDescribeBounds(t *testing.T) {
	long := strings.Repeat("\u00fc", 40_000) // two bytes each in UTF-8
	latin := strings.Repeat("\\374", 40_000)
	file := widgets("",
		"<</Subtype/Widget/Rect[0 0 9 9]/FT/Tx/T("+latin+")>>",
		"<</Subtype/Widget/Rect[0 0 9 9]/FT/Ch/T(c)/Opt["+strings.Repeat("("+latin+")", 3)+strings.Repeat("(x)", 2000)+"]>>",
		"<</Subtype/Widget/Rect[0 0 9 9]/FT/Btn/T(b)/AS/"+strings.Repeat("A", maxText+1)+">>",
		"<</Subtype/Widget/Rect[0 0 9 9]/FT/Tx/T(s)/AA<</F<</JS 9 0 R>>>>>>",
		streamObject("", "AFNumber_Format(2, 0, 0, 0, \"\", true);"))
	d, err := Describe(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Details[Ref{1, 0}].Name; !strings.HasPrefix(long, got) || len(got) != maxName {
		t.Errorf("the name has %d bytes", len(got))
	}
	options := d.Details[Ref{1, 1}].Options
	if len(options) != maxOptions || len(options[0].Display) != maxText {
		t.Errorf("%d options", len(options))
	}
	if got := d.Details[Ref{1, 2}].State; got != "" {
		t.Errorf("the state has %d bytes", len(got))
	}
	if got := d.Details[Ref{1, 3}].Format; got != `AFNumber_Format(2, 0, 0, 0, "", true);` {
		t.Errorf("the format is %q", got)
	}
}

// TestDescribeManyTexts checks that reading the same long texts for many widgets ends.
func TestDescribeManyTexts(t *testing.T) {
	option := "(" + strings.Repeat("x", 30_000) + ")"
	objects := []string{"<</Subtype/Widget/Rect[0 0 9 9]/FT/Ch/T(c)/Opt 6 0 R>>", "[" + strings.Repeat(option, 100) + "]"}
	for range 30 {
		objects = append(objects, "<</Subtype/Widget/Rect[0 0 9 9]/FT/Ch/T(c)/Opt 6 0 R>>")
	}
	d, err := Describe(widgets("", objects...))
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, x := range d.Details {
		for _, o := range x.Options {
			size += len(o.Display)
		}
	}
	if size == 0 || size > maxTexts {
		t.Errorf("%d bytes of options", size)
	}
}
