package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/problem/problemtest"
	"github.com/rectohq/recto/services/annotation/internal/judge"
)

// entries formats an error and its entries, with short paths.
func entries(t *testing.T, err error) string {
	t.Helper()
	return short(problemtest.Entries(t, err))
}

func short(path string) string {
	return strings.NewReplacer("field_values.agreementinput-", "~", ".value", "").Replace(path)
}

func TestShapeOfFieldValues(t *testing.T) {
	for body, want := range map[string]string{
		`{"field_values":{}}`: "<nil>",
		`{"field_values":{"agreementinput-a":{"value":"x"}}}`:       "<nil>",
		`{"field_values":{"agreementinput-a":{"value":["x","y"]}}}`: "<nil>",
		`{"field_values":{"agreementinput-a":{"value":[]}}}`:        "<nil>",
		`{}`:                    "3002 field_values:required",
		`{"field_values":null}`: "3002 field_values:required",
		`{"field_values":[]}`:   "3001 field_values:invalid_type",
		`{"field_values":"x"}`:  "3001 field_values:invalid_type",
		`[]`:                    "3003 :invalid_type",
		``:                      "3001",
		`{"field_values":{}`:    "3001",
		`{"fieldvalues":{}}`:    "3001 field_values:required fieldvalues:unrecognized_key",
		`{"field_values":{},"x":1,"field_values":{}}`:                     "3001 field_values:duplicate_key x:unrecognized_key",
		`{"field_values":{"a":{"value":"x"}}}`:                            "3001 field_values.a:field_key_invalid",
		`{"field_values":{"":{"value":"x"}}}`:                             "3001 field_values.:field_key_invalid",
		`{"field_values":{"agreementinput-":{"value":"x"}}}`:              "3001 ~:field_key_invalid",
		`{"field_values":{"agreementinput-a":{}}}`:                        "3001 ~a:required",
		`{"field_values":{"agreementinput-a":{"value":null}}}`:            "3001 ~a:required",
		`{"field_values":{"agreementinput-a":null}}`:                      "3001 ~a:required",
		`{"field_values":{"agreementinput-a":"x"}}`:                       "3001 ~a:invalid_type",
		`{"field_values":{"agreementinput-a":["x"]}}`:                     "3001 ~a:invalid_type",
		`{"field_values":{"agreementinput-a":{"value":1}}}`:               "3001 ~a:invalid_type",
		`{"field_values":{"agreementinput-a":{"value":true}}}`:            "3001 ~a:invalid_type",
		`{"field_values":{"agreementinput-a":{"value":{}}}}`:              "3001 ~a:invalid_type",
		`{"field_values":{"agreementinput-a":{"value":["x",1]}}}`:         "3001 ~a:invalid_type",
		`{"field_values":{"agreementinput-a":{"value":[null]}}}`:          "3001 ~a:invalid_type",
		`{"field_values":{"agreementinput-a":{"value":[["x"]]}}}`:         "3001 ~a:invalid_type",
		`{"field_values":{"agreementinput-a":{"value":"x","type":"y"}}}`:  "3001 ~a:unrecognized_key",
		`{"field_values":{"agreementinput-a":{"val":"x"}}}`:               "3001 ~a:required ~a:unrecognized_key",
		`{"field_values":{"agreementinput-a":{"value":"x","value":"y"}}}`: "3001 ~a:duplicate_key",
		`{"field_values":{"agreementinput-a":{"value":"x"},"agreementinput-b":{"value":"x"},"agreementinput-a":{"value":"y"},"agreementinput-\u0061":{"value":1}}}`: "3001 ~a:field_duplicate ~a:field_duplicate ~a:invalid_type",
		`{"x":1,"field_values":{"b":{"value":1},"agreementinput-a":{}}}`:                                                                                            "3001 field_values.b:field_key_invalid field_values.b:invalid_type ~a:required x:unrecognized_key",
		`{"field_values":{"agreementinput-a":{"value":[` + strings.Repeat(`"x",`, 1000) + `"x"]}}}`:                                                                 "3001 ~a:too_long",
	} {
		v, err := judge.ParseFieldValues([]byte(body), nil)
		if err == nil {
			err = v.Err()
		}
		if got := entries(t, err); got != want {
			t.Errorf("%.100s: got %s, want %s", body, got, want)
		}
	}
}

