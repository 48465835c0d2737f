package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rectohq/recto/tests/harness"
)

// sample is a sample of the API reference.
type sample struct {
	Operation, Label, Language, Text string
}

// generateSamples is a script that returns all samples as the API reference generates them.
const generateSamples = `(async () => {
  const {languages, requests} = await import("/docs/samples.js");
  const description = await (await fetch("/openapi.json")).json();
  return Object.entries(description.paths).flatMap(([path, item]) => Object.entries(item).flatMap(([method, {operationId}]) =>
    requests(description, path, method).flatMap(({label, request}) =>
      languages.map(({id, write}) => ({Operation: operationId, Label: label, Language: id, Text: write(request)})))));
})()`

// samples returns all samples of the open API reference.
func (b browser) samples() []sample {
	b.t.Helper()
	all := evaluate[[]sample](b, generateSamples)
	if len(all) < 4*21 {
		b.t.Fatalf("there are only %d samples", len(all))
	}
	return all
}

// write writes the sample to a file in a new folder and returns its path.
func (s sample) write(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(s.Text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSamplesAreValid checks that every sample is a valid program: that go vet accepts it
// and gofmt would not change it, or that Python, JavaScript or a shell can parse it.
func TestSamplesAreValid(t *testing.T) {
	b := newBrowser(t, desktop)
	b.docs(shared)
	module := t.TempDir()
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module samples\n\ngo 1.26\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var scripts []string
	for i, s := range b.samples() {
		what := fmt.Sprintf("%s, %s, %s", s.Operation, s.Label, s.Language)
		if strings.Contains(s.Text, "undefined") || strings.Contains(s.Text, "_id}") || !strings.Contains(s.Text, shared.BaseURL) {
			t.Errorf("%s is incomplete:\n%s", what, s.Text)
		}
		switch s.Language {
		case "go":
			if formatted, err := format.Source([]byte(s.Text)); err != nil || string(formatted) != s.Text {
				t.Errorf("%s is not formatted: %v\n%s", what, err, s.Text)
			}
			dir := filepath.Join(module, fmt.Sprintf("sample%d", i))
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(s.Text), 0o600); err != nil {
				t.Fatal(err)
			}
		case "python":
			scripts = append(scripts, s.write(t, "sample.py"))
		case "javascript":
			if problem := evaluate[string](b, fmt.Sprintf(`(() => { try { new (async () => {}).constructor(%s); return ""; } catch (e) { return String(e); } })()`, encoded(s.Text))); problem != "" {
				t.Errorf("%s: %s\n%s", what, problem, s.Text)
			}
		case "curl":
			if out, err := exec.Command("sh", "-n", s.write(t, "sample.sh")).CombinedOutput(); err != nil {
				t.Errorf("%s: %v %s\n%s", what, err, out, s.Text)
			}
		}
	}
	vet := exec.Command("go", "vet", "./...")
	vet.Dir, vet.Env = module, append(os.Environ(), "GOWORK=off")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	t.Run("python", func(t *testing.T) { compilePython(t, scripts) })
}

// compilePython fails the test if Python cannot compile a script.
func compilePython(t *testing.T, scripts []string) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Fatal("python3 is not installed; run deploy/install-packages test")
	}
	if out, err := exec.Command("python3", append([]string{"-m", "py_compile"}, scripts...)...).CombinedOutput(); err != nil {
		t.Errorf("py_compile: %v\n%s", err, out)
	}
}

// TestSamplesRun runs samples against the server, as a person who has copied them.
func TestSamplesRun(t *testing.T) {
	harness.StandaloneOnly(t) // the programs need the certificate authority in the data folder
	c := shared.NewClient(t)
	b := newBrowser(t, desktop)
	b.docs(shared)
	dir := t.TempDir()
	document, err := os.ReadFile(filepath.Join(harness.Root(), "tests", "testdata", "agreement.docx"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agreement.docx"), document, 0o600); err != nil {
		t.Fatal(err)
	}
	wanted := map[string]string{ // what the sample prints
		"getMe, Without a body":                         c.OrganizationID,
		"createDocument, JSON":                          "upload_url",
		"createDocument, A form with a file":            "download_url",
		"convertFile, JSON":                             "hello.pdf",
		"createInsights, A text":                        "CONSULTING AGREEMENT",
		"createInsights, A text, as a stream of events": "document_title",
	}
	runs := map[string]int{}
	for _, s := range b.samples() {
		want, ok := wanted[s.Operation+", "+s.Label]
		if !ok {
			continue
		}
		var got string
		switch {
		case s.Language == "curl":
			got = runCopied(t, dir, c.Key, "sh", "-c", s.Text)
		case s.Language == "javascript" && !strings.Contains(s.Text, "import("):
			got = b.runSample(s, c.Key)
		case s.Language == "go" && s.Operation == "createDocument":
			got = runCopied(t, dir, c.Key, "go", "run", s.write(t, "main.go"))
		default:
			continue
		}
		runs[s.Language]++
		if !strings.Contains(got, want) {
			t.Errorf("%s, %s, %s printed %q, want %s\n%s", s.Operation, s.Label, s.Language, got, want, s.Text)
		}
	}
	if fmt.Sprint(runs) != "map[curl:6 go:2 javascript:5]" {
		t.Errorf("ran %v", runs)
	}
}

// runCopied runs a program with the API key in its environment, and returns what it
// printed.
func runCopied(t *testing.T, dir, key, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepTime)
	defer cancel()
	authority := filepath.Join(shared.Dir, "tls", "ca.pem")
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "RECTO_API_KEY="+key, "CURL_CA_BUNDLE="+authority, "SSL_CERT_FILE="+authority)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

