package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// console is a tab that shows the console. At the end of the test it fails the test if the
// pages sent a request elsewhere, violated their Content-Security-Policy, threw an error or
// opened a dialog, which only a script in a document would do.
type console struct {
	browser
	// client is of the organization that is signed in.
	client    *harness.Client
	downloads string
	hosts     []string // of the API and of presigned URLs

	mu       sync.Mutex
	requests []string // URLs, in order
	faults   []string
}

// consoleWidths are the window widths, in pixels, at which the console is checked: a phone,
// a tablet and a desktop.
var consoleWidths = []int64{390, 768, 1440}

// openConsole opens the console in a window of the given width, and signs in by an API key of
// a new organization.
func openConsole(t *testing.T, width int64) *console {
	t.Helper()
	c := newConsole(t, shared.NewClient(t), width)
	c.signIn()
	return c
}

// newConsole returns a tab without a session.
func newConsole(t *testing.T, client *harness.Client, width int64) *console {
	t.Helper()
	c := &console{browser: newBrowser(t, width), client: client, downloads: t.TempDir(), hosts: []string{hostOf(t, shared.BaseURL), presignedHost(t)}}
	if err := chromedp.Listen(c.ctx, c.note); err != nil {
		t.Fatal(err)
	}
	c.do("watch the tab", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		enabled := true
		if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
			return err
		}
		if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := chromedp.Call(ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
			Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: c.downloads, EventsEnabled: &enabled,
		})
		return err
	}))
	t.Cleanup(c.behaved)
	return c
}

// note records an event of the tab.
func (c *console) note(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		c.requests = append(c.requests, e.Request.URL)
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceSecurity || strings.Contains(e.Entry.Text, "Content Security Policy") {
			c.faults = append(c.faults, e.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		c.faults = append(c.faults, fmt.Sprintf("%s: %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *cdppage.EventJavascriptDialogOpening:
		if e.Type != cdppage.DialogTypeBeforeunload {
			c.faults = append(c.faults, "a dialog opened: "+e.Message)
		}
	}
}

// behaved fails the test for what the tab must not do.
func (c *console) behaved() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, fault := range c.faults {
		c.t.Errorf("the console: %s", fault)
	}
	for _, sent := range c.requests {
		to, err := url.Parse(sent)
		if err != nil || !slices.Contains(c.hosts, to.Host) && !slices.Contains([]string{"data", "blob", "about", "chrome"}, to.Scheme) {
			c.t.Errorf("the console sent a request to %s", sent)
		}
	}
}

// hostOf returns the host of a URL, with its port.
func hostOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// presignedHost returns the host that presigned URLs lead to.
func presignedHost(t *testing.T) string {
	t.Helper()
	var d struct {
		Files []struct {
			URL string `json:"upload_url"`
		}
	}
	shared.NewClient(t).Post("/documents", object{"name": "a", "files": []object{{"name": "a.txt", "type": "text/plain"}}}).OK(&d)
	return hostOf(t, d.Files[0].URL)
}

// asked returns how many requests so far have a URL that contains part.
func (c *console) asked(part string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, sent := range c.requests {
		if strings.Contains(sent, part) {
			n++
		}
	}
	return n
}

// sent returns the URLs of the requests so far.
func (c *console) sent() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

// signIn signs in with the key of the client, as a person does.
func (c *console) signIn() {
	c.t.Helper()
	const form = `document.querySelector("input[name=api_key]")`
	c.show("")
	if !c.comes(form) {
		c.t.Logf("the console did not load: its state is %q, and it sent requests to %q", evaluate[string](c.browser, "document.readyState"), c.sent())
		c.show("")
	}
	c.wait("the console asks for a key", form)
	c.write("input[name=api_key]", c.client.Key)
	c.keys("\r")
	c.wait("the session has begun", `document.querySelector("header.bar")`)
}

// follow signs in by a sign-in link.
func (c *console) follow() {
	c.t.Helper()
	var me struct{ Key struct{ ID string } }
	c.client.Get("/me").OK(&me)
	link := secretOf(c.t, shared, recto(c.t, shared, "keys", "link", me.Key.ID))
	c.show("#sign-in=" + link)
	c.wait("the session has begun", `document.querySelector("header.bar")`)
	if address := evaluate[string](c.browser, "location.href"); strings.Contains(address, link) {
		c.t.Errorf("the address still contains the link: %s", address)
	}
}

// drop drops a file on the page, as a person does with the pointer.
func (c *console) drop(name string, content []byte) {
	c.t.Helper()
	evaluate[bool](c.browser, fmt.Sprintf(`(() => {
  const bytes = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0)), transfer = new DataTransfer();
  transfer.items.add(new File([bytes], %q));
  for (const type of ["dragenter", "dragover", "drop"]) {
    document.querySelector("main").dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: transfer}));
  }
  return true;
})()`, base64.StdEncoding.EncodeToString(content), name))
}

// show opens a path of the console.
func (c *console) show(path string) {
	c.t.Helper()
	c.open(pageURL(shared, "/console"+path))
}

// write replaces the value of a control by typing.
func (c *console) write(selector, text string) {
	c.t.Helper()
	c.wait(selector+" is shown", fmt.Sprintf("document.querySelector(%q)?.checkVisibility()", selector))
	evaluate[bool](c.browser, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.focus(); e.select?.(); return true; })()`, selector))
	c.do("type into "+selector, chromedp.KeyEvent(text))
}

// keys presses keys, wherever the focus is.
func (c *console) keys(keys string) {
	c.t.Helper()
	c.do("press keys", chromedp.KeyEvent(keys))
}

// labeled returns an expression for the first shown element of a role with that name.
func labeled(selector, name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].find((e) => e.checkVisibility() && (e.getAttribute("aria-label") ?? e.textContent).trim() === %q)`, selector, name)
}

