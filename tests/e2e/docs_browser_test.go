package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rectohq/recto/tests/harness"
)

// widths are the window widths, in pixels, at which pages are checked: a phone, a tablet
// and a desktop.
var widths = []int64{390, 768, 1440}

// desktop is the greatest of the widths.
var desktop = widths[len(widths)-1]

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

// looksRightEverywhere is looksRight at each of the widths, and looksReadable.
func (b browser) looksRightEverywhere(what string) {
	b.t.Helper()
	for _, width := range widths {
		b.do("resize", chromedp.EmulateViewport(width, 900))
		b.looksRight(fmt.Sprintf("%s at %d px", what, width))
	}
	b.looksReadable(what)
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
	for _, path := range []string{"/docs/errors", "/docs/errors/3001", "/docs/nothing", "/docs/errors/3001/x"} {
		b.open(pageURL(shared, path))
		b.looksRightEverywhere(path)
	}
}

// TestDocsInBrowser checks the API reference in Chromium, with all operations collapsed
// and with all expanded.
func TestDocsInBrowser(t *testing.T) {
	b := newBrowser(t, widths[0])
	b.recordViolations()
	b.docs(shared)
	b.looksRightEverywhere("/docs")
	for _, id := range evaluate[[]string](b, `[...document.querySelectorAll(".opblock")].map((e) => e.id)`) {
		open := fmt.Sprintf(`document.querySelector("#%s.is-open")`, id)
		evaluate[bool](b, fmt.Sprintf(`document.querySelector("#%s .opblock-summary-control").click() || true`, id))
		b.wait(id+" is open", fmt.Sprintf(`%[1]s && [...%[1]s.querySelectorAll("input, select, textarea")].every((e) => e.hasAttribute("aria-label"))`, open))
	}
	b.looksRightEverywhere("/docs with everything expanded")
	b.violatesNothing("/docs")
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

// TestSchemasInBrowser checks the contrast of schemas, of a response and at the end of the
// API reference.
func TestSchemasInBrowser(t *testing.T) {
	b := newBrowser(t, desktop)
	b.docs(shared)
	const responses = "#operations-Insights-createInsights .responses-inner"
	b.press("#operations-Insights-createInsights .opblock-summary-control")
	b.press(responses + " .tablinks[data-name=model]")
	b.press(".models-control")
	b.wait("schemas are shown", `document.querySelectorAll(".responses-inner .json-schema-2020-12-property").length > 10 && document.querySelectorAll(".models .json-schema-2020-12").length > 10`)
	b.looksReadable("the schemas")
}

// TestDocsSearch checks the search of the API reference: what it finds, that it works by
// keyboard, and what it says.
func TestDocsSearch(t *testing.T) {
	b := newBrowser(t, desktop)
	b.docs(shared)
	const shown = `[...document.querySelectorAll(".opblock")].map((e) => e.id.replace(/.*-/, "")).join(" ")`
	const listed = `[...document.querySelectorAll("#contents a")].filter((e) => e.checkVisibility()).map((e) => e.hash.replace(/.*\//, "")).join(" ")`
	all := evaluate[string](b, shown)
	if got := evaluate[string](b, listed); got != all {
		t.Errorf("the list beside the reference has %q, want %q", got, all)
	}
	status := func() string {
		return evaluate[string](b, `document.querySelector("#search [role=status]").textContent`)
	}
	const slash = `document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true}))`
	if typed := evaluate[bool](b, slash); typed || evaluate[string](b, `document.activeElement.id`) != "query" {
		t.Fatal("/ does not focus the search, or is typed into it")
	}
	for _, tc := range []struct{ query, shown, status string }{
		{"/documents/convert", "convertFile", "1 operation found"},
		{"DELETE", "deleteDocument cancelJob", "2 operations found"},
		{"GET /jobs", "listJobs getJob", "2 operations found"},
		{"last-event-id", "createInsights", "1 operation found"},
		{"document_parties", "createInsights getJob cancelJob", "3 operations found"}, // jobs have its result
		{"jurisdiction POST", "createInsights", "1 operation found"},
		{"file_base64", "convertFile", "1 operation found"},
		{"created_at[gte]", "listDocuments", "1 operation found"},
		{"4003", "getPageImage getPageWords", "2 operations found"},
		{"4009 annotate fill", "annotateDocument", "1 operation found"},
		{"no such thing", "", "No operations found"},
	} {
		b.do("type "+tc.query, chromedp.KeyEvent(tc.query))
		b.wait(tc.query+" finds "+tc.shown, fmt.Sprintf(`%s === %q`, shown, tc.shown))
		if got := evaluate[string](b, listed); got != tc.shown {
			t.Errorf("%s: the list beside the reference has %q, want %q", tc.query, got, tc.shown)
		}
		if got := status(); got != tc.status {
			t.Errorf("%s: the status is %q, want %q", tc.query, got, tc.status)
		}
		b.do("clear", chromedp.KeyEvent(kb.Escape))
		b.wait("everything is shown again", fmt.Sprintf(`%s === %q && document.activeElement.value === ""`, shown, all))
	}
	if got := status(); got != "" {
		t.Errorf("without a query, the status is %q", got)
	}
	b.do("search for nothing", chromedp.KeyEvent("no such thing"))
	b.wait("the page says what to search for", `document.querySelector("#nothing").checkVisibility() && !document.querySelector("#api").checkVisibility()`)
	b.looksRight("a search without hits")
	b.looksReadable("a search without hits")
	b.press("#nothing button")
	b.wait("the button clears the search and returns to it", fmt.Sprintf(`%s === %q && document.activeElement.id === "query"`, shown, all))
	b.do("search", chromedp.KeyEvent("4003"), chromedp.KeyEvent(kb.Enter))
	b.wait("Enter focuses the first hit", `document.activeElement.closest(".opblock")?.id === "operations-Conversion-getPageImage"`)
	b.looksRightEverywhere("/docs with hits")
}

// TestDocsLink checks that a link to an operation opens it, and that neither the bar nor
// the search covers it.
func TestDocsLink(t *testing.T) {
	b := newBrowser(t, widths[0])
	b.open(pageURL(shared, "/docs#/Jobs/getJob"))
	b.wait("the operation is visible", `(() => {
  const top = document.querySelector(".opblock.is-open")?.getBoundingClientRect().top;
  return top >= document.querySelector("#search").getBoundingClientRect().bottom && top < innerHeight;
})()`)
}

// TestDocsContents checks that a link of the list beside the API reference opens its operation
// and focuses it, and that the list is not there where it would take the room of the reference.
func TestDocsContents(t *testing.T) {
	b := newBrowser(t, desktop)
	b.docs(shared)
	b.press(`#contents a[href="#/Jobs/getJob"]`)
	b.wait("the operation is open and has the focus", `document.activeElement.closest(".opblock.is-open")?.id === "operations-Jobs-getJob" && location.hash === "#/Jobs/getJob"`)
	b.wait("nothing covers it", `(() => {
  const top = document.querySelector(".opblock.is-open").getBoundingClientRect().top;
  return top >= document.querySelector("#search").getBoundingClientRect().bottom && top < innerHeight;
})()`)
	b.do("resize", chromedp.EmulateViewport(widths[0], 900))
	b.wait("the list is gone", `!document.querySelector("#contents").checkVisibility()`)
}

// TestTryInBrowser enters a key in the API reference and executes operations with their
// default values.
func TestTryInBrowser(t *testing.T) {
	c := shared.NewClient(t)
	b := newBrowser(t, desktop)
	b.recordViolations()
	b.docs(shared)
	b.press(".auth-wrapper .authorize")
	b.wait("the key dialog has a label", `document.querySelector(".auth-container input")?.hasAttribute("aria-label")`)
	b.looksRight("the key dialog")
	b.looksReadable("the key dialog")
	b.do("enter the key", chromedp.SendKeys(chromedp.CSS(".auth-container input"), c.Key))
	b.press(".auth-btn-wrapper .authorize")
	b.press(".auth-btn-wrapper .btn-done")
	for _, operation := range []string{"Documents-listDocuments", "Documents-createDocument", "Conversion-convertFile", "Insights-createInsights", "Account-getMe"} {
		id := "#operations-" + operation
		b.press(id + " .opblock-summary-control")
		b.wait("the form cannot be turned off", fmt.Sprintf(`document.querySelector(%q) && !document.querySelector(%q)`, id+" .execute", id+" .try-out__btn"))
		b.press(id + " .execute")
		shown := fmt.Sprintf(`document.querySelector("%s .live-responses-table tbody .response-col_status")?.textContent.trim()`, id)
		b.wait("the response of "+operation+" is shown", shown)
		if status := evaluate[string](b, shown); !strings.HasPrefix(status, "200") {
			t.Errorf("executing %s shows %s", operation, status)
		}
		b.looksRight("the response of " + operation)
	}
	b.looksReadable("the responses")
	b.violatesNothing("/docs")
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
		{"//", 200, "", `"docs":"` + pageURL(shared, "/docs") + `"`}, // leads browsers to the console
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
			switch browser := strings.HasPrefix(accept, "text/html"); {
			case browser && tc.shown == "":
				if a.Status != 302 || a.Header.Get("Location") != "/console" {
					t.Errorf("%s for %q: %d %v", tc.path, accept, a.Status, a.Header)
				}
				continue
			case browser:
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
