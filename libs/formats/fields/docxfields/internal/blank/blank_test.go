package blank

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

const spaceMarkup = "http://schemas.openxmlformats.org/markup-compatibility/2006"

// textRoot returns the root of a part with the XML as its body.
func textRoot(t *testing.T, body string) *etree.Element {
	t.Helper()
	document := etree.NewDocument()
	text := `<w:document xmlns:w="` + wml.Space + `" xmlns:mc="` + spaceMarkup + `"><w:body>` + body + `</w:body></w:document>`
	if err := document.ReadFromString(text); err != nil {
		t.Fatal(err)
	}
	return document.Root()
}

// noField is a skip function for parts whose content controls are not fields.
func noField(*etree.Element) bool { return false }

// fakePictures creates drawings that name their picture.
type fakePictures struct{}

func (fakePictures) Draw(p fields.Picture, _ drawing.Extent, label string) (*etree.Element, error) {
	e := etree.NewElement("drawing")
	e.Space = "w"
	e.CreateAttr("of", p.MediaType+" "+label)
	return e, nil
}

// bodyText returns the XML of the body, without namespace declarations and xml:space.
func bodyText(t *testing.T, root *etree.Element) string {
	t.Helper()
	document := etree.NewDocument()
	document.SetRoot(root.Copy())
	text, err := document.WriteToString()
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = strings.Cut(text, "<w:body>")
	text, _, _ = strings.Cut(text, "</w:body>")
	return strings.ReplaceAll(text, ` xml:space="preserve"`, "")
}

func run(text string) string { return `<w:r><w:t>` + text + `</w:t></w:r>` }

func par(runs ...string) string { return `<w:p>` + strings.Join(runs, "") + `</w:p>` }

func textOf(s string) fields.Filling { return fields.Filling{Type: fields.Text, Text: s} }

