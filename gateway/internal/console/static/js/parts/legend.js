// The kinds of marks over the pages, which a person can hide.

import {el, fill} from "../lib/dom.js";
import {number} from "../lib/format.js";
import {strings} from "../lib/strings.js";

/**
 * legend returns {element, update}. hidden is a set of kinds, which the buttons change before
 * they call changed. update shows the kinds of all marks, with their numbers.
 */
export function legend(marks, hidden, changed) {
  const element = el("div", {class: "legend", role: "group", "aria-label": strings.pages.legend, hidden: true});
  const toggle = (kind) => {
    if (!hidden.delete(kind)) hidden.add(kind);
    changed();
    element.querySelector(`[data-kind="${CSS.escape(kind)}"]`)?.focus();
  };
  const update = () => {
    const counts = new Map();
    for (const {kind} of marks.all()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    element.hidden = counts.size === 0;
    fill(element, [...counts].map(([kind, n]) => entry(kind, n, !hidden.has(kind), () => toggle(kind))));
  };
  return {element, update};
}

function entry(kind, n, shown, onclick) {
  const swatch = el("span", {class: "swatch"});
  swatch.style.setProperty("--mark", `var(--mark-${kind}, var(--accent))`);
  return el("button", {type: "button", class: "quiet", "aria-pressed": String(shown), data: {kind}, onclick},
    swatch, strings.pages.kinds[kind] ?? kind, el("span", {class: "soft"}, number(n)));
}