func num(n int) *int { return &n }

func known() []fields.Field {
	no := false
	options := []fields.Option{{Display: "A"}, {Display: "B"}}
	return []fields.Field{
		{ID: "agreementinput-box", Type: fields.Checkbox, Options: options, Min: num(1), Max: num(1)},
		{ID: "agreementinput-date", Type: fields.Date},
		{ID: "agreementinput-drop", Type: fields.Dropdown, Options: options},
		{ID: "agreementinput-gender", Type: fields.Gender},
		{ID: "agreementinput-image", Type: fields.Image, Multiple: &no},
		{ID: "agreementinput-mail", Type: fields.Email},
		{ID: "agreementinput-number", Type: fields.Number},
		{ID: "agreementinput-phone", Type: fields.Phone},
		{ID: "agreementinput-ssn", Type: fields.SSN},
		{ID: "agreementinput-text", Type: fields.Text, Max: num(5)},
		{ID: "agreementinput-url", Type: fields.URL},
	}
}

// judged returns the problems of values, which are given as members of field_values
// without the prefix of their keys.
func judged(t *testing.T, members string) string {
	t.Helper()
	body := `{"field_values":{` + strings.ReplaceAll(members, "~", "agreementinput-") + `}}`
	v, err := judge.ParseFieldValues([]byte(body), nil)
	if err != nil {
		t.Fatal(err)
	}
	var checker judge.Checker
	fillings, err := v.Judge(t.Context(), &checker, known(), nil)
	if err == nil && len(fillings) != len(v.Values) || err != nil && fillings != nil {
		t.Errorf("%s: got %d fillings", members, len(fillings))
	}
	return entries(t, err)
}

func TestJudge(t *testing.T) {
	bad := []struct{ member, want string }{
		{`"~url":{"value":"example.com"}`, "~url:url_missing_protocol"},
		{`"~box":{"value":["A","A","X"]}`, "~box:checkbox_invalid_option ~box:checkbox_duplicate_option ~box:checkbox_max_selected"},
		{`"~ssn":{"value":""}`, "~ssn:ssn_invalid"},
		{`"~text":{"value":"abcdef"}`, "~text:text_too_long"},
		{`"~image":{"value":["x","data:image/png;base64,"]}`, "~image:image_multiple_not_allowed ~image:image_invalid_header ~image:image_corrupt"},
		{`"~none":{"value":"x"}`, "~none:field_not_found"},
		{`"~drop":{"value":"C"}`, "~drop:dropdown_invalid_option"},
		{`"~gender":{"value":"m"}`, "~gender:gender_invalid_option"},
		{`"~date":{"value":"2026-02-30","x":1}`, "~date:unrecognized_key ~date:invalid_date_format"},
		{`"~mail":{"value":"@"}`, "~mail:email"},
		{`"~number":{"value":"1,5"}`, "~number:number_invalid"},
		{`"~number":{"value":"1"}`, "~number:field_duplicate"},
		{`"~phone":{"value":"1"}`, "~phone:phone_invalid"},
		{`"~x":{"value":1}`, "~x:invalid_type"},
		{`"x":{"value":"1"}`, "field_values.x:field_key_invalid"},
	}
	all, members := "3001", []string{}
	for _, tc := range bad {
		if !strings.HasSuffix(tc.want, "field_duplicate") {
			if got := judged(t, tc.member); got != "3001 "+tc.want {
				t.Errorf("%s: got %s, want %s", tc.member, got, tc.want)
			}
		}
		all += " " + tc.want
		members = append(members, tc.member, `"~good`+fmt.Sprint(len(members))+`":null`)
		all += " ~good" + fmt.Sprint(len(members)-2) + ":required"
	}
	if got := judged(t, strings.Join(members, ",")); got != all {
		t.Errorf("mixed: got\n%s, want\n%s", got, all)
	}
	good := `"~box":{"value":["B"]},"~date":{"value":"2026-02-28"},"~drop":{"value":"A"},"~gender":{"value":"Other"},"~image":{"value":""},"~mail":{"value":"a@b.co"},"~number":{"value":".5"},"~phone":{"value":"555 0109"},"~ssn":{"value":"123456789"},"~text":{"value":"abcde"},"~url":{"value":"http://a"}`
	if got := judged(t, good); got != "<nil>" {
		t.Errorf("good values: got %s", got)
	}
}

