// The table of documents.

import {el, fill, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {setText, showRows} from "./rows.js";
import {setWhen, when} from "./when.js";

const columns = [["name", "name"], ["state", "state"], [null, "createdBy"], ["created_at", "created"], ["updated_at", "updated"]];

/**
 * documentTable returns {element, update, skeleton}. update takes a list of documents and the
 * order they are sorted in, such as "name ASC". sort is called with a new order, and remove
 * with a document and its row, if the person may delete.
 */
export function documentTable({sort, remove}) {
  const t = strings.documents;
  const heads = new Map();
  const body = el("tbody", {role: "rowgroup"});
  const cells = columns.map(([field, text]) => head(field, t[text], heads, sort));
  const element = el("table", {class: "list documents", role: "table", "aria-label": t.table},
    el("thead", {role: "rowgroup"}, el("tr", {role: "row"}, cells, el("th", {role: "columnheader", scope: "col"}, el("span", {class: "hidden-text"}, t.actions)))), body);

  function update(items, order, isNew = () => false) {
    for (const [field, show] of heads) show(order.split(" ")[0] === field ? order.split(" ")[1] : "");
    for (const row of body.querySelectorAll(".ghost")) row.remove();
    showRows(body, items, () => documentRow(remove));
    for (const row of body.children) row.classList.toggle("new", isNew(row.dataset.id));
  }
  return {element, update, skeleton: () => fill(body, Array.from({length: 8}, () => ghost(columns.length + 1)))};
}

/** ghost returns a row that stands for one that is being loaded. */
export const ghost = (n) => el("tr", {class: "ghost", role: "row", "aria-hidden": "true"}, Array.from({length: n}, () => el("td", {role: "cell"}, el("div", {class: "skeleton"}))));

// Dates are sorted with the latest first, texts from A.
function head(field, text, heads, sort) {
  if (!field) return el("th", {role: "columnheader", scope: "col"}, text);
  const first = field.endsWith("_at") ? "DESC" : "ASC";
  let current = "";
  const arrow = el("span", {class: "arrow"});
  const other = () => current === "" ? first : current === "ASC" ? "DESC" : "ASC";
  const cell = el("th", {role: "columnheader", scope: "col"}, el("button", {type: "button", class: "quiet sort", onclick: () => sort(`${field} ${other()}`)}, text, arrow));
  heads.set(field, (direction) => {
    current = direction;
    cell.setAttribute("aria-sort", {ASC: "ascending", DESC: "descending"}[direction] ?? "none");
    fill(arrow, icon((direction || first) === "ASC" ? "up" : "down"));
  });
  return cell;
}

function documentRow(remove) {
  const t = strings.documents;
  let item;
  const name = el("a", {class: "name", onpointerenter: () => { name.title = name.scrollHeight > name.clientHeight ? item.name : ""; }});
  const state = el("span", {class: "badge"});
  const by = el("span", {class: "by"});
  const [created, updated] = [when(), when()];
  const button = remove && el("button", {type: "button", class: "quiet icon", title: t.delete, onclick: () => remove(item, element)}, icon("trash"));
  const cell = (kind, label, content) => el("td", {role: "cell", class: kind}, label && el("span", {class: "label"}, label), content);
  const element = el("tr", {role: "row"},
    cell("for-name", null, name), cell("for-state", null, state), cell("for-by", t.createdBy, by),
    cell("for-time for-created", t.created, created), cell("for-time for-updated", t.updated, updated), cell("for-actions", null, button));

  function update(now) {
    item = now;
    setText(name, now.name);
    name.href = `/console/documents/${encodeURIComponent(now.id)}`;
    setText(state, t.states[now.state] ?? now.state);
    state.classList.toggle("good", now.state === "agreement");
    setText(by, now.created_by.name || now.created_by.email || now.created_by.id);
    by.title = now.created_by.email || now.created_by.id;
    setWhen(created, now.created_at);
    setWhen(updated, now.updated_at);
    button?.setAttribute("aria-label", t.deleteNamed(now.name));
  }
  return {element, update};
}
