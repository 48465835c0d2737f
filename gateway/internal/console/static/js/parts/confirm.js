// A question before something that cannot be undone.

import {el} from "../lib/dom.js";
import {strings} from "../lib/strings.js";

/**
 * confirm asks in a dialog, and resolves to whether it was done. run does it, with a signal
 * that aborts when the person closes the dialog; its error is shown there. The dialog goes
 * when signal aborts.
 */
export function confirm({title, text, action, run, signal}) {
  const stop = new AbortController();
  let done = false;
  const error = el("p", {class: "error", role: "alert"});
  const submit = el("button", {type: "submit", class: "danger solid"}, action);
  const form = el("form", {method: "dialog", onsubmit: async (e) => {
    e.preventDefault();
    submit.disabled = true;
    error.textContent = "";
    try {
      await run(AbortSignal.any([stop.signal, signal]));
      done = true;
      dialog.close();
    } catch (failure) {
      if (failure.name !== "AbortError") error.textContent = failure.message;
      submit.disabled = false;
    }
  }},
  el("h2", {id: "confirm-title"}, title), el("p", {id: "confirm-text"}, text), error,
  el("div", {class: "actions"}, el("button", {type: "button", autofocus: true, onclick: () => dialog.close()}, strings.common.cancel), submit));
  const dialog = el("dialog", {class: "confirm", "aria-labelledby": "confirm-title", "aria-describedby": "confirm-text"}, form);
  const close = () => dialog.close();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      stop.abort();
      signal.removeEventListener("abort", close);
      dialog.remove();
      resolve(done);
    });
    signal.addEventListener("abort", close);
    document.body.append(dialog);
    dialog.showModal();
  });
}