func TestFillRunningText(t *testing.T) {
	picture := fields.Picture{MediaType: "image/png", Open: func() io.Reader { return strings.NewReader("") }}
	bold := `<w:rPr><w:b/></w:rPr>`
	tests := map[string]struct {
		body  string
		value fields.Filling
		want  string
	}{
		"tag in one run": {par(run("a {{agreementinput-x}} b")), textOf("V"), par(`<w:r><w:t>a </w:t><w:t>V</w:t><w:t> b</w:t></w:r>`)},
		"tag across runs": {
			par(`<w:r>`+bold+`<w:t>a {{agree</w:t></w:r>`, run("mentinput-"), run("x}} b")), textOf("V"),
			par(`<w:r>`+bold+`<w:t>a </w:t><w:t>V</w:t></w:r>`, `<w:r/>`, run(" b")),
		},
		"tag in wrappers": {
			par(`<w:ins><w:r><w:t>{{agreement</w:t></w:r></w:ins>`, `<w:hyperlink>`+run("input-x}}")+`</w:hyperlink>`), textOf("V"),
			par(`<w:ins>`+run("V")+`</w:ins>`, `<w:hyperlink><w:r/></w:hyperlink>`),
		},
		"deleted text is not read": {
			par(`<w:del><w:r><w:delText>____</w:delText></w:r></w:del>`, run("{{agreementinput-x}}")), textOf("V"),
			par(`<w:del><w:r><w:delText>____</w:delText></w:r></w:del>`, run("V")),
		},
		"lines and tabs": {par(run("{{agreementinput-x}}")), textOf("a\nb\tc\x01"), par(`<w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t></w:r>`)},
		"cleared tag":    {par(run("a{{agreementinput-x}}b")), textOf(""), par(`<w:r><w:t>a</w:t><w:t>b</w:t></w:r>`)},
		"picture in a tag": {
			par(run("{{agreementinput-x;type=image;label=L}}")), fields.Filling{Type: fields.Image, Pictures: []fields.Picture{picture}},
			par(`<w:r><w:drawing of="image/png L"/></w:r>`),
		},
		"choices in a tag": {
			par(run("{{agreementinput-x;type=checkbox;options=A|B|C}}")), fields.Filling{Type: fields.Checkbox, Selected: []string{"A", "C"}},
			par(run("A, C")),
		},
		"underlined blank": {
			par(run("Name: "), `<w:r><w:rPr><w:u w:val="single"/></w:rPr><w:tab/><w:tab/></w:r>`, run(" and")), textOf("V"),
			par(run("Name: "), `<w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t>V</w:t></w:r>`, run(" and")),
		},
		"empty value leaves a blank": {par(run("Name: ____")), textOf(""), par(run("Name: ____"))},
		"prompt":                     {par(run("[Date]")), textOf("2027-01-31"), par(run("2027-01-31"))},
		"character box": {
			par(run("☐ Yes")), fields.Filling{Type: fields.Checkbox, Selected: []string{"Yes"}}, par(`<w:r><w:t>☒</w:t><w:t> Yes</w:t></w:r>`),
		},
		"boxes in brackets": {
			par(run("[ ] Yes [x] No")), fields.Filling{Type: fields.Checkbox, Selected: []string{"Yes"}},
			par(`<w:r><w:t>[X]</w:t><w:t> Yes </w:t><w:t>[ ]</w:t><w:t> No</w:t></w:r>`),
		},
		"symbol": {
			par(`<w:r><w:sym w:font="Wingdings" w:char="F06F"/><w:t> Yes</w:t></w:r>`), fields.Filling{Type: fields.Checkbox, Selected: []string{"Yes"}},
			par(`<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:t> Yes</w:t></w:r>`),
		},
		"empty cell": {
			`<w:tbl><w:tr><w:tc>` + par(run("Date:")) + `</w:tc><w:tc><w:p><w:pPr><w:rPr><w:ins w:id="1"/><w:b/></w:rPr></w:pPr></w:p></w:tc></w:tr></w:tbl>`, textOf("V"),
			`<w:tbl><w:tr><w:tc>` + par(run("Date:")) + `</w:tc><w:tc><w:p><w:pPr><w:rPr><w:ins w:id="1"/><w:b/></w:rPr></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>V</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`,
		},
		"empty run": {
			`<w:tbl><w:tr><w:tc>` + par(run("Date:")) + `</w:tc><w:tc><w:p><w:r><w:rPr><w:i/></w:rPr><w:t></w:t></w:r></w:p></w:tc></w:tr></w:tbl>`, textOf("V"),
			`<w:tbl><w:tr><w:tc>` + par(run("Date:")) + `</w:tc><w:tc><w:p><w:r><w:rPr><w:i/></w:rPr><w:t/><w:t>V</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`,
		},
		"placeholder of a control": {
			par(`<w:sdt><w:sdtPr><w:showingPlcHdr/><w:dataBinding/><w:text/></w:sdtPr><w:sdtContent><w:r><w:rPr><w:rStyle w:val="PlaceholderText"/></w:rPr><w:t>[Name]</w:t></w:r></w:sdtContent></w:sdt>`), textOf("V"),
			par(`<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent><w:r><w:rPr/><w:t>V</w:t></w:r></w:sdtContent></w:sdt>`),
		},
		"alternatives among runs": {
			par(`<mc:AlternateContent><mc:Choice Requires="w14">` + run("a {{agreementinput-x}} b") + `</mc:Choice><mc:Fallback>` + run("a {{agree") + run("mentinput-x}} b") + `</mc:Fallback></mc:AlternateContent>`), textOf("V"),
			par(`<mc:AlternateContent><mc:Choice Requires="w14"><w:r><w:t>a </w:t><w:t>V</w:t><w:t> b</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>a </w:t><w:t>V</w:t></w:r>` + run(" b") + `</mc:Fallback></mc:AlternateContent>`),
		},
		"alternatives that end a tag": {
			par(run("{{agree") + `<mc:AlternateContent><mc:Choice Requires="w14">` + run("mentinput-x}}!") + `</mc:Choice><mc:Fallback>` + run("mentinput-x}}!") + `</mc:Fallback></mc:AlternateContent>`), textOf("V"),
			par(run("V") + `<mc:AlternateContent><mc:Choice Requires="w14">` + run("!") + `</mc:Choice><mc:Fallback>` + run("!") + `</mc:Fallback></mc:AlternateContent>`),
		},
		"alternatives in a run": {
			par(`<w:r><mc:AlternateContent><mc:Choice Requires="w14"><w:t>{{agreementinput-x}}</w:t></mc:Choice><mc:Fallback><w:t>{{agreementinput-x}}</w:t></mc:Fallback></mc:AlternateContent></w:r>`), textOf("V"),
			par(`<w:r><mc:AlternateContent><mc:Choice Requires="w14"><w:t>V</w:t></mc:Choice><mc:Fallback><w:t>V</w:t></mc:Fallback></mc:AlternateContent></w:r>`),
		},
		"label in alternatives": {
			`<w:p/>` + par(run("Name: ")+`<mc:AlternateContent><mc:Choice Requires="w14">`+run("____")+`</mc:Choice><mc:Fallback>`+run("____")+`</mc:Fallback></mc:AlternateContent>`), textOf("V"),
			`<w:p/>` + par(run("Name: ")+`<mc:AlternateContent><mc:Choice Requires="w14">`+run("V")+`</mc:Choice><mc:Fallback>`+run("V")+`</mc:Fallback></mc:AlternateContent>`),
		},
		"colored character": {
			par(`<w:r><mc:AlternateContent><mc:Choice Requires="w16se"><w16se:symEx xmlns:w16se="urn:x" w16se:char="2610"/></mc:Choice><mc:Fallback><w:t>☐</w:t></mc:Fallback></mc:AlternateContent><w:t> Yes</w:t></w:r>`),
			fields.Filling{Type: fields.Checkbox, Selected: []string{"Yes"}}, par(`<w:r><w:t>☒</w:t><w:t> Yes</w:t></w:r>`),
		},
		"boxes of text in alternatives among runs": {
			par(`<mc:AlternateContent><mc:Choice Requires="wps"><w:r><w:drawing><w:txbxContent>` + par(run("Name: ____")) + `</w:txbxContent></w:drawing></w:r></mc:Choice><mc:Fallback><w:r><w:pict><w:txbxContent>` + par(run("Name: ____")) + `</w:txbxContent></w:pict></w:r></mc:Fallback></mc:AlternateContent>`), textOf("V"),
			par(`<mc:AlternateContent><mc:Choice Requires="wps"><w:r><w:drawing><w:txbxContent>` + par(`<w:r><w:t>Name: </w:t><w:t>V</w:t></w:r>`) + `</w:txbxContent></w:drawing></w:r></mc:Choice><mc:Fallback><w:r><w:pict><w:txbxContent>` + par(`<w:r><w:t>Name: </w:t><w:t>V</w:t></w:r>`) + `</w:txbxContent></w:pict></w:r></mc:Fallback></mc:AlternateContent>`),
		},
		"blank in a date control": {
			par(`<w:sdt><w:sdtPr><w:showingPlcHdr/><w:date><w:dateFormat w:val="d MMMM yyyy"/></w:date></w:sdtPr><w:sdtContent>` + run("[Date]") + `</w:sdtContent></w:sdt>`), textOf("2027-01-31"),
			par(`<w:sdt><w:sdtPr><w:date w:fullDate="2027-01-31T00:00:00Z"><w:dateFormat w:val="d MMMM yyyy"/></w:date></w:sdtPr><w:sdtContent>` + run("31 January 2027") + `</w:sdtContent></w:sdt>`),
		},
		"text form field": {
			par(`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="N"/><w:textInput/></w:ffData></w:fldChar></w:r>`, `<w:r><w:fldChar w:fldCharType="separate"/></w:r>`,
				run("     "), `<w:r><w:fldChar w:fldCharType="end"/></w:r>`), textOf("V"),
			par(`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="N"/><w:textInput/></w:ffData></w:fldChar></w:r>`, `<w:r><w:fldChar w:fldCharType="separate"/></w:r>`,
				run("V"), `<w:r><w:fldChar w:fldCharType="end"/></w:r>`),
		},
		"checkbox form field": {
			par(`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="C"/><w:checkBox><w:default w:val="0"/></w:checkBox></w:ffData></w:fldChar><w:fldChar w:fldCharType="end"/></w:r>`),
			fields.Filling{Type: fields.Checkbox, Selected: []string{"C"}},
			par(`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="C"/><w:checkBox><w:default w:val="0"/><w:checked w:val="1"/></w:checkBox></w:ffData></w:fldChar><w:fldChar w:fldCharType="end"/></w:r>`),
		},
		"list form field": {
			par(`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:listEntry w:val="A"/><w:listEntry w:val="B"/></w:ddList></w:ffData></w:fldChar><w:fldChar w:fldCharType="end"/></w:r>`),
			fields.Filling{Type: fields.Dropdown, Text: "B"},
			par(`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="A"/><w:listEntry w:val="B"/></w:ddList></w:ffData></w:fldChar><w:fldChar w:fldCharType="end"/></w:r>`),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			root := textRoot(t, test.body)
			places := Find(root, noField, nil)
			if len(places) != 1 {
				t.Fatalf("found %d places, want one", len(places))
			}
			if err := places[0].Fill(test.value, fakePictures{}); err != nil {
				t.Fatal(err)
			}
			if got := bodyText(t, root); got != strings.ReplaceAll(test.want, ` xml:space="preserve"`, "") {
				t.Errorf("filled:\n %s\nwant\n %s", got, test.want)
			}
		})
	}
}

