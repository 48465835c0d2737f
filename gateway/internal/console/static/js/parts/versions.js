// The versions of a document.

import * as api from "../lib/api.js";
import {el, fill} from "../lib/dom.js";
import {ago, size, time} from "../lib/format.js";
import {strings} from "../lib/strings.js";
import {copy} from "../lib/toast.js";
import {problem} from "./problem.js";

const listed = 50;

/** versionsPanel returns the list of versions, latest first. show is called with the number of a version. */
export function versionsPanel(context, show) {
  const list = el("ol", {class: "versions"});
  const more = el("div", {});
  const element = el("div", {class: "stack"}, list, more, el("p", {class: "small soft"}, strings.document.readOnly));
  const load = async (page) => {
    fill(more, el("div", {class: "skeleton version-skeleton"}));
    try {
      const versions = await api.get(`/documents/${encodeURIComponent(context.document.id)}/versions`, {size: listed, page}, {signal: context.signal});
      list.append(...versions.items.map((v, i) => version(v, {latest: page === 1 && i === 0, shown: v.version_number === context.version, show})));
      fill(more, page < versions.pages && el("button", {type: "button", onclick: () => load(page + 1)}, strings.document.older));
    } catch (error) {
      if (error.name !== "AbortError") fill(more, problem(error, {title: strings.document.failed, retry: () => load(page)}));
    }
  };
  load(1);
  return element;
}

function version(v, {latest, shown, show}) {
  const t = strings.document;
  const who = v.created_by.name || v.created_by.email || v.created_by.id;
  return el("li", {class: "card stack version", "aria-current": shown ? "true" : undefined},
    el("div", {class: "row spread"},
      el("div", {class: "row"}, el("h3", {}, t.version(v.version_number)), latest && el("span", {class: "badge"}, t.latest), shown && el("span", {class: "badge busy"}, t.shown)),
      !shown && el("button", {type: "button", "aria-label": t.showVersion(v.version_number), onclick: () => show(v.version_number, latest)}, t.show)),
    el("p", {class: "small soft"}, el("time", {dateTime: new Date(v.created_at).toISOString(), title: time(v.created_at)}, ago(v.created_at)), " ", t.createdBy(who)),
    el("ul", {class: "stack version-files"}, v.files.map(file)));
}

function file(f) {
  const t = strings.document;
  return el("li", {},
    el("p", {class: "version-file"}, el("span", {}, f.name), el("span", {class: "small soft"}, f.size === null ? t.notUploaded : size(f.size))),
    f.sha256 && el("button", {type: "button", class: "quiet sha", title: t.shaOnly, "aria-label": t.copySHA(f.name), onclick: () => copy(f.sha256)},
      el("span", {class: "small soft"}, t.sha), el("code", {}, f.sha256)));
}
