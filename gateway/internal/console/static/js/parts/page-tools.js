// The tools over the pages: where a person is, and how large the pages are.

import {el, icon} from "../lib/dom.js";
import {percent} from "../lib/format.js";
import {strings} from "../lib/strings.js";

const steps = [0.5, 0.67, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3];

/** larger and smaller return the next step of the zoom. */
export const larger = (zoom) => steps.find((s) => s > zoom + 0.01) ?? steps.at(-1);
export const smaller = (zoom) => steps.findLast((s) => s < zoom - 0.01) ?? steps[0];

/**
 * pageTools returns {element, show}. goTo is called with the number of a page, zoom with
 * "in", "out" or "fit". show({page, total, zoom, fit}) says what is in view.
 */
export function pageTools({goTo, zoom}) {
  const t = strings.pages;
  const current = el("input", {type: "text", inputMode: "numeric", "aria-label": t.goTo, autocomplete: "off", value: "1"});
  const total = el("span", {class: "soft"});
  const level = el("output", {"aria-label": t.zoom});
  const button = (name, label, how) => el("button", {type: "button", class: "quiet icon", "aria-label": label, title: label, onclick: () => zoom(how)}, icon(name));
  const fit = button("width", t.fit, "fit");
  const out = button("minus", t.zoomOut, "out");
  const into = button("plus", t.zoomIn, "in");
  let state = {page: 1, total: 0};
  let typing = false;
  const submit = () => {
    typing = false;
    const n = Math.min(Math.round(Number(current.value)), state.total);
    if (n >= 1) goTo(n);
    else current.value = state.page;
  };
  const element = el("div", {class: "page-tools", role: "toolbar", "aria-label": t.tools},
    el("form", {class: "page-number", onsubmit: (e) => { e.preventDefault(); submit(); current.select(); }}, current, total),
    el("div", {class: "zoom", role: "group", "aria-label": t.zoom}, out, level, into, fit));
  current.addEventListener("focus", () => current.select());
  current.addEventListener("input", () => { typing = true; });
  current.addEventListener("change", submit);
  const show = (now) => {
    state = now;
    if (!typing) current.value = now.page;
    total.textContent = t.of(now.total);
    level.textContent = percent(Math.round(now.zoom * 100) / 100);
    fit.setAttribute("aria-pressed", now.fit);
    out.disabled = now.zoom <= steps[0] + 0.005;
    into.disabled = now.zoom >= steps.at(-1) - 0.005;
  };
  return {element, show};
}
