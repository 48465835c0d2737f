// The view of one document: its pages, and what is known about it beside them.

import * as api from "../lib/api.js";
import {el, fill} from "../lib/dom.js";
import {Marks} from "../lib/marks.js";
import {strings} from "../lib/strings.js";
import {failed} from "../lib/toast.js";
import {divider} from "../parts/divider.js";
import {documentBar} from "../parts/document-bar.js";
import {documentPanel} from "../parts/document-panel.js";
import {pagesPane} from "../parts/pages.js";
import {problem} from "../parts/problem.js";

/** documentView shows the document with that id. The query of its path has version and tab, both optional. */
export function documentView({id, signal}) {
  const content = el("main", {class: "document"});
  open({id, content, signal, shown: new AbortController()});
  return {title: strings.document.title, content};
}

/** remember keeps what is shown in the address, so that a link or a reload shows the same. */
function remember(name, value) {
  const to = new URL(location.href);
  if (value === undefined) to.searchParams.delete(name);
  else to.searchParams.set(name, value);
  history.replaceState(null, "", to);
}

const asked = (name) => new URLSearchParams(location.search).get(name) ?? undefined;
const load = ({id, signal}, version) => api.get(`/documents/${encodeURIComponent(id)}`, {version_number: version}, {signal});

// open loads the document and shows it in place of what was shown before.
async function open(view) {
  view.shown.abort();
  view.shown = new AbortController();
  const {signal} = view.shown;
  view.signal.addEventListener("abort", () => view.shown.abort(), {signal});
  fill(view.content, waiting());
  try {
    show(view, await load({...view, signal}, asked("version")));
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!error.status) console.error(error);
    fill(view.content, el("div", {class: "document-failed stack"}, problem(error, {title: strings.document.failed, retry: error.status === 404 ? undefined : () => open(view)}),
      el("p", {}, el("a", {href: "/console"}, strings.common.toDocuments))));
  }
}

const waiting = () => [
  el("div", {class: "document-bar", "aria-busy": "true"},
    el("span", {class: "skeleton bar-skeleton"}), el("span", {class: "hidden-text", role: "status"}, strings.common.loading)),
  el("div", {class: "document-split"},
    el("section", {class: "pages-pane"}, el("div", {class: "pages-waiting"}, el("div", {class: "skeleton sheet-skeleton"}))), el("span"), el("section", {class: "details"})),
];

function show(view, found) {
  const {content} = view;
  const context = {document: found, version: found.version_number, marks: new Marks(), signal: view.shown.signal, changed: () => changed(view, context, bar).catch(failed)};
  const panes = paneSwitch(content);
  const pages = pagesPane(context);
  context.place = placeWith(panes, pages.place);
  const bar = documentBar(context);
  const panel = documentPanel(context, {
    tab: asked("tab"),
    tabOpened: (tab) => remember("tab", tab),
    showVersion: (n, latest) => { remember("version", latest ? undefined : n); open(view); },
    reached: panes.show,
  });
  const split = el("div", {class: "document-split"}, pages.element);
  split.append(divider(split), panel);
  title(found);
  fill(content, bar.element, panes.element, split);
}

const title = ({name}) => { document.title = `${name} · ${strings.common.product}`; };

// changed loads the document anew. A new latest version is shown if the person did not ask for a certain one.
async function changed(view, context, bar) {
  const fresh = await load({id: view.id, signal: context.signal}, asked("version"));
  if (fresh.version_number !== context.version) return open(view);
  context.document = fresh;
  title(fresh);
  bar.update();
}

// Where the window is too narrow for both, one of the panes is shown.
function paneSwitch(content) {
  const t = strings.document;
  const panes = ["pages", "details"];
  const element = el("div", {class: "pane-switch", role: "group", "aria-label": t.panes},
    panes.map((pane) => el("button", {type: "button", class: "quiet", data: {pane}, onclick: () => show(pane)}, t[pane])));
  const show = (pane) => {
    content.dataset.pane = pane;
    for (const button of element.children) button.setAttribute("aria-pressed", String(button.dataset.pane === pane));
  };
  show(content.dataset.pane ?? "pages");
  return {element, show};
}

// While a person places something, the pages are in view; then what was in view and had the focus before.
const placeWith = (panes, place) => (placed) => {
  const before = document.activeElement;
  panes.show("pages");
  return place((result) => {
    panes.show("details");
    if (document.activeElement === document.body && before?.isConnected) before.focus();
    placed(result);
  });
};