// TestProblemsOfTheQuery checks that problems of the query are reported before those of
// the body, and prevent filling.
func TestProblemsOfTheQuery(t *testing.T) {
	query := []problem.Entry{problem.Unparsable("dry_run", problem.CodeInvalidType, "true or false", "x")}
	for body, want := range map[string]string{
		`{}`:                  "3001 dry_run:invalid_type field_values:required",
		`{"field_values":[]}`: "3001 dry_run:invalid_type field_values:invalid_type",
		`{"field_values":{}}`: "3003 dry_run:invalid_type",
		`{"field_values":{"agreementinput-number":{"value":"x"}},"y":1}`: "3001 dry_run:invalid_type ~number:number_invalid y:unrecognized_key",
	} {
		v, err := judge.ParseFieldValues([]byte(body), query)
		if err == nil {
			var checker judge.Checker
			_, err = v.Judge(t.Context(), &checker, known(), nil)
		}
		if got := entries(t, err); strings.ReplaceAll(strings.ReplaceAll(got, "field_values.agreementinput-", "~"), ".value:", ":") != want {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
}

func TestNearestFieldIsNamed(t *testing.T) {
	v, _ := judge.ParseFieldValues([]byte(`{"field_values":{"agreementinput-tetx":{"value":"x"}}}`), nil)
	var checker judge.Checker
	for want, known := range map[string][]fields.Field{"agreementinput-text": known(), "no fields": nil} {
		_, err := v.Judge(t.Context(), &checker, known, nil)
		if e := problem.Of(err); len(e.Entries) != 1 || !strings.Contains(e.Entries[0].Resolution, want) {
			t.Errorf("got %+v", e.Entries)
		}
	}
}

func TestEchoOfFieldValues(t *testing.T) {
	for sent, want := range map[string]string{`"1,5"`: `"1,5"`, `["a","b"]`: `["a","b"]`, `7`: "7"} {
		v, _ := judge.ParseFieldValues([]byte(`{"field_values":{"agreementinput-number":{"value":`+sent+`}}}`), nil)
		var checker judge.Checker
		_, err := v.Judge(t.Context(), &checker, known(), nil)
		if e := problem.Of(err); len(e.Entries) != 1 || string(e.Entries[0].Value) != want {
			t.Errorf("%s: got %+v", sent, e.Entries)
		}
	}
}

func TestManyFieldValues(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"field_values":{"agreementinput-0":{"value":"x"}`)
	for i := 1; i < 9000; i++ {
		fmt.Fprintf(&b, `,"agreementinput-%d":{"value":"x"}`, i)
	}
	v, err := judge.ParseFieldValues([]byte(b.String()+"}}"), nil)
	if err != nil || len(v.Values) != 9000 {
		t.Fatalf("got %d values, %v", len(v.Values), err)
	}
	var checker judge.Checker
	_, err = v.Judge(t.Context(), &checker, known(), nil)
	if e := problem.Of(err); len(e.Entries) != 1000 {
		t.Errorf("got %d entries", len(e.Entries))
	}
}

func FuzzParseFieldValues(f *testing.F) {
	for _, seed := range []string{
		`{"field_values":{"agreementinput-text":{"value":"x\u00e9"}}}`, `{"field_values":{"agreementinput-box":{"value":["A","A"]},"agreementinput-box":{}}}`,
		`{"field_values":{"agreementinput-image":{"value":"data:image\/png;base64,iVBORw0KGgo="}}}`, `{"field_values":[]}`, `{"field_values":{"":null}}`, `{`,
		`{"field_values":{"agreementinput-ssn":{"value":["a",{"b":[]}],"x":1}},"y":"\ud83d\ude00"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		v, err := judge.ParseFieldValues([]byte(body), nil)
		if err != nil {
			entries(t, err)
			return
		}
		var checker judge.Checker
		fillings, err := v.Judge(t.Context(), &checker, known(), nil)
		entries(t, err)
		if shape := v.Err(); shape != nil && err == nil || err == nil && len(fillings) != len(v.Values) || problem.Is(err, problem.Internal) {
			t.Errorf("%q: %v, %v, %d fillings", body, shape, err, len(fillings))
		}
	})
}
