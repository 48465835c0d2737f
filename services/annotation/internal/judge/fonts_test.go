package judge_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/problem/problemtest"
	"github.com/rectohq/recto/services/annotation/internal/judge"
)

// latin has the characters up to U+00FF.
type latin struct{}

// Missing implements judge.Fonts.
func (latin) Missing(text string) (missing []rune) {
	for _, r := range text {
		if r > 0xFF && !strings.ContainsRune(string(missing), r) {
			missing = append(missing, r)
		}
	}
	return missing
}

// TestFonts judges values with characters that no font has, in fields of each kind.
func TestFonts(t *testing.T) {
	var checker judge.Checker
	options := []fields.Option{{Display: "Ω"}, {Display: "B"}}
	known := []fields.Field{
		{ID: "agreementinput-text", Type: fields.Text, Max: num(15)}, {ID: "agreementinput-drop", Type: fields.Dropdown, Options: options},
		{ID: "agreementinput-radio", Type: fields.Dropdown, Options: options, Boxes: true}, {ID: "agreementinput-box", Type: fields.Checkbox, Options: options, Boxes: true},
		{ID: "agreementinput-list", Type: fields.Checkbox, Options: options, Written: true},
	}
	for members, want := range map[string]string{
		`"text":"Zoë"`: "<nil>", `"text":"aΩbΨΩ"`: "3001 text:unsupported_character", `"text":"ΩΩΩΩΩΩΩΩΩΩΩΩΩΩΩΩ"`: "3001 text:text_too_long",
		`"drop":"B"`: "<nil>", `"drop":"Ω"`: "3001 drop:unsupported_character", `"radio":"Ω"`: "<nil>", `"box":["Ω"]`: "<nil>",
		`"list":["B"]`: "<nil>", `"list":["B","Ω"]`: "3001 list:unsupported_character", `"text":"";"list":[]`: "<nil>",
	} {
		v := parse(t, members)
		_, err := v.Judge(t.Context(), &checker, known, latin{})
		if got := strings.NewReplacer("field_values.agreementinput-", "", ".value", "").Replace(problemtest.Entries(t, err)); got != want {
			t.Errorf("%s: got %s, want %s", members, got, want)
		}
		if _, err := v.Judge(t.Context(), &checker, known, nil); err != nil && !strings.Contains(want, "too_long") {
			t.Errorf("%s, without fonts: %v", members, err)
		}
	}
}

// TestFontsNamed checks that the error names the characters and their code points.
func TestFontsNamed(t *testing.T) {
	var checker judge.Checker
	v := parse(t, `"text":"a\u03A9\u03A8🙂ABC"`)
	known := []fields.Field{{ID: "agreementinput-text", Type: fields.Text}}
	_, err := v.Judge(t.Context(), &checker, known, latin{})
	if text := problem.Of(err).Entries[0].Message; !strings.Contains(text, "'Ω' (U+03A9), 'Ψ' (U+03A8), '🙂' (U+1F642)") {
		t.Errorf("the message is %s", text)
	}
	many := parse(t, `"text":"ΑΒΓΔΕΖΗΘΙΚΛΜ"`)
	_, err = many.Judge(t.Context(), &checker, known, latin{})
	if text := problem.Of(err).Entries[0].Message; !strings.HasSuffix(text, "'Κ' (U+039A) and 2 more") {
		t.Errorf("the message is %s", text)
	}
}

// TestUnsupported checks the error for a character that was found missing only when the
// file was filled.
func TestUnsupported(t *testing.T) {
	known := []fields.Field{{ID: "agreementinput-a", Type: fields.Text}, {ID: "agreementinput-b", Type: fields.Text}}
	v := parse(t, `"a":"x";"b":"yz";"unknown":"z"`)
	filled := map[string]fields.Filling{"agreementinput-a": {Text: "x"}, "agreementinput-b": {Text: "yz"}}
	for r, want := range map[rune]string{
		'z': "3001 field_values.agreementinput-b.value:unsupported_character", 'q': "3001 field_values:unsupported_character",
	} {
		if got := problemtest.Entries(t, v.Unsupported(r, known, filled)); got != want {
			t.Errorf("%c: got %s, want %s", r, got, want)
		}
	}
}

// parse returns values, which are given by the names of their fields and separated by
// semicolons.
func parse(t *testing.T, members string) judge.FieldValues {
	t.Helper()
	var body strings.Builder
	for i, part := range strings.Split(members, ";") {
		name, value, _ := strings.Cut(part, ":")
		if i > 0 {
			body.WriteByte(',')
		}
		body.WriteString(`"agreementinput-` + strings.Trim(name, `"`) + `":{"value":` + value + `}`)
	}
	v, err := judge.ParseFieldValues([]byte(`{"field_values":{`+body.String()+`}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
