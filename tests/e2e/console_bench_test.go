package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// frames is a script that scrolls an element by 20 screens, or to its end, in two seconds, and
// returns the times of the frames in milliseconds, sorted.
const frames = `((element) => new Promise((done) => {
  const begin = performance.now(), times = [];
  const step = (now) => {
    times.push(now);
    const part = (now - begin) / 2000;
    if (element) element.scrollTop = part * Math.min(20 * element.clientHeight, element.scrollHeight - element.clientHeight);
    if (part < 1) requestAnimationFrame(step);
    else done(times.slice(1).map((t, i) => t - times[i]).sort((a, b) => a - b));
  };
  requestAnimationFrame(step);
}))`

// scroller is a script that returns what scrolls an element.
const scroller = `((e) => { while (e.scrollHeight <= e.clientHeight || !["auto", "scroll"].includes(getComputedStyle(e).overflowY)) e = e.parentElement; return e; })(document.querySelector("%s"))`

// TestBenchConsole prints how long a person waits for the first page of a contract of 500 pages,
// as a ratio to the requests that the API needs for it, and the times of frames while lists and
// pages scroll, as ratios to those of a page at rest.
func TestBenchConsole(t *testing.T) {
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("SKIPPED: set RECTO_BENCH to measure")
	}
	c := openConsole(t, 1440)
	pages := make([]string, 500)
	for i := range pages {
		pages[i] = textPage(i + 1)
	}
	id := upload(t, c.client, "long.pdf", pdfOf("", pages...)).ID
	for _, path := range []string{"", "/pages?size=500", "/pages/1.png?width=1000"} { // prepared by the first request
		c.client.Get("/documents/" + id + path).OK(nil)
	}
	begin := time.Now()
	for _, path := range []string{"", "/pages?size=500", "/pages/1.png?width=1000"} {
		c.client.Get("/documents/" + id + path).OK(nil)
	}
	direct := time.Since(begin)
	begin = time.Now()
	c.openDocument(id)
	shown := time.Since(begin)
	t.Logf("500 pages: the first page is shown after %v, %.1f times as long as the requests to the API (%v); %d images are requested",
		shown.Round(time.Millisecond), shown.Seconds()/direct.Seconds(), direct.Round(time.Millisecond), c.asked(".png"))
	rest := c.frames(t, "at rest", "null", 0)
	c.frames(t, "500 pages", `document.querySelector(".viewer")`, rest)

	var tags []harness.Paragraph
	for i := range 200 {
		tags = append(tags, harness.Paragraph{Text: fmt.Sprintf("Item %d: {{agreementinput-item-%d;type=text;label=Item %d}}", i, i, i)})
	}
	c.openDocument(upload(t, c.client, "fields.docx", harness.DOCX(tags...)).ID)
	c.wait("200 fields are listed", `document.querySelectorAll(".field-list li.field").length === 200`)
	c.frames(t, "200 fields", fmt.Sprintf(scroller, ".field-list"), rest)

	var lines []harness.Paragraph
	for i := range 1000 {
		lines = append(lines, harness.Paragraph{Text: fmt.Sprintf("Invoice %d of %d March %d is paid.", i, i%28+1, 1990+i/28)})
	}
	c.openDocument(upload(t, c.client, "dates.docx", harness.DOCX(lines...)).ID)
	c.read()
	c.wait("insights are listed", `document.querySelectorAll(".insight").length > 100`)
	c.settle()
	t.Logf("%d insights are listed", evaluate[int](c.browser, `document.querySelectorAll(".insight").length`))
	c.frames(t, "insights", fmt.Sprintf(scroller, ".insight"), rest)
}

// frames scrolls what an expression returns and prints the times of its frames. It returns the
// median.
func (c *console) frames(t *testing.T, what, element string, rest float64) float64 {
	t.Helper()
	times := evaluate[[]float64](c.browser, frames+"("+element+")")
	median, late := times[len(times)/2], times[len(times)*95/100]
	ratio := ""
	if rest > 0 {
		ratio = fmt.Sprintf(", %.1f and %.1f times those at rest", median/rest, late/rest)
	}
	t.Log(strings.TrimSpace(fmt.Sprintf("%s: %d frames, median %.1f ms, 95th percentile %.1f ms%s", what, len(times), median, late, ratio)))
	return median
}
