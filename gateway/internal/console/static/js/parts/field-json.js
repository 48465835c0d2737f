// A dialog to enter the values of fields as JSON.

import {control, el, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {parse} from "./field-values.js";
import {takeDrops} from "./image-input.js";

const t = strings.fields.json;
const example = '{\n  "agreementinput-name": "Ada Lovelace"\n}';

/**
 * jsonDialog opens the dialog. enter takes a Map of values by field id and returns {unknown,
 * refused, entered}; say is called with the result and whether something did not fit.
 */
export function jsonDialog(enter, say) {
  const input = el("textarea", {class: "mono field-json", rows: 10, spellcheck: false, autocomplete: "off", placeholder: example});
  const error = el("p", {class: "error", role: "alert"});
  const file = el("input", {type: "file", accept: ".json,application/json", hidden: true, onchange: () => load(file.files)});
  const load = async ([first]) => {
    if (!first) return;
    input.value = await first.text();
    file.value = "";
    error.textContent = "";
  };
  const submit = (e) => {
    e.preventDefault();
    error.textContent = use(input.value, enter, say);
    if (error.textContent === "") dialog.close();
    else input.focus();
  };
  const dialog = el("dialog", {"aria-label": t.title, onclose: () => dialog.remove()},
    el("form", {onsubmit: submit, noValidate: true},
      el("h2", {}, t.title), el("p", {class: "soft"}, t.intro), control(t.label, input), file, error,
      el("div", {class: "actions"},
        el("button", {type: "button", class: "field-load", onclick: () => file.click()}, icon("upload"), t.load),
        el("button", {type: "button", onclick: () => dialog.close()}, strings.common.cancel),
        el("button", {type: "submit", class: "primary"}, t.apply))));
  takeDrops(dialog, load);
  document.body.append(dialog);
  dialog.showModal();
  input.focus();
}

// Returns what is wrong with the text, or "". What does not fit is named, and the rest is
// entered all the same.
function use(text, enter, say) {
  let values;
  try {
    values = parse(text);
  } catch (error) {
    return error instanceof SyntaxError ? t.invalid(error.message) : t.notObject;
  }
  const {unknown, refused, entered} = enter(values);
  const wrong = [unknown.length && t.unknown(some(unknown)), refused.length && t.refused(some(refused))].filter(Boolean);
  if (entered === 0) return wrong.join(" ") || t.none;
  say([t.applied(entered), ...wrong].join(" "), wrong.length > 0);
  return "";
}

const named = 5; // ids in a message

const some = (ids) => ids.slice(0, named).join(", ") + (ids.length > named ? ` ${t.more(ids.length - named)}` : "");