// TestPrintedSigns fills blanks next to which the document prints a part of the value: a
// currency, a percent sign, or the century of a year.
func TestPrintedSigns(t *testing.T) {
	for _, test := range []struct{ text, value, want string }{
		{"Fee: [$____] now.", "500", "Fee: $500 now."},
		{"Fee: [$____] now.", "$500", "Fee: $500 now."},
		{"Fee: [$____] now.", "$ 500", "Fee: $500 now."},
		{"Fee: [$____] now.", "€500", "Fee: €500 now."},
		{"Fee: [$____] now.", "500 EUR", "Fee: 500 EUR now."},
		{"Fee: [$____] now.", "", "Fee: [$____] now."},
		{"Fee: [$ ____ ] now.", "500", "Fee: $ 500 now."},
		{"Fee: [$●] now.", "500", "Fee: $500 now."},
		{"Fee: [US$____] now.", "500", "Fee: US$500 now."},
		{"Fee: [US$____] now.", "US$500", "Fee: US$500 now."},
		{"Fee: [US$____] now.", "$500", "Fee: US$500 now."},
		{"Fee: [EUR ____] now.", "500", "Fee: EUR 500 now."},
		{"Fee: [EUR ____] now.", "EUR 500", "Fee: EUR 500 now."},
		{"Fee: [____ €] now.", "500", "Fee: 500 € now."},
		{"Fee: [____ EUR] now.", "500 EUR", "Fee: 500 EUR now."},
		{"Fee: [$____ USD] now.", "500", "Fee: $500 USD now."},
		{"a rate of [___%] a year", "5", "a rate of 5% a year"},
		{"a rate of [___%] a year", "5 %", "a rate of 5% a year"},
		{"a rate of [___ %] a year", "5", "a rate of 5 % a year"},
		{"a rate of [____]% a year", "5%", "a rate of 5% a year"},
		{"a rate of ____% a year", "5%", "a rate of 5% a year"},
		{"a rate of ____% a year", "5", "a rate of 5% a year"},
		{"a fee of $____ a year", "$5", "a fee of $5 a year"},
		{"within [____ days] of it", "5", "within [5 days] of it"},
		{"the sum of [____] of it", "$5", "the sum of $5 of it"},
		{"the sum of [EUROPE ____] of it", "5", "the sum of [EUROPE 5] of it"},

		{"Dated 9 May, 20__.", "2026", "Dated 9 May, 2026."},
		{"Dated 9 May, 20__.", "26", "Dated 9 May, 2026."},
		{"Dated 9 May, 202___.", "2026", "Dated 9 May, 2026."},
		{"Dated 9 May, 20____.", "2026", "Dated 9 May, 2026."},
		{"Dated 9 May, 20__.", "1999", "Dated 9 May, 201999."},
		{"Dated 9 May, 20__.", "20", "Dated 9 May, 2020."},
		{"No. 7720____ it is.", "2026", "No. 77202026 it is."},
	} {
		t.Run(test.text+" "+test.value, func(t *testing.T) {
			before, after, _ := strings.Cut(test.text, " ")
			root := textRoot(t, par(run(before+" "), run(after)))
			places := Find(root, noField, nil)
			if len(places) != 1 {
				t.Fatalf("found %d places, want one", len(places))
			}
			if err := places[0].Fill(textOf(test.value), fakePictures{}); err != nil {
				t.Fatal(err)
			}
			if got := characterData(root); got != test.want {
				t.Errorf("the text is %q, want %q", got, test.want)
			}
		})
	}
}

