// The bar over a document: its name, its state, and what can be done with it as a whole.

import * as api from "../lib/api.js";
import {el, fill, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {failed, toast} from "../lib/toast.js";
import {ask} from "./ask.js";
import {documentName} from "./document-name.js";

const path = (document) => `/documents/${encodeURIComponent(document.id)}`;

/** documentBar returns {element, update} for a context as that of fieldsPanel. update shows the document anew. */
export function documentBar(context) {
  const t = strings.document;
  const about = el("div", {class: "row document-about"});
  const title = el("div", {class: "document-title"});
  let shownName = null; // a heading that is already right keeps the focus
  const renamed = ({name}) => { shownName = name; context.changed(); };
  const update = () => {
    if (context.document.name !== shownName) fill(title, documentName(context.document, renamed));
    shownName = context.document.name;
    fill(about, stateBadge(context.document), el("span", {class: "badge"}, t.version(context.version)));
    const focused = document.activeElement === finish;
    finish.hidden = context.document.state !== "draft";
    if (focused && finish.hidden) toPDF.focus();
  };
  const finish = el("button", {type: "button", title: t.finishHint, onclick: () => makeAgreement(context).catch(failed)}, icon("check"), label(t.finish));
  const toPDF = pdf(context);
  const element = el("div", {class: "document-bar"},
    el("a", {class: "button quiet icon", href: "/console", "aria-label": t.back, title: t.back}, icon("left")),
    title, about,
    el("div", {class: "row document-actions"}, finish, downloads(context), toPDF));
  update();
  return {element, update};
}

// Where there is little room, the labels of buttons are for screen readers only.
const label = (text) => el("span", {class: "label"}, text);

const stateBadge = ({state}) => el("span", {class: state === "agreement" ? "badge good" : "badge"}, strings.document.states[state] ?? state);

async function makeAgreement(context) {
  const t = strings.document;
  if (!await ask({title: t.finishTitle, text: t.finishText, action: t.finish})) return;
  await api.send("PATCH", path(context.document), {state: "agreement"});
  toast(t.finished);
  context.changed();
}

function downloads(context) {
  const t = strings.document;
  const {files} = context.document;
  if (files.length === 1) return el("button", {type: "button", title: files[0].name, onclick: () => download(context, files[0]).catch(failed)}, icon("download"), label(t.download));
  const menu = el("details", {class: "menu", onkeydown: (e) => { if (e.key === "Escape" && menu.open) { menu.open = false; menu.firstChild.focus(); } }},
    el("summary", {class: "button"}, icon("download"), label(t.download), icon("chevron")),
    el("ul", {"aria-label": t.downloadFiles}, files.map((file) => el("li", {},
      el("button", {type: "button", class: "quiet", onclick: () => { menu.open = false; download(context, file).catch(failed); }}, file.name)))));
  addEventListener("pointerdown", (e) => { if (!menu.contains(e.target)) menu.open = false; }, {signal: context.signal});
  menu.addEventListener("focusout", (e) => { if (e.relatedTarget && !menu.contains(e.relatedTarget)) menu.open = false; });
  return menu;
}

// Presigned URLs are valid for minutes, so each download asks for a new one. A file that may not
// be uploaded opens elsewhere, because its URL shows an error of the object store.
async function download({document, version, signal}, {id}) {
  const [fresh, versions] = await Promise.all([
    api.get(path(document), {version_number: version}, {signal}),
    api.get(`${path(document)}/versions`, {size: 500}, {signal, quiet: true}),
  ]);
  const stored = versions.items.find((v) => v.version_number === version)?.files.find((f) => f.id === id)?.size;
  const address = fresh.files.find((f) => f.id === id).download_url;
  el("a", {href: address, target: Number.isFinite(stored) ? "" : "_blank", rel: "noopener"}).click();
}

function pdf(context) {
  const t = strings.document;
  const button = el("button", {type: "button", title: t.pdfHint, "aria-label": t.pdfHint, onclick: async () => {
    button.disabled = true;
    button.setAttribute("aria-busy", "true");
    try {
      const converted = await api.send("POST", api.query(`${path(context.document)}/convert`, {version_number: context.version}), undefined, {signal: context.signal});
      toast(t.pdfStarted);
      el("a", {href: converted.download_url, rel: "noopener"}).click();
    } catch (error) {
      failed(error);
    } finally {
      button.disabled = false;
      button.removeAttribute("aria-busy");
    }
  }}, icon("download"), t.pdf);
  return button;
}
