// A dialog for the definition of a field: that of one which the document has, or of a new one on
// a page.

import * as api from "../lib/api.js";
import {control, el} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {toast} from "../lib/toast.js";
import {definitionOf, freeID, slug} from "./definitions.js";
import {sentence, withoutPath} from "./field-errors.js";
import {hasLength, hasOptions} from "./field-values.js";

const t = strings.fields.definition;

/**
 * definitionDialog opens the dialog for field, or for a new field at place, {page, box}. fields
 * are all fields of the document, whose definitions are kept. done is called with the fields
 * after they are saved, and the id of the one that was.
 */
export function definitionDialog(context, fields, {field, place, done}) {
  const form = inputs(fields, field, place);
  const error = el("p", {class: "error", role: "alert"});
  const save = el("button", {type: "submit", class: "primary"}, t.save);
  const path = `/documents/${context.document.id}/fields`;
  const version = {version_number: context.version};

  // All definitions are replaced, so those that others have set meanwhile are sent as well.
  async function put(changed, said, id) {
    error.textContent = "";
    form.clear();
    save.disabled = true;
    let definitions = [];
    try {
      const {items: current} = await api.get(path, version, {signal: context.signal});
      const kept = current.filter((f) => f.source === "registry" && f.field_id !== field?.field_id);
      definitions = [...kept.map(definitionOf), ...changed];
      const {items} = await api.send("PUT", api.query(path, version), {fields: definitions}, {signal: context.signal});
      dialog.close();
      toast(said);
      done(items, id);
    } catch (failure) {
      if (failure.name === "AbortError") return;
      error.textContent = form.fail(failure, definitions.length - 1);
      save.disabled = false;
    }
  }
  const removable = field?.source === "registry";
  const dialog = el("dialog", {"aria-label": field ? t.editTitle : t.addTitle, onclose: () => dialog.remove()},
    el("form", {noValidate: true, onsubmit: (e) => { e.preventDefault(); put([form.definition()], t.saved, form.definition().field_id); }},
      el("h2", {}, field ? t.editTitle : t.addTitle), form.elements, error, removable && el("p", {class: "small soft"}, t.removeHint),
      el("div", {class: "actions"},
        removable && el("button", {type: "button", class: "danger field-load", onclick: () => put([], t.removed, field.field_id)}, t.remove),
        el("button", {type: "button", onclick: () => dialog.close()}, strings.common.cancel), save)));
  document.body.append(dialog);
  dialog.showModal();
  form.label.focus();
}

// The inputs of the form: their elements, the definition that they make, and fail, which shows
// the entries of an error at them and returns what belongs to none.
function inputs(fields, field, place) {
  const taken = fields.map((f) => f.field_id);
  const text = (value, more = {}) => el("input", {type: "text", autocomplete: "off", spellcheck: false, value: value ?? "", ...more});
  const number = (value, more = {}) => text(value, {inputMode: "numeric", ...more});
  const all = {
    label: text(field?.label, {maxLength: 500}),
    type: el("select", {}, Object.entries(strings.fields.types).map(([value, name]) => el("option", {value}, name))),
    field_id: text(field?.field_id ?? freeID("field", taken), {class: "mono", readOnly: Boolean(field)}),
    required: el("input", {type: "checkbox", checked: field?.required ?? false}),
    options: el("textarea", {rows: 4, value: (field?.options ?? []).join("\n")}),
    min: number(field?.type === "checkbox" ? field.min : null), max: number(field?.max),
    multiple: el("input", {type: "checkbox", checked: field?.multiple ?? false}),
  };
  all.type.value = field?.type ?? "text";
  const position = positionInputs(field ? placeOf(field) : place, number);
  const rows = layout(all, position);
  let named = Boolean(field); // a new field is called after its label, until the person calls it otherwise
  all.field_id.addEventListener("input", () => { named = true; });
  all.label.addEventListener("input", () => { if (!named) all.field_id.value = freeID(slug(all.label.value) || "field", taken); });
  const adapt = () => {
    const type = all.type.value;
    rows.options.hidden = !hasOptions(type);
    rows.min.hidden = type !== "checkbox";
    rows.max.hidden = type !== "checkbox" && !hasLength(type);
    rows.max.querySelector("label").textContent = type === "checkbox" ? t.max : t.maxLength;
    rows.multiple.hidden = type !== "image";
  };
  all.type.addEventListener("change", adapt);
  adapt();
  return {
    elements: Object.values(rows), label: all.label, clear: () => clear(rows),
    definition: () => ({...read(all), ...position?.read()}), fail: (error, index) => fail(rows, error, index),
  };
}

