package apidoc_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/gateway/internal/apidoc"
	"github.com/rectohq/recto/gateway/internal/apierror"
	"github.com/rectohq/recto/libs/problem"
)

func pages(t *testing.T) *apidoc.Pages {
	t.Helper()
	p, err := apidoc.New("https://recto.example:8443")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestOpenAPIIsValid checks the served description against the OpenAPI 3.1 specification.
func TestOpenAPIIsValid(t *testing.T) {
	content := pages(t).OpenAPI().Content
	if !jsontext.Value(content).IsValid() {
		t.Error("the description has a duplicate member name, which Swagger UI cannot read")
	}
	doc, err := openapi3.NewLoader().LoadFromDataWithPath(content, &url.URL{})
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()); err != nil {
		t.Error(err)
	}
	if got := doc.Servers[0].URL; got != "https://recto.example:8443/v2" {
		t.Errorf("the server is %s", got)
	}
	codes := doc.Components.Schemas["Error"].Value.Properties["code"].Value.Enum
	if len(codes) != len(problem.Codes()) {
		t.Errorf("the description has %d error codes, want %d", len(codes), len(problem.Codes()))
	}
}

func TestEveryCodeHasAPage(t *testing.T) {
	p := pages(t)
	list := p.Errors().Content
	for _, code := range problem.Codes() {
		page, err := p.Error(fmt.Sprint(int(code)))
		if err != nil || !bytes.Contains(page.Content, []byte(code.Message())) || !bytes.Contains(page.Content, []byte("What to do")) {
			t.Errorf("the page of %d: %v, %.200s", code, err, page.Content)
		}
		if !bytes.Contains(list, fmt.Appendf(nil, "/docs/errors/%d", code)) {
			t.Errorf("the list of errors lacks %d", code)
		}
	}
	for _, code := range []string{"", "1", "03001", "../3001", "README"} {
		if _, err := p.Error(code); err == nil {
			t.Errorf("there is a page for %q", code)
		}
	}
}

// entryCode matches the declarations of entry codes.
var entryCode = regexp.MustCompile(`EntryCode += "(\w+)"`)

// TestEveryRuleIsDescribed checks that the description lists every entry code, and that
// the page of 3001 explains those of field values.
func TestEveryRuleIsDescribed(t *testing.T) {
	p := pages(t)
	doc, err := openapi3.NewLoader().LoadFromDataWithPath(p.OpenAPI().Content, &url.URL{})
	if err != nil {
		t.Fatal(err)
	}
	described := doc.Components.Schemas["ErrorEntry"].Value.Properties["code"].Value.Enum
	source, err := os.ReadFile(filepath.Join("..", "..", "..", "libs", "problem", "entry.go"))
	if err != nil {
		t.Fatal(err)
	}
	general, ofValues, _ := strings.Cut(string(source), "CodeFieldKeyInvalid ")
	page, err := p.Error("3001")
	if err != nil {
		t.Fatal(err)
	}
	declared := append(entryCode.FindAllStringSubmatch(general, -1), entryCode.FindAllStringSubmatch(ofValues, -1)...)
	if len(declared) < 40 || len(declared) != len(described) {
		t.Errorf("%d rules are declared, %d described", len(declared), len(described))
	}
	for _, match := range declared {
		if !slices.Contains(described, any(match[1])) {
			t.Errorf("the description lacks %s", match[1])
		}
	}
	for _, match := range entryCode.FindAllStringSubmatch("CodeFieldKeyInvalid "+ofValues, -1) {
		if !bytes.Contains(page.Content, []byte("<code>"+match[1]+"</code></td>")) {
			t.Errorf("the page of 3001 lacks %s", match[1])
		}
	}
}

// TestLinksOfEntries checks that the docs of each entry link to a row of a page, which is
// about field values if the entry is.
func TestLinksOfEntries(t *testing.T) {
	p := pages(t)
	page, err := p.Error("3001")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join("..", "..", "..", "libs", "problem", "entry.go"))
	if err != nil {
		t.Fatal(err)
	}
	const base = "https://recto.example/docs/errors/3001#"
	link := func(code problem.Code, path, rule string) string {
		t.Helper()
		e := &problem.Error{Code: code, Entries: []problem.Entry{{Path: path, Code: problem.EntryCode(rule)}}}
		id, found := strings.CutPrefix(apierror.NewBody(e, "https://recto.example/docs").Errors[0].Docs, base)
		if n := bytes.Count(page.Content, []byte(` id="`+id+`"`)); !found || n != 1 {
			t.Errorf("%s of %s links to %q, which the page has %d times", rule, path, id, n)
		}
		return id
	}
	for _, match := range entryCode.FindAllStringSubmatch(string(source), -1) {
		link(problem.InvalidRequest, "files.0.name", match[1])
	}
	for _, tc := range []struct {
		code             problem.Code
		path, rule, want string
	}{
		{problem.InvalidFormat, "version_number", "version_invalid", "version_invalid"}, {problem.MissingFields, "insights.0.message", "prompt_required", "prompt_required"},
		{problem.MissingFields, "name", "required", "required"}, {problem.MissingFields, "field_values.agreementinput-a.value", "required", "field_values.required"},
		{problem.InvalidRequest, "field_values.agreementinput-a.value", "url_invalid", "field_values.url_invalid"}, {problem.InvalidRequest, "url", "url_invalid", "url_invalid"},
	} {
		if got := link(tc.code, tc.path, tc.rule); got != tc.want {
			t.Errorf("%s of %s links to %q, want %q", tc.rule, tc.path, got, tc.want)
		}
	}
	for id, text := range map[string]string{"required": "absent or null", "field_values.required": "no <code>value</code>", "url_invalid": "contains a user name"} {
		_, row, _ := bytes.Cut(page.Content, []byte(` id="`+id+`"`))
		row, _, _ = bytes.Cut(row, []byte("</tr>"))
		if !bytes.Contains(row, []byte(text)) {
			t.Errorf("the row %s is %s", id, row)
		}
	}
}

// TestPages checks the content of each page.
func TestPages(t *testing.T) {
	p := pages(t)
	if info := p.Info(); info.Title != "Document Management Service API" || !strings.HasPrefix(info.Version, "2.3.") {
		t.Errorf("the description is %+v", info)
	}
	for name, tc := range map[string]struct {
		page  apidoc.File
		shown []string
	}{
		"missing": {p.Missing(), []string{"Page not found", `href="/docs"`, `href="/docs/errors"`}},
		"index":   {p.Index(), []string{p.Info().Title, p.Info().Version, "swagger-ui.css", "init.js"}},
		"errors":  {p.Errors(), []string{"<h1>Errors</h1>"}},
	} {
		for _, shown := range append(tc.shown, `<main id="content" class="`, "<h1>", `<html lang="en">`, "</html>") {
			if !bytes.Contains(tc.page.Content, []byte(shown)) {
				t.Errorf("the page %s lacks %s", name, shown)
			}
		}
	}
}

func TestAssets(t *testing.T) {
	p := pages(t)
	for _, name := range []string{"docs.css", "explorer.css", "init.js", "contents.js", "search.js", "highlight.js", "samples.js", "sample-languages.js", "sample-view.js", "swagger-ui.css", "swagger-ui-bundle.js"} {
		if f, err := p.Asset(name); err != nil || len(f.Content) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"openapi.yaml", "../apidoc.go", "swagger-ui.js.map"} {
		if _, err := p.Asset(name); err == nil {
			t.Errorf("%s is served", name)
		}
	}
	if !bytes.Contains(p.Index().Content, []byte("swagger-ui-bundle.js")) {
		t.Error("the page lacks the explorer")
	}
}
