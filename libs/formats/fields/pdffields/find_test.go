package pdffields_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/pdffields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
)

// maker makes a file by hand. Characters are 6 points wide and lines 12 points high, on
// pages of 600 by 800 points.
type maker struct {
	pdf.File
	text strings.Builder
}

const (
	pageWidth, pageHeight = 600.0, 800.0
	charWidth, charHeight = 6.0, 12.0
	rowHeight             = 16.0
	leftMargin, topMargin = 60.0, 40.0
)

// at returns a box that begins at column and row and is some characters wide.
func at(row, column, width int) layout.Box {
	left, top := leftMargin+float64(column)*charWidth, topMargin+float64(row)*rowHeight
	return layout.Box{Left: left / pageWidth, Top: top / pageHeight, Right: (left + float64(width)*charWidth) / pageWidth, Bottom: (top + charHeight) / pageHeight}
}

// page adds a page with lines of text. Several spaces move the words on.
func (m *maker) page(lines ...string) {
	from := m.text.Len()
	number := len(m.Pages) + 1
	for row, line := range lines {
		any := false
		for column := 0; column < len(line); {
			if line[column] == ' ' {
				column++
				continue
			}
			end := column
			for end < len(line) && line[end] != ' ' {
				end++
			}
			if any {
				m.text.WriteByte(' ')
			}
			any = true
			start := m.text.Len()
			word := strings.NewReplacer("#", "☐", "%", "☒").Replace(line[column:end])
			m.text.WriteString(word)
			m.Words = append(m.Words, layout.Word{Span: layout.Span{Start: start, End: m.text.Len()}, Page: number, Box: at(row, column, end-column)})
			column = end
		}
		if any {
			m.text.WriteByte('\n')
		}
	}
	m.Pages = append(m.Pages, layout.Page{Span: layout.Span{Start: from, End: m.text.Len()}, Width: pageWidth, Height: pageHeight})
}

// widget adds a widget on the last page.
func (m *maker) widget(row, column, width int, f pdf.Field) {
	f.Page, f.Box = len(m.Pages), at(row, column, width)
	for _, other := range m.Fields {
		if other.Page == f.Page {
			f.Annotation++
		}
	}
	m.Fields = append(m.Fields, f)
}

// rule adds a line at the foot of a row.
func (m *maker) rule(row, column, width int) {
	b := at(row, column, width)
	b.Top = b.Bottom - 1/pageHeight
	m.Rules = append(m.Rules, pdf.Rule{Page: len(m.Pages), Box: b})
}

func (m *maker) file() *pdf.File {
	m.Text = m.text.String()
	return &m.File
}

