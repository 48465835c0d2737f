// What to read: the button, the types and who the person is.

import {control, el, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {choices, usual} from "./insight-types.js";

const t = strings.insights;
const stored = "recto.insights.types"; // the name in localStorage

/**
 * setup returns {element, insights, context}: the form, and functions that return the chosen
 * types as the API takes them, and the context. read is called when a person wants to read.
 */
export function setup(read) {
  const chosen = new Set(load());
  const context = el("input", {type: "text", placeholder: t.contextExample, maxLength: 2000, autocomplete: "organization"});
  const choose = el("button", {type: "button", "aria-haspopup": "dialog"});
  const label = () => { choose.textContent = t.choose(chosen.size); };
  const dialog = chooser(chosen, () => { save(chosen); label(); }, read);
  choose.addEventListener("click", () => dialog.showModal());
  label();
  const element = el("form", {class: "insight-setup", onsubmit: (e) => { e.preventDefault(); read(); }},
    control(t.context, context, t.contextHint),
    el("div", {class: "row"}, el("button", {type: "submit", class: "primary"}, t.read), choose), dialog);
  return {element, insights: () => choices.filter((key) => chosen.has(key)).map((type) => ({type})), context: () => context.value.trim()};
}

function chooser(chosen, changed, read) {
  const boxes = choices.map((key) => el("input", {type: "checkbox", value: key, checked: chosen.has(key), onchange: () => tell()}));
  boxes[0].autofocus = true;
  const error = el("p", {class: "error", role: "alert"});
  const start = el("button", {type: "button", class: "primary", onclick: () => { dialog.close(); read(); }}, t.read);
  const tell = () => {
    for (const box of boxes) chosen[box.checked ? "add" : "delete"](box.value);
    start.disabled = chosen.size === 0;
    error.textContent = chosen.size ? "" : t.noTypes;
    changed();
  };
  const all = (checked) => { for (const box of boxes) box.checked = checked; tell(); };
  const close = () => { if (!chosen.size) { for (const box of boxes) box.checked = usual.includes(box.value); tell(); } };
  const dialog = el("dialog", {class: "insight-chooser", "aria-label": t.chooser, onclose: close},
    el("div", {class: "stack"},
      el("div", {class: "row spread"}, el("h2", {}, t.chooser),
        el("button", {type: "button", class: "quiet icon", "aria-label": strings.common.close, onclick: () => dialog.close()}, icon("close"))),
      el("div", {class: "row"}, el("button", {type: "button", onclick: () => all(true)}, t.all), el("button", {type: "button", onclick: () => all(false)}, t.none)),
      el("ul", {class: "insight-types"}, boxes.map(choice)), error,
      el("div", {class: "actions"}, el("button", {type: "button", onclick: () => dialog.close()}, t.save), start)));
  return dialog;
}

function choice(box) {
  const {name, about} = t.types[box.value];
  return el("li", {}, el("label", {}, box, el("span", {}, name, el("span", {class: "small soft"}, about))));
}

// Storage may be blocked, and its content is of an older version or of anybody.
function load() {
  try {
    const types = JSON.parse(localStorage.getItem(stored)).filter((key) => choices.includes(key));
    return types.length ? types : usual;
  } catch {
    return usual;
  }
}

function save(chosen) {
  try {
    localStorage.setItem(stored, JSON.stringify([...chosen]));
  } catch { /* the choice is lost with the page */ }
}
