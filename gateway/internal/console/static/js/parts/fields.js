// The panel of the fields of a document.

import * as api from "../lib/api.js";
import {el, fill} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {definitionDialog} from "./field-definition.js";
import {keepDraft, takeDraft} from "./field-drafts.js";
import {fieldForm} from "./field-form.js";
import {fileKind, initial, same} from "./field-values.js";
import {guard} from "./leave-guard.js";
import {addButton} from "./place-field.js";
import {problem} from "./problem.js";

const t = strings.fields;

/**
 * fieldsPanel returns the panel. context is {document, version, marks, signal, changed, place}:
 * the document as GET /documents/{id} returns it, the number of its version, the marks over its
 * pages, a signal that aborts when the person leaves or looks at another version, and a function
 * to call when the document has changed. place(placed, canceled) lets the person draw a box on
 * a page: it calls placed({page, box}) with a box as that of a mark, or canceled(), which is
 * optional, and returns a function that cancels.
 */
export function fieldsPanel(context) {
  const {id} = context.document;
  const panel = el("section", {class: "fields", "aria-label": t.title});
  const draft = takeDraft(id);
  let form = null;
  let marking = new AbortController(); // ends what the form that is shown does
  const values = () => form?.values() ?? draft;
  const leave = guard(() => form?.filled() ? 0 : values().size, context.signal);

  async function load() {
    fill(panel, skeleton());
    try {
      const {items} = await api.get(`/documents/${id}/fields`, {version_number: context.version}, {signal: context.signal});
      show(items);
      if (items.some((f) => !f.bounding_box)) form.place(await places(context));
    } catch (error) {
      if (error.name !== "AbortError") fill(panel, problem(error, {title: t.failed, retry: load}));
    }
  }

  // What the person has entered stays when definitions change.
  function show(fields) {
    const entered = values();
    marking.abort();
    marking = new AbortController();
    const edit = (field, place) => definitionDialog(context, fields, {field, place, done: (items, changed) => { show(items); focus(changed); }});
    form = fieldForm({...context, signal: AbortSignal.any([context.signal, marking.signal])}, fields, {leave, edit});
    fill(panel, header(fields, [...fields.length ? form.tools : [], addButton(context, (place) => edit(null, place))]),
      fields.length ? form.element : empty(context.document.files));
    form.enter(entered);
  }
  const focus = (field) => form.open(field) || panel.querySelector("button")?.focus();
  context.signal.addEventListener("abort", () => keepDraft(id, values()));
  load();
  return panel;
}

// places returns the boxes of fields by their id. The fields of a Word document have no pages,
// but the insight about them says where they are once it is converted. Without that, the fields
// just have no boxes.
async function places({document, version, signal}) {
  try {
    const path = `/documents/${encodeURIComponent(document.id)}`;
    const {version_number: latest} = await api.get(path, {}, {signal, quiet: true});
    if (latest !== version) return new Map(); // insights read the latest version
    const {document_fields: found} = await api.send("POST", "/insights", {document_id: document.id, insights: [{type: "document_fields"}]}, {signal});
    return new Map(found.filter((f) => f.bounding_box).map((f) => [f.field_id, f.bounding_box]));
  } catch (error) {
    if (error.name !== "AbortError") console.warn(error);
    return new Map();
  }
}

function header(fields, tools) {
  const filled = fields.filter((f) => !same(initial(f), "") && !same(initial(f), [])).length;
  return el("header", {class: "field-header"},
    el("h2", {class: "hidden-text"}, t.title), fields.length > 0 && el("p", {class: "small soft"}, t.count(fields.length, filled)),
    el("div", {class: "row field-tools"}, tools));
}

const empty = (files) => el("div", {class: "field-empty"}, el("p", {}, t.none), el("p", {class: "soft"}, {word: t.noneWord, pdf: t.nonePDF}[fileKind(files)] ?? t.noneOther));

const skeleton = () => el("div", {class: "field-skeletons", role: "status", "aria-label": strings.common.loading}, Array.from({length: 6}, () => el("div", {class: "skeleton"})));
