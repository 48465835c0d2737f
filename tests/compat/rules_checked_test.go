package compat

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract"
)

// Color is an enumeration of the made-up contract.
type Color string

// The messages of the made-up contract, and what later versions make of them.
type (
	ask1 struct {
		Name  string `json:"name"`
		Size  int    `json:"size,omitzero"`
		Color Color  `json:"color,omitzero"`
	}
	renamed struct {
		Title string `json:"title,omitzero"`
		Size  int    `json:"size,omitzero"`
		Color Color  `json:"color,omitzero"`
	}
	retyped struct {
		Name  string `json:"name"`
		Size  string `json:"size,omitzero"`
		Color Color  `json:"color,omitzero"`
	}
	demanding struct {
		Name  string `json:"name"`
		Size  int    `json:"size,omitzero"`
		Color Color  `json:"color,omitzero"`
		Owner string `json:"owner"`
	}
	stricter struct {
		Name  string `json:"name"`
		Size  int    `json:"size"`
		Color Color  `json:"color,omitzero"`
	}
	loose struct {
		Name  string `json:"name,omitzero"`
		Size  int    `json:"size,omitzero"`
		Color Color  `json:"color,omitzero"`
	}
	extended struct {
		Name  string `json:"name"`
		Size  int    `json:"size,omitzero"`
		Color Color  `json:"color,omitzero"`
		Owner string `json:"owner,omitzero"`
	}
	refusing struct {
		Name string `json:"name"`
	}
)

// UnmarshalJSON rejects unknown members.
func (r *refusing) UnmarshalJSON(data []byte) error {
	type plain refusing
	return json.Unmarshal(data, (*plain)(r), json.RejectUnknownMembers(true))
}

// madeUp describes a contract with one endpoint, whose request is a Req.
func madeUp[Req any](subject string, colors ...string) shapes {
	service, name, _ := strings.Cut(subject, ".")
	s := newShapes([]endpoint{of(contract.Endpoint[Req, struct{}]{Service: service, Name: name, Idempotent: true})}, nil, nil, map[string][]string{"compat.Color": colors})
	request := reflect.TypeFor[Req]().String() // all versions of a type have one name
	s.Types["ask"] = s.Types[request]
	delete(s.Types, request)
	e := s.Endpoints[subject]
	e.Request = "ask"
	s.Endpoints[subject] = e
	return s
}