// pressNamed activates the first shown element that matches selector and has that name.
func (c *console) pressNamed(selector, name string) {
	c.t.Helper()
	c.wait(fmt.Sprintf("%s %q can be pressed", selector, name), fmt.Sprintf("%[1]s && !%[1]s.disabled", labeled(selector, name)))
	evaluate[bool](c.browser, labeled(selector, name)+".click() || true")
}

// download waits for the next file with that extension, and returns its content.
func (c *console) download(extension string) []byte {
	c.t.Helper()
	var found string
	patience.Until(c.t, "a file "+extension+" is downloaded", func() bool {
		// Chromium creates an empty file in the place of the one that it is downloading.
		unfinished, _ := filepath.Glob(filepath.Join(c.downloads, "*.crdownload"))
		files, _ := filepath.Glob(filepath.Join(c.downloads, "*"+extension))
		if len(unfinished) > 0 || len(files) == 0 {
			return false
		}
		found = files[0]
		info, err := os.Stat(found)
		return err == nil && info.Size() > 0
	})
	content, err := os.ReadFile(found)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.Remove(found); err != nil {
		c.t.Fatal(err)
	}
	return content
}

// inspect checks the open view at every width, in light and dark mode: its structure, that it
// does not scroll sideways, the names of its controls, and the contrast of its texts. Where the
// window is too narrow for both, it looks at the details of a document, not at its pages. It
// keeps screenshots in .cache/screenshots, for people to look at.
func (c *console) inspect(view string) {
	c.t.Helper()
	for _, scheme := range schemes {
		c.prefer(scheme)
		for _, width := range consoleWidths {
			what := fmt.Sprintf("%s at %d px, %s", view, width, scheme)
			c.do("resize", chromedp.EmulateViewport(width, 900))
			if view != "pages" {
				evaluate[bool](c.browser, `((details) => !details?.checkVisibility() || details.click() || true)(document.querySelector("[data-pane=details]"))`)
			}
			c.settle()
			c.looksRight(what)
			if got := evaluate[string](c.browser, contrastProblems); got != "" {
				c.t.Errorf("%s: %s", what, got)
			}
			c.keep(fmt.Sprintf("%s-%d-%s.png", view, width, scheme))
		}
	}
	c.prefer(schemes[0])
	c.do("resize", chromedp.EmulateViewport(consoleWidths[len(consoleWidths)-1], 900))
	c.nameless(view)
}

// picture writes a screenshot to a file in docs.
func (c *console) picture(name string) {
	c.t.Helper()
	shot, err := chromedp.Run(c.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(harness.Root(), "docs", name), shot, 0o644); err != nil { //nolint:gosec // a page of the documentation
		c.t.Fatal(err)
	}
}

// keep stores a screenshot.
func (c *console) keep(name string) {
	c.t.Helper()
	folder := filepath.Join(harness.Root(), ".cache", "screenshots")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		c.t.Fatal(err)
	}
	picture, err := chromedp.Run(c.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), picture, 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// operable are the roles of what a person operates.
var operable = []string{"button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "slider", "spinbutton", "tab", "switch", "menuitem", "Date"}

// nameless fails the test if the browser's accessibility tree has a control without a name.
func (c *console) nameless(view string) {
	c.t.Helper()
	tree, err := chromedp.Run(c.ctx, chromedp.Action[accessibility.GetFullAXTreeResult](func(ctx context.Context, _ *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	}))
	if err != nil {
		c.t.Fatal(err)
	}
	controls := 0
	for _, node := range tree.Nodes {
		if node.Ignored || node.Role == nil || !slices.Contains(operable, strings.Trim(string(node.Role.Value), `"`)) {
			continue
		}
		controls++
		if node.Name == nil || len(bytes.Trim(node.Name.Value, `" `)) == 0 {
			c.t.Errorf("%s: a %s has no name (node %d)", view, node.Role.Value, node.BackendDOMNodeID)
		}
	}
	if controls == 0 {
		c.t.Errorf("%s: the accessibility tree has no controls", view)
	}
}
