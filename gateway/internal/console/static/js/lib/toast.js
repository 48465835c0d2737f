// Short messages at the bottom of the window.

import {el, icon} from "./dom.js";
import {strings} from "./strings.js";

const lasting = 6000; // milliseconds

const area = el("div", {class: "toasts", role: "status", "aria-live": "polite"});

/** toast shows a message, which goes by itself unless it is an error. */
export function toast(text, {bad = false} = {}) {
  if (!area.isConnected) document.body.append(area);
  const message = el("div", {class: bad ? "toast bad" : "toast"},
    el("p", {}, text),
    el("button", {type: "button", class: "quiet icon", "aria-label": strings.common.dismiss, onclick: () => message.remove()}, icon("close")));
  area.append(message);
  if (!bad) setTimeout(() => message.remove(), lasting);
}

/** failed shows an error, unless the person caused it by going elsewhere. */
export function failed(error) {
  if (error.name === "AbortError") return;
  if (!error.status) console.error(error);
  toast(error.message, {bad: true});
}

/** copy puts a text on the clipboard and says so. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(strings.common.copied);
  } catch {
    toast(strings.common.notCopied, {bad: true});
  }
}
