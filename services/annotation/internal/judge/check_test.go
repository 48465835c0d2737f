package judge_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/annotation/internal/judge"
)

func one(s string) judge.Value { return judge.Value{Items: []judge.Encoded{judge.Encode(s)}} }

func list(items ...string) judge.Value {
	v := judge.Value{List: true}
	for _, s := range items {
		v.Items = append(v.Items, judge.Encode(s))
	}
	return v
}

// verdict returns the codes of the faults of v in f, or the filling.
func verdict(t *testing.T, f fields.Field, v judge.Value) string {
	t.Helper()
	var checker judge.Checker
	filling, faults, err := checker.Check(t.Context(), f, v)
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) == 0 {
		return fmt.Sprintf("%s|%s|%s|%s", filling.Type, filling.Text, filling.Value, strings.Join(filling.Selected, ","))
	}
	var codes []string
	for _, fault := range faults {
		if fault.Code == "" || fault.Message == "" || !strings.HasSuffix(fault.Resolution, ".") {
			t.Errorf("%s: an incomplete fault: %+v", f.Type, fault)
		}
		if filling.Type != "" || filling.Text != "" || filling.Selected != nil {
			t.Errorf("%s: a value with faults has the filling %+v", f.Type, filling)
		}
		codes = append(codes, string(fault.Code))
	}
	return strings.Join(codes, " ")
}

