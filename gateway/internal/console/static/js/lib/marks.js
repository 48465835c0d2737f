// Marks are the boxes over the pages of a document. The lists beside the pages set them, the
// pages draw them, and both tell each other which one a person points at.

/**
 * A mark is {id, kind, page, box: {left, top, width, height}, label}: kind is one of the
 * colors --mark-<kind>, and box is in fractions of the page.
 */
export class Marks extends EventTarget {
  #groups = new Map();

  /** set replaces the marks of a group ("fields", "insights"), and dispatches "change". */
  set(group, marks) {
    this.#groups.set(group, marks);
    this.dispatchEvent(new Event("change"));
  }

  /** all returns all marks. */
  all() { return [...this.#groups.values()].flat(); }

  /** onPage returns the marks of a page. */
  onPage(page) { return this.all().filter((m) => m.page === page); }

  /** find returns the mark with that id, or undefined. */
  find(id) { return this.all().find((m) => m.id === id); }

  /** groupOf returns the group of the mark with that id, or undefined. */
  groupOf(id) { return [...this.#groups].find(([, marks]) => marks.some((m) => m.id === id))?.[0]; }

  /** point says that the pointer or the focus is on a mark or its row; null for none. Both sides show it. */
  point(id) { this.dispatchEvent(new CustomEvent("point", {detail: id})); }

  /** choose says that a person chose a mark from "page" or "list"; the other side scrolls to it. */
  choose(id, from) { this.dispatchEvent(new CustomEvent("choose", {detail: {id, from}})); }
}
