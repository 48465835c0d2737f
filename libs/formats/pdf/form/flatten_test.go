package form

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// flatten fills and flattens a file, and checks that the result is sound and no form.
func flatten(t *testing.T, file []byte, values ...Value) []byte {
	t.Helper()
	r, err := Fill(file, Order{Values: values, Flatten: true}, nil, fonts())
	if err != nil {
		t.Fatal(err)
	}
	out := applied(file, r)
	check(t, out)
	f := reopen(t, out)
	if len(f.widgets) > 0 || f.root["AcroForm"] != nil {
		t.Errorf("%d widgets are left, and the catalog is %v", len(f.widgets), f.root)
	}
	return out
}

// words returns the text of a page by poppler, which knows annotations.
func words(t *testing.T, file []byte, page int) string {
	t.Helper()
	n := strconv.Itoa(page)
	return strings.Join(strings.Fields(run(t, "pdftotext", "-f", n, "-l", n, save(t, file), "-")), " ")
}

// drawn returns the text of a page by MuPDF, which knows optional content and accepts page
// trees that poppler does not.
func drawn(t *testing.T, file []byte, page int) string {
	t.Helper()
	var said []string
	for line := range strings.Lines(run(t, "mutool", "draw", "-q", "-F", "txt", save(t, file), strconv.Itoa(page))) {
		if !strings.HasPrefix(line, "warning:") {
			said = append(said, strings.Fields(line)...)
		}
	}
	return strings.Join(said, " ")
}

const (
	// helvetica is the resources of an appearance.
	helvetica = "/Resources<</Font<</F 4 0 R>>>>"
	// field is a text field with an appearance, which is object 6 or, if there are
	// several fields, follows them.
	field = "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/F 4/AP<</N 6 0 R>>"
)

// document returns a file of one page with these entries. The objects begin with number 5.
// The first is the widget of the page.
func document(catalog, page string, objects ...string) []byte {
	return documentOf("[5 0 R]", catalog, page, objects...)
}

