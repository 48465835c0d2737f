// What is wrong with the values, above the fields.

import {el, fill} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {labelOf} from "./field-values.js";

const t = strings.fields;

/**
 * errorSummary returns {element, fail, update, opens}: fail shows an error of the API at the
 * rows that it is about, focuses the first of them, and returns their number; update shows what
 * is still wrong with the rows; and opens takes the function that shows a row.
 */
export function errorSummary() {
  let open = () => {};
  const element = el("div", {class: "notice bad field-errors", role: "group", "aria-label": t.errors, tabIndex: -1, hidden: true});

  function show(title, rows, others = []) {
    element.hidden = false;
    fill(element, el("strong", {}, title), (rows.length > 0 || others.length > 0) && el("ul", {},
      others.map((text) => el("li", {}, text)),
      rows.map((row) => el("li", {}, el("button", {type: "button", class: "field-link", onclick: () => open(row)}, labelOf(row.field)), " ", row.error))));
  }
  let before = "";
  function update(rows) {
    const wrong = rows.filter((r) => r.error);
    const now = JSON.stringify(wrong.map((r) => [r.field.field_id, r.error]));
    if (now === before && wrong.length) return; // somebody may be reading it
    before = now;
    if (wrong.length) show(t.wrong(wrong.length), wrong);
    else element.hidden = true;
  }
  return {
    element, update,
    opens(opener) { open = opener; },
    fail(error, rows) {
      const {byRow, others} = assigned(error, rows);
      for (const row of rows) row.fail("");
      for (const [row, {message, resolution}] of byRow) row.fail(message, resolution);
      const wrong = rows.filter((r) => r.error);
      before = "";
      if (wrong.length) show(t.wrong(wrong.length), wrong, others);
      else show(error.message, [], others);
      if (wrong.length) open(wrong[0]);
      else element.focus();
      return wrong.length;
    },
  };
}

const path = /^field_values\.(.+)\.value$/;

// Divides the entries of an error into those of rows, the first for each, and the rest.
function assigned(error, rows) {
  const byID = new Map(rows.map((r) => [r.field.field_id, r]));
  const byRow = new Map();
  const others = [];
  for (const entry of error.errors ?? []) {
    const row = byID.get(entry.path.match(path)?.[1]);
    if (!row) others.push(`${sentence(entry.message)} ${entry.resolution}`);
    else if (!byRow.has(row)) byRow.set(row, {message: sentence(t.wrongValue(withoutPath(entry))), resolution: entry.resolution});
  }
  return {byRow, others};
}

/** withoutPath returns the message of an entry of an error without the path that it begins with. */
export const withoutPath = ({path: at, message}) => message.startsWith(at + " ") ? message.slice(at.length + 1) : message;

/** sentence returns a text that begins with a capital and ends with a period. */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
