// An error in the place of what could not be loaded.

import {el} from "../lib/dom.js";
import {strings} from "../lib/strings.js";

/**
 * problem returns a notice that says what is wrong, with the entries of an error of the API.
 * title and retry, a function for "Try again", are optional.
 */
export function problem(error, {title, retry} = {}) {
  const entries = (error.errors ?? []).map((e) => el("li", {}, e.message, e.resolution && ` ${e.resolution}`));
  return el("div", {class: "notice bad stack problem", role: "alert"},
    title && el("h2", {}, title),
    el("p", {}, error.message),
    entries.length > 0 && el("ul", {class: "stack"}, entries),
    retry && el("div", {}, el("button", {type: "button", onclick: retry}, strings.common.retry)));
}