// documentOf does the same with these annotations.
func documentOf(annotations, catalog, page string, objects ...string) []byte {
	return build(append([]string{
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R]>>" + catalog + ">>",
		"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 400]>>",
		"<</Type/Page/Parent 2 0 R/Annots" + annotations + page + ">>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}, objects...)...)
}

// shows returns an appearance that shows the word "Stamp".
func shows(entries string) string {
	return streamObject(entries+helvetica, "BT /F 10 Tf 4 5 Td (Stamp) Tj ET")
}

// twoPages returns a file of two pages with these entries. Object 5 is a widget with the appearance 6, 7 a link, 8 and 9 content, and 10
// the annotations of both pages.
func twoPages(first, second string) []byte {
	return build("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R]/CO[5 0 R]/SigFlags 1>>/NeedsRendering true/Perms<<>>>>",
		"<</Type/Pages/Kids[3 0 R 11 0 R]/Count 2/MediaBox[0 0 300 400]/Resources 12 0 R>>",
		"<</Type/Page/Parent 2 0 R"+first+">>", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		field+"/AA<</C<</S/JavaScript/JS(x)>>>>/Rect[100 200 200 220]>>", shows("/Subtype/Form/BBox[0 0 100 20]"),
		"<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(http://example.org)>>>>",
		streamObject("", "BT /F 10 Tf 20 300 Td (Own) Tj ET 0.1 0 0 0.1 0 0 cm"), streamObject("", "BT /F 100 Tf 200 3500 Td (Two) Tj ET"),
		"[7 0 R 5 0 R 5 0 R]", "<</Type/Page/Parent 2 0 R"+second+">>",
		"<</Font 13 0 R/XObject 14 0 R>>", "<</F 4 0 R>>", "<</Field1 6 0 R/Field3 6 0 R>>",
		streamObject("", "q 2 0 0 2 0 0 cm q"), streamObject("", "Q Q Q 9 0 0 9 0 0 cm"))
}

// TestFlattenPages flattens pages that share what they have.
func TestFlattenPages(t *testing.T) {
	for _, c := range []struct {
		name, first, second string
		want                [2]string
		links               [2]int
	}{
		{"no content", "/Annots[5 0 R]", "", [2]string{"Stamp", ""}, [2]int{0, 0}},
		{"content", "/Annots[7 0 R 5 0 R]/Contents 8 0 R", "", [2]string{"Own Stamp", ""}, [2]int{1, 0}},
		{"no widget", "/Annots[7 0 R]/Contents 8 0 R", "/Annots[5 0 R]", [2]string{"Own", "Stamp"}, [2]int{1, 0}},
		{"contents", "/Annots[5 0 R 7 0 R]/Contents[8 0 R 9 0 R]", "/Contents 8 0 R", [2]string{"Own Stamp Two", "Own"}, [2]int{1, 0}},
		{"a state in two streams", "/Annots[5 0 R]/Contents[8 0 R 15 0 R 16 0 R 15 0 R]", "", [2]string{"Own Stamp", ""}, [2]int{0, 0}},
		{"a stream that is restored", "/Annots[5 0 R]/Contents[16 0 R 8 0 R 15 0 R]", "", [2]string{"Stamp", ""}, [2]int{0, 0}},
		{"shared content", "/Annots[5 0 R]/Contents 8 0 R", "/Annots[5 0 R]/Contents 8 0 R", [2]string{"Own Stamp", "Own Stamp"}, [2]int{0, 0}},
		{"shared annotations", "/Annots 10 0 R/Contents 8 0 R", "/Annots 10 0 R", [2]string{"Own Stamp", "Stamp"}, [2]int{1, 1}},
		{"own resources", "/Annots[5 0 R]/Contents 8 0 R/Resources<</Font 13 0 R/XObject 14 0 R>>", "/Contents 8 0 R", [2]string{"Own Stamp", "Own"}, [2]int{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := twoPages(c.first, c.second)
			out := flatten(t, file)
			f := reopen(t, out)
			for i, p := range f.pages {
				if got := sorted(words(t, out, i+1)); got != c.want[i] {
					t.Errorf("page %d says %q, want %q", i+1, got, c.want[i])
				}
				if list, _ := f.array(p.Dict["Annots"], 0); len(list) != c.links[i] {
					t.Errorf("page %d has the annotations %v", i+1, list)
				}
			}
			if got, want := object(t, out, "12"), object(t, file, "12"); got != want {
				t.Errorf("the shared resources are %s", got)
			}
			if f.root["NeedsRendering"] != nil || f.root["Perms"] != nil {
				t.Errorf("the catalog is %v", f.root)
			}
		})
	}
}

// TestFlattenTwice flattens a page that is in the tree twice, and one that stands in the
// tree itself. Each is drawn once.
func TestFlattenTwice(t *testing.T) {
	for kids, want := range map[string][]string{
		"[3 0 R 3 0 R 8 0 R]": {"Own Stamp", "Own Stamp", "Own"},
		"[<</Type/Page/Parent 2 0 R/Annots[5 0 R]/Contents 7 0 R>><</Type/Page/Parent 2 0 R/Annots[5 0 R 5 0 R]/Contents 7 0 R>>]": {"Own Stamp", "Own Stamp"},
	} {
		file := build("<</Type/Catalog/Pages 2 0 R>>", fmt.Sprintf("<</Type/Pages/Count %d/MediaBox[0 0 300 400]/Resources<</Font<</F 4 0 R>>>>/Kids%s>>", len(want), kids),
			"<</Type/Page/Parent 2 0 R/Annots[5 0 R 5 0 R]/Contents 7 0 R>>", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
			field+"/Rect[100 200 200 220]>>", shows("/Subtype/Form/BBox[0 0 100 20]"), streamObject("", "BT /F 10 Tf 20 300 Td (Own) Tj ET 0.1 0 0 0.1 0 0 cm"),
			"<</Type/Page/Parent 2 0 R/Contents 7 0 R>>")
		r, err := Fill(file, Order{Flatten: true}, nil, fonts())
		if err != nil {
			t.Fatal(err)
		}
		out := applied(file, r)
		for i := range want {
			if got := drawn(t, out, i+1); got != want[i] {
				t.Errorf("%s: page %d says %q, want %q", kids, i+1, got, want[i])
			}
		}
	}
}

// TestFlattenUndecoded flattens pages whose content cannot be decoded.
func TestFlattenUndecoded(t *testing.T) {
	file := twoPages("/Annots[5 0 R]/Contents 8 0 R", "/Annots[5 0 R]/Contents[8 0 R 9 0 R]")
	file = []byte(strings.Replace(string(file), "<</Length 52>>\nstream\nBT /F 10 Tf 20 300 Td", "<</Filter/FlateDecode/Length 33>>\nstream\nBT", 1))
	if !strings.Contains(string(file), "/FlateDecode") {
		t.Fatal("nothing replaced")
	}
	r, err := Fill(file, Order{Flatten: true}, nil, fonts())
	if err != nil || r.Whole {
		t.Fatalf("got %+v, %v", r, err)
	}
	for page := range 2 {
		if got := words(t, applied(file, r), page+1); !strings.Contains(got, "Stamp") {
			t.Errorf("page %d says %q", page+1, got)
		}
	}
}

// TestFlattenDraws checks that values without an appearance are drawn, and so are those of
// a form that wants new appearances.
func TestFlattenDraws(t *testing.T) {
	const rect = "/Rect[100 200 200 220]"
	bare := strings.Replace(field, "/AP<</N 6 0 R>>", "", 1)
	for _, c := range []struct {
		name, form, widget string
		values             []Value
		want               string
	}{
		{"none", "", bare + rect + "/V(Bare)>>", nil, "Bare"},
		{"one that stays", "", field + rect + "/V(Bare)>>", nil, "Stamp"},
		{"a new one", "/NeedAppearances true", field + rect + "/V(Fresh)>>", nil, "Fresh"},
		{"a filled one", "/NeedAppearances true", field + rect + "/V(Fresh)>>", []Value{text(0, "Filled")}, "Filled"},
		{"no font", "/NeedAppearances true", field + rect + "/V<FEFFE123>>>", nil, "Stamp"},
		{"hidden", "", strings.Replace(bare, "/F 4", "/F 2", 1) + rect + "/V(Bare)>>", nil, ""},
		{"no type", "", strings.Replace(bare, "/FT/Tx", "", 1) + rect + "/V(Bare)>>", nil, ""},
	} {
		out := flatten(t, widgets(c.form, c.widget, shows("/Subtype/Form/BBox[0 0 100 20]")), c.values...)
		if got := words(t, out, 1); got != c.want {
			t.Errorf("%s: the page says %q, want %q", c.name, got, c.want)
		}
	}
	unknown := widgets("", bare+rect+"/V<FEFFE123>>>", field+"/Rect[100 300 200 320]>>", shows("/Subtype/Form/BBox[0 0 100 20]"))
	unknown = []byte(strings.Replace(string(unknown), "/N 6 0 R", "/N 7 0 R", 1))
	var missing *typeset.MissingError
	if _, err := Fill(unknown, Order{Flatten: true}, nil, fonts()); !errors.As(err, &missing) || missing.Rune != 0xE123 {
		t.Errorf("a character that no font has: %v", err)
	}
}

// TestFlattenFixtures checks that every fixture says the same afterwards, with a value.
func TestFlattenFixtures(t *testing.T) {
	for _, n := range pdfforms.All() {
		t.Run(n.Name, func(t *testing.T) {
			filled := n.File
			if n.Text != "" {
				d, err := Describe(n.File)
				if err != nil {
					t.Fatal(err)
				}
				for _, ref := range slices.SortedFunc(maps.Keys(d.Details), func(a, b Ref) int { return a.Annotation - b.Annotation }) {
					if d.Details[ref].Name == n.Text {
						filled = fill(t, n.File, Value{Widgets: []Widget{{Ref: ref}}, Text: "Łukasz"})
						break
					}
				}
			}
			if got, want := sorted(words(t, flatten(t, filled), 1)), sorted(words(t, filled, 1)); got != want {
				t.Errorf("the page says %q, want %q", got, want)
			}
		})
	}
}

// sorted sorts words, whose order depends on that of the content.
func sorted(s string) string {
	all := strings.Fields(s)
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestFlattenDrops checks that the update has nothing of the fields but what is drawn.
func TestFlattenDrops(t *testing.T) {
	file := widgets("/XFA(x)", textWidget+">>", textWidget+"/Parent 5 0 R/V(old)>>")
	r, err := Fill(file, Order{Values: []Value{text(0, "Łukasz")}, Flatten: true}, nil, fonts())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"/Widget", "/FT", "/V ", "/XFA", "/Fields", "/AcroForm"} {
		if strings.Contains(string(r.Update), part) {
			t.Errorf("the update contains %s:\n%s", part, r.Update)
		}
	}
}

// TestFlattenRefusals checks which files are not flattened.
func TestFlattenRefusals(t *testing.T) {
	form := widgets("", textWidget+">>")
	list := strings.Repeat("5 0 R ", maxAnnotations)
	crowded := build("<</Type/Catalog/Pages 2 0 R/AcroForm<<>>>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Annots["+list+"6 0 R]>>", "null", "<</Subtype/Link>>", "<</Subtype/Widget>>")
	shared := build("<</Type/Catalog/Pages 2 0 R/AcroForm<<>>>>", "<</Type/Pages/Count 2/Kids[3 0 R 4 0 R]>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Annots 5 0 R>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Annots 5 0 R>>",
		"["+strings.Repeat("6 0 R ", maxVisits/2+1)+"]", "<</Subtype/Link>>")
	encrypted := func(modify string) []byte {
		return convert(t, form, "--encrypt", "", "owner", "256", "--modify="+modify, "--")
	}
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"signed":               {signedForm("", "", ""), Signed},
		"filling only":         {encrypted("form"), Fixed},
		"annotating only":      {encrypted("annotate"), Fixed},
		"modifying":            {encrypted("all"), nil},
		"only XFA":             {pdfforms.OnlyXFA(), XFA},
		"too many widgets":     {crowded, Crowded},
		"too many annotations": {shared, Crowded},
		"damaged":              {nil, Damaged},
	} {
		if _, err := Fill(c.file, Order{Flatten: true}, nil, fonts()); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

// TestFlattenStructures flattens files of all structures. Nothing can be appended to the last
// ones.
func TestFlattenStructures(t *testing.T) {
	file := widgets("", textWidget+">>")
	for name, c := range map[string]struct {
		prefix  string
		options []string
	}{
		"object streams":           {"", []string{"--object-streams=generate"}},
		"linearized":               {"", []string{"--linearize"}},
		"RC4":                      {"", []string{"--allow-weak-crypto", "--encrypt", "", "x", "128", "--"}},
		"AES":                      {"", []string{"--object-streams=generate", "--encrypt", "", "x", "256", "--"}},
		"junk in front":            {"junk\n", nil},
		"AES behind junk in front": {"junk\n", []string{"--encrypt", "", "x", "256", "--"}},
	} {
		in := append([]byte(c.prefix), convert(t, file, c.options...)...)
		if got := words(t, flatten(t, in, text(0, "Łukasz")), 1); got != "Łukasz" {
			t.Errorf("%s: the page says %q", name, got)
		}
	}
}

// TestFlattenNothing checks that a file without fields stays as it is, whatever its owner
// permits.
func TestFlattenNothing(t *testing.T) {
	file := convert(t, onePage("/MediaBox[0 0 300 400]", "q Q"), "--encrypt", "", "owner", "256", "--modify=none", "--")
	r, err := Fill(file, Order{Flatten: true}, nil, fonts())
	if err != nil || r.Whole || len(r.Update) > 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestFlattenStamps checks that flattening a form keeps text that was placed on its page.
func TestFlattenStamps(t *testing.T) {
	file := widgets("", textWidget+">>")
	out := flatten(t, file, text(0, "Łukasz"), stampValue("Stamp"), Value{Text: "Other", Stamps: []Stamp{{Page: 1, Box: layout.Box{Left: 0.1, Top: 0.6, Right: 0.5, Bottom: 0.7}}}})
	if got := sorted(words(t, out, 1)); got != sorted("Łukasz Stamp Other") {
		t.Errorf("the page says %q", got)
	}
}
