// Signing: by typing a name, by drawing, or with an image.

import {el, icon, newID} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {labelOf} from "./field-values.js";
import {imageControl} from "./image-input.js";
import {inkPad} from "./ink.js";

const t = strings.fields.signature;

/**
 * signatureControl returns the control of a signature, as fieldControl describes it. Its value is
 * a text, or the data URL of a PNG with dark ink on a transparent ground; "" without either.
 */
export function signatureControl(field, changed) {
  const input = el("input", {type: "text", autocomplete: "off", spellcheck: false, "aria-label": `${t.typed}: ${labelOf(field)}`, placeholder: t.typed, oninput: changed});
  const typed = {element: input, inputs: [input], problem: () => "", get: () => input.value};
  const ways = {type: typed, draw: drawn(changed), upload: imageControl({...field, multiple: false}, changed)};
  let way = "type";
  const switcher = segmented(t.mode, {type: t.type, draw: t.draw, upload: t.upload}, (chosen) => { show(chosen); changed(); });
  function show(chosen) {
    way = chosen;
    switcher.select(way);
    for (const [name, {element}] of Object.entries(ways)) element.hidden = name !== way;
  }
  show("type");
  return {
    group: true, element: el("div", {class: "field-signature"}, switcher.element, Object.values(ways).map((w) => w.element)),
    // The pad itself takes no focus.
    get inputs() { return ways[way].inputs ?? [switcher.chosen()]; },
    get: () => ways[way].get(),
    problem: () => ways[way].problem(),
    eager: true,
    set(value) {
      if (Array.isArray(value)) return false;
      if (value.startsWith("data:")) {
        show("upload");
        return ways.upload.set(value);
      }
      ways.draw.clear();
      ways.upload.set("");
      input.value = value;
      show("type");
      return true;
    },
  };
}

function drawn(changed) {
  const pad = inkPad(t.pad, () => { buttons(); changed(); });
  const undo = el("button", {type: "button", class: "quiet", onclick: () => { pad.undo(); }}, icon("undo"), t.undo);
  const clear = el("button", {type: "button", class: "quiet", onclick: () => { pad.clear(); }}, t.clear);
  const buttons = () => { undo.disabled = clear.disabled = pad.empty(); };
  buttons();
  return {
    element: el("div", {}, pad.element, el("div", {class: "row spread"}, el("p", {class: "small soft"}, t.hint), el("span", {class: "row"}, undo, clear))),
    problem: () => "", get: pad.image, clear: pad.clear,
  };
}

/**
 * segmented returns a choice of one of a few options, {name: text}, that are all shown. chose is
 * called with a name; select(name) chooses one without that. chosen() returns the input that is.
 */
export function segmented(label, options, chose) {
  const name = newID("choice");
  const inputs = Object.entries(options).map(([value, text]) => [value, text, el("input", {type: "radio", name, value, onchange: () => chose(value)})]);
  return {
    element: el("div", {class: "field-choice", role: "radiogroup", "aria-label": label}, inputs.map(([, text, input]) => el("label", {}, input, el("span", {}, text)))),
    select(value) { for (const [v, , input] of inputs) input.checked = v === value; },
    chosen: () => inputs.map(([, , input]) => input).find((input) => input.checked),
  };
}
