// A field in the list: its label, control and details.

import {el, fill, icon, newID} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {copy} from "../lib/toast.js";
import {describe, fieldControl} from "./field-control.js";
import {toolbar} from "./field-toolbar.js";
import {hasPlace, same} from "./field-values.js";

const t = strings.fields;

/** markID returns the id of the mark of a field. */
export const markID = (field) => `field:${field.field_id}`;

/**
 * FieldRow is a row. It dispatches "change" when its value changes, and "show" and "edit" when
 * the person asks to see the place of the field, or to edit its definition.
 */
export class FieldRow extends EventTarget {
  #control;
  #base;
  #note = el("p", {class: "small soft"});
  #error = el("p", {class: "error", hidden: true});
  #reset;
  #show;
  #required = newID("field-required");
  /** What is wrong with the value, "" for nothing. */
  error = "";

  constructor(field) {
    super();
    this.field = field;
    this.fillable = hasPlace(field);
    this.#control = fieldControl(field, () => this.#changed());
    this.#base = this.#control.get();
    this.element = this.#build();
    if (!this.fillable) for (const input of this.element.querySelectorAll(".field-control :is(input, select, textarea, button)")) input.disabled = true;
  }

  /** place says where the field is, as bounding_box of the API does. */
  place(box) {
    this.field.bounding_box = box;
    this.#show.hidden = false;
  }

  /** value returns what annotate takes. */
  value() { return this.#control.get(); }

  /** changed reports whether the value is another than that in the file. */
  changed() { return this.fillable && !same(this.value(), this.#base); }

  /** problem returns what is wrong before anything is sent, or "". */
  problem() { return this.#control.problem(); }

  /** enter sets the value as if the person had entered it, and returns false if it does not fit. */
  enter(value) {
    if (!this.fillable || !this.#control.set(value)) return false;
    this.#changed();
    return true;
  }

  /** undo sets the value back to that in the file. */
  undo() { this.enter(this.#base); }

  /** fail shows what is wrong with the value, "" for nothing. */
  fail(message, resolution = "") {
    this.error = message;
    fill(this.#error, message, resolution && ` ${resolution}`);
    this.#error.hidden = message === "";
    for (const input of this.#control.inputs) {
      if (message) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
    this.element.classList.toggle("wrong", message !== "");
  }

  /** focus scrolls to the row and focuses its control. */
  focus() {
    this.element.scrollIntoView({block: "center", behavior: "auto"});
    const [first] = this.#control.inputs;
    (this.fillable && first ? first : this.element.querySelector(".field-details button")).focus({preventScroll: true});
  }

  /** matches reports whether the row has the text, which is in lower case. */
  matches(text) {
    const {field_id: id, label, type, options} = this.field;
    return [id, label ?? "", t.types[type] ?? type, ...options ?? []].some((s) => s.toLowerCase().includes(text));
  }

  #changed() {
    this.fail(this.#control.eager ? this.problem() : "");
    this.#showChange();
    this.dispatchEvent(new Event("change"));
  }

  #showChange() {
    this.element.classList.toggle("changed", this.changed());
    this.#reset.hidden = !this.changed();
  }

  #build() {
    const {field} = this;
    const name = field.label || t.unnamed;
    const control = this.#control;
    const hint = !this.fillable ? t.noPlace : [describe(field), control.note].filter(Boolean).join(" ");
    this.#note.textContent = hint;
    this.#note.hidden = hint === "";
    this.#note.id = newID("field-note");
    this.#error.id = newID("field-error");
    const required = field.required && el("span", {class: "badge", id: this.#required}, t.required);
    return el("li", {class: "field"},
      el("div", {class: "field-head"}, this.#label(name), el("span", {class: "field-type"}, required, t.types[field.type] ?? field.type)),
      el("div", {class: "field-control"}, control.element), this.#note, this.#error, this.#details(name));
  }

  #label(name) {
    const {element, group, inputs} = this.#control;
    const described = [this.field.required && this.#required, this.#note.id, this.#error.id].filter(Boolean).join(" ");
    element.setAttribute("aria-describedby", described);
    if (!group) {
      inputs[0].id = newID("field-input");
      return el("label", {class: "field-label", for: inputs[0].id}, name);
    }
    const label = el("span", {class: "field-label", id: newID("field-label")}, name);
    element.setAttribute("role", "group");
    element.setAttribute("aria-labelledby", label.id);
    for (const input of inputs) input.setAttribute("aria-describedby", described);
    return label;
  }

  #details(name) {
    const {field} = this;
    const button = (label, image, onclick) => el("button", {type: "button", class: "quiet icon", title: label, "aria-label": label, onclick}, icon(image));
    const ask = (what) => () => this.dispatchEvent(new Event(what));
    this.#reset = button(t.reset(name), "undo", () => { this.undo(); this.focus(); });
    this.#reset.hidden = true;
    this.#show = button(t.show(name), "place", ask("show"));
    this.#show.hidden = !field.bounding_box;
    return el("div", {class: "field-details"},
      el("code", {title: field.field_id}, field.field_id),
      el("span", {class: "field-source", title: t.sourceHints[field.source]}, t.sources[field.source] ?? field.source),
      toolbar(t.tools(name), [
        this.#reset, button(t.copyID(field.field_id), "copy", () => copy(field.field_id)),
        this.#show, button(t.edit(name), "pen", ask("edit")),
      ]));
  }
}
