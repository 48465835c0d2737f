// The rows of the fields, with a search and the marks on the pages.

import {el, fill, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {FieldRow, markID} from "./field-row.js";

const t = strings.fields;

/** From this number of fields on, there is a search. */
const many = 11;

/**
 * fieldList returns {element, rows, open, place}: open shows a row, whatever the search hides, and
 * focuses it; place takes boxes by field id for fields that have none. changed is called when a value changes, and edit with a field whose definition the
 * person wants to edit. The signal ends what it does.
 */
export function fieldList(fields, {marks, signal, changed, edit}) {
  const rows = fields.map((field) => new FieldRow(field));
  for (const row of rows) {
    row.addEventListener("change", changed);
    row.addEventListener("edit", () => edit(row.field));
  }
  const groups = grouped(rows);
  const filter = rows.length >= many ? search(rows, groups, (row) => open(row)) : null;
  const open = (row) => {
    if (row.element.hidden) filter.clear();
    row.focus();
  };
  follow(rows, marks, open, signal);
  const place = (boxes) => {
    for (const row of rows) if (!row.field.bounding_box && boxes.has(row.field.field_id)) row.place(boxes.get(row.field.field_id));
    mark(rows, marks);
  };
  return {rows, open, place, element: el("div", {class: "field-list"}, filter?.element, groups.map((g) => g.element))};
}

// Fields are in reading order, but those that are placed by hand come last, wherever they are.
function grouped(rows) {
  const pages = new Map();
  for (const row of rows) {
    const page = row.field.page_number ?? Infinity;
    pages.set(page, [...pages.get(page) ?? [], row]);
  }
  const sorted = [...pages].sort(([a], [b]) => a - b);
  const titled = sorted.length > 1 || sorted[0]?.[0] !== Infinity;
  return sorted.map(([page, members]) => {
    const title = page === Infinity ? t.noPage : t.page(page);
    return {rows: members, element: el("section", {"aria-label": titled ? title : t.title}, titled && el("h3", {class: "field-page"}, title), el("ul", {}, members.map((r) => r.element)))};
  });
}

// Enter opens the first row that is found.
function search(rows, groups, open) {
  const said = el("p", {class: "small soft", role: "status"});
  const enter = (e) => {
    if (e.key !== "Enter") return;
    e.preventDefault();
    const first = rows.find((r) => !r.element.hidden);
    if (first) open(first);
  };
  const input = el("input", {
    type: "search", placeholder: t.search, "aria-label": t.search, autocomplete: "off", spellcheck: false,
    oninput: () => apply(input.value.trim().toLowerCase()), onkeydown: enter,
  });
  function apply(text) {
    for (const row of rows) row.element.hidden = text !== "" && !row.matches(text);
    for (const {element, rows: members} of groups) element.hidden = members.every((r) => r.element.hidden);
    const n = rows.filter((r) => !r.element.hidden).length;
    said.textContent = text === "" ? "" : n === 0 ? t.notFound : t.found(n, rows.length);
  }
  return {
    element: el("div", {class: "field-search"}, el("div", {class: "field-search-box"}, icon("search"), input), said),
    clear() {
      input.value = "";
      apply("");
    },
  };
}

// The list and the pages show the same field: the one under the pointer, or else the one with
// the focus.
function follow(rows, marks, open, signal) {
  mark(rows, marks);
  const byMark = new Map(rows.map((row) => [markID(row.field), row]));
  let focused = null;
  for (const [id, row] of byMark) {
    row.element.addEventListener("pointerenter", () => marks.point(id));
    row.element.addEventListener("pointerleave", () => marks.point(focused));
    row.element.addEventListener("focusin", () => { focused = id; marks.point(id); });
    row.element.addEventListener("focusout", () => { focused = null; marks.point(null); });
    row.addEventListener("show", () => marks.choose(id, "list"));
  }
  let pointed = null;
  marks.addEventListener("point", (e) => {
    pointed?.element.classList.remove("pointed");
    pointed = byMark.get(e.detail) ?? null;
    pointed?.element.classList.add("pointed");
  }, {signal});
  // The view may have to show the panel first.
  marks.addEventListener("choose", ({detail: {id, from}}) => {
    if (from === "page" && byMark.has(id)) requestAnimationFrame(() => open(byMark.get(id)));
  }, {signal});
}

function mark(rows, marks) {
  marks.set("fields", rows.filter((r) => r.field.bounding_box).map(({field}) => {
    const {page, left, top, width, height} = field.bounding_box;
    return {id: markID(field), kind: "field", page, box: {left, top, width, height}, label: field.label || field.field_id};
  }));
}
