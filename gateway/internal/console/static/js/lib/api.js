// The API, as the console calls it: /console/api stands for /v2, with the session of this
// browser in place of an API key. There is nothing here that a program could not do.

const base = "/console/api";

/** APIError is an error response of the API. */
export class APIError extends Error {
  /** @param {number} status @param {{code?: number, message?: string, detail?: string, errors?: object[], docs?: string}} problem */
  constructor(status, problem) {
    super(problem.detail || problem.message || `The server returned status ${status}.`);
    this.status = status;
    this.code = problem.code;
    this.docs = problem.docs;
    /** One entry for each value that is wrong: path, code, message, value, resolution. */
    this.errors = problem.errors ?? [];
  }
}

/**
 * requests dispatches "request" for each call, whose detail is {method, path, body, form,
 * headers, at}, and "signed-out" when the session has ended.
 */
export const requests = new EventTarget();

/** query returns path with parameters. Those that are undefined, null or "" are left out, and arrays are repeated. */
export function query(path, parameters = {}) {
  const pairs = [];
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(one)}`);
    }
  }
  return pairs.length ? `${path}?${pairs.join("&")}` : path;
}

/** url returns the URL of a GET request, for images and links. */
export const url = (path, parameters) => base + query(path, parameters);

/** get returns the JSON response to GET. Options: signal, quiet to leave it out of the list of requests. */
export const get = (path, parameters, options = {}) => call("GET", query(path, parameters), undefined, options);

/**
 * send returns the JSON response to a request with a JSON body, which may be undefined. Options:
 * signal, headers, quiet, and shown: what the list of requests shows instead of a body that
 * contains secrets.
 */
export const send = (method, path, body, options = {}) => call(method, path, body, options);

async function call(method, path, body, {signal, headers = {}, quiet = false, shown = body} = {}) {
  if (!quiet) announce({method, path, body: shown, headers});
  const response = await reach(base + path, {
    method, signal, headers: body === undefined ? headers : {...headers, "Content-Type": "application/json"},
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return decode(response);
}

const announce = (request) => requests.dispatchEvent(new CustomEvent("request", {detail: {...request, at: new Date()}}));

/** Unreachable means that no response came. */
export class Unreachable extends Error {}

async function reach(to, options) {
  try {
    return await fetch(to, {credentials: "same-origin", redirect: "error", ...options});
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable("The server does not answer.", {cause: error});
  }
}

async function decode(response) {
  const text = await response.text();
  let body = {};
  try {
    body = text === "" ? {} : JSON.parse(text);
  } catch { /* a proxy answered, not Recto */ }
  if (response.ok) return body;
  throw failure(response.status, body);
}

// Codes of missing and of invalid credentials.
const signedOut = [2001, 2002];

function failure(status, problem) {
  if (signedOut.includes(problem.code)) requests.dispatchEvent(new Event("signed-out"));
  return new APIError(status, problem);
}

/**
 * upload sends a document and its files in one request, and returns the document. progress is
 * called with the fraction that is sent. XMLHttpRequest is used because fetch does not tell
 * the progress of uploads.
 */
export function upload(document, files, {progress = () => {}, signal} = {}) {
  announce({method: "POST", path: "/documents", form: {document, files: files.map((f) => f.name)}});
  const form = new FormData();
  form.append("document", JSON.stringify(document));
  for (const file of files) form.append("files", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", base + "/documents");
    request.responseType = "json";
    request.upload.addEventListener("progress", (e) => e.lengthComputable && progress(e.loaded / e.total));
    request.addEventListener("load", () => request.status < 300 ? resolve(request.response) : reject(failure(request.status, request.response ?? {})));
    request.addEventListener("error", () => reject(new Unreachable("The server does not answer.")));
    request.addEventListener("abort", () => reject(new DOMException("The upload was stopped.", "AbortError")));
    signal?.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

/** asset returns a file of the console, such as "sample/contract.docx", as a Blob. */
export async function asset(path, {signal} = {}) {
  const response = await reach("/console/assets/" + path, {signal});
  if (!response.ok) throw new APIError(response.status, {});
  return response.blob();
}

/**
 * stream sends a request for insights and yields the events of the response as they come:
 * {event, id, …}. It returns at the end of the stream. Options: signal, and lastEventID to
 * continue after that event.
 */
export async function* stream(body, {signal, lastEventID} = {}) {
  const asked = {...body, stream: true};
  const headers = {Accept: "application/x-ndjson", ...lastEventID && {"Last-Event-ID": String(lastEventID)}};
  announce({method: "POST", path: "/insights", body: asked, headers});
  const response = await reach(base + "/insights", {method: "POST", signal, headers: {...headers, "Content-Type": "application/json"}, body: JSON.stringify(asked)});
  if (!response.ok) await decode(response);
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of chunks(response.body)) {
    rest += decoder.decode(chunk, {stream: true});
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
  }
}

// Not all browsers can iterate over a stream.
async function* chunks(body) {
  const reader = body.getReader();
  try {
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** signIn exchanges {api_key} or {link} for a session, and returns what GET /me returns. */
export async function signIn(credentials) {
  const response = await reach("/console/session", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(credentials)});
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new APIError(response.status, body);
  return body;
}

/** signOut ends the session. */
export const signOut = () => reach("/console/session", {method: "DELETE"}).then(decode);
