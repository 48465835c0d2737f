// Tabs, whose panels are created when they are first opened.

import {el, fill, newID} from "../lib/dom.js";

/**
 * tabs returns {element, open}. list has {id, label, panel, fresh}: panel returns the content,
 * which is kept, or with fresh is created each time. changed is called with the id of the tab
 * that a person or open has opened.
 */
export function tabs(list, {label, selected, changed}) {
  const prefix = newID("tab");
  const entries = list.map((tab) => entryOf(tab, prefix));
  let current = null;
  const open = (id) => {
    const to = entries.find((e) => e.id === id) ?? entries[0];
    if (to === current) return;
    current = to;
    for (const entry of entries) entry.show(entry === to);
    to.button.scrollIntoView({block: "nearest", inline: "nearest"});
    changed(to.id);
  };
  for (const entry of entries) entry.button.addEventListener("click", () => open(entry.id));
  const bar = el("div", {class: "tab-list", role: "tablist", "aria-label": label, onkeydown: (e) => {
    const to = neighbor(entries, entries.indexOf(current), e.key);
    if (!to) return;
    e.preventDefault();
    open(to.id);
    to.button.focus();
  }}, entries.map((e) => e.button));
  open(selected);
  return {element: el("div", {class: "tabs"}, bar, entries.map((e) => e.panel)), open};
}

function entryOf({id, label, panel: create, fresh}, prefix) {
  const button = el("button", {type: "button", class: "quiet tab", role: "tab", id: `${prefix}-${id}`, "aria-controls": `${prefix}-${id}-panel`}, label);
  const panel = el("div", {class: "tab-panel", role: "tabpanel", id: `${prefix}-${id}-panel`, "aria-labelledby": button.id, tabIndex: 0, hidden: true});
  const show = (is) => {
    button.setAttribute("aria-selected", is);
    button.tabIndex = is ? 0 : -1;
    panel.hidden = !is;
    if (is && (fresh || !panel.hasChildNodes())) fill(panel, create());
  };
  return {id, button, panel, show};
}

function neighbor(entries, at, key) {
  if (key === "Home") return entries[0];
  if (key === "End") return entries.at(-1);
  const by = {ArrowRight: 1, ArrowLeft: -1}[key];
  return by && entries[(at + by + entries.length) % entries.length];
}
