// What restricts the list of insights: types, confidence, a text, and how it is grouped.

import {el, icon, newID} from "../lib/dom.js";
import {percent} from "../lib/format.js";
import {strings} from "../lib/strings.js";
import {confidenceOf, keys, nameOf} from "./insight-types.js";

const t = strings.insights;

/**
 * Filter is the controls. changed is called when a person has changed one of them, and textOf
 * returns the text of an entry, in lower case.
 */
export class Filter {
  #changed;
  #textOf;
  #types = new Set();
  #minimum = 0;
  #words = [];
  #chips = new Map();
  #row = el("div", {class: "insight-chips", role: "group", "aria-label": t.filterTypes});

  /** How the list is grouped: "type" or "page". */
  by = "type";

  constructor(changed, textOf) {
    this.#changed = changed;
    this.#textOf = textOf;
    this.search = el("input", {type: "search", placeholder: t.search, "aria-label": t.search, oninput: () => this.#look()});
    this.range = el("input", {type: "range", min: 0, max: 1, step: 0.05, value: 0, id: newID("minimum"), oninput: () => this.#limit()});
    this.output = el("output", {for: this.range.id}, t.any);
    this.element = el("div", {class: "insight-filter"},
      el("div", {class: "insight-search"}, icon("search"), this.search), this.#row,
      el("div", {class: "insight-options"},
        el("div", {class: "insight-minimum"}, el("label", {for: this.range.id}, t.minimum), this.range, this.output), this.#grouping()));
  }

  /** matches says whether an entry is to be listed. Entries without a confidence are, whatever the minimum is. */
  matches(entry) {
    if (this.#types.size && !this.#types.has(entry.key)) return false;
    const confidence = confidenceOf(entry.key, entry.item);
    if (confidence !== null && confidence < this.#minimum) return false;
    if (!this.#words.length) return true;
    const text = this.#textOf(entry);
    return this.#words.every((word) => text.includes(word));
  }

  /** count shows how many entries there are of each type. */
  count(entries) {
    const counts = new Map();
    for (const {key} of entries) counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const key of keys) if (counts.has(key) && !this.#chips.has(key)) this.#insert(key);
    for (const [key, chip] of this.#chips) {
      chip.hidden = !counts.has(key);
      chip.lastElementChild.textContent = counts.get(key) ?? 0;
      if (chip.hidden) this.#types.delete(key);
    }
  }

  /** clear lists all again. */
  clear() {
    this.#types.clear();
    for (const chip of this.#chips.values()) chip.setAttribute("aria-pressed", "false");
    this.search.value = "";
    this.range.value = 0;
    this.#words = [];
    this.#limit();
  }

  // A chip is put where its type belongs, so that the others keep their place.
  #insert(key) {
    const chip = el("button", {type: "button", class: "insight-chip", "aria-pressed": "false", onclick: () => this.#press(key, chip)}, nameOf(key), " ", el("span", {class: "soft"}));
    const next = keys.slice(keys.indexOf(key) + 1).map((later) => this.#chips.get(later)).find(Boolean);
    this.#row.insertBefore(chip, next ?? null);
    this.#chips.set(key, chip);
  }

  #press(key, chip) {
    if (!this.#types.delete(key)) this.#types.add(key);
    chip.setAttribute("aria-pressed", String(this.#types.has(key)));
    this.#changed();
  }

  #look() {
    this.#words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.#changed();
  }

  #limit() {
    this.#minimum = Number(this.range.value);
    this.output.textContent = this.#minimum ? t.atLeast(percent(this.#minimum)) : t.any;
    this.range.setAttribute("aria-valuetext", this.output.textContent);
    this.#changed();
  }

  #grouping() {
    const name = newID("grouping");
    const option = (by) => el("label", {}, el("input", {type: "radio", name, value: by, checked: by === this.by, onchange: () => { this.by = by; this.#changed(); }}), el("span", {}, t.groups[by]));
    return el("fieldset", {class: "insight-grouping"}, el("legend", {}, t.group), option("type"), option("page"));
  }
}
