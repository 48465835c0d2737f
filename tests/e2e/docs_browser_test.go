package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/rectohq/recto/tests/harness"
)

// widths are the window widths, in pixels, at which pages are checked: a phone and a
// desktop.
var widths = []int64{390, 1280}

// pageProblems is a script that describes the problems of the open page: it is wider than
// its window, does not have exactly one level-1 heading and one main landmark, or has a
// form control without a label.
const pageProblems = `(() => {
  const problems = [], root = document.documentElement;
  if (root.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1);
    problems.push("it is " + root.scrollWidth + " px wide: " + wide.slice(0, 5).map((e) => e.tagName + "." + e.className).join(", "));
  }
  for (const [selector, name] of [["h1", "headings of level 1"], ["main", "main landmarks"]]) {
    const n = document.querySelectorAll(selector).length;
    if (n !== 1) problems.push("it has " + n + " " + name);
  }
  for (const e of document.querySelectorAll("input, select, textarea")) {
    if (!e.labels?.length && !e.getAttribute("aria-label")) problems.push("no label: " + e.outerHTML.slice(0, 200));
  }
  return problems.join("; ");
})()`

// looksRight fails the test if the open page has problems.
func (b browser) looksRight(what string) {
	b.t.Helper()
	if got := evaluate[string](b, pageProblems); got != "" {
		b.t.Errorf("%s: %s", what, got)
	}
}

// looksRightEverywhere is looksRight at each of the widths.
func (b browser) looksRightEverywhere(what string) {
	b.t.Helper()
	for _, width := range widths {
		b.do("resize", chromedp.EmulateViewport(width, 900))
		b.looksRight(fmt.Sprintf("%s at %d px", what, width))
	}
}

// docs opens the API reference and waits until it shows every operation.
func (b browser) docs(s *harness.System) {
	b.t.Helper()
	b.open(pageURL(s, "/docs"))
	b.wait("all operations are shown", `document.querySelectorAll(".opblock").length >= 17 && document.querySelectorAll("#api h3[aria-level]").length > 0`)
}

// pageURL returns the URL of a path on the system's host.
func pageURL(s *harness.System, path string) string {
	return strings.TrimSuffix(s.BaseURL, "/v2") + path
}

// TestPagesInBrowser checks every kind of page in Chromium.
func TestPagesInBrowser(t *testing.T) {
	b := newBrowser(t, widths[0])
	for _, path := range []string{"/", "/docs/errors", "/docs/errors/3001", "/docs/nothing", "/docs/errors/3001/x"} {
		b.open(pageURL(shared, path))
		b.looksRightEverywhere(path)
	}
}

// TestDocsInBrowser checks the API reference in Chromium, with all operations collapsed
// and with all expanded.
func TestDocsInBrowser(t *testing.T) {
	b := newBrowser(t, widths[0])
	b.docs(shared)
	b.looksRightEverywhere("/docs")
	for _, id := range evaluate[[]string](b, `[...document.querySelectorAll(".opblock")].map((e) => e.id)`) {
		open := fmt.Sprintf(`document.querySelector("#%s.is-open")`, id)
		evaluate[bool](b, fmt.Sprintf(`document.querySelector("#%s .opblock-summary-control").click() || true`, id))
		b.wait(id+" is open", fmt.Sprintf(`%[1]s && [...%[1]s.querySelectorAll("input, select, textarea")].every((e) => e.hasAttribute("aria-label"))`, open))
	}
	b.looksRightEverywhere("/docs with everything expanded")
	if n := evaluate[int](b, `document.querySelectorAll("details.folded:not([open])").length`); n < 16 { // the operation that returns the description has no errors
		t.Errorf("the errors of %d operations are collapsed, want at least 16", n)
	}
	if n := evaluate[int](b, `[...document.querySelectorAll("tr.response")].filter((e) => e.dataset.code >= "400").length`); n != 0 {
		t.Errorf("%d errors are shown with an example", n)
	}
	for _, param := range []string{"document_id", "job_id", "state", "Prefer", "Idempotency-Key"} {
		controls := fmt.Sprintf(`[...document.querySelectorAll('tr[data-param-name="%s"] input')]`, param)
		if evaluate[int](b, controls+".length") == 0 || evaluate[int](b, controls+".filter((e) => e.value).length") != 0 {
			t.Errorf("%s is not shown, or is already filled in", param)
		}
	}
}

// TestTryInBrowser enters a key in the API reference and executes operations with their
// default values.
func TestTryInBrowser(t *testing.T) {
	c := shared.NewClient(t)
	b := newBrowser(t, widths[1])
	b.docs(shared)
	b.press(".auth-wrapper .authorize")
	b.wait("the key dialog has a label", `document.querySelector(".auth-container input")?.hasAttribute("aria-label")`)
	b.looksRight("the key dialog")
	b.do("enter the key", chromedp.SendKeys(chromedp.CSS(".auth-container input"), c.Key))
	b.press(".auth-btn-wrapper .authorize")
	b.press(".auth-btn-wrapper .btn-done")
	for _, operation := range []string{"Documents-listDocuments", "Documents-createDocument", "Conversion-convertFile", "Insights-createInsights", "Account-getMe"} {
		id := "#operations-" + operation
		b.press(id + " .opblock-summary-control")
		b.press(id + " .execute")
		shown := fmt.Sprintf(`document.querySelector("%s .live-responses-table tbody .response-col_status")?.textContent.trim()`, id)
		b.wait("the response of "+operation+" is shown", shown)
		if status := evaluate[string](b, shown); !strings.HasPrefix(status, "200") {
			t.Errorf("executing %s shows %s", operation, status)
		}
		b.looksRight("the response of " + operation)
	}
}

// TestRootAndUnknownPages checks that browsers get HTML pages and programs get JSON.
func TestRootAndUnknownPages(t *testing.T) {
	c := shared.NewClient(t).WithKey("")
	const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, tc := range []struct {
		path   string
		status int
		shown  string // on the page
		json   string
	}{
		{"//", 200, "API reference", `"docs":"` + pageURL(shared, "/docs") + `"`},
		{"//docs/nothing", 404, "Page not found", `"code":1001`},
		{"//docs/errors/9999", 404, "Page not found", `"code":1001`},
		{"//docs/errors/3001/x", 404, "Page not found", `"code":1001`},
	} {
		for _, accept := range []string{"", "*/*", "application/json", "application/json, text/html;q=0.9", browserAccept, "text/html"} {
			request := harness.Request{Path: tc.path, Undocumented: true}
			if accept != "" {
				request.Header = map[string]string{"Accept": accept}
			}
			a := c.Do(request)
			wantType, want := "application/json", tc.json
			if strings.HasPrefix(accept, "text/html") {
				wantType, want = "text/html; charset=utf-8", tc.shown
			}
			if a.Status != tc.status || a.Header.Get("Content-Type") != wantType || !strings.Contains(string(a.Body), want) || !strings.Contains(strings.Join(a.Header.Values("Vary"), ","), "Accept") {
				t.Errorf("%s for %q: %d %v %.300s", tc.path, accept, a.Status, a.Header, a.Body)
			}
		}
	}
	if a := c.Do(harness.Request{Method: "POST", Path: "//", Undocumented: true}); a.Status != 405 {
		t.Errorf("POST / returns %d", a.Status)
	}
}