function layout(all, position) {
  const box = (input, label, hint) => el("div", {class: "control"}, el("label", {class: "field-check"}, input, label), hint && el("p", {class: "small soft"}, hint));
  return {
    label: control(t.label, all.label), type: control(t.type, all.type), field_id: control(t.id, all.field_id, all.field_id.readOnly ? undefined : t.idHint),
    options: control(t.options, all.options, t.optionsHint), min: control(t.min, all.min), max: control(t.max, all.max),
    multiple: box(all.multiple, t.multiple), required: box(all.required, t.required, t.requiredHint),
    ...position && {bounding_box: position.element},
  };
}

// Only a field that a definition placed has a position to change. The API ignores it for others.
const placeOf = (field) => field.source === "registry" && field.bounding_box ? {page: field.bounding_box.page, box: field.bounding_box} : null;

const percent = (fraction) => String(Math.round(fraction * 10000) / 100);

function positionInputs(place, number) {
  if (!place) return null;
  const page = number(place.page);
  const sides = ["left", "top", "width", "height"].map((side) => [side, number(percent(place.box[side]), {inputMode: "decimal"})]);
  return {
    element: el("fieldset", {class: "control"}, el("legend", {}, t.position),
      el("div", {class: "field-position"}, control(t.page, page), sides.map(([side, input]) => control(t[side], input))),
      el("p", {class: "small soft"}, t.positionHint)),
    read: () => ({page_number: parsed(page.value), bounding_box: Object.fromEntries(sides.map(([side, input]) => [side, fraction(input.value)]))}),
  };
}

const count = (input) => input.value.trim() === "" ? undefined : parsed(input.value);

// What is no number is sent as it is, so that the API says what is wrong with it.
const parsed = (text) => text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
const fraction = (text) => typeof parsed(text) === "number" ? parsed(text) / 100 : text;

// Members that the type does not have are left out: they are refused.
function read(all) {
  const type = all.type.value;
  const options = all.options.value.split("\n").map((o) => o.trim()).filter(Boolean);
  return {
    field_id: all.field_id.value.trim(), type, label: all.label.value.trim() || undefined, required: all.required.checked,
    options: hasOptions(type) && options.length ? options : undefined,
    min: type === "checkbox" ? count(all.min) : undefined,
    max: type === "checkbox" || hasLength(type) ? count(all.max) : undefined,
    multiple: type === "image" ? all.multiple.checked : undefined,
  };
}

function clear(rows) {
  for (const row of Object.values(rows)) {
    row.querySelector(".error")?.remove();
    for (const input of row.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  }
}

function fail(rows, error, index) {
  const rest = [];
  for (const entry of error.errors ?? []) {
    const member = entry.path.startsWith(`fields.${index}.`) ? entry.path.split(".")[2] : "";
    const row = rows[member === "page_number" ? "bounding_box" : member];
    const text = `${sentence(t.wrong(withoutPath(entry)))} ${entry.resolution}`;
    if (!row || row.hidden || row.querySelector(".error")) {
      rest.push(text);
      continue;
    }
    row.append(el("p", {class: "error"}, text));
    const input = row.querySelector("input, select, textarea");
    input.setAttribute("aria-invalid", "true");
    if (!document.activeElement?.matches("dialog [aria-invalid]")) input.focus();
  }
  return rest.join(" ") || (error.errors?.length ? "" : error.message);
}
