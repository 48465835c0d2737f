// The list of the latest requests, which shows how a program does the same.

import {requests} from "../lib/api.js";
import {curl} from "../lib/curl.js";
import {el, fill, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {copy} from "../lib/toast.js";

const kept = 30;
const log = [];

requests.addEventListener("request", (e) => {
  log.unshift(e.detail);
  log.length = Math.min(log.length, kept);
});

/** requestLog returns a button that opens the list. */
export function requestLog() {
  const t = strings.requests;
  const list = el("ol", {class: "stack"});
  const dialog = el("dialog", {"aria-label": t.title},
    el("div", {class: "stack"},
      el("div", {class: "row spread"}, el("h2", {}, t.title),
        el("button", {type: "button", class: "quiet icon", "aria-label": strings.common.close, onclick: () => dialog.close()}, icon("close"))),
      el("p", {class: "soft"}, t.intro), list));
  const open = () => {
    fill(list, log.length ? log.map(entry) : el("li", {class: "soft"}, t.none));
    dialog.showModal();
  };
  return el("span", {}, el("button", {type: "button", class: "quiet", onclick: open}, icon("code"), el("span", {}, t.open)), dialog);
}

/** entry returns a request as an item of the list, with a button that copies it. */
function entry(request) {
  const command = curl(request);
  return el("li", {class: "stack"},
    el("div", {class: "row spread"}, el("h3", {class: "mono"}, `${request.method} /v2${request.path}`),
      el("button", {type: "button", onclick: () => copy(command)}, icon("copy"), strings.common.copy)),
    el("pre", {}, command));
}
