// The pages of a document, with their tools.

import * as api from "../lib/api.js";
import {el, fill} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {legend} from "./legend.js";
import {pageTools} from "./page-tools.js";
import {startPlacing} from "./place.js";
import {problem} from "./problem.js";
import {steadySelection} from "./selection.js";
import {Viewer} from "./viewer.js";

const listed = 500; // pages for each request
const patience = 700; // milliseconds until a person is told what takes so long

/**
 * pagesPane returns {element, place}: the pages of context.version of context.document, and
 * the function place of the context of fieldsPanel. place(placed) lets a person draw a box on a
 * page, calls placed({page, box}), or placed(null) if the person cancels, and returns a function
 * that cancels.
 */
export function pagesPane(context) {
  const {marks, signal} = context;
  const viewer = new Viewer({documentID: context.document.id, version: context.version, marks, signal});
  const tools = pageTools({goTo: (n) => viewer.goTo(n), zoom: (how) => viewer.zoom(how)});
  const kinds = legend(marks, viewer.hidden, () => { kinds.update(); viewer.draw(); });
  const body = el("div", {class: "pages-body"});
  const element = el("section", {class: "pages-pane", "aria-label": strings.document.pages}, tools.element, kinds.element, body);
  viewer.addEventListener("view", () => tools.show({page: viewer.current, total: viewer.total, zoom: viewer.zoomLevel, fit: viewer.fits}));
  follow(marks, signal, viewer, kinds);
  listenToKeys(viewer, signal);
  steadySelection(viewer.element, signal);
  load(context, viewer, body, tools.element);
  return {element, place: placeOn(viewer, element, signal)};
}

// follow shows what happens to the marks.
function follow(marks, signal, viewer, kinds) {
  let waiting = false;
  const redraw = () => { waiting = false; kinds.update(); viewer.draw(); };
  const soon = () => { if (!waiting) { waiting = true; requestAnimationFrame(redraw); } };
  marks.addEventListener("change", soon, {signal});
  marks.addEventListener("point", (e) => viewer.point(e.detail), {signal});
  marks.addEventListener("choose", ({detail: {id, from}}) => {
    const mark = from === "page" ? undefined : marks.find(id);
    if (mark) requestAnimationFrame(() => { viewer.reveal(mark); kinds.update(); });
  }, {signal});
  kinds.update();
}

async function load(context, viewer, body, tools) {
  const {signal} = context;
  tools.hidden = true;
  const status = el("p", {class: "pages-status", role: "status"}, strings.pages.loading);
  fill(body, el("div", {class: "pages-waiting"}, status, el("div", {class: "skeleton sheet-skeleton"})));
  const slow = setTimeout(() => { if (!context.document.files.every((f) => f.type === "application/pdf")) status.textContent = strings.pages.converting; }, patience);
  try {
    for (let n = viewer.count / listed + 1, lists = n; n <= lists; n++) {
      const list = await api.get(`/documents/${encodeURIComponent(context.document.id)}/pages`, {size: listed, page: n, version_number: context.version}, {signal, quiet: n > 1});
      lists = list.pages;
      if (n === 1) fill(body, list.total > 0 ? viewer.element : el("p", {class: "pages-waiting soft"}, strings.pages.empty));
      tools.hidden = list.total === 0;
      viewer.add(list.items, list.total);
    }
  } catch (error) {
    if (error.name !== "AbortError") fill(body, el("div", {class: "pages-waiting"}, problem(error, {title: strings.pages.failed, retry: () => load(context, viewer, body, tools)})));
  } finally {
    clearTimeout(slow);
  }
}

const zooms = {"+": "in", "=": "in", "-": "out", "−": "out", 0: "fit"};
const scrolls = {PageDown: 0.9, PageUp: -0.9, ArrowDown: 0.1, ArrowUp: -0.1, Home: -Infinity, End: Infinity};

// Keys work everywhere in the view, except where a person types.
function listenToKeys(viewer, signal) {
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || !viewer.element.isConnected || document.querySelector("dialog[open]")) return;
    if (e.target.closest?.("input, select, textarea, [contenteditable]")) return;
    const how = zooms[e.key];
    // The browser scrolls by itself what has the focus.
    const screens = [document.body, document.querySelector("main")].includes(e.target) ? scrolls[e.key] : undefined;
    if (how) viewer.zoom(how);
    else if (screens === Infinity || screens === -Infinity) viewer.goTo(screens > 0 ? viewer.total : 1);
    else if (screens) viewer.scrollBy(screens);
    else return;
    e.preventDefault();
  }, {signal});
}

function placeOn(viewer, element, signal) {
  let cancel = () => {};
  signal.addEventListener("abort", () => cancel());
  return (placed) => {
    cancel();
    if (viewer.total) cancel = startPlacing(viewer, element, placed);
    else placed(null);
    return cancel;
  };
}
