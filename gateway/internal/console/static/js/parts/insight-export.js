// Insights as files and as requests.

import {curl} from "../lib/curl.js";
import {strings} from "../lib/strings.js";
import {confidenceOf, pageOf, shown} from "./insight-types.js";

const t = strings.insights;

/** request returns the body of a request for insights. context may be empty. */
export function request(documentID, insights, context = "") {
  return {document_id: documentID, insights, ...context && {context}};
}

/** callFor returns the command that asks for insights like an entry only. */
export function callFor(documentID, {key, item}, context) {
  const insight = key === "custom_prompt" ? {type: key, message: item.message} : {type: key};
  return curl({method: "POST", path: "/insights", body: request(documentID, [insight], context)});
}

/** saveJSON downloads the result as the API returned it. */
export function saveJSON(name, result) {
  save(`${t.fileName(name)}.json`, "application/json", JSON.stringify(result, null, 2));
}

/** saveCSV downloads entries as a table with one line each. */
export function saveCSV(name, entries) {
  save(`${t.fileName(name)}.csv`, "text/csv", csv(entries));
}

/** csv returns entries in the format of RFC 4180, with a byte order mark, by which spreadsheets know UTF-8. */
export function csv(entries) {
  return "\uFEFF" + [t.csvHead, ...entries.map(line)].map((cells) => cells.map(cell).join(",") + "\r\n").join("");
}

function line({key, item}) {
  const {headline, badge, line: second, question, empty, facts = []} = shown(key, item);
  const details = [question, badge, second, ...facts.map(([name, value]) => `${name}: ${value}`)].filter(Boolean).join("; ");
  return [key, empty ? "" : headline, details, pageOf(item), item.quote, confidenceOf(key, item), item.reasoning];
}

// A spreadsheet takes a cell that begins with one of these for a formula.
const formula = /^[=+\-@\t\r]/;

function cell(value) {
  const text = String(value ?? "");
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const link = document.createElement("a");
  Object.assign(link, {href: address, download: name.replaceAll(/[\\/:*?"<>|\u0000-\u001f]/g, "_").slice(-200)});
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
