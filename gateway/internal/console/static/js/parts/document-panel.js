// What is known about a document, beside its pages.

import {el, fill} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {fieldsPanel} from "./fields.js";
import {insightsPanel} from "./insights.js";
import {jsonPanel} from "./json-view.js";
import {problem} from "./problem.js";
import {tabs} from "./tabs.js";
import {versionsPanel} from "./versions.js";

/**
 * documentPanel returns the tabs for a context as that of fieldsPanel. tab is the one to open
 * first. tabOpened is called with the tab that was opened, showVersion with the number of a
 * version and whether it is the latest, and reached with the pane, "pages" or "details", that
 * shows what a person chose in the other one.
 */
export function documentPanel(context, {tab, tabOpened, showVersion, reached}) {
  const {marks, signal} = context;
  const t = strings.document;
  // Before the panels listen: they can scroll only in a tab that is open.
  marks.addEventListener("choose", ({detail: {id, from}}) => {
    reached(from === "page" ? "details" : "pages");
    const group = marks.groupOf(id);
    if (from === "page" && group) open(group);
  }, {signal});
  const panels = {
    fields: () => fieldsPanel(context),
    insights: () => insightsPanel(context),
    versions: () => versionsPanel(context, showVersion),
    jobs: () => jobs(context),
    json: () => jsonPanel(context),
  };
  const fresh = ["versions", "json"];
  const list = Object.entries(panels).map(([id, panel]) => ({id, label: t.tabs[id], panel, fresh: fresh.includes(id)}));
  let started = false;
  const {element, open} = tabs(list, {label: t.tabList, selected: tab, changed: (id) => { if (started) tabOpened(id); }});
  started = true;
  return el("section", {class: "details", "aria-label": t.details}, element);
}

// The list of jobs is loaded when a person opens it.
function jobs(context) {
  const place = el("div", {}, el("div", {class: "skeleton version-skeleton"}));
  import("./job-list.js").then(
    ({jobList}) => fill(place, jobList({documentID: context.document.id, signal: context.signal})),
    (error) => fill(place, problem(error, {title: strings.document.failed})));
  return place;
}
