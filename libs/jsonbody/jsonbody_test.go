package jsonbody_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// read reads a body of the form {name, list of {id}} and returns the values found and the
// entries reported.
func read(body string) (found []string, entries []string, err error) {
	err = jsonbody.Read([]byte(body), func(o *jsonbody.Object) {
		if _, text, ok := o.RequiredString("name"); ok {
			found = append(found, "name="+text)
		}
		if v, ok := o.Optional("list"); ok {
			n, _ := v.Items(3, func(item jsonbody.Value) {
				item.Object(func(o *jsonbody.Object) {
					o.Forbidden("url")
					if v, text, ok := o.OptionalString("id"); ok {
						found = append(found, v.Path()+"="+text)
					}
				})
			})
			found = append(found, fmt.Sprint("n=", n))
		}
	})
	var e *problem.Error
	if errors.As(err, &e) {
		for _, entry := range e.Entries {
			entries = append(entries, entry.Path+" "+string(entry.Code))
		}
	}
	return found, entries, err
}

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		body, found, entries string
	}{
		{`{"name":"a"}`, "name=a", ""},
		{` {"list":null,"name":"\u00e9\n"} `, "name=é\n", ""},
		{`{"name":"a","list":[{"id":"x"},{"id":null},{},{"id":"unseen"},7]}`, "name=a list.0.id=x n=5", ""},
		{`{"name":null}`, "", "name required"},
		{`{"name":1,"list":{}}`, "n=0", "name invalid_type,list invalid_type"},
		{`{"list":[{"url":null,"id":1,"x":2}],"y":1,"name":"a"}`, "name=a n=1", "list.0.url forbidden_field,list.0.id invalid_type,list.0.x unrecognized_key,y unrecognized_key"},
		{`{"name":"a","name":"b"}`, "name=a", "name duplicate_key"},
		{`{"name":"a","x":{"d":1,"d":2}}`, "name=a", "x unrecognized_key"},
		{`[]`, "", " invalid_type"},
	} {
		found, entries, _ := read(tc.body)
		if got := strings.Join(found, " "); got != tc.found {
			t.Errorf("%s: found %q, want %q", tc.body, got, tc.found)
		}
		if got := strings.Join(entries, ","); got != tc.entries {
			t.Errorf("%s: entries %q, want %q", tc.body, got, tc.entries)
		}
	}
}

func TestSyntax(t *testing.T) {
	for _, body := range []string{
		"", " ", "{", `{"a":1}}`, `{"a":1} x`, "\ufeff{}", `{"a":"\xff"}`, `{'a':1}`, `{"a":01}`,
		strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), strings.Repeat("[", 1<<20),
	} {
		if _, entries, err := read(body); !problem.Is(err, problem.InvalidRequest) || entries != nil {
			t.Errorf("%.30q: got %v", body, err)
		}
	}
	deep := `{"name":"a","list":[{"x":` + strings.Repeat("[", 61) + strings.Repeat("]", 61) + `}]}`
	if _, entries, _ := read(deep); strings.Join(entries, ",") != "list.0.x unrecognized_key" {
		t.Errorf("64 levels: %v", entries)
	}
}

// TestForms sends forms where JSON is expected, and a negative number, which begins like
// one.
func TestForms(t *testing.T) {
	form := "--x\r\nContent-Disposition: form-data; name=\"document\"\r\n\r\n{}\r\n--x--\r\n"
	for body, want := range map[string]string{
		form: "The body is a multipart form. Send JSON.", "\r\n" + form: "The body is a multipart form. Send JSON.",
		"-": "The body is not valid JSON", "-1": "", "name=a": "The body is not valid JSON",
	} {
		_, entries, err := read(body)
		if got := problem.Of(err); want == "" && len(entries) != 1 || !strings.Contains(got.Detail, want) {
			t.Errorf("%q: got %v", body, err)
		}
	}
}

// TestNoObject checks the entry for a body that is JSON, but not an object.
func TestNoObject(t *testing.T) {
	_, _, err := read("[]")
	entries := problem.Of(err).Entries
	if len(entries) != 1 || entries[0].Message != "The body must be an object" || entries[0].InternalMessage != "body: expected an object, received an array" {
		t.Errorf("got %+v", entries)
	}
}

func TestLongNamesAreCutInPaths(t *testing.T) {
	_, entries, _ := read(`{"name":"a","` + strings.Repeat("é", 5000) + `":1}`)
	if len(entries) != 1 || len(entries[0]) > 300 {
		t.Errorf("entries %d, %.400q", len(entries), entries)
	}
}

func TestBytes(t *testing.T) {
	for body, want := range map[string]string{`{"v":"abc"}`: "abc", `{"v":"a\/b\u0063"}`: "a/bc", `{"v":""}`: "", `{"v":1}`: "no"} {
		_ = jsonbody.Read([]byte(body), func(o *jsonbody.Object) {
			v, _ := o.Required("v")
			got, ok := v.Bytes()
			if !ok {
				got = []byte("no")
			}
			if string(got) != want {
				t.Errorf("%s: got %q", body, got)
			}
		})
	}
}

func TestMembers(t *testing.T) {
	for body, want := range map[string]string{
		`{"v":{"b":1,"a":[2],"b":3,"\u0063":4}}`: "v.b=1 v.a=[2] v.b=3 n=4",
		`{"v":{}}`:                               "n=0",
		`{"v":[]}`:                               "n=0 v invalid_type",
	} {
		var got []string
		err := jsonbody.Read([]byte(body), func(o *jsonbody.Object) {
			v, _ := o.Required("v")
			n, _ := v.Members(3, func(_ string, m jsonbody.Value) { got = append(got, m.Path()+"="+string(m.Raw())) })
			got = append(got, fmt.Sprint("n=", n))
		})
		var e *problem.Error
		if errors.As(err, &e) {
			got = append(got, e.Entries[0].Path+" "+string(e.Entries[0].Code))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: got %q, want %q", body, text, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a","list":[{"id":"x","url":1}],"z":{}}`, `{"name":"\ud83d\ude00"}`, `{"a":1,"a":2}`, `[[[[]]]]`, `{"name":`, `{"":""}`, "\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		_, entries, err := read(body)
		if err != nil && problem.Of(err).Code == problem.Internal {
			t.Errorf("%q: %v", body, err)
		}
		if len(entries) > 1000 {
			t.Errorf("%d entries", len(entries))
		}
	})
}
