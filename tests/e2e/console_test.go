package e2e

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// sample opens the sample contract, and waits until its fields are marked on the page.
func (c *console) sample() {
	c.t.Helper()
	c.pressNamed("button", "Try the sample contract")
	c.marked("field:agreementinput-company")
}

// marked waits until the mark with that id is on a page.
func (c *console) marked(id string) {
	c.t.Helper()
	c.wait("the mark "+id+" is shown", fmt.Sprintf(`document.querySelector("[data-page] img")?.complete && document.querySelector('[data-mark=%q]')`, id))
}

// controlOf returns an expression for the control with that label.
func controlOf(label string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("label")].find((l) => l.textContent.trim() === %q)?.control`, label)
}

// enter replaces the value of the control with that label by typing.
func (c *console) enter(label, text string) {
	c.t.Helper()
	c.wait(label+" can be entered", controlOf(label)+"?.checkVisibility()")
	evaluate[bool](c.browser, fmt.Sprintf(`(() => { const e = %s; e.focus(); e.select?.(); return true; })()`, controlOf(label)))
	c.keys(text)
}

// openDocument opens a document and waits until its first page is shown.
func (c *console) openDocument(id string) {
	c.t.Helper()
	c.show("/documents/" + id)
	c.wait("the first page is shown", `document.querySelector("[data-page] img")?.complete`)
}

// misplaced is a script that returns how far, in pixels at 100 %, an edge of a mark is at most
// from the words that it marks.
const misplaced = `((id, ...words) => {
  const mark = document.querySelector('[data-mark="' + id + '"]'), page = mark.closest("[data-page]"), box = mark.getBoundingClientRect();
  const spans = [...page.querySelectorAll(".sheet-text span")].filter((s) => s.textContent.trim());
  const first = spans.findIndex((_, i) => words.every((word, n) => spans[i + n]?.textContent === word));
  if (first < 0) return "the page has no words " + words;
  const rects = spans.slice(first, first + words.length).map((s) => s.getBoundingClientRect());
  const off = (side, pick) => Math.abs(box[side] - pick(...rects.map((r) => r[side])));
  return Math.max(off("left", Math.min), off("top", Math.min), off("right", Math.max), off("bottom", Math.max)) / page.clientWidth * 793.7;
})`

// washes is a script that returns the maximum number of washes on a passage with several clauses.
const washes = `(() => {
  const passages = {};
  for (const mark of document.querySelectorAll('[data-mark^="insight:document_clauses"]')) {
    const {left, top, width, height} = mark.getBoundingClientRect();
    (passages[[left, top, width, height].map(Math.round)] ??= []).push(getComputedStyle(mark).backgroundColor);
  }
  const several = Object.values(passages).filter((colors) => colors.length > 1);
  return Math.max(0, ...several.map((colors) => colors.filter((color) => color !== "rgba(0, 0, 0, 0)").length));
})()`

// TestConsole is the journey of a person who looks at Recto for the first time: the sample
// contract, its fields on the page, a wrong value, the filled document as PDF and as Word, and
// what it says.
func TestConsole(t *testing.T) {
	c := newConsole(t, shared.NewClient(t), 1440)
	c.follow()
	c.sample()
	c.wait("the page has text", `document.querySelectorAll(".sheet-text span").length > 20`)
	for id, words := range map[string]string{
		"field:agreementinput-company": `"[the", "company],"`, "field:agreementinput-fee": `"[0.00]"`,
	} {
		off := evaluate[any](c.browser, fmt.Sprintf("%s(%q, %s)", misplaced, id, words))
		if px, ok := off.(float64); !ok || px > 2 {
			t.Errorf("%s is %v px from its words", id, off)
		}
	}
	c.enter("Company", "Lindqvist & Söhne AB")
	c.enter("Fee for an hour", "abc")
	c.pressNamed("button", "Check")
	c.wait("the error is at its field", controlOf("Fee for an hour")+`.getAttribute("aria-invalid") === "true" && document.activeElement === `+controlOf("Fee for an hour"))
	c.enter("Fee for an hour", "120.50")
	c.choose("PDF")
	c.pressNamed("button", "Fill in")
	says(t, filledText(t, c.download(".pdf")), "Lindqvist&SöhneAB", "120.50")
	c.choose("Word")
	c.pressNamed("button", "Fill in")
	says(t, docxText(t, c.download(".docx")), "Lindqvist &amp; Söhne AB", "120.50")
	c.read()
	c.wait("a clause is marked", `document.querySelector('[data-mark^="insight:document_clauses"]')`)
	c.wait("a passage with several clauses has one wash", washes+" === 1")
	c.wait("the list says what the page shows", `[...document.querySelectorAll("[role=tabpanel] *")].some((e) => e.textContent.trim() === "Hafenlicht Consulting GmbH")`)
	evaluate[bool](c.browser, `document.querySelector('[data-mark^="insight:document_parties"]').click() || true`)
	c.wait("choosing a mark opens its row", `document.activeElement.closest("[role=tabpanel]")?.textContent.includes("Hafenlicht")`)
}

// choose chooses an option of a group of radio buttons by its text.
func (c *console) choose(text string) {
	c.t.Helper()
	evaluate[bool](c.browser, fmt.Sprintf(`[...document.querySelectorAll("label")].find((l) => l.querySelector("[type=radio]") && l.textContent.trim() === %q).click() || true`, text))
}

// read opens the insights and reads the document.
func (c *console) read() {
	c.t.Helper()
	c.pressNamed("[role=tab]", "Insights")
	c.pressNamed("button", "Read the document")
}

// TestConsoleUpload drops a PDF form on the page, fills it, and downloads it.
func TestConsoleUpload(t *testing.T) {
	harness.StandaloneOnly(t)
	c := openConsole(t, 1440)
	c.wait("there are no documents", labeled("button", "Try the sample contract"))
	c.drop("form.pdf", formPDF())
	c.wait("the upload dialog is open", `document.querySelector("dialog[open] input[type=file]")`)
	c.pressNamed("dialog[open] button[type=submit], dialog[open] button.primary", "Upload")
	c.marked("field:agreementinput-name")
	evaluate[bool](c.browser, `(() => { const mark = document.querySelector('[data-mark="field:agreementinput-name"]'); mark.click(); return true; })()`)
	c.wait("choosing the mark focuses its control", `document.activeElement.matches("input, textarea")`)
	c.keys("Zoe Unal")
	c.pressNamed("button", "Fill in")
	says(t, filledText(t, c.download(".pdf")), "ZoeUnal")
}

// TestConsolePlacesField draws a field on a PDF without a form, names it, draws a signature into
// it with the pointer, and takes the PDF away.
func TestConsolePlacesField(t *testing.T) {
	harness.StandaloneOnly(t)
	c := openConsole(t, 1440)
	id := upload(t, c.client, "plain.pdf", textPDF("A page without a form.")).ID
	c.openDocument(id)
	c.pressNamed("button", "Add a field")
	c.wait("a box can be placed", `document.activeElement?.classList.contains("place-box")`)
	c.keys(kb.ArrowRight)
	c.pressNamed("button", "Place it here")
	c.wait("the field can be named", `document.querySelector("dialog[open]")?.contains(document.activeElement)`)
	c.keys("Signed by")
	evaluate[bool](c.browser, `(() => { const e = document.querySelector("dialog[open] select"); e.value = "signature"; return e.dispatchEvent(new Event("change", {bubbles: true})); })()`)
	c.pressNamed("dialog[open] button", "Save")
	c.wait("the field is marked", `document.querySelector('[data-mark^="field:"]')`)
	var list struct {
		Items []struct {
			Source, Type, Label string
			Page                int `json:"page_number"`
		}
	}
	c.client.Get("/documents/" + id + "/fields").OK(&list)
	if len(list.Items) != 1 || list.Items[0].Source != "registry" || list.Items[0].Type != "signature" || list.Items[0].Label != "Signed by" || list.Items[0].Page != 1 {
		t.Errorf("the fields are %+v", list.Items)
	}
	c.choose("Draw")
	c.wait("there is a pad", `document.querySelector(".field-signature canvas")?.checkVisibility()`)
	evaluate[bool](c.browser, `(() => {
  const pad = document.querySelector(".field-signature canvas");
  pad.scrollIntoView({block: "center"});
  const box = pad.getBoundingClientRect();
  const at = (type, x, y) => pad.dispatchEvent(new PointerEvent(type, {
    bubbles: true, cancelable: true, isPrimary: true, pointerId: 1, button: 0, buttons: type === "pointerup" ? 0 : 1, clientX: box.left + x, clientY: box.top + y,
  }));
  pad.setPointerCapture = () => {}; // no real pointer is down
  at("pointerdown", 20, 20);
  for (let x = 20; x < 120; x += 5) at("pointermove", x, 20 + x / 4);
  at("pointerup", 120, 50);
  return true;
})()`)
	c.pressNamed("button", "Fill in")
	filled := c.download(".pdf")
	before, after := len(textPDF("A page without a form.")), len(filled)
	if !bytes.HasPrefix(filled, []byte("%PDF-")) || after <= before || !bytes.Contains(filled[before:], []byte("/Image")) {
		t.Errorf("the filled PDF has %d bytes after %d, and no picture", after, before)
	}
}

// TestConsoleByKeyboard does the journey with the keyboard only.
func TestConsoleByKeyboard(t *testing.T) {
	harness.StandaloneOnly(t)
	c := openConsole(t, 1440)
	c.tabTo("Try the sample contract")
	c.keys("\r")
	c.marked("field:agreementinput-company")
	c.tabTo("Company")
	c.keys("Acme GmbH")
	c.tabTo("Fee for an hour")
	c.keys("x\r") // Enter checks
	c.wait("the error is at its field", controlOf("Fee for an hour")+`.getAttribute("aria-invalid") === "true"`)
	c.wait("the wrong value has the focus", `document.activeElement === `+controlOf("Fee for an hour"))
	c.keys(kb.Backspace + "7")
	c.tabTo("Fill in")
	c.keys("\r")
	says(t, docxText(t, c.download(".docx")), "Acme GmbH", "7")
	c.tabTo("Word")
	c.keys(kb.ArrowRight)
	c.tabTo("Fill in")
	c.keys("\r")
	says(t, filledText(t, c.download(".pdf")), "AcmeGmbH", "7")
	c.tabTo("Fields")
	c.keys(kb.ArrowRight)
	c.wait("the next tab is open", `document.querySelector("[role=tab][aria-selected=true]")?.textContent === "Insights"`)
	c.tabTo("Read the document")
	c.keys("\r")
	c.wait("insights are shown", `document.querySelector('[data-mark^="insight:"]')`)
}

// tabTo presses Tab until the element with that name has the focus.
func (c *console) tabTo(name string) {
	c.t.Helper()
	const focused = `((e) => (e.getAttribute("aria-label") ?? e.labels?.[0]?.textContent ?? e.textContent ?? "").trim())(document.activeElement)`
	c.wait(name+" is shown", fmt.Sprintf(`[...document.querySelectorAll("button, a, input, [role=tab], label")].some((e) => e.checkVisibility() && !e.disabled && e.textContent.trim() === %q)`, name))
	var passed []string
	for range 120 {
		c.keys("\t")
		at := evaluate[string](c.browser, focused)
		if at == name {
			return
		}
		passed = append(passed, at)
	}
	c.t.Fatalf("Tab does not lead to %q, but to %q", name, passed)
}

// TestConsoleViews looks at every view at every width, in light and dark.
func TestConsoleViews(t *testing.T) {
	harness.StandaloneOnly(t)
	c := newConsole(t, shared.NewClient(t, "--organization", "Lindqvist & Söhne AB"), 1440)
	c.show("")
	c.wait("the console asks for a key", `document.querySelector("input[name=api_key]")`)
	c.inspect("sign-in")
	c.signIn()
	c.wait("there are no documents", labeled("button", "Try the sample contract"))
	c.inspect("empty")
	c.sample()
	c.inspect("pages")
	c.inspect("fields")
	c.read()
	c.wait("insights are shown", `document.querySelector('[data-mark^="insight:"]')`)
	c.inspect("insights")
	if *update {
		c.picture("console.png")
	}
	for _, tab := range []string{"Versions", "Jobs", "JSON"} {
		c.pressNamed("[role=tab]", tab)
		c.inspect(strings.ToLower(tab) + "-tab")
	}
	c.show("")
	c.wait("the document is listed", `document.querySelector("a.name")`)
	c.inspect("documents")
	c.show("/jobs")
	c.wait("jobs are listed", `document.querySelector("main table tbody tr:not(.ghost)")`)
	c.inspect("jobs")
	c.show("/nothing")
	c.wait("the view is missing", `document.querySelector("main h1")`)
	c.inspect("missing")
}

// TestConsoleAndHostileTexts shows a document whose name, fields and text are markup. It stays
// text.
func TestConsoleAndHostileTexts(t *testing.T) {
	harness.StandaloneOnly(t)
	const markup = `<script>alert(1)</script><img src=x onerror=alert(2)>`
	c := openConsole(t, 1440)
	d := upload(t, c.client, "a.docx", harness.DOCX(
		harness.Paragraph{Text: "SERVICES AGREEMENT " + markup},
		harness.Paragraph{Text: `This agreement is between ` + markup + ` Acme Inc. and Zoe GmbH. Name: {{agreementinput-x;type=number;label=` + markup + `}}`},
		harness.Paragraph{Text: "This Agreement is governed by the laws of " + markup + " Germany."},
	))
	c.client.Do(harness.Request{Method: "PATCH", Path: "/documents/" + d.ID, Body: object{"name": markup}}).OK(nil)
	c.show("")
	c.wait("the name is listed as text", fmt.Sprintf(`document.querySelector("a.name")?.textContent === %q`, markup))
	c.openDocument(d.ID)
	c.wait("the name is shown as text", fmt.Sprintf(`document.title.startsWith(%q)`, markup))
	c.wait("the label is shown as text", `document.querySelector(".field-label")?.textContent.includes("<script>")`)
	evaluate[bool](c.browser, `(() => { const e = document.querySelector(".field-control input"); e.focus(); return true; })()`)
	c.keys(markup)
	c.pressNamed("button", "Check")
	c.wait("the error is shown", `document.querySelector(".field-control [aria-invalid=true]")`)
	c.read()
	c.wait("insights are shown", `document.querySelector('[data-mark^="insight:"]')`)
	for _, tab := range []string{"Versions", "Jobs", "JSON"} {
		c.pressNamed("[role=tab]", tab)
		c.settle()
	}
	c.pressNamed("button", "Requests")
	c.wait("the requests are shown", `document.querySelector("dialog[open] pre")`)
	if n := evaluate[int](c.browser, `document.querySelectorAll("body script, main img[src=x]").length`); n != 0 {
		t.Errorf("the texts became %d elements", n)
	}
}

// TestConsoleOfAnother shows that a session sees its organization only, and ends with its key.
func TestConsoleOfAnother(t *testing.T) {
	harness.StandaloneOnly(t)
	other := shared.NewClient(t)
	foreign := upload(t, other, "a.txt", []byte("Secret")).ID
	c := openConsole(t, 1440)
	c.show("/documents/" + foreign)
	c.wait("the document does not exist", `document.querySelector("main [role=alert]")?.textContent.includes("has no document")`)
	var me struct{ Key struct{ ID string } }
	c.client.Get("/me").OK(&me)
	if _, err := shared.Recto(t.Context(), "keys", "revoke", me.Key.ID); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the session has ended", func() bool {
		return evaluate[int](c.browser, `fetch("/console/api/me").then((r) => r.status)`) == 403
	})
	c.show("")
	c.wait("the console asks for a key", `document.querySelector("input[name=api_key]")`)
}

// TestConsoleWithManyPages opens a contract of 500 pages. Before the first view, at most three
// images are requested, and pages out of view are dropped.
func TestConsoleWithManyPages(t *testing.T) {
	harness.StandaloneOnly(t)
	c := openConsole(t, 1440)
	pages := make([]string, 500)
	for i := range pages {
		pages[i] = textPage(i + 1)
	}
	id := upload(t, c.client, "long.pdf", pdfOf("", pages...)).ID
	c.openDocument(id)
	if n := c.asked(".png"); n == 0 || n > 3 {
		t.Errorf("%d images are requested before the first view", n)
	}
	for _, page := range []string{"120", "333", "500"} {
		c.write(`input[aria-label="Go to page"]`, page+"\r")
		c.wait("page "+page+" is shown", fmt.Sprintf(`document.querySelector('[data-page=%q] img')?.complete`, page))
	}
	if n := evaluate[int](c.browser, `document.querySelectorAll("[data-page]").length`); n != 500 {
		t.Errorf("%d pages have their place", n)
	}
	if n := evaluate[int](c.browser, `document.querySelectorAll("[data-page] img").length`); n > 12 {
		t.Errorf("%d pages keep their images", n)
	}
}

// TestConsoleWithoutScripts says what is needed.
func TestConsoleWithoutScripts(t *testing.T) {
	harness.StandaloneOnly(t)
	c := newConsole(t, shared.NewClient(t), 390)
	c.do("turn scripts off", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	c.show("")
	if text := c.text(); !strings.Contains(text, "needs JavaScript") {
		t.Errorf("the page says %q", text)
	}
}
