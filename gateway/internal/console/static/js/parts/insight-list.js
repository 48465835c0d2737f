// The list of insights in groups, which tells the pages what a person points at.

import {el, icon, newID} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {Row} from "./insight-item.js";
import {markOf, nameOf, pageOf} from "./insight-types.js";

const t = strings.insights;

// Where the document view has no room for the pages beside the list (document.css), choosing a
// mark shows the pages in place of the list. A row that is opened there is to be read first.
const narrow = matchMedia("(max-width: 60rem)");

/** List shows the entries of a Reader. */
export class List {
  #marks;
  #call;
  #rows = new WeakMap(); // entry to row
  #rowOf = new WeakMap(); // element to row
  #groups = new Map(); // name of a group to its parts
  #shown = []; // rows in their order, without those that are filtered out
  #current = null; // the row that Tab reaches
  #pointed = null;

  /** Whether marks are drawn: false if the pages are not those that the entries refer to. */
  draws = true;

  /** call returns a request for an entry, and signal ends listening to the marks. */
  constructor({marks, signal, call}) {
    this.#marks = marks;
    this.#call = call;
    this.hint = el("p", {class: "hidden-text", id: newID("keys")}, t.keys);
    this.element = el("div", {class: "insight-list", role: "group", "aria-label": t.title, "aria-describedby": this.hint.id});
    this.#listen(signal);
  }

  /** rowOf returns the row of an entry. */
  rowOf(entry) {
    let row = this.#rows.get(entry);
    if (!row) {
      const choose = (r) => this.#marks.choose(r.id, "list");
      row = new Row(entry, {choose, opened: (r) => { if (!narrow.matches) choose(r); }, call: this.#call});
      row.reachable(false);
      this.#rows.set(entry, row);
      this.#rowOf.set(row.element, row);
    }
    return row;
  }

  /**
   * show lists entries by "type" or by "page", without those for which match is false. Rows
   * that are there already are moved only if their place changes, so that they keep the focus.
   */
  show(entries, match, by) {
    const groups = grouped(entries, by);
    Object.assign(this.element.dataset, {by, draws: this.draws});
    place(this.element, [...groups].map(([name, members]) => this.#group(by, name, members, match)));
    const matching = [...groups.values()].flat().filter(match);
    this.#shown = matching.map((entry) => this.rowOf(entry));
    this.#keepReachable();
    this.#marks.set("insights", this.draws ? matching.map(markOf).filter(Boolean) : []);
    return matching.length;
  }

  #group(by, name, members, match) {
    const group = this.#groups.get(by + name) ?? this.#newGroup(by, name);
    const matching = members.filter(match);
    for (const entry of members) this.rowOf(entry).element.hidden = true;
    for (const entry of matching) this.rowOf(entry).element.hidden = false;
    place(group.list, members.map((entry) => this.rowOf(entry).element));
    group.count.textContent = t.groupCount(matching.length, members.length);
    group.section.hidden = matching.length === 0;
    return group.section;
  }

  #newGroup(by, name) {
    const title = by === "type" ? nameOf(name) : name === null ? t.noPage : t.page(name);
    const list = el("ul", {id: newID("group"), "aria-label": title});
    const count = el("span", {class: "small soft"});
    const fold = el("button", {type: "button", class: "quiet insight-fold", "aria-expanded": "true", "aria-controls": list.id, onclick: () => { setFolded(fold, list, !list.hidden); this.#keepReachable(); }}, icon("right"), title, " ", count);
    const group = {section: el("section", {class: "insight-group"}, el("h3", {}, fold), list), list, count, fold};
    this.#groups.set(by + name, group);
    return group;
  }

  #listen(signal) {
    const at = (e) => this.#rowOf.get(e.target.closest?.(".insight")) ?? null;
    const on = (name, act) => this.element.addEventListener(name, act);
    on("pointerover", (e) => this.#point(at(e)));
    on("pointerleave", () => this.#point(null));
    on("focusin", (e) => { const row = at(e); if (row) this.#reach(row); this.#point(row); });
    on("focusout", () => this.#point(null));
    on("keydown", (e) => this.#key(e, at(e)));
    this.#marks.addEventListener("point", (e) => this.#highlight(e.detail), {signal});
    this.#marks.addEventListener("choose", (e) => { if (e.detail.from === "page") this.#reveal(e.detail.id); }, {signal});
  }

  #point(row) {
    if (row === this.#pointed) return;
    this.#pointed = row;
    this.#marks.point(row?.id ?? null);
  }

  #highlight(id) {
    for (const row of this.element.querySelectorAll(".insight.pointed")) row.classList.remove("pointed");
    if (id) this.#find(id)?.element.classList.add("pointed");
  }

  #find(id) { return this.#shown.find((row) => row.id === id); }

  // Shows the row of a mark that was chosen on a page.
  #reveal(id) {
    const row = this.#find(id);
    if (!row) return;
    for (const {list, fold} of this.#groups.values()) if (list.contains(row.element)) setFolded(fold, list, false);
    row.open(true);
    this.#focus(row, "center");
  }

  #focus(row, block) {
    row.head.focus({preventScroll: true});
    row.element.scrollIntoView({block});
  }

  #reach(row) {
    this.#current?.reachable(false);
    this.#current = row;
    row?.reachable(true);
  }

  // Tab reaches one row that can be seen.
  #keepReachable() {
    const rows = this.#unfolded();
    this.#reach(rows.includes(this.#current) ? this.#current : rows[0] ?? null);
  }

  #unfolded() { return this.#shown.filter((row) => !row.element.parentElement.hidden); }

  #key(e, row) {
    if (!row || e.altKey || e.ctrlKey || e.metaKey) return;
    if (e.key === "Escape" && row.isOpen) {
      row.open(false);
      row.head.focus();
      e.stopPropagation();
    }
    if (e.target !== row.head && e.target !== row.page) return;
    const to = this.#target(e.key, row);
    if (!to) return;
    e.preventDefault();
    this.#focus(to, "nearest");
  }

  #target(key, row) {
    const rows = this.#unfolded();
    const at = rows.indexOf(row);
    return {ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1)}[key];
  }
}

function setFolded(fold, list, folded) {
  list.hidden = folded;
  fold.setAttribute("aria-expanded", String(!folded));
}

function grouped(entries, by) {
  const groups = group(entries, nameBy(by));
  if (by === "type") return groups;
  return new Map([...groups].sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity)));
}

const nameBy = (by) => (entry) => by === "type" ? entry.key : pageOf(entry.item);

function group(entries, nameOfEntry) {
  const groups = new Map();
  for (const entry of entries) {
    const name = nameOfEntry(entry);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(entry);
  }
  return groups;
}

// Makes nodes the children of parent. Those that stay in order are not moved.
function place(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const node of nodes) {
    if (node === at) at = at.nextElementSibling;
    else parent.insertBefore(node, at);
  }
}