// runSample runs a JavaScript sample in the browser and returns what it printed.
func (b browser) runSample(s sample, key string) string {
	b.t.Helper()
	return evaluate[string](b, fmt.Sprintf(`(async () => {
  const printed = [], run = new (async () => {}).constructor("process", "console", %s);
  await run({env: {RECTO_API_KEY: %q}}, {log: (value) => printed.push(typeof value === "string" ? value : JSON.stringify(value))});
  return printed.join("");
})()`, encoded(s.Text), key))
}

// TestDocsSamples checks how the API reference shows samples: that tabs work by keyboard,
// that the language is that of all operations and is remembered, and that a sample can be
// copied.
func TestDocsSamples(t *testing.T) {
	b := newBrowser(t, widths[0])
	b.docs(shared)
	const me, create = "#operations-Account-getMe", "#operations-Documents-createDocument"
	b.press(me + " .opblock-summary-control")
	b.press(create + " .opblock-summary-control")
	code := func(operation string) string {
		return fmt.Sprintf(`document.querySelector("%s [role=tabpanel] pre")?.textContent`, operation)
	}
	b.wait("curl is shown", code(me)+`.startsWith("curl ")`)
	evaluate[bool](b, fmt.Sprintf(`document.querySelector("%s [role=tab][aria-selected=true]").focus() || true`, me))
	for _, step := range []struct{ key, language, shown string }{
		{kb.ArrowRight, "Go", "package main"},
		{kb.End, "JavaScript", "await fetch"},
		{kb.ArrowRight, "curl", "curl "},
		{kb.ArrowLeft, "JavaScript", "await fetch"},
		{kb.ArrowLeft, "Python", "import requests"},
	} {
		b.do("press a key", chromedp.KeyEvent(step.key))
		b.wait(step.language+" is focused and selected", fmt.Sprintf(`document.activeElement.textContent === %q && document.activeElement.ariaSelected === "true"`, step.language))
		b.wait(step.language+" is shown everywhere", fmt.Sprintf(`%s.includes(%q) && %s.includes(%[2]q)`, code(me), step.shown, code(create)))
	}
	if got := evaluate[string](b, tabProblems); got != "" {
		t.Error(got)
	}
	b.docs(shared)
	b.press(me + " .opblock-summary-control")
	b.wait("the language is remembered", code(me)+`?.includes("import requests")`)
	evaluate[bool](b, `navigator.clipboard.writeText = async (text) => { window.copied = text; }, true`)
	b.press(me + " .sample-copy-button")
	b.wait("the sample is copied", `window.copied === `+code(me)+` && document.querySelector(".sample-copy [role=status]").textContent === "Copied."`)
	evaluate[bool](b, `navigator.clipboard.writeText = async () => { throw new Error("not allowed"); }, true`)
	b.press(me + " .sample-copy-button")
	b.wait("the sample is selected instead", `getSelection().toString().trim() === `+code(me)+`.trim()`)
}

// tabProblems is a script that describes tabs that assistive technology cannot use.
const tabProblems = `(() => {
  const problems = [];
  for (const list of document.querySelectorAll(".samples [role=tablist]")) {
    const tabs = [...list.querySelectorAll("[role=tab]")], selected = tabs.filter((tab) => tab.ariaSelected === "true");
    if (!list.ariaLabel || tabs.length !== 4 || selected.length !== 1) problems.push("a list has no label, or not one selected tab of four");
    for (const tab of tabs) {
      const panel = document.getElementById(tab.getAttribute("aria-controls"));
      if (panel?.role !== "tabpanel" || panel.getAttribute("aria-labelledby") !== selected[0].id) problems.push(tab.id + " has no panel");
      if ((tab.tabIndex === 0) !== (tab === selected[0])) problems.push(tab.id + " has the wrong tabindex");
    }
  }
  return problems.join("; ");
})()`

// encoded returns a value as JSON, for use in a script.
func encoded(value any) string {
	out, _ := json.Marshal(value)
	return string(out)
}
