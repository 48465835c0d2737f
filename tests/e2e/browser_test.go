package e2e

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// browser is a tab of a headless Chromium that belongs to the test and ends with it.
type browser struct {
	t   *testing.T
	ctx context.Context
}

// browserTime limits everything that a test does in a browser.
const browserTime = 10 * time.Minute

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
	b := browser{t, ctx}
	b.do("start", chromedp.EmulateViewport(width, 900))
	return b
}

// do runs steps and ends the test if one fails.
func (b browser) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// open opens a URL and waits until the page is loaded.
func (b browser) open(url string) {
	b.t.Helper()
	b.do("open "+url, chromedp.Navigate(url))
}

// wait waits until an expression is true in the page.
func (b browser) wait(what, expression string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience.Limit()))); err != nil {
		b.t.Fatalf("wait until %s: %v", what, err)
	}
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
