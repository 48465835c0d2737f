package pdffields

import (
	"regexp"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
)

// shortest is the number of characters that a value of a type needs, for types whose values
// have a grammar.
func shortest(t fields.Type) int {
	switch t {
	case fields.Phone:
		return 7
	case fields.Email:
		return 6
	case fields.URL:
		return 11
	case fields.SSN:
		return 9
	case fields.Date:
		return len("2006-01-02")
	case fields.Gender:
		return len("Prefer not to say")
	}
	return 0
}

// textType returns the type of a text field, and the pattern of its dates. What the form
// does to values decides first, then the label and the name. A type whose values do not fit
// is text, since no value would be right.
func textType(w widget, label string) (fields.Type, string) {
	if w.Details.Password {
		return fields.Text, ""
	}
	limit := w.Details.MaxLength
	t, format := formatType(w.Details.Format)
	if t == "" {
		t = labelType(w, label)
	}
	if format == "" && limit > 0 && limit < shortest(t) {
		t = fields.Text
	}
	return t, format
}

// labelType returns the type that the label or the name implies.
func labelType(w widget, label string) fields.Type {
	for _, s := range []string{w.Label, label, lastPart(w.Name)} {
		switch t := detect.TypeOf(s); t {
		case fields.Text:
		case fields.Image: // no picture fits into a text field
			return fields.Text
		default:
			return t
		}
	}
	return fields.Text
}

// The calls of Acrobat's formatting functions.
var (
	dateCall    = regexp.MustCompile(`\bAFDate_(?:Format|Keystroke)Ex\s*\(\s*(?:"([^"\n]{1,64})"|'([^'\n]{1,64})')`)
	indexCall   = regexp.MustCompile(`\bAFDate_(?:Format|Keystroke)\s*\(\s*(\d{1,2})\s*\)`)
	specialCall = regexp.MustCompile(`\bAFSpecial_(?:Format|Keystroke)\s*\(\s*(\d)\s*\)`)
	numberCall  = regexp.MustCompile(`\bAF(?:Number|Percent)_(?:Format|Keystroke)\s*\(`)
)

// formatType returns the type of the values that a script formats, and the pattern of
// dates. It returns "" if the script is none of Acrobat's own.
func formatType(script string) (fields.Type, string) {
	if m := dateCall.FindStringSubmatch(script); m != nil {
		return dateType(m[1] + m[2])
	}
	if m := indexCall.FindStringSubmatch(script); m != nil {
		return dateType(indexedFormat(m[1]))
	}
	if m := specialCall.FindStringSubmatch(script); m != nil {
		switch m[1] {
		case "2":
			return fields.Phone, ""
		case "3":
			return fields.SSN, ""
		}
		return fields.Text, ""
	}
	if numberCall.MatchString(script) {
		return fields.Number, ""
	}
	return "", ""
}

// dateType returns Date if the pattern shows a whole date, and otherwise Text, because a
// date could not be read from it again.
func dateType(pattern string) (fields.Type, string) {
	if !wholeDate(pattern) {
		return fields.Text, ""
	}
	return fields.Date, pattern
}

// indexedFormat returns Acrobat's predefined pattern with the number, or "".
func indexedFormat(number string) string {
	patterns := map[string]string{
		"0": "m/d", "1": "m/d/yy", "2": "mm/dd/yy", "3": "mm/yy", "4": "d-mmm", "5": "d-mmm-yy", "6": "dd-mmm-yy",
		"7": "yy-mm-dd", "8": "mmm-yy", "9": "mmmm-yy", "10": "mmm d, yyyy", "11": "mmmm d, yyyy",
		"12": "m/d/yy h:MM tt", "13": "m/d/yy HH:MM",
	}
	return patterns[number]
}

// lastPart returns the last part of a fully qualified name, without the index that XFA
// forms append.
func lastPart(name string) string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	if at := strings.LastIndexByte(name, '['); at > 0 && strings.HasSuffix(name, "]") {
		name = name[:at]
	}
	return name
}
