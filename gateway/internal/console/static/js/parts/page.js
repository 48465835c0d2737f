// One page of a document: its image, its text and its marks.

import * as api from "../lib/api.js";
import {el, fill} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {boxes, flash} from "./boxes.js";
import {problem} from "./problem.js";
import {readText, textLayer} from "./text-layer.js";

const step = 200; // pixels: images of few widths are rendered once and kept by the browser
const widest = 2000;
// The server is busy, or it gave no image and no reason.
const passing = (error) => error.status === 503 || error.name === "EncodingError";
const pauses = [1000, 3000, 8000]; // milliseconds, before a busy server is asked again

/** Page is a page {page_number, width, height} of a document, which has its place before its image. */
export class Page {
  #document; #marks; #signal; #shown = 0; #image = null; #stop = null; #textAsked = false;
  #layer = el("div", {class: "sheet-marks"});

  /** @param {{documentID: string, version: number, marks: Marks, signal: AbortSignal, total: number}} of */
  constructor(size, {documentID, version, marks, signal, total}) {
    this.number = size.page_number;
    this.width = size.width;
    this.#document = {path: `/documents/${encodeURIComponent(documentID)}/pages/${size.page_number}`, version};
    this.#marks = marks;
    this.#signal = signal;
    this.element = el("div", {class: "leaf", role: "group", "aria-label": strings.pages.page(size.page_number, total), data: {page: size.page_number}}, this.#layer);
    this.element.style.setProperty("--points", size.width);
    this.element.style.aspectRatio = `${size.width} / ${size.height}`;
  }

  /** near says that the page is in or near the view: it shows where its image will be. */
  near() { this.element.classList.toggle("waiting", this.#shown === 0); }

  /** stale is true if the page has no image, or one that is too small for its width. */
  get stale() { return this.#shown < this.#wanted(); }

  #wanted() { return Math.min(widest, Math.ceil(this.element.clientWidth * devicePixelRatio / step) * step); }

  /** load shows the image, and then the text. It returns when both have come or failed, or false when it was stopped. It does not throw. */
  async load() {
    const stop = this.#stop = new AbortController();
    const width = this.#wanted();
    for (let tries = 0; !stop.signal.aborted; tries++) {
      try {
        this.#showImage(await this.#loadImage(width, stop.signal), width);
        await this.#loadText(stop.signal);
        return true;
      } catch (error) {
        if (error.name === "AbortError") return false;
        if (!passing(error) || tries === pauses.length) {
          this.#showProblem(error, width);
          return true;
        }
        await Promise.race([new Promise((ok) => setTimeout(ok, pauses[tries])), aborted(stop.signal).catch(() => {})]);
      }
    }
    return false;
  }

  /** stop ends what load does. */
  stop() { this.#stop?.abort(); }

  /** drop frees the memory of a page that is far from the view. */
  drop() {
    this.stop();
    this.#image?.removeAttribute("src");
    this.#image = null;
    this.#textAsked = false;
    this.#shown = 0;
    this.element.classList.remove("waiting", "shown");
    this.element.replaceChildren(this.#layer);
    this.#layer.replaceChildren();
  }

  async #loadImage(width, signal) {
    const address = [`${this.#document.path}.png`, {width, version_number: this.#document.version}];
    const image = el("img", {class: "sheet-image", alt: "", draggable: false, decoding: "async"});
    const forget = () => image.removeAttribute("src");
    signal.addEventListener("abort", forget);
    image.src = api.url(...address);
    try {
      await Promise.race([image.decode(), aborted(signal)]);
      return image;
    } catch (error) {
      if (signal.aborted || this.#signal.aborted) throw new DOMException("", "AbortError");
      await api.get(...address, {signal, quiet: true}); // throws the reason, which an image does not tell
      throw error;
    } finally {
      signal.removeEventListener("abort", forget);
    }
  }

  #showImage(image, width) {
    this.#image?.remove();
    this.#image = image;
    this.#shown = width;
    this.element.querySelector(".problem")?.remove();
    this.element.classList.remove("waiting");
    this.element.classList.add("shown");
    this.element.prepend(image);
  }

  // The text is a help: a page without it is still shown.
  async #loadText(signal) {
    if (this.#textAsked) return;
    this.#textAsked = true;
    try {
      const page = await api.get(`${this.#document.path}/words`, {version_number: this.#document.version}, {signal, quiet: true});
      this.#layer.before(textLayer(page), readText(page));
      if (page.words.length === 0) this.#image.alt = strings.pages.image(this.number);
    } catch (error) {
      this.#textAsked = false;
      if (error.name === "AbortError") throw error;
    }
  }

  #showProblem(error, width) {
    this.#shown = width;
    this.element.classList.remove("waiting");
    this.element.querySelector(".problem")?.remove();
    const notice = problem(error, {title: strings.pages.pageFailed(this.number), retry: () => { notice.remove(); this.#shown = 0; this.near(); this.load(); }});
    this.element.append(notice);
  }

  /** draw shows the marks of a list that are on this page, and returns the number of its boxes. */
  draw(list, pointed) {
    const focused = this.#layer.contains(document.activeElement) ? document.activeElement.dataset.mark : null;
    fill(this.#layer, boxes(list, this.#marks));
    this.point(pointed);
    if (focused) this.box(focused)?.focus({preventScroll: true});
  }

  /** box returns the box of a mark, if it is drawn. */
  box(id) { return this.#layer.querySelector(`[data-mark="${CSS.escape(id)}"]`); }

  /** point highlights the box of a mark; null for none. */
  point(id) {
    for (const button of this.#layer.children) button.classList.toggle("pointed", id !== null && button.dataset.mark === id);
  }

  /** flash shows the box of a mark for a moment. */
  flash(id) {
    const button = this.box(id);
    if (button) flash(button);
    return button !== null;
  }
}

const aborted = (signal) => new Promise((_, reject) => {
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener("abort", () => reject(signal.reason), {once: true});
});
