package docxfields

import (
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

// TestDefinitionAtAnyOccurrence checks that a field gets each part of its definition from
// its first occurrence that declares it.
func TestDefinitionAtAnyOccurrence(t *testing.T) {
	tag := func(attributes string) string { return p(r("x {{agreementinput-a" + attributes + "}}")) }
	control := func(tag, properties string) string { return p(sdt(tag, properties, r("old"))) }
	choices := []fields.Option{{Display: "A"}, {Display: "B"}}
	text := fields.Field{Type: fields.Text, Source: fields.TextTag}
	with := func(f fields.Field, change func(*fields.Field)) fields.Field {
		change(&f)
		return f
	}
	for name, test := range map[string]struct {
		content string
		want    fields.Field
	}{
		"type":                  {tag("") + tag(";type=ssn"), with(text, func(f *fields.Field) { f.Type = fields.SSN })},
		"first type of two":     {tag("") + tag(";type=ssn") + tag(";type=date"), with(text, func(f *fields.Field) { f.Type = fields.SSN })},
		"declared as text":      {tag(";type=text") + tag(";type=ssn"), text},
		"unknown type":          {tag(";type=what") + tag(";type=ssn"), with(text, func(f *fields.Field) { f.Type = fields.SSN })},
		"options":               {tag("") + tag(";type=dropdown;options=A|B"), with(text, func(f *fields.Field) { f.Type, f.Options = fields.Dropdown, choices })},
		"options apart":         {tag(";type=dropdown") + tag(";options=A|B") + tag(";options=C"), with(text, func(f *fields.Field) { f.Type, f.Options = fields.Dropdown, choices })},
		"options of checkboxes": {tag("") + tag(";type=checkbox;options=A|B"), with(text, func(f *fields.Field) { f.Type, f.Options = fields.Checkbox, choices })},
		"no options":            {tag("") + tag(";type=dropdown"), text},
		"label and bounds": {tag(";min=2") + tag(";label=L;required;min=1;max=9;multiple"), with(text, func(f *fields.Field) {
			f.Label, f.Required, f.Min, f.Max, f.Multiple = "L", true, new(2), new(9), new(true)
		})},
		"bounds that exclude values": {tag(";min=5") + tag(";max=3"), with(text, func(f *fields.Field) { f.Min = new(5) })},
		"maximum, then minimum":      {tag(";max=3") + tag(";min=5"), with(text, func(f *fields.Field) { f.Max = new(3) })},
		"control, then tag": {control("agreementinput-a", "") + tag(";type=date;label=L"), with(text, func(f *fields.Field) {
			f.Type, f.Label, f.Source, f.Text = fields.Date, "L", fields.ContentControl, "old"
		})},
		"text control, then picture": {control("agreementinput-a", "") + tag(";type=image;label=L"), with(text, func(f *fields.Field) {
			f.Type, f.Label, f.Source = fields.Image, "L", fields.ContentControl
		})},
		"control of a kind, then tag": {control("agreementinput-a", `<w:date/>`) + tag(";type=ssn;label=L"), with(text, func(f *fields.Field) {
			f.Type, f.Label, f.Source, f.Text = fields.Date, "L", fields.ContentControl, "old"
		})},
		"tag, then control":       {tag("") + control(`{"fieldId":"agreementinput-a","fieldType":"SSNTEXTINPUT"}`, ""), with(text, func(f *fields.Field) { f.Type = fields.SSN })},
		"tag, then list of items": {tag("") + control("agreementinput-a", `<w:dropDownList><w:listItem w:displayText="A" w:value="A"/><w:listItem w:displayText="B" w:value="B"/></w:dropDownList>`), with(text, func(f *fields.Field) { f.Type, f.Options = fields.Dropdown, choices })},
		"two controls": {control("agreementinput-a", "") + control(`{"fieldId":"agreementinput-a","fieldType":"SSNTEXTINPUT","fieldMultipleImage":false}`, ""), with(text, func(f *fields.Field) {
			f.Type, f.Source, f.Text, f.Multiple = fields.SSN, fields.ContentControl, "old", new(false)
		})},
	} {
		t.Run(name, func(t *testing.T) {
			found := open(t, document(t, body(test.content))).Fields()
			test.want.ID = "agreementinput-a"
			if len(found) != 1 {
				t.Fatalf("found %d fields, want one", len(found))
			}
			if test.want.XMLPath = found[0].XMLPath; !equal(found[0], test.want) {
				t.Errorf("got %+v, want %+v", found[0], test.want)
			}
		})
	}
}

// TestPictureOfTagInHeader fills a picture into a bare tag in the body whose type only the
// header declares.
func TestPictureOfTagInHeader(t *testing.T) {
	header := prolog + `<w:hdr ` + spaces + `>` + p(r("{{agreementinput-logo;type=image}}")) + `</w:hdr>`
	file := document(t, body(p(r("{{agreementinput-logo}}"))), entry{"word/header1.xml", header})
	found := open(t, file).Fields()
	if len(found) != 1 || found[0].Type != fields.Image {
		t.Fatalf("found %+v, want one image", found)
	}
	filled := parts(t, fill(t, file, map[string]fields.Filling{found[0].ID: {Type: fields.Image, Pictures: []fields.Picture{picture(t, "image/png", 8, 8, 1, 7)}}}))
	for _, part := range []string{"word/document.xml", "word/header1.xml"} {
		if got := filled[part]; strings.Count(got, "<w:drawing") != 1 || strings.Contains(got, "agreementinput") {
			t.Errorf("%s is %s", part, got)
		}
	}
}

// TestItemsWithoutDisplayText checks that an item that has only a value is an option
// unless it asks to choose, as the first item of Word's lists does.
func TestItemsWithoutDisplayText(t *testing.T) {
	const named = `<w:listItem w:displayText="Third" w:value="3"/>`
	for name, test := range map[string]struct {
		properties, content string
		want                []string
	}{
		"first":                   {`<w:dropDownList><w:listItem w:value="only1"/>` + named + `</w:dropDownList>`, "Third", []string{"only1", "Third"}},
		"second":                  {`<w:dropDownList>` + named + `<w:listItem w:value="only2"/></w:dropDownList>`, "Third", []string{"Third", "only2"}},
		"first of a combo box":    {`<w:comboBox><w:listItem w:value="New York"/>` + named + `</w:comboBox>`, "Third", []string{"New York", "Third"}},
		"all":                     {`<w:dropDownList><w:listItem w:value="only1"/><w:listItem w:value="only2"/></w:dropDownList>`, "only1", []string{"only1", "only2"}},
		"Word's prompt":           {`<w:dropDownList><w:listItem w:value="Choose an item."/>` + named + `</w:dropDownList>`, "Third", []string{"Third"}},
		"German":                  {`<w:dropDownList><w:listItem w:value="Wählen Sie ein Element aus."/>` + named + `</w:dropDownList>`, "Third", []string{"Third"}},
		"Japanese":                {`<w:dropDownList><w:listItem w:value="アイテムを選択してください。"/>` + named + `</w:dropDownList>`, "Third", []string{"Third"}},
		"shown as placeholder":    {`<w:showingPlcHdr/><w:dropDownList><w:listItem w:value="Pick"/>` + named + `</w:dropDownList>`, "Pick", []string{"Third"}},
		"empty value":             {`<w:dropDownList><w:listItem w:displayText="Choose an item." w:value=""/>` + named + `</w:dropDownList>`, "Third", []string{"Third"}},
		"other placeholder shown": {`<w:showingPlcHdr/><w:dropDownList><w:listItem w:value="only1"/>` + named + `</w:dropDownList>`, "Choose an item.", []string{"only1", "Third"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, o := range open(t, document(t, body(p(sdt("agreementinput-l", test.properties, r(test.content)))))).Fields()[0].Options {
				got = append(got, o.Display)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("options %q, want %q", got, test.want)
			}
		})
	}
}
