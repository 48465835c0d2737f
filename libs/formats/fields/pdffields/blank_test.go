package pdffields_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/pdffields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// placed returns the places of fields as rows and columns of the maker: the row of the
// bottom, the columns from left to right, and flags: t for a tick, c for a cover, g for
// a box that is a character, and + for a continuation.
func placed(all []fields.Field) string {
	var out []string
	for _, f := range all {
		s := string(f.Type) + " " + f.Label
		for _, p := range f.Places {
			row := math.Round((p.Box.Bottom*pageHeight - topMargin - charHeight) / rowHeight)
			left, right := math.Round((p.Box.Left*pageWidth-leftMargin)/charWidth), math.Round((p.Box.Right*pageWidth-leftMargin)/charWidth)
			s += fmt.Sprintf(" @%d:%.0f-%.0f", int(row), left, right)
			if p.Option != "" {
				s += "t" + p.Option
			}
			if p.Cover {
				s += "c"
			}
			if p.Glyph {
				s += "g"
			}
			if p.Continued {
				s += "+"
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

// frame adds a rectangle around rows and columns.
func (m *maker) frame(row, column, height, width int, filled bool) {
	a, b := at(row, column, width), at(row+height-1, column, width)
	m.Rules = append(m.Rules, pdf.Rule{Page: len(m.Pages), Box: a.Union(b), Filled: filled})
}

// table adds the lines of a table with rows and the edges of its columns.
func (m *maker) table(rows int, edges ...int) {
	first, last := edges[0], edges[len(edges)-1]
	whole := at(0, first, last-first).Union(at(rows, first, last-first))
	for row := range rows + 1 {
		b := at(row, first, last-first)
		b.Bottom = b.Top + 0.5/pageHeight
		m.Rules = append(m.Rules, pdf.Rule{Page: len(m.Pages), Box: b})
	}
	for _, edge := range edges {
		b := whole
		b.Left = at(0, edge, 1).Left
		b.Right = b.Left + 0.5/pageWidth
		b.Bottom = at(rows, 0, 1).Top
		m.Rules = append(m.Rules, pdf.Rule{Page: len(m.Pages), Box: b})
	}
}

// square adds a box to tick that is one row high.
func (m *maker) square(row, column int) { m.frame(row, column, 1, 2, false) }

// TestBlanks checks which text is a blank, and where its value goes.
func TestBlanks(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		draw  func(m *maker)
		want  string
	}{
		"underscores":          {[]string{"Name: ____________________________________________________________"}, nil, `name Name @0:6-66`},
		"short line":           {[]string{"Name: ____"}, nil, `name Name @0:6-49`},
		"short line in text":   {[]string{"within ___ days"}, nil, `text within @0:7-10`},
		"line in a word":       {[]string{"Name:________________________________________________________________"}, nil, `name Name @0:5-69`},
		"dots":                 {[]string{"Town: ............................................................"}, nil, `text Town @0:6-66c`},
		"mask":                 {[]string{"Date: ____/____/________ at noon"}, nil, `date Date @0:6-24c`},
		"wide mask":            {[]string{"Date: ____ / ____ / ____", "Phone: (___) ___-____ or none"}, nil, "date Date @0:6-24c\nphone Phone @1:7-22 @1:7-21c+"},
		"dots after the label": {[]string{"Address:....................................................", "home and abroad, but nowhere else"}, nil, `address Address @0:8-60c`},
		"two lines in a word":  {[]string{"Phone:________________________E-mail:__________________________", "home and abroad, but nowhere else"}, nil, "phone Phone @0:6-30\nemail E-mail @0:37-63"},
		"prompt":               {[]string{"The [Full legal name of the tenant and of the spouse of the tenant] pays."}, nil, `name Full legal name of the tenant and of the spouse of the tenant @0:4-67c`},
		"short prompt":         {[]string{"Date: [ ]"}, nil, `date Date @0:6-49 @0:6-9c+`},
		"prompt on two lines":  {[]string{"Tenant: [Full legal name", "of the tenant] pays."}, nil, `name Full legal name of the tenant @0:8-24c @1:0-14c+`},
		"bracket without end":  {[]string{"Tenant: [Full legal name", "of it"}, nil, ``},
		"boxes":                {[]string{"Pay:", "# Monthly   # Yearly"}, nil, `checkbox Pay @1:0-1tMonthly @1:12-13tYearly`},
		"brackets":             {[]string{"Pay:", "[ ] Monthly   [x] Yearly"}, nil, `checkbox Pay @1:1-2tMonthly @1:15-16tYearlyc`},
		"parentheses":          {[]string{"Pay:", "(   ) Monthly   ( X ) Yearly"}, nil, `checkbox Pay @1:2-3tMonthly @1:17-20tYearlyc`},
		"ticked boxes":         {[]string{"Pay:", "# Monthly   % Yearly"}, nil, `checkbox Pay @1:0-1tMonthly @1:12-13tYearlycg`},
		"option on two lines":  {[]string{"Gender         # male   # female   #", "               other"}, nil, `checkbox Gender @0:15-16tmale @0:24-25tfemale @0:35-36tother`},
		"boxes after options":  {[]string{"Gender:        male #   female #", "other"}, nil, `checkbox Gender @0:20-21tmale @0:31-32tfemale`},
		"after labels":         {[]string{"By:", "Name:", "Title:          Date:"}, nil, "signature By @0:4-80\nname Name @1:6-80\ntext Title @2:7-16\ndate Date @2:22-80"},
		"contents":             {[]string{"1. Rent ........................ 4"}, nil, ``},
		"drawn line":           {[]string{"Name:"}, func(m *maker) { m.rule(0, 6, 40) }, `name Name @0:6-46`},
		"drawn line far away":  {[]string{"Name:"}, func(m *maker) { m.rule(0, 18, 40) }, `name Name @0:18-58`},
		"line under the label": {[]string{"Name:"}, func(m *maker) { m.rule(0, 0, 40) }, `name Name @0:5-40`},
		"two drawn lines":      {[]string{"Name:                    Date:"}, func(m *maker) { m.rule(0, 6, 15); m.rule(0, 31, 20) }, "name Name @0:6-21\ndate Date @0:31-51"},
		"line in pieces":       {[]string{"Name:"}, func(m *maker) { m.rule(0, 6, 15); m.rule(0, 21, 20); m.rule(0, 6, 15) }, `name Name @0:6-41`},
		"line in a sentence":   {[]string{"I, the undersigned                    of Rome"}, func(m *maker) { m.rule(0, 19, 18) }, `text I, the undersigned @0:19-37`},
		"hanging label":        {[]string{"", "By:"}, func(m *maker) { m.rule(0, 4, 30) }, `signature By @0:4-34`},
		"line below the label": {[]string{"Date:"}, func(m *maker) { m.rule(1, 0, 30) }, `date Date @1:0-30`},
		"captions":             {[]string{"", "", "Jane Doe                      Name of tenant"}, func(m *maker) { m.rule(1, 0, 20); m.rule(1, 30, 20) }, "signature Jane Doe @1:0-20\nname Name of tenant @1:30-50"},
		"name given":           {[]string{"", "", "Name: Jane Doe", "Title: Director"}, func(m *maker) { m.rule(1, 0, 20) }, `signature Name: Jane Doe @1:0-20`},
		"underscores to sign":  {[]string{"____________________", "Jane Doe"}, nil, `signature Jane Doe @0:0-20`},
		"title given":          {[]string{"", "", "Title: Director"}, func(m *maker) { m.rule(1, 0, 20) }, ``},
		"signed":               {[]string{"", "/s/ Jane Doe", "Jane Doe"}, func(m *maker) { m.rule(1, 0, 20) }, ``},
		"underlined":           {[]string{"Name of tenant"}, func(m *maker) { m.rule(0, 0, 14) }, ``},
		"separator":            {[]string{"Some text.", "", "Name"}, func(m *maker) { m.rule(1, 0, 80) }, ``},
		"footnote":             {[]string{"Remarks:", "", "Portions of this page have been left out."}, func(m *maker) { m.rule(1, 0, 20) }, ``},
		"line without a label": {[]string{"Some text."}, func(m *maker) { m.rule(9, 0, 30) }, ``},
		"table":                {[]string{"", "", "Name"}, func(m *maker) { m.rule(1, 0, 20); m.frame(1, 0, 3, 20, false) }, ``},
		"column heading":       {[]string{"", "", "Name"}, func(m *maker) { m.rule(1, 0, 20); m.rule(2, 0, 20) }, ``},
		"empty cells": {[]string{"Name                Ann Ash", "Date of birth", "Account:", "Notes on it", "Total     12        13"}, func(m *maker) { m.table(5, 0, 20, 50) },
			"date Date of birth @1:21-49\ntext Account @2:21-49"},
		"empty cells in pairs":  {[]string{"Name                Date                "}, func(m *maker) { m.table(1, 0, 10, 20, 30, 40) }, "name Name @0:11-19\ndate Date @0:31-39"},
		"column headings":       {[]string{"Name      Date", "", ""}, func(m *maker) { m.table(3, 0, 10, 20) }, ``},
		"open cell":             {[]string{"Name"}, func(m *maker) { m.frame(0, 0, 1, 10, false) }, ``},
		"square in a cell":      {[]string{"Name        Ann"}, func(m *maker) { m.table(1, 0, 8, 40); m.square(0, 9) }, `checkbox Name @0:9-11tAnn`},
		"squares":               {[]string{"", "   Monthly    Yearly"}, func(m *maker) { m.square(1, 0); m.square(1, 11); m.square(1, 11) }, "checkbox  @1:0-2tMonthly @1:11-13tYearly"},
		"square after its text": {[]string{"Agreed"}, func(m *maker) { m.square(0, 7) }, `checkbox  @0:7-9tAgreed`},
		"ticked square":         {[]string{"X  Monthly"}, func(m *maker) { m.square(0, 0) }, ``},
		"filled square":         {[]string{"   Monthly"}, func(m *maker) { m.frame(0, 0, 1, 2, true) }, ``},
		"cells of a comb":       {[]string{"       Monthly"}, func(m *maker) { m.square(0, 0); m.square(0, 2); m.square(0, 4) }, ``},
		"square far away":       {[]string{"           Monthly"}, func(m *maker) { m.square(0, 0) }, ``},
	} {
		m := &maker{}
		m.page(append(c.lines, "", "", "", strings.Repeat("-", 79)+".")...)
		if c.draw != nil {
			c.draw(m)
		}
		if got := placed(pdffields.Find(m.file())); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// TestBlanksInForms checks that no blank is found where a form field is, and that blanks
// elsewhere on the page are.
func TestBlanksInForms(t *testing.T) {
	m := &maker{}
	m.page("Name: ____________", "Date:", "By: ____________________________________________________________", "Title:")
	m.widget(0, 6, 12, pdf.Field{Name: "a", Type: pdf.Text})
	m.widget(1, 6, 12, pdf.Field{Name: "b", Type: pdf.Text})
	m.rule(1, 6, 12)
	m.rule(3, 20, 12)
	m.widget(3, 20, 12, pdf.Field{Name: "c", Type: pdf.Text})
	want := "acroform name \"Name\"\nacroform date \"Date\"\ndetected signature \"By\"\nacroform text \"Title\""
	if got := shown(pdffields.Find(m.file())); got != want {
		t.Errorf("the fields are\n%s\nwant\n%s", got, want)
	}
}

// TestWidgetLabels checks that widgets without an alternate name are labelled by the text
// around them.
func TestWidgetLabels(t *testing.T) {
	m := &maker{}
	m.page(
		"Full name of the tenant:", "Town      Country", "", "This paragraph explains at length what is to be done, and so it names no field.", "", "Pay by:", "   Post      Wire", "   I accept the terms")
	text := func(row, column int, name string) { m.widget(row, column, 10, pdf.Field{Name: name, Type: pdf.Text}) }
	text(0, 26, "beside")
	text(2, 0, "below left")
	text(2, 10, "below right")
	text(4, 0, "below a sentence")
	m.widget(6, 0, 2, pdf.Field{Name: "group", Type: pdf.Checkbox, Value: "1"})
	m.widget(6, 10, 2, pdf.Field{Name: "group", Type: pdf.Checkbox, Value: "2"})
	m.widget(7, 0, 2, pdf.Field{Name: "terms", Type: pdf.Checkbox, Value: "On"})
	want := strings.Join([]string{
		`acroform name "Full name of the tenant"`, `acroform text "Town"`, `acroform text "Country"`, `acroform text "below a sentence"`,
		`acroform checkbox "Pay by"|Post|Wire max 1`, `acroform checkbox "I accept the terms"|Yes`,
	}, "\n")
	if got := shown(pdffields.Find(m.file())); got != want {
		t.Errorf("the fields are\n%s\nwant\n%s", got, want)
	}
}

// TestWidgetLabelsBesideValues checks that the value of one field is not the label of the next,
// and that the label of a field for several lines is found beside its first line.
func TestWidgetLabelsBesideValues(t *testing.T) {
	m := &maker{}
	m.page("Town: Rome      ", "", "Remarks", "", "", "")
	m.widget(0, 6, 8, pdf.Field{Name: "town", Type: pdf.Text, Value: "Rome"})
	m.widget(0, 16, 8, pdf.Field{Name: "code", Type: pdf.Text})
	m.widget(2, 10, 30, pdf.Field{Name: "a1", Type: pdf.Text})
	tall := &m.Fields[len(m.Fields)-1]
	tall.Box.Bottom += 4 * rowHeight / pageHeight
	if got, want := shown(pdffields.Find(m.file())), "acroform text \"Town\"=Rome\nacroform text \"code\"\nacroform text \"Remarks\""; got != want {
		t.Errorf("the fields are\n%s\nwant\n%s", got, want)
	}
}

// TestStableIDs checks that blanks keep their IDs when other text and drawings change.
func TestStableIDs(t *testing.T) {
	ids := func(m *maker) (ids []string) {
		for _, f := range pdffields.Find(m.file()) {
			ids = append(ids, f.ID)
		}
		return ids
	}
	a, b := &maker{}, &maker{}
	a.page("Name: ________", "By:", "Date: [date]")
	a.rule(1, 4, 20)
	b.page("Another heading", "Name: ____________", "By:", "Date: [date]")
	b.rule(2, 4, 30)
	b.page("Name: ____________")
	first, second := ids(a), ids(b)
	if len(first) != 3 || len(second) != 4 || !reflect.DeepEqual(first, second[:3]) || second[3] == first[0] {
		t.Errorf("the IDs are %v and %v", first, second)
	}
}

// TestUnusableFiles checks files whose words and widgets are on no page.
func TestUnusableFiles(t *testing.T) {
	m := &maker{}
	m.page("Name: ________ {{agreementinput-a}}")
	m.widget(2, 2, 2, pdf.Field{Name: "a", Type: pdf.Text})
	f := m.file()
	f.Pages = nil
	if got := pdffields.Find(f); len(got) > 0 {
		t.Errorf("found %+v", got)
	}
	if got := pdffields.Find(&pdf.File{}); len(got) > 0 {
		t.Errorf("found %+v", got)
	}
	m.Pages = []layout.Page{{}}
	if got := pdffields.Find(f); len(got) != 3 {
		t.Errorf("on a page without a size, found %+v", got)
	}
}

// TestSignedFile checks that only the form fields of a signed file are found.
func TestSignedFile(t *testing.T) {
	m := &maker{}
	m.page("Name: ________ {{agreementinput-a}}")
	m.widget(2, 2, 2, pdf.Field{Name: "b", Type: pdf.Text})
	f := m.file()
	f.Signed = true
	if got := pdffields.Find(f); len(got) != 1 || got[0].ID != fields.IDOf("b") {
		t.Errorf("found %+v", got)
	}
}
