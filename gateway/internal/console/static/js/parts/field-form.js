// The fields of a document as a form: their list, the errors above, and the actions below.

import {el, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {fieldActions} from "./field-actions.js";
import {errorSummary} from "./field-errors.js";
import {jsonDialog} from "./field-json.js";
import {fieldList} from "./field-list.js";

const t = strings.fields;

/**
 * fieldForm returns the form of the fields:
 * - element, and tools, which are buttons to show above it
 * - values(), a Map of the changed values by field id, and filled(), whether they have been filled in
 * - enter(values), which enters such a Map and returns {unknown, refused, entered}
 * - open(id), which shows a field and returns false if there is none
 * - place(boxes), which takes boxes by field id for fields that have none
 *
 * edit is called with a field whose definition the person wants to edit, and leave(action) runs
 * an action that may start a download.
 */
export function fieldForm(context, fields, {leave, edit}) {
  const summary = errorSummary();
  const update = () => {
    summary.update(list.rows);
    actions.update();
  };
  const list = fieldList(fields, {marks: context.marks, signal: context.signal, changed: update, edit});
  const values = () => new Map(list.rows.filter((r) => r.changed()).map((r) => [r.field.field_id, r.value()]));
  const actions = fieldActions(context, {
    values, leave, fields: () => fields,
    undo: () => list.rows.filter((r) => r.changed() || r.error).forEach((r) => r.undo()),
    check: () => checked(list, summary), fail: (error) => summary.fail(error, list.rows),
  });
  const enter = (found) => entered(list.rows, found);
  const say = (text, wrong) => actions.say(text, wrong ? "warn" : "good");
  summary.opens(list.open);
  actions.update();
  return {
    element: el("form", {class: "field-form", noValidate: true, onsubmit: (e) => { e.preventDefault(); actions.check(); }}, summary.element, list.element, actions.element),
    tools: [
      el("button", {type: "button", class: "quiet", onclick: () => jsonDialog(enter, say)}, icon("code"), t.json.open),
      el("button", {type: "button", class: "quiet", onclick: actions.call}, icon("copy"), t.call),
    ],
    values, enter, filled: actions.filled, place: list.place,
    open(id) {
      const row = list.rows.find((r) => r.field.field_id === id);
      if (row) list.open(row);
      return Boolean(row);
    },
  };
}

// Enters values by field id, and returns the ids that are unknown and those whose value does
// not fit.
function entered(rows, values) {
  const byID = new Map(rows.map((r) => [r.field.field_id, r]));
  const unknown = [...values.keys()].filter((id) => !byID.has(id));
  const refused = [...values].filter(([id, value]) => byID.has(id) && !byID.get(id).enter(value)).map(([id]) => id);
  return {unknown, refused, entered: values.size - unknown.length - refused.length};
}

// Problems that are known here, such as half a date, are shown without asking the API. Returns
// their number.
function checked(list, summary) {
  for (const row of list.rows) row.fail(row.problem());
  summary.update(list.rows);
  const wrong = list.rows.filter((r) => r.error);
  if (wrong.length) list.open(wrong[0]);
  return wrong.length;
}