// TestBreaks shows that every change that keeps two versions from running side by side is
// found, and no other change.
func TestBreaks(t *testing.T) {
	const subject = "paint.ask"
	was := madeUp[ask1](subject, "red", "blue")
	moved := madeUp[ask1]("paint.ask2", "red", "blue")
	once := madeUp[ask1](subject, "red", "blue")
	once.Endpoints[subject] = endpointShape{Request: "ask", Reply: once.Endpoints[subject].Reply}
	for name, tc := range map[string]struct {
		was, is shapes
		want    string
	}{
		"nothing changes":         {was, was, ""},
		"a new optional member":   {was, madeUp[extended](subject, "red", "blue"), ""},
		"a renamed member":        {was, madeUp[renamed](subject, "red", "blue"), "ask.name is gone"},
		"a removed member":        {madeUp[extended](subject, "red", "blue"), was, "ask.owner is gone"},
		"a changed type":          {was, madeUp[retyped](subject, "red", "blue"), "ask.size was integer and is string"},
		"a new required member":   {was, madeUp[demanding](subject, "red", "blue"), "ask.owner is new and required"},
		"now required":            {was, madeUp[stricter](subject, "red", "blue"), "ask.size is now required"},
		"no longer required":      {was, madeUp[loose](subject, "red", "blue"), "ask.name may now be left out"},
		"a new value":             {was, madeUp[ask1](subject, "red", "blue", "green"), `compat.Color has the new value "green"`},
		"a removed value":         {was, madeUp[ask1](subject, "red"), `compat.Color no longer has the value "blue"`},
		"a subject that is gone":  {was, moved, "the subject paint.ask is gone"},
		"no longer idempotent":    {was, once, "the subject paint.ask is no longer idempotent"},
		"a member for a refusing": {madeUp[refusing](subject), madeUp[extended](subject), "ask.owner is new, but the recorded version rejects unknown members"},
		"refuses from now on": {was, func() shapes {
			s := madeUp[ask1](subject, "red", "blue")
			a := s.Types["ask"]
			a.Strict = true
			s.Types["ask"] = a
			return s
		}(), "ask now rejects unknown members"},
	} {
		got := breaks(tc.was, tc.is)
		found := slices.ContainsFunc(got, func(b string) bool {
			return strings.HasPrefix(b, tc.want) && strings.Contains(b, ": ") || strings.HasPrefix(b, tc.want)
		})
		if tc.want == "" && len(got) > 0 || tc.want != "" && !found {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// TestRefusals shows that a message is refused that the recorded version cannot use.
func TestRefusals(t *testing.T) {
	s := madeUp[ask1]("paint.ask", "red")
	strict := madeUp[refusing]("paint.ask")
	for message, tc := range map[string]struct {
		shapes
		want string
	}{
		`{"name":"a","size":1,"color":"red","new":[]}`: {s, ""},
		`{"size":1}`:               {s, ".name is absent"},
		`{"name":1}`:               {s, ".name is 1, and v1 reads string"},
		`{"name":"a","size":"1"}`:  {s, `.size is "1"`},
		`{"name":"a","color":"x"}`: {s, `.color is "x"`},
		`{"name":["a"]}`:           {s, `.name is ["a"]`},
		`{"name":"a","new":1}`:     {strict, ".new is unknown"},
	} {
		got := strings.Join(tc.refusals("ask", "", decode([]byte(message))), "; ")
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q", message, got, tc.want)
		}
	}
}

// TestComparison shows that a reply that lost something is found.
func TestComparison(t *testing.T) {
	const was = `{"id":"doc_01kdvdna00ey0t981vrv424d38","name":"a","at":1767225600000,"items":[{"n":1},{"n":2}]}`
	for is, want := range map[string]string{
		`{"id":"doc_01kdvdna08en9sat5xy8jvmm8s","name":"a","at":1795632000000,"items":[{"n":1},{"n":2,"new":1}],"new":{}}`: "",
		`{"id":"doc_01kdvdna08en9sat5xy8jvmm8s","title":"a","at":1795632000000,"items":[{"n":1},{"n":2}]}`:                 "name is gone",
		`{"id":"doc_01kdvdna08en9sat5xy8jvmm8s","name":"b","at":1795632000000,"items":[{"n":1},{"n":2}]}`:                  `name was "a" and is "b"`,
		`{"id":"doc_01kdvdna08en9sat5xy8jvmm8s","name":"a","at":"now","items":[{"n":1},{"n":2}]}`:                          "at was",
		`{"id":"doc_01kdvdna08en9sat5xy8jvmm8s","name":"a","at":1795632000000,"items":[{"n":1}]}`:                          "items was",
	} {
		c := comparison{ids: map[string]string{}, names: map[string]string{}}
		got := strings.Join(c.payloads(newPayload([]byte(was)), newPayload([]byte(is))), "; ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", is, got, want)
		}
	}
}

// TestSchemaBreaks shows that a change of a database is found that the recorded version
// cannot work with.
func TestSchemaBreaks(t *testing.T) {
	const was = "CREATE TABLE things (id TEXT NOT NULL, size INTEGER NOT NULL);"
	tables := func(script string) map[string][]column {
		path := t.TempDir() + "/x.db"
		restore(t, script, path)
		return schema(t, openSQL(t, path))
	}
	for script, want := range map[string]string{
		was: "",
		was + "ALTER TABLE things ADD COLUMN color TEXT NOT NULL DEFAULT 'red'; CREATE TABLE more (id TEXT);": "",
		was + "ALTER TABLE things DROP COLUMN size":                                                           "the column things.size is gone",
		was + "ALTER TABLE things RENAME COLUMN size TO length":                                               "the column things.size is gone",
		"CREATE TABLE things (id TEXT NOT NULL, size TEXT NOT NULL)":                                          "the column things.size was INTEGER and is TEXT",
		"CREATE TABLE things (id TEXT NOT NULL, size INTEGER NOT NULL, color TEXT NOT NULL)":                  "the column things.color is new and has no default",
		"CREATE TABLE other (id TEXT)":                                                                        "the table things is gone",
	} {
		got := strings.Join(schemaBreaks(tables(was), tables(script)), "; ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", script, got, want)
		}
	}
}

// TestObserved shows that a stored record is found that the recorded version cannot read.
func TestObserved(t *testing.T) {
	observe := func(records ...string) observed {
		o := observed{}
		for _, r := range records {
			o.add("record", decode([]byte(r)))
		}
		return o
	}
	was := observe(`{"owner":"a","files":[{"size":1}]}`, `{"owner":"b","note":"c","files":[]}`)
	for is, want := range map[string]string{
		`{"owner":"a","files":[{"size":2,"new":true}],"new":{}}`: "",
		`{"owner":"a","files":[]}`:                               "",
		`{"user":"a","files":[]}`:                                "record.owner is not always written",
		`{"owner":"a","files":[{"length":2}]}`:                   "record.files[].size is not always written",
		`{"owner":1,"files":[]}`:                                 "record.owner is a float, which it never was",
		`{"owner":"a","files":{}}`:                               "record.files is an object, which it never was",
	} {
		got := strings.Join(was.breaks(observe(is)), "; ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", is, got, want)
		}
	}
}
