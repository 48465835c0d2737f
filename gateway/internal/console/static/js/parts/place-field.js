// Adding a field to a page of a PDF.

import {el, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {fileKind} from "./field-values.js";

/** Where a field is at first if nobody can draw its place: low on the first page, as large as a signature. */
const proposed = {page: 1, box: {left: 0.1, top: 0.8, width: 0.35, height: 0.04}};

/**
 * addButton returns a button that adds a field, or null for a document without pages to place it
 * on. add is called with {page, box} after the person has drawn it.
 */
export function addButton(context, add) {
  if (fileKind(context.document.files) !== "pdf") return null;
  const begin = () => context.place ? context.place(add, () => button.focus()) : add(proposed);
  const button = el("button", {type: "button", class: "quiet", onclick: begin}, icon("plus"), strings.fields.definition.add);
  return button;
}
