package blank

import (
	"strings"
	"time"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/date"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/paragraph"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// formText makes the place a text place. Its type is t if the form field accepts any text
// and its limit leaves room for a value of t.
func formText(p *paragraph.Paragraph, place *Place, form paragraph.Form, t fields.Type, s *tabstop.Styles) {
	input := wml.Child(form.Data, "textInput")
	limit := wml.Count(wml.Val(wml.Child(input, "maxLength")))
	if limit > 0 {
		place.Field.Max = &limit
		if limit < t.MinLength() {
			t = fields.Text
		}
	}
	format := formFormat{pattern: wml.Val(wml.Child(input, "format"))}
	switch wml.Val(wml.Child(input, "type")) {
	case "date", "currentDate":
		t = fields.Date
		format.language = func() string { return formLanguage(p, form, s) }
	case "number":
		t = fields.Number
		format.number = true
	}
	place.Field.Type = t
	place.Field.Text = format.read(strings.TrimSpace(strings.ReplaceAll(p.Text[form.Start:form.End], runs.Object, "")))
	label := place.Field.Label
	place.Fill = func(f fields.Filling, pics Pictures) error {
		f.Text = format.show(f.Text)
		return fillText(p, textRange{form.Start, form.End}, f, pics, label)
	}
}

// formFormat is the format of the values of a form field, which Word applies when a
// person leaves the field.
type formFormat struct {
	pattern string
	// language returns the language of dates. It is nil if the field is not for dates.
	language func() string
	// number reports whether the field is for numbers.
	number bool
}

// show returns a value in the format. Any other text is returned unchanged.
func (f formFormat) show(value string) string {
	switch {
	case f.pattern == "":
	case f.number:
		return formatNumber(value, f.pattern)
	case f.language != nil:
		if day, err := time.Parse(date.ISO, value); err == nil {
			return date.Format(day, f.pattern, f.language())
		}
	}
	return value
}

// read returns the value that a form field shows: a date in the format of values, or else
// the text unchanged.
func (f formFormat) read(text string) string {
	if f.pattern != "" && f.language != nil && text != "" {
		if day, ok := date.Parse(text, f.pattern, f.language()); ok {
			return day.Format(date.ISO)
		}
	}
	return text
}

// formLanguage returns the language of the text of a form field.
func formLanguage(p *paragraph.Paragraph, form paragraph.Form, s *tabstop.Styles) string {
	for _, run := range []*etree.Element{runs.Of(p.ElementAt(form.Start)), form.Run} {
		if language := wml.Val(wml.Child(wml.Child(run, "rPr"), "lang")); language != "" {
			return language
		}
	}
	return s.Language()
}
