package query_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// read returns the known parameters of a query, and the entries for the others.
func read(raw string, known ...string) (found []string, entries []problem.Entry) {
	var problems problem.List
	query.Read(raw, known, &problems, func(p query.Parameter) {
		text, ok := p.One()
		if !ok {
			text = "not one: " + p.String()
		}
		found = append(found, p.Name+"="+text)
	})
	return found, problems.Entries()
}

func TestRead(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                "",
		"&&":                              "",
		"size=1&page=2":                   "size=1 page=2",
		"page=2&x=%31&size=1&y&x=2":       "page=2 size=1 | x=1, 2 y=",
		"size=1&size=2":                   "size=not one: 1, 2",
		"si%7Ae=a+b%2Bc":                  "size=a b+c",
		"size=%zz":                        "size=not one: %zz",
		"size":                            "size=",
		"size=1;page=2":                   "size=1;page=2",
		"=1":                              "| =1",
		"%zz=1":                           "| %zz=1",
		"Size=1":                          "| Size=1",
		"size%5Bgt%5D=1":                  "| size[gt]=1",
		"%ff=1&\xff=2":                    "| \uFFFD=1, 2",
		strings.Repeat("é", 200) + "=abc": "| " + strings.Repeat("é", 128) + "…=abc",
	} {
		found, entries := read(raw, "size", "page")
		got := strings.Join(found, " ")
		if len(entries) > 0 {
			got += " |"
		}
		for _, e := range entries {
			got += " " + e.Path + "=" + strings.Trim(string(e.Value), `"`)
			if e.Code != problem.CodeUnknownParameter || e.Class != problem.Rule {
				t.Errorf("%s: the entry is %+v", raw, e)
			}
		}
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
}

func TestAdvice(t *testing.T) {
	list := []string{"size", "page", "order_by", "state"}
	for _, tc := range []struct {
		name  string
		known []string
		want  string
	}{
		{"STATE", list, "Did you mean state? Otherwise, remove the parameter."},
		{"dryrun", []string{"version_number", "dry_run"}, "Did you mean dry_run? Otherwise, remove the parameter."},
		{"colour", list, "Remove it. This route takes size, page, order_by and state."},
		{"version", []string{"version_number", "format"}, "Remove it. This route takes version_number and format."},
		{"x", []string{"size"}, "Remove it. This route takes only size."},
		{"x", nil, "Remove it. This route takes no query parameters."},
	} {
		_, entries := read(tc.name+"=1", tc.known...)
		if len(entries) != 1 || entries[0].Resolution != tc.want {
			t.Errorf("%s of %v: got %+v, want %q", tc.name, tc.known, entries, tc.want)
		}
	}
}

func TestFind(t *testing.T) {
	if p := query.Find("a=1&b=2&%61=3", "a"); p.String() != "1, 3" {
		t.Errorf("got %+v", p)
	}
	if p := query.Find("a=1", "b"); p.Name != "" || p.Values != nil {
		t.Errorf("a parameter that is absent: got %+v", p)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"size=1&page=x", "a[gte]=%31&%zz=\xff", "=&==&;", strings.Repeat("x", 500) + "=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		_, entries := read(raw, "size")
		for _, e := range entries {
			if !utf8.ValidString(e.Path) || len(e.Path) > 300 || !e.Value.IsValid() {
				t.Errorf("%q: %+v", raw, e)
			}
		}
		var problems problem.List
		query.Read(raw, nil, &problems, nil)
		if err := problems.Err(); err != nil && !errors.As(err, new(*problem.Error)) {
			t.Errorf("%q: %v", raw, err)
		}
	})
}
