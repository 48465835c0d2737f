// A question before something that cannot be undone.

import {el} from "../lib/dom.js";
import {strings} from "../lib/strings.js";

/** ask shows a dialog, and returns whether the person pressed the button with the text of action. */
export function ask({title, text, action}) {
  return new Promise((answered) => {
    const heading = el("h2", {}, title);
    const dialog = el("dialog", {"aria-label": title, onclose: () => { dialog.remove(); answered(dialog.returnValue === "yes"); }},
      el("form", {method: "dialog"}, heading, el("p", {}, text),
        el("div", {class: "actions"},
          el("button", {type: "submit", value: "no"}, strings.common.cancel),
          el("button", {type: "submit", value: "yes", class: "primary"}, action))));
    document.body.append(dialog);
    dialog.showModal();
  });
}
