// The values of fields, as the API sends and takes them. Nothing here touches the page.

const textTypes = ["text", "name", "company", "address", "phone", "email", "url", "signature"];

/** hasLength reports whether the max of a type counts characters. */
export const hasLength = (type) => textTypes.includes(type);

/** hasOptions reports whether a type has options to choose from. */
export const hasOptions = (type) => ["checkbox", "dropdown", "gender"].includes(type);

/** same reports whether two values are equal: strings, which may be large images, or arrays of them. */
export const same = (a, b) => Array.isArray(a) && Array.isArray(b) ? a.length === b.length && a.every((item, i) => item === b[i]) : a === b;

/**
 * initial returns the value that a field has in the file, in the form that annotate takes: an
 * array for a checkbox, and a string for other fields, "" for an empty one.
 */
export function initial(field) {
  if (field.type === "checkbox") return [field.value ?? []].flat();
  return [field.value ?? ""].flat().join(", ");
}

/** labelOf returns what a person calls a field: its label, or its id. */
export const labelOf = (field) => field.label || field.field_id;

/** hasPlace reports whether the file has a place for a field. One that is only defined has none. */
export const hasPlace = (field) => field.source !== "registry" || Boolean(field.xml_path) || field.page_number !== null;

/** body returns the body of annotate for a Map of values by field id. */
export const body = (values) => ({field_values: Object.fromEntries([...values].map(([id, value]) => [id, {value}]))});

/** shown returns body without numbers that identify people: the list of requests shows it. */
export const shown = (values, fields) => body(new Map([...values].map(([id, value]) => [id, secret(fields, id) ? "•••-••-••••" : value])));

const secret = (fields, id) => fields.find((f) => f.field_id === id)?.type === "ssn";

/**
 * parse returns a Map of the values in a JSON text: {"<id>": value}, or the body of annotate.
 * Numbers become strings, as annotate wants them. It throws a SyntaxError if the text is not
 * JSON, and a TypeError if it holds something else.
 */
export function parse(text) {
  const found = JSON.parse(text);
  const values = isObject(found) && isObject(found.field_values) ? found.field_values : found;
  if (!isObject(values)) throw new TypeError("not an object");
  return new Map(Object.entries(values).map(([id, value]) => [id, plain(isObject(value) ? value.value : value)]));
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function plain(value) {
  if (Array.isArray(value)) return value.map(String);
  return value === null || value === undefined ? "" : String(value);
}

const word = /\.(docx|docm|dotx|dotm)$/i;
const wordType = /officedocument\.wordprocessingml|ms-word/;

/** fileKind returns "word" or "pdf" for the file of a document that annotate fills in, or "" if there is none. */
export function fileKind(files) {
  for (const {name, type} of files) {
    if (type === "application/pdf" || /\.pdf$/i.test(name)) return "pdf";
    if (wordType.test(type) || word.test(name)) return "word";
  }
  return "";
}