// TestTickParentheses ticks boxes of parentheses, whose width stays.
func TestTickParentheses(t *testing.T) {
	for _, test := range []struct{ text, option, want string }{
		{"( ) Yes", "Yes", "(X) Yes"},
		{"( ) Yes ( ) No", "No", "( ) Yes (X) No"},
		{"(  ) Yes", "Yes", "(X ) Yes"},
		{"(   ) Yes", "Yes", "( X ) Yes"},
		{"(     ) Yes", "Yes", "(  X  ) Yes"},
		{"( x ) Yes", "", "(   ) Yes"},
		{"( x ) Yes", "Yes", "( x ) Yes"},
		{"[ ] Yes", "Yes", "[X] Yes"},
	} {
		root := textRoot(t, par(run(test.text)))
		places := Find(root, noField, nil)
		if len(places) != 1 {
			t.Fatalf("%q: found %d places, want one", test.text, len(places))
		}
		f := fields.Filling{Type: fields.Checkbox}
		if test.option != "" {
			f.Selected = []string{test.option}
		}
		if err := places[0].Fill(f, fakePictures{}); err != nil {
			t.Fatal(err)
		}
		if got := characterData(root); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.text, got, test.want)
		}
	}
}

// TestFillManyInOneParagraph fills places out of order.
func TestFillManyInOneParagraph(t *testing.T) {
	root := textRoot(t, par(run("By: {{agreementinput-a}} on [Da"), run("te] at ____"), run(", {{agreementinput-a}}.")))
	places := Find(root, noField, nil)
	if len(places) != 4 {
		t.Fatalf("found %d places, want four", len(places))
	}
	for i, value := range []string{"1", "22", "", "4444"} {
		at := []int{2, 0, 3, 1}[i]
		if err := places[at].Fill(textOf(value), fakePictures{}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := characterData(root), "By: 22 on 4444 at 1, ."; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
}

// characterData returns the text of every w:t below e.
func characterData(e *etree.Element) string {
	var text strings.Builder
	for _, t := range e.FindElements(".//w:t") {
		text.WriteString(t.Text())
	}
	return text.String()
}

func TestTextBoxIsOnePlace(t *testing.T) {
	box := `<w:txbxContent>` + par(run("{{agreementinput-x}}")) + `</w:txbxContent>`
	root := textRoot(t, par(run("before"), `<w:r><mc:AlternateContent><mc:Choice Requires="wps">`+box+`</mc:Choice><mc:Fallback>`+box+`</mc:Fallback></mc:AlternateContent></w:r>`))
	places := Find(root, noField, nil)
	if len(places) != 1 {
		t.Fatalf("found %d places, want one", len(places))
	}
	if err := places[0].Fill(textOf("V"), fakePictures{}); err != nil {
		t.Fatal(err)
	}
	if got := bodyText(t, root); strings.Count(got, ">V<") != 2 || strings.Contains(got, "agreementinput") {
		t.Errorf("both branches should have the value: %s", got)
	}
}

func TestFieldsAreSkipped(t *testing.T) {
	control := `<w:sdt><w:sdtContent>` + run("____ {{agreementinput-x}}") + `</w:sdtContent></w:sdt>`
	root := textRoot(t, par(run("Name: "), control)+par(run("Date:"))+par(run("Place: ____")))
	places := Find(root, func(e *etree.Element) bool { return e.Tag == "sdt" }, nil)
	var labels []string
	for _, p := range places {
		labels = append(labels, p.Field.Label)
	}
	if want := []string{"Date", "Place"}; !slices.Equal(labels, want) {
		t.Errorf("found %q, want %q", labels, want)
	}
}

func TestIDsDoNotDependOnRuns(t *testing.T) {
	ids := func(body string) (all []string) {
		for _, p := range Find(textRoot(t, body), noField, nil) {
			all = append(all, p.Field.ID)
		}
		return all
	}
	one := ids(par(run("Name: ____ and [Date]")))
	two := ids(par(`<w:r><w:rPr><w:b/></w:rPr><w:t>Name: __</w:t></w:r>`, run("__ and [Da"), `<w:bookmarkStart w:id="0"/>`, run("te]")))
	if len(one) != 2 || !reflect.DeepEqual(one, two) {
		t.Errorf("the IDs are %q in one run and %q in several", one, two)
	}
}

func TestOrderAndElements(t *testing.T) {
	root := textRoot(t, par(run("Name: ____"))+par(run("{{agreementinput-a}} [Date]"))+par(run("TOC")))
	var got []string
	for _, p := range Find(root, noField, nil) {
		got = append(got, string(p.Field.Source)+" "+wml.Paths{}.Of(p.At))
	}
	want := []string{
		"detected /w:document[1]/w:body[1]/w:p[1]/w:r[1]/w:t[1]",
		"text_tag /w:document[1]/w:body[1]/w:p[2]/w:r[1]/w:t[1]",
		"detected /w:document[1]/w:body[1]/w:p[2]/w:r[1]/w:t[1]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
