// What a list shows when it has nothing to show.

import {el, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";

/** empty returns a title, a text and buttons in the middle of a list. */
export const empty = (name, title, text, ...actions) => el("div", {class: "empty"},
  el("div", {class: "emblem"}, icon(name)), el("h2", {}, title), el("p", {class: "soft"}, text), actions.length > 0 && el("div", {class: "row"}, actions));

/** broken returns an error of a list, with a button that loads it again. */
export function broken(title, error, retry) {
  return el("div", {class: "empty", role: "alert"},
    el("h2", {}, title), el("p", {class: "soft"}, error.message),
    el("div", {class: "row"}, el("button", {type: "button", onclick: retry}, strings.common.retry), error.docs && el("a", {href: error.docs, target: "_blank", rel: "noopener"}, strings.upload.code(error.code))));
}
