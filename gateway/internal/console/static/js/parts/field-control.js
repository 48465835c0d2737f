// Controls to enter the value of a field, one kind for each type.

import {el, newID} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {initial, same} from "./field-values.js";
import {imageControl} from "./image-input.js";
import {signatureControl} from "./signature-pad.js";

const t = strings.fields;

/**
 * fieldControl returns the control of a field:
 * - element, what the row shows, and group, whether it is labeled as a group
 * - inputs, the elements that take the focus and are invalid; the first one gets the focus
 * - get(), the value as annotate takes it
 * - set(value), which returns false if the control cannot show the value
 * - problem(), what is wrong before anything is sent, or ""; eager, whether to show it at once
 * - note, what to say about the value in the file if the control cannot show it, or ""
 * changed is called when the person changes the value.
 */
export function fieldControl(field, changed) {
  const control = make(field, changed);
  const value = initial(field);
  control.note = same(value, "") || control.set(value) ? "" : t.inFile(value);
  return control;
}

function make(field, changed) {
  switch (field.type) {
    case "checkbox": return boxes(field, changed);
    case "dropdown": case "gender": return field.options?.length ? choice(field, changed) : line(field, changed);
    case "date": return day(changed);
    case "text": case "address": return lines(changed);
    case "image": return imageControl(field, changed);
    case "signature": return signatureControl(field, changed);
    default: return line(field, changed);
  }
}

// What the API takes is checked by the API, with its messages, so the types of inputs only
// choose keyboards.
const keyboards = {phone: "tel", email: "email", url: "url", number: "decimal", ssn: "numeric"};

function line(field, changed) {
  return simple(el("input", {
    type: "text", inputMode: keyboards[field.type] ?? "text", autocomplete: "off", spellcheck: false, placeholder: t.hints[field.type] ?? "", oninput: changed,
  }));
}

const lines = (changed) => simple(el("textarea", {rows: 1, autocomplete: "off", oninput: changed}));

function simple(input) {
  return {
    element: input, inputs: [input], problem: () => "", get: () => input.value,
    set(value) {
      if (Array.isArray(value)) return false;
      input.value = value;
      return true;
    },
  };
}

// A day of the calendar as the input takes it.
const isDay = (value) => /^\d{4}-\d\d-\d\d$/.test(value) && new Date(`${value}T00:00Z`).toJSON()?.startsWith(value);

function day(changed) {
  const input = el("input", {type: "date", oninput: changed, onchange: changed});
  return {
    ...simple(input),
    // An incomplete date has no value, so it would be taken for an empty one.
    problem: () => input.validity.badInput ? t.badDate : "",
    set(value) {
      if (value !== "" && !isDay(value)) return false;
      input.value = value;
      return true;
    },
  };
}

function choice(field, changed) {
  const input = el("select", {onchange: changed}, el("option", {value: ""}, t.choose), field.options.map((o) => el("option", {value: o}, o)));
  return {
    ...simple(input),
    set(value) {
      if (value !== "" && !field.options.includes(value)) return false;
      input.value = value;
      return true;
    },
  };
}

function boxes(field, changed) {
  const options = field.options ?? [];
  const name = newID("option");
  const inputs = options.map((option) => el("input", {type: "checkbox", name, value: option, onchange: changed}));
  return {
    group: true, inputs, problem: () => "",
    element: el("div", {class: "field-options"}, inputs.map((input) => el("label", {}, input, el("span", {}, input.value)))),
    get: () => inputs.filter((i) => i.checked).map((i) => i.value),
    set(value) {
      const chosen = value === "" ? [] : [value].flat();
      if (!chosen.every((v) => options.includes(v))) return false;
      for (const input of inputs) input.checked = chosen.includes(input.value);
      return true;
    },
  };
}

/** describe returns the hint below a control, "" for none. */
export function describe(field) {
  const limit = field.type === "checkbox" ? null : field.max ?? field.max_length;
  return [
    field.type === "checkbox" && (field.options?.length ?? 0) > 1 ? t.options(field.min, field.max) : "",
    limit ? t.atMost(limit) : "",
    field.read_only ? t.readOnly : "",
  ].filter(Boolean).join(" ");
}

