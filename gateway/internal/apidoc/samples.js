// Samples of requests in several languages, generated from the OpenAPI description.
//
// A request has a method, a URL, headers and at most one body:
//   json: a value
//   form: a list of parts, each {name, value} with a value to send as JSON, or {name, file}
// and says what its response is: "json", "stream", or "file" with the name to save it as.

import {curl, go, javascript, python} from "./sample-languages.js";

/** languages are the languages of the samples, in the order of their tabs. */
export const languages = [
  {id: "curl", label: "curl", write: curl},
  {id: "go", label: "Go", write: go},
  {id: "python", label: "Python", write: python},
  {id: "javascript", label: "JavaScript", write: javascript},
];

/** keyVariable is the environment variable from which the samples read the API key. */
export const keyVariable = "RECTO_API_KEY";

// Values for path parameters. The description has none, because the explorer would enter
// them into its forms.
const pathValues = {
  document_id: "doc_01h455vb4pex5vsknk084sn02q",
  job_id: "job_01h455vb4pex5vsknk084sn02q",
  page_number: "1",
};

const sampleFile = "agreement.docx";

/** resolved returns what a part of the description refers to, or the part itself. */
export const resolved = (description, part) => {
  while (part?.$ref) part = part.$ref.slice(2).split("/").reduce((at, key) => at[key], description);
  return part;
};

/**
 * requests returns the sample requests of an operation, at least one, each as
 * {label, request}. The label says what is sent.
 */
export const requests = (description, path, method) => {
  const operation = description.paths[path][method];
  const filled = path.replace(/{(\w+)}/g, (_, name) => encodeURIComponent(pathValues[name]));
  const base = {method: method.toUpperCase(), url: description.servers[0].url + filled, headers: []};
  // An empty list of security requirements means that no key is needed.
  if ((operation.security ?? description.security).length > 0) base.headers.push(["x-api-key", {variable: keyVariable}]);
  base.response = responseOf(description, operation, filled);
  const bodies = bodiesOf(description, operation);
  if (bodies.length === 0) return [{label: "Without a body", request: base}];
  return bodies.map(({label, body}) => ({label, request: withBody(base, body)}));
};

const withBody = (base, body) => {
  const request = {...base, ...body, headers: [...base.headers]};
  // HTTP libraries set the Content-Type of a form, with its boundary, themselves.
  if (request.json) request.headers.push(["Content-Type", "application/json"]);
  if (request.json?.stream) {
    request.headers.push(["Accept", "text/event-stream"]);
    request.response = {kind: "stream"};
  }
  return request;
};

const responseOf = (description, operation, path) => {
  const types = Object.keys(resolved(description, operation.responses["200"]).content ?? {});
  if (types.includes("application/json")) return {kind: "json"};
  return {kind: "file", name: "page-" + path.split("/").pop()};
};

const bodiesOf = (description, operation) => {
  const content = resolved(description, operation.requestBody)?.content ?? {};
  return Object.entries(content).flatMap(([type, media]) => {
    if (type === "multipart/form-data") return [{label: "A form with a file", body: {form: partsOf(description, media.schema)}}];
    if (media.examples) return Object.values(media.examples).map((e) => ({label: e.summary, body: {json: e.value}}));
    return [{label: "JSON", body: {json: media.example}}];
  });
};

// partsOf returns the parts of a form: its required properties. One that is not an object
// is a file, or a list of files of which one is sent.
const partsOf = (description, schema) => {
  const {properties, required} = resolved(description, schema);
  return required.map((name) => {
    const property = resolved(description, properties[name]);
    return property.type === "object" ? {name, value: exampleOf(description, property)} : {name, file: sampleFile};
  });
};

const exampleOf = (description, schema) =>
  Object.fromEntries(schema.required.map((name) => [name, resolved(description, schema.properties[name]).examples[0]]));