// shown returns fields as text: type, label, value, options and places.
func shown(all []fields.Field) string {
	var out []string
	for _, f := range all {
		s := fmt.Sprintf("%s %s %q", f.Source, f.Type, f.Label)
		if value := f.Text + strings.Join(f.Selected, "+"); value != "" {
			s += "=" + value
		}
		for _, o := range f.Options {
			s += "|" + o.Display
			if o.Value != "" {
				s += ":" + o.Value
			}
		}
		if f.Max != nil {
			s += fmt.Sprintf(" max %d", *f.Max)
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

// TestFormFields checks the definition of each kind of form field.
func TestFormFields(t *testing.T) {
	details := func(d form.Details) form.Details { return d }
	for name, c := range map[string]struct {
		widgets []pdf.Field
		want    string
	}{
		"text":                 {[]pdf.Field{{Name: "a", Type: pdf.Text, Label: "Remarks", Value: "x", Details: form.Details{MaxLength: 5}}}, `acroform text "Remarks"=x max 5`},
		"type by label":        {[]pdf.Field{{Name: "a", Type: pdf.Text, Label: "E-mail address"}}, `acroform email "E-mail address"`},
		"type by name":         {[]pdf.Field{{Name: "form.contact_phone[0]", Type: pdf.Text}}, `acroform phone "form.contact_phone[0]"`},
		"too short for type":   {[]pdf.Field{{Name: "area.phone", Type: pdf.Text, Details: form.Details{MaxLength: 3}}}, `acroform text "area.phone" max 3`},
		"date":                 {[]pdf.Field{{Name: "a", Type: pdf.Text, Value: "02/29/2024", Details: form.Details{Format: `AFDate_FormatEx("mm/dd/yyyy");`}}}, `acroform date "a"=2024-02-29`},
		"date by number":       {[]pdf.Field{{Name: "a", Type: pdf.Text, Value: "soon", Details: form.Details{Format: `AFDate_Format(11)`}}}, `acroform date "a"=soon`},
		"month and year":       {[]pdf.Field{{Name: "a", Type: pdf.Text, Details: form.Details{Format: `AFDate_FormatEx('mm/yy')`}}}, `acroform text "a"`},
		"number":               {[]pdf.Field{{Name: "a", Type: pdf.Text, Details: form.Details{Format: `AFNumber_Format(2, 0, 0, 0, "$", true)`}}}, `acroform number "a"`},
		"percent":              {[]pdf.Field{{Name: "a", Type: pdf.Text, Details: form.Details{Format: `AFPercent_Format(2, 0)`}}}, `acroform number "a"`},
		"zip":                  {[]pdf.Field{{Name: "phone", Type: pdf.Text, Details: form.Details{Format: `AFSpecial_Format(0)`}}}, `acroform text "phone"`},
		"phone":                {[]pdf.Field{{Name: "a", Type: pdf.Text, Details: form.Details{Format: `AFSpecial_Format(2);`}}}, `acroform phone "a"`},
		"ssn":                  {[]pdf.Field{{Name: "a", Type: pdf.Text, Details: form.Details{Format: `AFSpecial_Format(3);`, MaxLength: 9}}}, `acroform ssn "a" max 9`},
		"password":             {[]pdf.Field{{Name: "e-mail", Type: pdf.Text, Value: "secret", Details: form.Details{Password: true}}}, `acroform text "e-mail"`},
		"logo as text":         {[]pdf.Field{{Name: "logo", Type: pdf.Text}}, `acroform text "logo"`},
		"checkbox":             {[]pdf.Field{{Name: "a", Type: pdf.Checkbox, Label: "I agree", Value: "On", Checked: true}}, `acroform checkbox "I agree"=Yes|Yes`},
		"named checkbox":       {[]pdf.Field{{Name: "a", Type: pdf.Checkbox, Value: "Widower", Details: form.Details{State: "Widower"}}}, `acroform checkbox "a"|Widower`},
		"captioned checkbox":   {[]pdf.Field{{Name: "a", Type: pdf.Checkbox, Details: form.Details{State: "0", Caption: "by  post"}}}, `acroform checkbox "a"|by post`},
		"exclusive checkboxes": {[]pdf.Field{{Name: "a", Type: pdf.Checkbox, Value: "One", Checked: true}, {Name: "a", Type: pdf.Checkbox, Value: "Two"}}, `acroform checkbox "a"=One|One|Two max 1`},
		"both checked":         {[]pdf.Field{{Name: "a", Type: pdf.Checkbox, Value: "One", Checked: true}, {Name: "a", Type: pdf.Checkbox, Value: "Two", Checked: true}}, `acroform checkbox "a"=One+Two|One|Two`},
		"radio": {[]pdf.Field{
			{Name: "a", Type: pdf.Radio, Value: "0", Details: details(form.Details{State: "0", Caption: "Visa"})},
			{Name: "a", Type: pdf.Radio, Value: "1", Checked: true, Details: details(form.Details{State: "1", Caption: "Visa"})},
		}, `acroform dropdown "a"=Visa (2)|Visa|Visa (2)`},
		"dropdown": {[]pdf.Field{{Name: "state", Type: pdf.Choice, Value: "OH", Selected: []string{"Ohio"}, Details: form.Details{
			Options: []form.Option{{Display: " "}, {Display: "Ohio", Export: "OH"}, {Display: "Utah", Export: "Utah"}, {Display: "Ohio", Export: "O2"}},
		}}}, `acroform dropdown "state"=Ohio|Ohio:OH|Utah`},
		"dropdown without details": {[]pdf.Field{{Name: "state", Type: pdf.Choice, Options: []string{"Ohio", "Utah"}}}, `acroform dropdown "state"|Ohio|Utah`},
		"dropdown by value":        {[]pdf.Field{{Name: "state", Type: pdf.Choice, Value: "OH", Details: form.Details{Options: []form.Option{{Display: "Ohio", Export: "OH"}}}}}, `acroform dropdown "state"=Ohio|Ohio:OH`},
		"editable dropdown":        {[]pdf.Field{{Name: "town", Type: pdf.Choice, Value: "Rome", Options: []string{"Paris"}, Details: form.Details{Editable: true}}}, `acroform text "town"=Rome`},
		"dropdown without options": {[]pdf.Field{{Name: "town", Type: pdf.Choice}}, `acroform text "town"`},
		"list":                     {[]pdf.Field{{Name: "a", Type: pdf.Choice, Options: []string{"A", "B", "C"}, Selected: []string{"A", "C"}, Details: form.Details{MultiSelect: true}}}, `acroform checkbox "a"=A+C|A|B|C`},
		"signature":                {[]pdf.Field{{Name: "sig", Type: pdf.Signature}}, `acroform signature "sig"`},
		"signed":                   {[]pdf.Field{{Name: "sig", Type: pdf.Signature, Details: form.Details{Signed: true}}}, ``},
		"push button":              {[]pdf.Field{{Name: "send", Type: pdf.Button}}, ``},
		"picture button":           {[]pdf.Field{{Name: "photo", Type: pdf.Button, Details: form.Details{Icon: true}}}, `acroform image "photo"`},
		"second kind under a name": {[]pdf.Field{{Name: "a", Type: pdf.Text}, {Name: "a", Type: pdf.Checkbox, Value: "Yes"}}, `acroform text "a"`},
	} {
		m := &maker{}
		m.page("Text")
		for row, w := range c.widgets {
			m.widget(row+5, 40, 10, w)
		}
		if got := shown(pdffields.Find(m.file())); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// TestWidgets checks the IDs and places of fields with several widgets or no name.
func TestWidgets(t *testing.T) {
	m := &maker{}
	m.page("First")
	m.widget(9, 0, 5, pdf.Field{Type: pdf.Text, Name: "b", ReadOnly: true})
	m.widget(5, 20, 5, pdf.Field{Type: pdf.Text, Name: "a", Details: form.Details{Multiline: true}})
	m.widget(5, 0, 5, pdf.Field{Type: pdf.Text})
	m.page("Second")
	m.widget(2, 0, 5, pdf.Field{Type: pdf.Text, Name: "a", Value: "x", Required: true})
	found := pdffields.Find(m.file())
	var got []string
	for _, f := range found {
		s := fmt.Sprintf("%s %v %v %s:", f.ID, f.Required, f.ReadOnly, f.Text)
		for _, p := range f.Places {
			s += fmt.Sprintf(" %d/%d %v", p.Page, *p.Widget, p.Multiline)
		}
		got = append(got, s)
	}
	want := []string{
		fields.IDOf("\x00page 1 field 3") + " false false : 1/2 false",
		fields.IDOf("a") + " true false x: 1/1 true 2/0 false",
		fields.IDOf("b") + " false true : 1/0 false",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the fields are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestTags checks that text tags are fields at the place of their text.
func TestTags(t *testing.T) {
	m := &maker{}
	m.page("Name: {{agreementinput-name;type=name;label=Your name}}. And", "then {{agreementinput-born;", "type=date}} and {{agreementinput-bad;min=x}}", "{{agreementinput-name}}")
	found := pdffields.Find(m.file())
	if got := shown(found); got != "text_tag name \"Your name\"\ntext_tag date \"\"" {
		t.Fatalf("the fields are\n%s", got)
	}
	name, born := found[0].Places, found[1].Places
	if len(name) != 2 || len(born) != 2 || !name[0].Cover || name[1].Continued || born[0].Continued || !born[1].Continued || born[1].Box.Top <= born[0].Box.Top {
		t.Fatalf("the places are %+v and %+v", name, born)
	}
	if whole := at(0, 6, len("{{agreementinput-name;type=name;label=Your name}}")); name[0].Box.Left != whole.Left || name[0].Box.Right > whole.Right+.005 || name[0].Size < 10 || name[0].Size > 12 {
		t.Errorf("the tag is at %+v, want %+v", name[0], whole)
	}
}

// TestTagInForm checks that a text tag with the ID of a form field is another place of it.
func TestTagInForm(t *testing.T) {
	m := &maker{}
	m.page("{{agreementinput-a;type=date}}")
	m.widget(3, 0, 5, pdf.Field{Type: pdf.Text, Name: "agreementinput-a"})
	found := pdffields.Find(m.file())
	if len(found) != 1 || found[0].Source != fields.AcroForm || len(found[0].Places) != 2 || found[0].Places[0].Widget != nil {
		t.Errorf("the fields are %+v", found)
	}
}
