package e2e

import (
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// contrastProblems is a script that describes what is hard to see on the open page, by the
// ratios of WCAG 2.2 AA: 4.5:1 for each visible text, and 3:1 for the edges of controls and
// for icons. It computes what colors look like on the backgrounds behind them.
// Transparent text is exempt, because it lies over a picture of itself, and so are
// controls that the browser draws.
const contrastProblems = `(() => {
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    const scale = text.startsWith("color(srgb") ? 255 : 1;
    return {r: r * scale, g: g * scale, b: b * scale, a};
  };
  const over = (top, below) => {
    const mix = (k) => top[k] * top.a + below[k] * (1 - top.a);
    return {r: mix("r"), g: mix("g"), b: mix("b"), a: 1};
  };
  const canvas = parse(getComputedStyle(document.body).backgroundColor);
  const backgroundOf = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const layer = parse(getComputedStyle(e).backgroundColor);
      layers.push(layer);
      if (layer.a === 1) break;
    }
    return layers.reduceRight((below, top) => over(top, below), canvas);
  };
  const luminance = (c) => {
    const [r, g, b] = [c.r, c.g, c.b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (x, y) => {
    const [low, high] = [luminance(x), luminance(y)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const opacity = (e) => e ? Number(getComputedStyle(e).opacity) * opacity(e.parentElement) : 1;
  const shown = (e) => e.checkVisibility({opacityProperty: true, visibilityProperty: true}) && e.getBoundingClientRect().width > 1;
  const problems = new Map();
  const check = (element, color, background, least, what) => {
    if (color.a === 0 && what.startsWith("text")) return;
    const faded = {...color, a: color.a * opacity(element)};
    const got = ratio(over(faded, background), background);
    const where = element.tagName.toLowerCase() + "." + (element.getAttribute("class") ?? "") + " in " + (element.parentElement.getAttribute("class") ?? element.parentElement.tagName);
    if (got < least) problems.set(where + what, what + " " + got.toFixed(2) + " " + where + ": " + element.textContent.slice(0, 30));
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("option, noscript, script") || !shown(element)) continue;
    texts++;
    check(element, parse(getComputedStyle(element).color), backgroundOf(element), 4.5, "text");
    for (const pseudo of ["::before", "::after"]) {
      const style = getComputedStyle(element, pseudo);
      if (/\w/.test(style.content.match(/^"(.*)"$/)?.[1] ?? "")) check(element, parse(style.color), backgroundOf(element), 4.5, "text " + pseudo);
    }
  }
  for (const e of document.querySelectorAll("input, select, textarea, .btn")) {
    if (!shown(e)) continue;
    const style = getComputedStyle(e), outside = backgroundOf(e.parentElement);
    if (e.matches("input, select, textarea")) {
      check(e, parse(style.color), backgroundOf(e), 4.5, "value");
      if (e.placeholder) check(e, parse(getComputedStyle(e, "::placeholder").color), backgroundOf(e), 4.5, "placeholder");
    }
    if (style.appearance === "auto" && e.matches("[type=checkbox], [type=radio], [type=range]")) continue;
    const edge = parse(style.borderTopWidth === "0px" ? style.backgroundColor : style.borderTopColor);
    check(e, edge, outside, 3, "edge");
  }
  for (const e of document.querySelectorAll("svg")) {
    if (!shown(e)) continue;
    for (const p of e.querySelectorAll("path, use")) {
      const {fill, stroke} = getComputedStyle(p);
      check(p, parse(fill === "none" ? stroke : fill), backgroundOf(e), 3, "icon");
    }
  }
  if (texts < 5) problems.set("", "only " + texts + " texts are visible");
  return [...problems.values()].join("; ");
})()`

// schemes are the color schemes that a person can prefer.
var schemes = []string{"light", "dark"}

// prefer makes the browser prefer a color scheme, and no motion: colors that are about to
// change cannot be judged.
func (b browser) prefer(scheme string) {
	b.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		b.t.Fatalf("prefer %s: %v", scheme, err)
	}
}

// looksReadable fails the test if something on the open page has too little contrast in
// any color scheme.
func (b browser) looksReadable(what string) {
	b.t.Helper()
	for _, scheme := range schemes {
		b.prefer(scheme)
		if got := evaluate[string](b, contrastProblems); got != "" {
			b.t.Errorf("%s, %s: %s", what, scheme, got)
		}
	}
}

// recordViolations makes every page that is opened from now on record what its
// Content-Security-Policy blocks.
func (b browser) recordViolations() {
	b.t.Helper()
	const script = `window.violations = []; addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective + " " + e.blockedURI), true)`
	if _, err := chromedp.Call(b.ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		b.t.Fatalf("record violations: %v", err)
	}
}

// violatesNothing fails the test if the policy of the open page has blocked something.
func (b browser) violatesNothing(what string) {
	b.t.Helper()
	if got := evaluate[[]string](b, "violations"); len(got) != 0 {
		b.t.Errorf("%s violates its Content-Security-Policy: %q", what, got)
	}
}
