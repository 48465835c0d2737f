package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// browser is a tab of a headless Chromium that belongs to the test and ends with it.
type browser struct {
	t   *testing.T
	ctx context.Context
	// changes counts the requests that Chromium ended because a network interface appeared or
	// went. The suites in containers that run meanwhile make them do so.
	changes *atomic.Int64
}

const (
	// browserTime limits everything that a test does in a browser.
	browserTime = 10 * time.Minute
	// stepTime limits one step. It is longer than the longest request that a page makes.
	stepTime = 3 * time.Minute
)

// newBrowser starts Chromium with a window of the given width in pixels. It accepts any
// certificate, because tests talk only to this machine.
func newBrowser(t *testing.T, width int64) browser {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Fatal("Chromium is not installed; run deploy/install-packages test")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.IgnoreCertErrors) // the sandbox does not work as root
	ctx, cancel := context.WithTimeout(t.Context(), patience.Scale(browserTime))
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900)); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	b := browser{t, ctx, new(atomic.Int64)}
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatal(err)
	}
	b.do("watch requests", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		return err
	}))
	return b
}

// networkChanged is the error of a request that Chromium ended because of the network.
const networkChanged = "net::ERR_NETWORK_CHANGED"

// note counts the requests that ended because of the network.
func (b browser) note(event any) {
	if e, ok := event.(*network.EventLoadingFailed); ok && e.ErrorText == networkChanged {
		b.changes.Add(1)
	}
}

// steadily calls step again while the network changes during it.
func (b browser) steadily(step func() error) error {
	const tries = 5
	var err error
	for range tries {
		before := b.changes.Load()
		if err = step(); b.changes.Load() == before && (err == nil || !strings.Contains(err.Error(), networkChanged)) {
			break
		}
		b.t.Log("the network has changed: once more")
	}
	return err
}

// do runs steps. It ends the test if one fails or if they take too long, and shows the
// text of the page.
func (b browser) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience.Scale(stepTime))
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v\n%s", what, err, b.text())
	}
}

// press waits until the selected control is shown and enabled and the page has settled,
// and activates it with a DOM event. A mouse click would go to a position, where another
// element may be by then if the page is still changing.
func (b browser) press(selector string) {
	b.t.Helper()
	element := fmt.Sprintf("document.querySelector(%q)", selector)
	b.wait(selector+" can be pressed", fmt.Sprintf("%[1]s?.checkVisibility() && !%[1]s.disabled", element))
	b.settle()
	evaluate[bool](b, element+".click() || true")
}

// settle waits until the page has not changed for a while. The API reference resolves an
// operation in the background after it has opened it; an operation that is executed
// before that never sends its request.
func (b browser) settle() {
	b.t.Helper()
	evaluate[bool](b, `new Promise((settled) => {
  const begin = () => setTimeout(() => { observer.disconnect(); settled(true); }, 500);
  let timer = begin();
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = begin(); });
  observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
})`)
}

// text returns the visible text of the page, to explain a failure.
func (b browser) text() string {
	ctx, cancel := context.WithTimeout(b.ctx, patience.Limit())
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// open opens a URL and waits until the page is loaded.
func (b browser) open(url string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience.Scale(stepTime))
	defer cancel()
	if err := b.steadily(func() error { return chromedp.Do(ctx, chromedp.Navigate(url)) }); err != nil {
		b.t.Fatalf("open %s: %v", url, err)
	}
}

// wait waits until an expression is true in the page.
func (b browser) wait(what, expression string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool]("!!("+expression+")", chromedp.WithPollingTimeout(patience.Scale(stepTime)))); err != nil {
		b.t.Fatalf("wait until %s: %v\n%s", what, err, b.text())
	}
}

// comes reports whether an expression becomes true within a third of the time of a step. A caller
// can then do what a person does whose page stays blank: load it again.
func (b browser) comes(expression string) bool {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[bool]("!!("+expression+")", chromedp.WithPollingTimeout(patience.Scale(stepTime)/3)))
	return err == nil
}

// evaluate returns the value of an expression in the page. It awaits promises.
func evaluate[T any](b browser, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}