// TestGrammars has a table for each type: valid values, and invalid ones with the code of
// their fault.
func TestGrammars(t *testing.T) {
	for _, tc := range []struct {
		typ  fields.Type
		code string // of the faults of bad
		good []string
		bad  []string
	}{
		{fields.Number, "number_invalid",
			[]string{"0", "-0", "007", "12.50", "-.5", ".5", "1234567890123456789012345678901234567890"},
			[]string{"", "-", ".", "1.", "1e3", "+1", " 1", "1 ", "1,000", "１", "٣", "1.2.3", "--1", "0x1", "NaN", "1\n", "Infinity"}},
		{fields.SSN, "ssn_invalid",
			[]string{"123-45-6789", "123456789", "000-00-0000"},
			[]string{"", "12345678", "1234567890", "123-456789", "12345-6789", "123 45 6789", "123-45-678a", "१२३-45-6789", "123-45-6789 ", "123–45–6789"}},
		{fields.URL, "url_invalid",
			[]string{"", "http://a", "https://example.com", "HTTPS://Example.COM:8080/p?q=1#f", "https://user:pw@example.com/", "http://[::1]:80/", "http://127.0.0.1", "https://bücher.example/ü", "https://example.com.", "https://a_b.example"},
			[]string{"http://", "https:///path", "https://exa mple.com", "https://example.com/a b", " https://example.com", "https:example.com", "http:/example.com", "https://example..com", "https://.com", "https://a:port", "https://a:99999", "https://[::g]", "https://a/\u00a0b", "https://a/%zz", "https://a/\n", "https://?q", "https://#f", "http://a<b>", "https:\\\\example.com"}},
		{fields.URL, "url_missing_protocol", nil,
			[]string{"example.com", "www.example.com/x", "ftp://example.com", "//example.com", "mailto:a@b.example", "javascript:alert(1)", "localhost:8080", "http//example.com", "://example.com", "httpx://example.com"}},
		{fields.Email, "email",
			[]string{"", "a@b.co", "first.last+tag@sub.example.com", "!#$%&'*+/=?^_`{|}~-@x.example", "a@1.2"},
			[]string{"a", "a@b", "@b.co", "a@", "a b@c.de", "a@b..co", "a@-b.co", "a@b-.co", "a@b.co.", "a@b.co ", "a@b@c.de", "ä@b.co", "a@bü.co", "a@" + strings.Repeat("x", 64) + ".co", "Name <a@b.co>", "a@b.co\n"}},
		{fields.Phone, "phone_invalid",
			[]string{"", "5550109", "+1 (555) 010-9999", "555.010.9999", "123456789012345"},
			[]string{"555010", "1234567890123456", "555-010-999x", "５５５０１０９", "+1\t555 0109", "555/0109", "-------"}},
		{fields.Date, "invalid_date_format",
			[]string{"", "2026-01-31", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"},
			[]string{"2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "2026-04-31", "0000-01-01", "31/01/2026", "2026-1-1", "20260131", "2026-01-31T00:00:00Z", "tomorrow", "2026-01-31 ", "２026-01-31"}},
	} {
		for _, s := range tc.good {
			if got, want := verdict(t, fields.Field{Type: tc.typ}, one(s)), fmt.Sprintf("%s|%s||", tc.typ, s); got != want {
				t.Errorf("%s %q: got %q, want %q", tc.typ, s, got, want)
			}
		}
		for _, s := range tc.bad {
			if got := verdict(t, fields.Field{Type: tc.typ}, one(s)); got != tc.code {
				t.Errorf("%s %q: got %q, want %q", tc.typ, s, got, tc.code)
			}
		}
	}
}

var options = []fields.Option{{Display: "A"}, {Display: "B", Value: "C"}, {Display: "C", Value: "c"}, {Display: "B "}}

func TestChoices(t *testing.T) {
	dropdown := fields.Field{Type: fields.Dropdown, Options: options}
	gender := fields.Field{Type: fields.Gender}
	own := fields.Field{Type: fields.Gender, Options: options}
	for _, tc := range []struct {
		f     fields.Field
		value judge.Value
		want  string
	}{
		{dropdown, one("A"), "dropdown|A|A|A"},
		{dropdown, one("B"), "dropdown|B|C|B"},
		{dropdown, one("C"), "dropdown|C|c|C"}, // the display text takes precedence
		{dropdown, one("c"), "dropdown|C|c|C"},
		{dropdown, one("B "), "dropdown|B |B |B "},
		{dropdown, one(""), "dropdown|||"},
		{dropdown, one("a"), "dropdown_invalid_option"},
		{dropdown, one("A "), "dropdown_invalid_option"},
		{dropdown, list("A"), "invalid_type"},
		{dropdown, list(), "invalid_type"},
		{fields.Field{Type: fields.Dropdown}, one("A"), "dropdown_invalid_option"},
		{gender, one("Non-binary"), "gender|Non-binary|Non-binary|Non-binary"},
		{gender, one("Prefer not to say"), "gender|Prefer not to say|Prefer not to say|Prefer not to say"},
		{gender, one(""), "gender|||"},
		{gender, one("male"), "gender_invalid_option"},
		{gender, list("Male"), "invalid_type"},
		{own, one("A"), "gender|A|A|A"},
		{own, one("Male"), "gender_invalid_option"},
	} {
		if got := verdict(t, tc.f, tc.value); got != tc.want {
			t.Errorf("%s %q: got %q, want %q", tc.f.Type, tc.value.Items, got, tc.want)
		}
	}
}

func TestCheckbox(t *testing.T) {
	free := fields.Field{Type: fields.Checkbox, Options: options}
	bounded := fields.Field{Type: fields.Checkbox, Options: options, Min: num(1), Max: num(2)}
	for _, tc := range []struct {
		f     fields.Field
		value judge.Value
		want  string
	}{
		{free, list(), "checkbox|||"},
		{free, list("C", "A"), "checkbox|||C,A"},
		{free, list("A", "B", "C", "B "), "checkbox|||A,B,C,B "},
		{free, one("A"), "invalid_type"},
		{free, one(""), "invalid_type"},
		{free, list("c"), "checkbox_invalid_option"},
		{free, list(""), "checkbox_invalid_option"},
		{free, list("A", "A"), "checkbox_duplicate_option"},
		{free, list("X", "X"), "checkbox_invalid_option checkbox_duplicate_option"},
		{bounded, list(), "checkbox_min_selected"},
		{bounded, list("A"), "checkbox|||A"},
		{bounded, list("A", "B", "C"), "checkbox_max_selected"},
		{bounded, list("A", "B", "A"), "checkbox_duplicate_option"},
		{bounded, list("X", "A", "B", "A"), "checkbox_invalid_option checkbox_duplicate_option checkbox_max_selected"},
		{fields.Field{Type: fields.Checkbox, Min: num(2)}, list("A"), "checkbox_invalid_option checkbox_min_selected"},
		{fields.Field{Type: fields.Checkbox, Options: options, Min: num(0)}, list(), "checkbox|||"},
	} {
		if got := verdict(t, tc.f, tc.value); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.value.Items, got, tc.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, typ := range []fields.Type{fields.Text, fields.Name, fields.Company, fields.Address, fields.Signature, "unheard"} {
		for s, want := range map[string]string{
			"": "", "José 😀": "José 😀", "a\r\nb\rc\u2028d\u2029e\tf": "a\nb\nc\nd\ne\tf", " a ": " a ", "\u200f\u2068a\u2069\ufeff\u00ad": "\u200f\u2068a\u2069\ufeff\u00ad",
			strings.Repeat("é", 100_000): strings.Repeat("é", 100_000),
		} {
			if got := verdict(t, fields.Field{Type: typ}, one(s)); got != fmt.Sprintf("%s|%s||", typ, want) {
				t.Errorf("%s %.30q: got %.60q", typ, s, got)
			}
		}
		bounded := fields.Field{Type: typ, Min: num(2), Max: num(3)}
		for s, want := range map[string]string{
			"": string(typ) + "|||", "é": "too_short", "éé": string(typ) + "|éé||", "éééé": "text_too_long",
		} {
			if got := verdict(t, bounded, one(s)); got != want {
				t.Errorf("%s %q: got %q, want %q", typ, s, got, want)
			}
		}
		if got := verdict(t, fields.Field{Type: typ}, one(strings.Repeat("é", 100_001))); got != "text_too_long" {
			t.Errorf("%s: a text over the limit: got %.60q", typ, got)
		}
		if got := verdict(t, fields.Field{Type: typ}, list("a")); got != "invalid_type" {
			t.Errorf("%s: an array: got %q", typ, got)
		}
	}
	if got := verdict(t, fields.Field{Type: fields.Email, Max: num(3)}, one("a@bcd")); got != "email text_too_long" {
		t.Errorf("two faults: got %q", got)
	}
}

// TestInvalidCharacters puts characters that no document can show into values of every
// type. Types with free text report the character; the others report an invalid option or
// image.
func TestInvalidCharacters(t *testing.T) {
	good := map[fields.Type]string{fields.Email: "a@b.co", fields.URL: "http://a", fields.Number: "1", fields.SSN: "123456789", fields.Phone: "5550109", fields.Date: "2026-01-31"}
	other := map[fields.Type]string{fields.Dropdown: "dropdown_invalid_option", fields.Gender: "gender_invalid_option", fields.Checkbox: "invalid_type", fields.Image: "image_invalid_header"}
	for _, typ := range append(fields.Types(), "unheard") {
		text, want := cmp.Or(good[typ], "text"), cmp.Or(other[typ], "invalid_characters")
		for r := range rune(0xA0) {
			if !unicode.IsControl(r) || strings.ContainsRune("\t\n\r", r) {
				continue
			}
			for _, s := range []string{string(r), string(r) + text, text + string(r), text[:1] + string(r) + text[1:]} {
				if got := verdict(t, fields.Field{Type: typ, Options: options}, one(s)); got != want {
					t.Errorf("%s %q: got %q, want %q", typ, s, got, want)
				}
			}
		}
		if got := verdict(t, fields.Field{Type: typ, Options: options}, one("\uffff")); got != want {
			t.Errorf("%s: a character that XML cannot represent: got %q, want %q", typ, got, want)
		}
	}
	var checker judge.Checker
	_, faults, _ := checker.Check(t.Context(), fields.Field{Type: fields.SSN}, one("12é\x07"))
	if len(faults) != 1 || !strings.Contains(faults[0].Message, "U+0007 at position 4") || strings.Contains(faults[0].Message, "12") {
		t.Errorf("got %+v", faults)
	}
}

// TestSecretsAreNotRepeated checks that no error text repeats the value of a field,
// because error texts are logged.
func TestSecretsAreNotRepeated(t *testing.T) {
	var checker judge.Checker
	_, faults, _ := checker.Check(t.Context(), fields.Field{Type: fields.SSN}, one("123-45-678"))
	e := problem.Broken("field_values.agreementinput-a.value", []byte(`"123-45-678"`), faults[0])
	if text := e.Message + e.InternalMessage + e.Resolution; strings.Contains(text, "123") {
		t.Errorf("the error texts repeat the value: %s", text)
	}
}

// TestOptionsAreNamed checks that faults list the options, within limits.
func TestOptionsAreNamed(t *testing.T) {
	f := fields.Field{Type: fields.Checkbox}
	for i := range 500 {
		f.Options = append(f.Options, fields.Option{Display: fmt.Sprint(i, strings.Repeat("x", 400))})
	}
	var checker judge.Checker
	_, faults, _ := checker.Check(t.Context(), f, list("nothing like it"))
	if len(faults) != 1 || !strings.Contains(faults[0].Message, `"nothing like it"`) {
		t.Fatalf("got %+v", faults)
	}
	if r := faults[0].Resolution; !strings.Contains(r, `"19x`) || !strings.Contains(r, "and 480 more") || len(r) > 3000 {
		t.Errorf("got %s", r)
	}
}

func TestEncoded(t *testing.T) {
	for written, want := range map[string]string{
		`a\/b`: "a/b", `\"\\\b\f\n\r\t`: "\"\\\b\f\n\r\t", `\u00e9\u20ac`: "é€", `\ud83d\ude00!`: "😀!", `\`: "\uFFFD", `\ud83d`: "\uFFFD", `\u12`: "\uFFFD", "": "",
	} {
		if got, _ := (judge.Encoded{JSON: []byte(written)}).Text(100); got != want {
			t.Errorf("%s: got %q", written, got)
		}
	}
	if got, whole := judge.Encode("héé\n").Text(3); got != "héé" || whole {
		t.Errorf("got %q, %v", got, whole)
	}
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	var checker judge.Checker
	if _, _, err := checker.Check(ctx, fields.Field{Type: fields.Image}, one(dataURL("image/png", pngFile(t, 2, 2)))); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

func FuzzCheck(f *testing.F) {
	for i, s := range []string{"", "1.5", "123-45-6789", "https://example.com", "a@b.co", "2026-01-31", "A", "data:image/png;base64,AAAA"} {
		f.Add(uint8(i), s, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, typ uint8, s string, isList bool) {
		types := fields.Types()
		field := fields.Field{Type: types[int(typ)%len(types)], Options: options, Max: num(2)}
		v := one(s)
		v.List = isList
		verdict(t, field, v)
	})
}
