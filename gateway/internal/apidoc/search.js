// The search of the API reference: which operations a query finds, and the field to type
// it into.

import {resolved} from "./samples.js";

const methods = ["GET", "PUT", "POST", "PATCH", "DELETE"];

// words splits a text where a query can begin to match: at each word, and at each part of
// a name such as document_parties.
const words = (text) => text.toLowerCase().split(/[^a-z0-9_]+/).flatMap((word) => [word, ...word.split("_").slice(1)]);

// namesOf collects the names of fields and their enumerated values from a schema.
// Numbers are left out: they are error codes, of which a job can have any.
const namesOf = (description, schema, into, seen = new Set()) => {
  const part = resolved(description, schema);
  if (!part || seen.has(part)) return;
  seen.add(part);
  into.push(...(part.enum ?? []).filter((value) => typeof value === "string"));
  for (const [name, property] of Object.entries(part.properties ?? {})) {
    into.push(name);
    namesOf(description, property, into, seen);
  }
  for (const inner of [part.items, part.additionalProperties, ...(part.oneOf ?? []), ...(part.allOf ?? []), ...(part.anyOf ?? [])]) {
    if (inner && typeof inner === "object") namesOf(description, inner, into, seen);
  }
};

// textsOf returns everything of an operation that can be searched.
const textsOf = (description, operation) => {
  const texts = [operation.summary, operation.description ?? "", operation.operationId, ...operation.tags];
  for (const parameter of operation.parameters ?? []) {
    const {name, description: about} = resolved(description, parameter);
    texts.push(name, about ?? "");
  }
  for (const media of Object.values(resolved(description, operation.requestBody)?.content ?? {})) namesOf(description, media.schema, texts);
  for (const [status, response] of Object.entries(operation.responses)) {
    const {description: about, content} = resolved(description, response);
    texts.push(status, about);
    if (status < "400") for (const media of Object.values(content ?? {})) namesOf(description, media.schema, texts);
  }
  return texts;
};

/**
 * index returns a function that returns the set of operations that a query finds, each as
 * "method path", or undefined if the query is empty. Every word of the query must occur: a
 * method in capitals as the method, a word with punctuation as part of the path or of a
 * name, any other word as the beginning of a word.
 */
export const index = (description) => {
  const entries = [];
  for (const [path, item] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const texts = [path, ...textsOf(description, operation)];
      entries.push({id: `${method} ${path}`, method: method.toUpperCase(), raw: texts.join("\n").toLowerCase(), words: " " + texts.flatMap(words).join(" ")});
    }
  }
  const matches = (entry, word) => {
    if (methods.includes(word)) return entry.method === word;
    const lower = word.toLowerCase();
    return /[^a-z0-9_]/.test(lower) ? entry.raw.includes(lower) : entry.words.includes(" " + lower) || entry.method.toLowerCase() === lower;
  };
  return (query) => {
    const wanted = query.split(/\s+/).filter(Boolean);
    if (wanted.length === 0) return undefined;
    return new Set(entries.filter((entry) => wanted.every((word) => matches(entry, word))).map(({id}) => id));
  };
};

const typing = (element) => element?.closest("input, textarea, select, [contenteditable]");

/**
 * connect makes a form with a search field and a status work. It calls show with what find
 * returns for a query, and first returns the control of the first hit. nothing is shown while
 * a query finds no operation; its button clears the query.
 */
export const connect = (form, {nothing, find, show, first}) => {
  const field = form.querySelector("input"), status = form.querySelector("[role=status]");
  const update = () => {
    const found = find(field.value);
    show(found);
    nothing.hidden = found?.size !== 0;
    document.body.classList.toggle("nothing-found", !nothing.hidden);
    if (found === undefined) status.textContent = "";
    else status.textContent = found.size === 0 ? "No operations found" : found.size === 1 ? "1 operation found" : `${found.size} operations found`;
  };
  const clear = () => {
    field.value = "";
    update();
  };
  field.addEventListener("input", update);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    clear();
  });
  nothing.querySelector("button").addEventListener("click", () => {
    clear();
    field.focus();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    first()?.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
  form.hidden = false;
  update(); // browsers keep what was typed when a page is reloaded
};
