// The pages of a document below each other. Only those near the view have images, texts and
// boxes, so that a long document needs no more memory than a short one.

import {el} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {PageQueue} from "./page-queue.js";
import {larger, smaller} from "./page-tools.js";
import {Page} from "./page.js";

const near = "60% 0px"; // around the view, where pages are loaded
const kept = "400% 0px"; // around the view; pages farther away are dropped
const pixels = 96 / 72; // for each point, at 100 %
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Viewer dispatches "view" when another page is in view, or the zoom is another one. */
export class Viewer extends EventTarget {
  #context; #pages = []; #nearby = new Set(); #zoom = null; #anchor = {page: 0, down: 0, across: 0.5}; #pointed = null; #flashing = null;
  #list = el("div", {class: "sheets"});
  #queue = new PageQueue((page) => Math.abs(page.number - this.current));

  /** @param {{documentID: string, version: number, marks: Marks, signal: AbortSignal}} context */
  constructor(context) {
    super();
    this.#context = context;
    /** Kinds of marks that are not drawn. */
    this.hidden = new Set();
    this.element = el("div", {class: "viewer", tabIndex: 0, role: "region", "aria-label": strings.pages.label, onscroll: () => this.#scrolled()}, this.#list);
    const observe = (rootMargin, act) => new IntersectionObserver((entries) => {
      for (const entry of entries) act(this.#pages[entry.target.dataset.page - 1], entry.isIntersecting);
    }, {root: this.element, rootMargin});
    this.nearObserver = observe(near, (page, is) => is ? this.#enter(page) : this.#leave(page));
    this.keptObserver = observe(kept, (page, is) => is || page.drop());
    const sized = new ResizeObserver(() => this.#restore());
    sized.observe(this.element);
    context.signal.addEventListener("abort", () => {
      for (const observer of [this.nearObserver, this.keptObserver, sized]) observer.disconnect();
      this.#queue.end();
    });
  }

  /** add appends pages, as GET …/pages lists them. total is the number of all pages. */
  add(sizes, total) {
    const added = sizes.map((size) => new Page(size, {...this.#context, total}));
    this.total = total;
    this.#pages.push(...added);
    this.#list.append(...added.map((p) => p.element));
    for (const {element} of added) {
      this.nearObserver.observe(element);
      this.keptObserver.observe(element);
    }
    this.#tell();
  }

  /** count is the number of pages that were added. */
  get count() { return this.#pages.length; }

  /** current is the number of the page in the middle of the view. */
  get current() { return (this.#pages[this.#anchor.page]?.number) ?? 1; }

  /** page returns a page by its number, or undefined. */
  page(number) { return this.#pages[number - 1]; }

  /** zoomLevel is 1 where a page has the size of its paper. */
  get zoomLevel() {
    const page = this.page(this.current);
    return this.#zoom ?? (page ? page.element.clientWidth / (page.width * pixels) : 1);
  }

  /** fits is true while the pages have the width of the view. */
  get fits() { return this.#zoom === null; }

  /** zoom changes the size of the pages: "in", "out" or "fit". What is in the middle stays there. */
  zoom(how) {
    this.#zoom = how === "fit" ? null : how === "in" ? larger(this.zoomLevel) : smaller(this.zoomLevel);
    this.element.classList.toggle("zoomed", !this.fits);
    this.element.style.setProperty("--zoom", this.#zoom ?? 1);
    this.#restore();
  }

  /** goTo shows the top of a page. */
  goTo(number) {
    const page = this.page(number);
    if (page) this.element.scrollTo({top: page.element.offsetTop - 12});
  }

  /** reveal scrolls to a mark and flashes its box. */
  reveal(mark) {
    const sheet = this.page(mark.page)?.element;
    if (!sheet) return;
    this.hidden.delete(mark.kind);
    const {box} = mark;
    const down = box.top + Math.min(box.height, 0.3) / 2;
    const middle = sheet.offsetTop + down * sheet.offsetHeight;
    const center = sheet.offsetLeft + (box.left + box.width / 2) * sheet.offsetWidth;
    this.#anchor = {page: mark.page - 1, down, across: 0.5}; // for pages that come into view only now
    this.element.scrollTo({top: middle - this.element.clientHeight / 2, left: center - this.element.clientWidth / 2, behavior: calm() ? "auto" : "smooth"});
    this.#flashing = mark.id;
    this.draw();
  }

  /** draw shows the marks of the pages near the view anew. */
  draw() {
    for (const page of this.#nearby) this.#draw(page);
  }

  #draw(page) {
    page.draw(this.#context.marks.onPage(page.number).filter((m) => !this.hidden.has(m.kind)), this.#pointed);
    if (this.#flashing !== null && page.flash(this.#flashing)) this.#flashing = null;
  }

  /** point highlights the box of a mark; null for none. */
  point(id) {
    this.#pointed = id;
    for (const page of this.#nearby) page.point(id);
  }

  /** scrollBy scrolls as keys do while the focus is elsewhere. */
  scrollBy(screens) { this.element.scrollBy({top: screens * this.element.clientHeight, behavior: calm() ? "auto" : "smooth"}); }

  #enter(page) {
    this.#nearby.add(page);
    page.near();
    this.#draw(page);
    this.#queue.want(page);
  }

  #leave(page) {
    this.#nearby.delete(page);
    this.#queue.leave(page);
  }

  #scrolled() {
    const {element} = this;
    const middle = element.scrollTop + element.clientHeight / 2;
    const at = this.#pageAt(middle);
    const sheet = this.#pages[at]?.element;
    if (!sheet) return;
    const moved = at !== this.#anchor.page;
    this.#anchor = {page: at, down: (middle - sheet.offsetTop) / sheet.offsetHeight, across: (element.scrollLeft + element.clientWidth / 2) / element.scrollWidth, top: element.scrollTop === 0};
    this.#queue.wake();
    if (moved) this.#tell();
  }

  // The last page that begins above a height.
  #pageAt(height) {
    let [low, high] = [0, this.#pages.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#pages[middle].element.offsetTop <= height) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // Puts back into the middle what was there before the sizes of the pages changed.
  #restore() {
    const {element} = this;
    const {page, down, across, top} = this.#anchor;
    const sheet = this.#pages[page]?.element;
    if (!sheet || element.clientWidth === 0) return;
    element.scrollLeft = across * element.scrollWidth - element.clientWidth / 2;
    if (down && !top) element.scrollTop = sheet.offsetTop + down * sheet.offsetHeight - element.clientHeight / 2;
    this.#queue.wake();
    this.#tell();
  }

  #tell() { this.dispatchEvent(new Event("view")); }
}
