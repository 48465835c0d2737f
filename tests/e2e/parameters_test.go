package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// endpoint is an operation of the OpenAPI description with its query parameters.
type endpoint struct {
	method, path string
	// query are the names of its query parameters.
	query []string
	// public is set if it needs no key.
	public bool
}

// operations returns all operations of the description that the system serves.
func operations(t *testing.T, c *harness.Client) []endpoint {
	t.Helper()
	type parameter struct {
		Ref  string `json:"$ref"`
		Name string `json:"name"`
		In   string `json:"in"`
	}
	var description struct {
		Components struct{ Parameters map[string]parameter }
		Paths      map[string]map[string]struct {
			Security   *[]any
			Parameters []parameter
		}
	}
	if err := json.Unmarshal(c.Do(harness.Request{Path: "//openapi.json", Undocumented: true}).OK(nil).Body, &description); err != nil {
		t.Fatal(err)
	}
	var all []endpoint
	for path, methods := range description.Paths {
		for method, described := range methods {
			op := endpoint{method: strings.ToUpper(method), path: path, public: described.Security != nil && len(*described.Security) == 0}
			for _, p := range described.Parameters {
				if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
					p = description.Components.Parameters[name]
				}
				if p.In == "query" {
					op.query = append(op.query, p.Name)
				}
			}
			all = append(all, op)
		}
	}
	return all
}

// TestUnknownParameters sends an unknown query parameter to every described operation, so
// that no new endpoint forgets to refuse it.
func TestUnknownParameters(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.docx", harness.Contract())
	fill := strings.NewReplacer("{document_id}", d.ID, "{job_id}", "job_01h455vb4pex5vsknk084sn02q")
	strict := 0
	for _, op := range operations(t, c) {
		path := fill.Replace(op.path)
		if op.public {
			c.Get(path + "?utm_source=x").OK(nil)
			continue
		}
		strict++
		refusesUnknown(t, c, op, path)
	}
	if strict < 16 {
		t.Errorf("the description has %d operations that need a key, want at least 16", strict)
	}
	c.Get("/documents/" + d.ID).OK(nil) // DELETE was refused
	c.Do(harness.Request{Path: "//docs?utm_source=x", Undocumented: true}).OK(nil)
	c.Do(harness.Request{Path: "//livez?probe=1", Undocumented: true}).OK(nil)
}

// refusesUnknown sends an unknown parameter to an operation, alone and together with each
// of its own parameters, spelled correctly and in capitals.
func refusesUnknown(t *testing.T, c *harness.Client, op endpoint, path string) {
	t.Helper()
	request := harness.Request{Method: op.method, Path: path + "?unheard_of=1&unheard_of=2", Body: "{"}
	if op.method == http.MethodGet {
		request.Body = nil
		head := request
		head.Method = http.MethodHead
		if a := c.Do(head); a.Status != http.StatusBadRequest {
			t.Errorf("HEAD %s: status %d", op.path, a.Status)
		}
	}
	e := c.Do(request).FailsWith(3001, "unheard_of unknown_parameter").Errors[0]
	if e.Value != "1, 2" || len(op.query) == 0 && !strings.Contains(e.Resolution, "takes no query parameters") {
		t.Errorf("%s %s: the entry is %+v", op.method, op.path, e)
	}
	for _, name := range op.query {
		if !strings.Contains(e.Resolution, name) {
			t.Errorf("%s %s: the resolution does not name %s: %s", op.method, op.path, name, e.Resolution)
		}
		capitals := strings.ToUpper(name)
		request.Path = path + "?unheard_of=1&" + name + "=x&" + capitals + "=x"
		for _, e := range c.Do(request).Fails(http.StatusBadRequest, 3001).Errors {
			if e.Path == name && e.Code == "unknown_parameter" {
				t.Errorf("%s %s: the described parameter %s is refused: %+v", op.method, op.path, name, e)
			}
			if e.Path == capitals && !strings.HasPrefix(e.Resolution, "Did you mean "+name+"?") {
				t.Errorf("%s %s: the resolution for %s is %q", op.method, op.path, capitals, e.Resolution)
			}
		}
	}
}

// TestUnknownParametersChangeNothing sends misspelt and repeated parameters that were once
// silently ignored.
func TestUnknownParametersChangeNothing(t *testing.T) {
	c := shared.NewClient(t)
	path := form(t, c)
	p := c.Post(path+"?dryrun=true", values("name", "Zoë")).FailsWith(3001, "dryrun unknown_parameter")
	if !strings.HasPrefix(p.Errors[0].Resolution, "Did you mean dry_run?") {
		t.Errorf("the resolution is %q", p.Errors[0].Resolution)
	}
	c.Do(harness.Request{Method: "POST", Path: path + "?dryrun=true", Body: values("name", "Zoë"), Header: map[string]string{"Prefer": "respond-async"}}).
		FailsWith(3001, "dryrun unknown_parameter")
	c.Post(path+"?dry_run=%zz", values("name", "Zoë")).FailsWith(3003, "dry_run invalid_type")
	c.Post(path+"?dry_run=true;flatten=true", values("name", "Zoë")).FailsWith(3003, "dry_run invalid_type")
	c.Post(path+"?dryrun=true&flatten=1&version_number=x", "{").
		FailsWith(3001, "dryrun unknown_parameter", "flatten invalid_type", "version_number version_invalid")
	if files := derived(t, c); len(files) > 0 {
		t.Errorf("annotate has stored %v", files)
	}
	convert := strings.TrimSuffix(path, "annotate") + "convert"
	c.Post(convert+"?version=99", nil).FailsWith(3001, "version unknown_parameter")
	c.Post(convert+"?format=pdf&format=pdf", nil).FailsWith(3001, "format format_unsupported")
	c.Post(convert+"?version_number=1&version_number=1", nil).FailsWith(3003, "version_number version_invalid")
	c.Do(harness.Request{Method: "POST", Path: convert + "?x=1", Header: map[string]string{"Idempotency-Key": "k"}}).FailsWith(3001, "x unknown_parameter")
	c.WithKey("").Do(harness.Request{Path: "/documents?x=1"}).Fails(401, 2001)
	shared.NewClient(t, "--scopes", "convert").Get("/documents?x=1").Fails(403, 2004)
}
