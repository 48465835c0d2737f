// Files that are dropped anywhere on a page.

import {el, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";

const hasFiles = (e) => e.dataTransfer?.types.includes("Files");

/** dropTarget calls dropped with files that the person drops on the window, until signal aborts. It shows where they go. */
export function dropTarget({dropped, signal}) {
  const overlay = el("div", {class: "drop", "aria-hidden": "true"}, el("p", {}, icon("upload"), strings.upload.drop));
  // Entering a child comes before leaving its parent.
  let inside = 0;
  const hide = () => {
    inside = 0;
    overlay.remove();
  };
  const listen = (type, then) => addEventListener(type, (e) => { if (hasFiles(e)) then(e); }, {signal});
  listen("dragenter", (e) => {
    e.preventDefault();
    inside++;
    (document.querySelector("dialog[open]") ?? document.body).append(overlay);
  });
  listen("dragleave", () => { if (--inside <= 0) hide(); });
  listen("dragover", (e) => {
    e.preventDefault();
    e.dataTransfer.dropEffect = "copy";
  });
  listen("drop", (e) => {
    e.preventDefault();
    hide();
    const files = filesOf(e.dataTransfer);
    if (files.length) dropped(files);
  });
  signal.addEventListener("abort", hide);
}

// A folder is no file, although browsers list it as one.
function filesOf(transfer) {
  const items = [...transfer.items ?? []].filter((item) => item.kind === "file");
  if (items.length === 0) return [...transfer.files];
  return items.filter((item) => !item.webkitGetAsEntry?.()?.isDirectory).map((item) => item.getAsFile()).filter(Boolean);
}
