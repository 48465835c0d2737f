// What the API returns about a document, and how a program asks for it.

import * as api from "../lib/api.js";
import {curl} from "../lib/curl.js";
import {el, fill, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {copy} from "../lib/toast.js";
import {problem} from "./problem.js";

/** jsonPanel returns the responses, between which a person can switch. */
export function jsonPanel(context) {
  const t = strings.document;
  const place = el("div", {class: "stack", "aria-live": "polite"});
  let asked = 0;
  const show = async (source) => {
    const mine = ++asked;
    for (const button of choices.children) button.setAttribute("aria-pressed", String(button.dataset.source === source));
    fill(place, el("div", {class: "skeleton json-skeleton"}));
    try {
      const request = await requests[source](context);
      const body = request && await api.get(request.path, request.parameters, {signal: context.signal, quiet: true});
      if (mine === asked) fill(place, body ? response(context.document, source, request, body) : el("p", {class: "soft"}, t.noInsights));
    } catch (error) {
      if (mine === asked && error.name !== "AbortError") fill(place, problem(error, {title: t.failed, retry: () => show(source)}));
    }
  };
  const choices = el("div", {class: "choices", role: "group", "aria-label": t.sourceList}, Object.keys(requests).map((source) =>
    el("button", {type: "button", class: "quiet", data: {source}, onclick: () => show(source)}, t.sources[source])));
  show("document");
  return el("div", {class: "stack"}, choices, place);
}

const path = ({document}) => `/documents/${encodeURIComponent(document.id)}`;

// The request for each response; undefined if there is nothing to ask for.
const requests = {
  document: (context) => ({path: path(context), parameters: {version_number: context.version}}),
  fields: (context) => ({path: `${path(context)}/fields`, parameters: {version_number: context.version}}),
  insights: async ({document, signal}) => {
    const jobs = await api.get("/jobs", {document_id: document.id, kind: "analyze", state: "succeeded", size: 1}, {signal, quiet: true});
    return jobs.items[0] && {path: `/jobs/${encodeURIComponent(jobs.items[0].id)}`};
  },
};

function response(document, source, request, body) {
  const t = strings.document;
  const text = JSON.stringify(body, null, 2);
  const command = curl({method: "GET", path: api.query(request.path, request.parameters)});
  return [
    el("div", {class: "stack json-request"},
      el("div", {class: "row spread"}, el("h3", {}, t.request), el("button", {type: "button", onclick: () => copy(command)}, icon("copy"), t.copyCurl)),
      el("pre", {}, command)),
    el("div", {class: "row spread"}, el("h3", {}, t.sources[source]),
      el("div", {class: "row"},
        el("button", {type: "button", onclick: () => copy(text)}, icon("copy"), t.copyJSON),
        el("button", {type: "button", onclick: () => save(text, `${document.id}-${source}.json`)}, icon("download"), t.downloadJSON))),
    el("pre", {class: "json"}, colored(text)),
  ];
}

const tooLong = 300_000; // characters; more would make the page slow
const keys = /^(\s*)("(?:[^"\\]|\\.)*")(: )/;

// Names of members differ in color from values.
function colored(text) {
  if (text.length > tooLong) return text;
  return text.split("\n").flatMap((line) => {
    const found = line.match(keys);
    return found ? [found[1], el("span", {class: "json-key"}, found[2]), line.slice(found[1].length + found[2].length) + "\n"] : [line + "\n"];
  });
}

function save(text, name) {
  const address = URL.createObjectURL(new Blob([text], {type: "application/json"}));
  el("a", {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
