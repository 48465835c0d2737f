// Package apidoc is the documentation that the gateway serves: the OpenAPI
// description, a page to read and try it, and a page for each error code.
// openapi.yaml is the one source of the description; the end-to-end tests hold
// every answer against it.
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

//go:embed openapi.yaml errors.yaml *.html docs.css init.js examples
var sources embed.FS

// File is a file of the documentation as it is served.
type File struct {
	// Name is its own among those of one Pages: all files of that name are the same.
	Name string
	// Type is its Content-Type.
	Type    string
	Content []byte
}

// ErrNotFound says that there is no such page.
var ErrNotFound = errors.New("no such page")

// Pages are the documentation of one service.
type Pages struct {
	openAPI   func() []byte
	publicURL string
	info      Info
	templates *template.Template
	errors    []errorPage
}

// Info says what the description describes.
type Info struct{ Title, Version string }

// errorPage is what the page of an error code says.
type errorPage struct {
	Code    problem.Code `yaml:"code"`
	Meaning string       `yaml:"meaning"`
	Fix     []string     `yaml:"fix"`
	Rules   []ruleTable  `yaml:"rules"`
}

// ruleTable explains the codes of the entries of errors that are of one kind.
type ruleTable struct {
	Title string `yaml:"title"`
	Intro string `yaml:"intro"`
	Items []rule `yaml:"items"`
}

// rule is what a value may break, and what to do about it.
type rule struct {
	Code    problem.EntryCode `yaml:"code"`
	Meaning string            `yaml:"meaning"`
	Fix     string            `yaml:"fix"`
}

// Message returns the summary of the code.
func (p errorPage) Message() string { return p.Code.Message() }

// New returns the documentation of the API at publicURL, without /v2.
func New(publicURL string) (*Pages, error) {
	p := &Pages{publicURL: publicURL, openAPI: sync.OnceValue(func() []byte { return buildOpenAPI(publicURL) })}
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
	p.templates, err = template.New("").Funcs(template.FuncMap{"marked": marked}).ParseFS(sources, "*.html")
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	return p, nil
}

// infoMembers are the title and version of the description, which is too large to be
// parsed for them at each start.
var infoMembers = regexp.MustCompile(`(?m)^info:\n  title: (.+)\n  version: (.+)$`)

// sourceURL stands in openapi.yaml for the address of the service.
const sourceURL = "https://127.0.0.1:8443/v2"

// buildOpenAPI returns the description as JSON, in the order of its source, with
// the address of this service. A test reads it, so that it cannot fail here.
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

// Index returns the page that shows the description and lets one try it.
func (p *Pages) Index() File { return p.render("page.html", "page.html", p.info) }

// Info returns what the description describes.
func (p *Pages) Info() Info { return p.info }

// Root returns the page that leads to the others.
func (p *Pages) Root() File {
	return p.render("root.html", "root.html", map[string]any{"Info": p.info, "PublicURL": p.publicURL})
}

// Missing returns the page for addresses that have none.
func (p *Pages) Missing() File { return p.render("missing.html", "missing.html", nil) }

// Errors returns the page that lists the error codes.
func (p *Pages) Errors() File { return p.render("errors.html", "errors.html", p.errors) }

// Error returns the page of an error code, with an answer that a test has
// produced.
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

// assets are the files of the page, ours and those of Swagger UI, by their
// types.
var assets = map[string]string{
	"docs.css": "text/css; charset=utf-8", "init.js": "text/javascript; charset=utf-8",
	"swagger-ui.css": "text/css; charset=utf-8", "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
	"favicon-32x32.png": "image/png",
}

// Asset returns a file of the page.
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

// render fills one of the page templates, which makes the file of that name.
func (p *Pages) render(template, name string, data any) File {
	var out bytes.Buffer
	if err := p.templates.ExecuteTemplate(&out, template, data); err != nil {
		out.Reset() // a test renders every page: what fails here is the machine
	}
	return File{name, typeHTML, out.Bytes()}
}

var (
	codeMark = regexp.MustCompile("`([^`]+)`")
	linkMark = regexp.MustCompile(`\[([^\]]+)\]\((/[^)]*)\)`)
)

// marked returns a text of errors.yaml as HTML: `code` and [links](/docs).
func marked(text string) template.HTML {
	html := template.HTMLEscapeString(text)
	html = codeMark.ReplaceAllString(html, "<code>$1</code>")
	html = linkMark.ReplaceAllString(html, `<a href="$2">$1</a>`)
	return template.HTML(html) //nolint:gosec // escaped above, and the source is ours
}
