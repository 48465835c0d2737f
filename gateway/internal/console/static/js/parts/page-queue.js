// Which pages load next.

const most = 3; // pages that load at a time
const settling = 120; // milliseconds without scrolling, so that pages that only pass by are not asked for
const resting = 400; // milliseconds after a load that was stopped, because the server may still render the page

/** PageQueue loads the pages that are wanted, those next to the view first. */
export class PageQueue {
  #wanted = new Set(); #active = new Set(); #distance; #timer = 0; #started = false;

  /** @param {(page: Page) => number} distance from the view */
  constructor(distance) { this.#distance = distance; }

  /** want adds a page. Its loading begins when the view has come to rest. */
  want(page) {
    this.#wanted.add(page);
    this.wake();
  }

  /** leave takes a page out. What it loads is stopped. */
  leave(page) {
    this.#wanted.delete(page);
    if (this.#active.has(page)) page.stop();
  }

  /** wake looks for work, after a moment. */
  wake() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#next(), this.#started ? settling : 0);
    this.#started = true;
  }

  /** end stops everything. */
  end() {
    clearTimeout(this.#timer);
    for (const page of this.#active) page.stop();
    this.#wanted.clear();
  }

  #next() {
    const ready = [...this.#wanted].filter((p) => p.stale && !this.#active.has(p)).sort((a, b) => this.#distance(a) - this.#distance(b));
    for (const page of ready.slice(0, most - this.#active.size)) this.#load(page);
  }

  async #load(page) {
    this.#active.add(page);
    if (!await page.load()) await new Promise((ok) => setTimeout(ok, resting));
    this.#active.delete(page);
    this.#next();
  }
}
