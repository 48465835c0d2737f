// Package apidoc holds the documentation that the gateway serves: the OpenAPI
// description, a page to read it and try out the API, and a page for each error code.
// openapi.yaml is the only source of the description. The end-to-end tests validate every
// response against it.
package apidoc

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	swagger "github.com/swaggo/files/v2"

	"github.com/rectohq/recto/libs/problem"
)

//go:embed openapi.yaml errors.yaml *.html *.css *.js examples
var sources embed.FS

// File is a file of the documentation as it is served.
type File struct {
	// Name is unique within one Pages: files with the same name are identical.
	Name string
	// Type is its Content-Type.
	Type    string
	Content []byte
}

// ErrNotFound is returned for a page that does not exist.
var ErrNotFound = errors.New("no such page")

// Pages are the documentation of one service.
type Pages struct {
	openAPI   func() []byte
	info      Info
	templates *template.Template
	errors    []errorPage
}

// Info is the title and version of the API.
type Info struct{ Title, Version string }

// errorPage is the content of the page of an error code.
type errorPage struct {
	Code    problem.Code `yaml:"code"`
	Meaning string       `yaml:"meaning"`
	Fix     []string     `yaml:"fix"`
	Rules   []ruleTable  `yaml:"rules"`
}

// ruleTable explains the entry codes of one group of errors.
type ruleTable struct {
	Title string `yaml:"title"`
	Intro string `yaml:"intro"`
	// Values is set if the rules are those of field values.
	Values bool   `yaml:"values"`
	Items  []rule `yaml:"items"`
}

// rule is a rule that a value can break, and what to do about it.
type rule struct {
	Code    problem.EntryCode `yaml:"code"`
	Meaning string            `yaml:"meaning"`
	Fix     string            `yaml:"fix"`
	// ID and ValueID are the fragments that link to the rule: ID for all fields, which is
	// the code, and ValueID for field values. Each is unique on the page, or "".
	ID, ValueID string `yaml:"-"`
}

// identify sets the ids of the rules of a page. If several tables explain a code, those of
// field values explain only field values, and the first of the others all other fields.
func (p errorPage) identify() {
	taken := map[problem.EntryCode]*rule{}
	for t := range p.Rules {
		values := p.Rules[t].Values
		for i := range p.Rules[t].Items {
			r := &p.Rules[t].Items[i]
			if values {
				r.ValueID = "field_values." + string(r.Code)
			}
			if first := taken[r.Code]; first == nil || first.ValueID != "" && !values {
				if first != nil {
					first.ID = ""
				}
				r.ID, taken[r.Code] = string(r.Code), r
			}
		}
	}
}

// Message returns the summary of the code.
func (p errorPage) Message() string { return p.Code.Message() }

// New returns the documentation of the API at publicURL, without /v2.
func New(publicURL string) (*Pages, error) {
	p := &Pages{openAPI: sync.OnceValue(func() []byte { return buildOpenAPI(publicURL) })}
	description, err := sources.ReadFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	if found := infoMembers.FindSubmatch(description); found != nil {
		p.info = Info{string(found[1]), string(found[2])}
	}
	source, err := sources.ReadFile("errors.yaml")
	if err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal(source, &p.errors); err != nil {
		return nil, fmt.Errorf("read errors.yaml: %w", err)
	}
	for _, page := range p.errors {
		page.identify()
	}
	p.templates, err = template.New("").Funcs(template.FuncMap{"marked": marked}).ParseFS(sources, "*.html")
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	return p, nil
}

// infoMembers matches the title and version of the description, to avoid parsing all of it
// at each start.
var infoMembers = regexp.MustCompile(`(?m)^info:\n  title: (.+)\n  version: (.+)$`)

// sourceURL is the placeholder in openapi.yaml for the URL of the service.
const sourceURL = "https://127.0.0.1:8443/v2"

// buildOpenAPI returns the description as JSON, in the order of its source, with the URL
// of this service. It ignores errors: a test makes sure that there are none.
func buildOpenAPI(publicURL string) []byte {
	source, _ := sources.ReadFile("openapi.yaml")
	source = bytes.Replace(source, []byte(sourceURL), []byte(publicURL+"/v2"), 1)
	out, err := yaml.YAMLToJSON(source)
	if err != nil {
		return nil
	}
	description := jsontext.Value(out)
	_ = description.Indent()
	return description
}

// OpenAPI returns the description of the API, OpenAPI 3.1 in JSON.
func (p *Pages) OpenAPI() File { return File{"openapi.json", "application/json", p.openAPI()} }

const typeHTML = "text/html; charset=utf-8"

// Index returns the page that shows the description and lets users try out the API.
func (p *Pages) Index() File { return p.render("page.html", "page.html", p.info) }

// Info returns the title and version of the API.
func (p *Pages) Info() Info { return p.info }

// Missing returns the page for addresses that do not exist.
func (p *Pages) Missing() File { return p.render("missing.html", "missing.html", nil) }

// Errors returns the page that lists the error codes.
func (p *Pages) Errors() File { return p.render("errors.html", "errors.html", p.errors) }

// Error returns the page of an error code, with an example response generated by a
// test. It returns ErrNotFound for an unknown code.
func (p *Pages) Error(code string) (File, error) {
	for _, page := range p.errors {
		if strconv.Itoa(int(page.Code)) != code {
			continue
		}
		example, err := sources.ReadFile("examples/" + code + ".txt")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return File{}, err
		}
		return p.render("error.html", code, map[string]any{"Page": page, "Example": string(example)}), nil
	}
	return File{}, ErrNotFound
}

const (
	typeCSS        = "text/css; charset=utf-8"
	typeJavaScript = "text/javascript; charset=utf-8"
)

// assets maps the files of the API page, ours and those of Swagger UI, to their content
// types.
var assets = map[string]string{
	"docs.css": typeCSS, "explorer.css": typeCSS, "swagger-ui.css": typeCSS,
	"init.js": typeJavaScript, "contents.js": typeJavaScript, "search.js": typeJavaScript, "highlight.js": typeJavaScript,
	"samples.js": typeJavaScript, "sample-languages.js": typeJavaScript, "sample-view.js": typeJavaScript,
	"swagger-ui-bundle.js": typeJavaScript,
	"favicon-32x32.png":    "image/png",
}

// Asset returns a file of the API page, or ErrNotFound.
func (p *Pages) Asset(name string) (File, error) {
	contentType, ok := assets[name]
	if !ok {
		return File{}, ErrNotFound
	}
	content, err := sources.ReadFile(name)
	if err != nil {
		content, err = fs.ReadFile(swagger.FS, name)
	}
	return File{name, contentType, content}, err
}

// render executes a page template and returns the result as a file with that name.
func (p *Pages) render(template, name string, data any) File {
	var out bytes.Buffer
	if err := p.templates.ExecuteTemplate(&out, template, data); err != nil {
		out.Reset() // unexpected: a test renders every page
	}
	return File{name, typeHTML, out.Bytes()}
}

var (
	codeMark = regexp.MustCompile("`([^`]+)`")
	linkMark = regexp.MustCompile(`\[([^\]]+)\]\((/[^)]*)\)`)
)

// marked converts a text of errors.yaml to HTML. It supports `code` and [links](/docs).
func marked(text string) template.HTML {
	html := template.HTMLEscapeString(text)
	html = codeMark.ReplaceAllString(html, "<code>$1</code>")
	html = linkMark.ReplaceAllString(html, `<a href="$2">$1</a>`)
	return template.HTML(html) //nolint:gosec // escaped above, and the source is ours
}
