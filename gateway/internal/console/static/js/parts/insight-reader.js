// Reads insights of one document, one request after the other, and keeps what was found.

import {events} from "./insight-stream.js";
import {keys} from "./insight-types.js";

// While items arrive, listeners are told at most once in this time, in milliseconds.
const tick = 60;

/**
 * Reader asks for insights. It dispatches "change" when entries, progress or error have
 * changed, and "done" when a request has its whole result.
 *
 * An entry is {id, key, index, item}. It stays the same object when the result replaces what
 * the stream brought, so that its row stays too.
 */
export class Reader extends EventTarget {
  /** All that was found: the result of the API, with later results merged into it; null before the first. */
  result = null;
  /** The items of result and of the request in progress. */
  entries = [];
  /** The request in progress or that failed last: {body, stage, progress}; null for none. */
  run = null;
  /** Whether a request is in progress. */
  running = false;
  /** The error that ended the last request, or null. */
  error = null;
  /** Whether a person stopped the last request. */
  stopped = false;
  /** The requests that wait. */
  waiting = [];

  #signal;
  #abort = null;
  #partial = new Map(); // key to the items of the request in progress
  #last = 0;
  #known = new WeakMap(); // item to entry
  #timer = 0;

  /** @param {AbortSignal} signal ends everything */
  constructor(signal) {
    super();
    this.#signal = signal;
    signal.addEventListener("abort", () => { this.waiting = []; this.#abort?.abort(); clearTimeout(this.#timer); });
  }

  /** read sends a request for insights, after those that are in progress. */
  read(body) {
    this.waiting.push(body);
    if (this.running) this.#changed();
    else this.#next();
  }

  /** stop ends the request in progress, and forgets those that wait. What was found stays. */
  stop() {
    this.waiting = [];
    this.#abort?.abort();
  }

  /** retry sends the request that failed again. It continues where the stream broke off. */
  retry() {
    const refused = this.error?.code && this.error.code < 5000;
    if (refused) this.#restart();
    this.#follow();
  }

  #next() {
    const body = this.waiting.shift();
    if (!body) return;
    this.#keep();
    this.run = {body, stage: "", progress: 0};
    this.#restart();
    this.#follow();
  }

  #restart() {
    this.#last = 0;
    this.#partial = new Map();
  }

  async #follow() {
    Object.assign(this, {running: true, error: null, stopped: false});
    this.#abort = new AbortController();
    this.#changed();
    try {
      for await (const event of events(this.run.body, {signal: this.#abort.signal, after: this.#last})) this.#take(event);
    } catch (error) {
      if (this.#signal.aborted) return;
      this.stopped = error.name === "AbortError";
      if (this.stopped) this.#keep();
      else this.error = error;
    }
    this.running = false;
    this.#changed();
    if (!this.error) this.#next();
  }

  #take({event, id, ...data}) {
    this.#last = id;
    if (event === "done") return this.#finish(data);
    if (event === "progress") Object.assign(this.run, data);
    if (event === "insight" && keys.includes(data.key)) {
      if (!this.#partial.has(data.key)) this.#partial.set(data.key, []);
      this.#partial.get(data.key).push(data.item);
    }
    this.#timer ||= setTimeout(() => this.#changed(), tick);
  }

  #finish(fresh) {
    this.#recognize(fresh);
    this.result = merge(this.result, fresh);
    this.run = null;
    this.#partial = new Map();
    this.#changed();
    this.dispatchEvent(new Event("done"));
  }

  // What a request found before it was stopped or failed stays.
  #keep() {
    if (this.#partial.size) this.result = merge(this.result, this.#added());
    this.run = null;
    this.#partial = new Map();
  }

  // What the request in progress adds. Items of a key that was read before stay until the
  // result replaces them, so that a list does not shrink and grow again.
  #added() {
    const added = [...this.#partial].filter(([key]) => key === "custom_prompt" || !list(this.result?.[key]).length);
    return Object.fromEntries(added.map(([key, items]) => [key, isList(key) ? items : items[0]]));
  }

  // Gives the items of a result the entries of the same items that are shown already.
  #recognize(fresh) {
    const shown = new Map();
    for (const entry of this.entries) {
      const text = entry.key + JSON.stringify(entry.item);
      if (!shown.has(text)) shown.set(text, []);
      shown.get(text).push(entry);
    }
    for (const key of keys) {
      for (const item of list(fresh[key])) {
        const entry = shown.get(key + JSON.stringify(item))?.shift();
        if (entry) this.#known.set(item, Object.assign(entry, {item}));
      }
    }
  }

  #changed() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const items = merge(this.result, this.#added());
    this.entries = keys.flatMap((key) => list(items[key]).map((item, index) => this.#entry(key, index, item)));
    this.dispatchEvent(new Event("change"));
  }

  #entry(key, index, item) {
    const entry = this.#known.get(item) ?? {item};
    this.#known.set(item, entry);
    return Object.assign(entry, {id: `insight:${key}:${index}`, key, index});
  }
}

const isList = (key) => key !== "document_ids" && key !== "document_fields_pages";

// Some keys hold one object. Nothing is shown of one without members.
function list(value) {
  if (Array.isArray(value)) return value;
  return value && Object.keys(value).length ? [value] : [];
}

// Keys that were not asked for are absent or null, and the former ones stay. So do the
// answers to other questions.
function merge(former, fresh) {
  if (!former) return fresh;
  const asked = Object.entries(fresh).filter(([, value]) => value !== null);
  const merged = {...former, ...Object.fromEntries(asked)};
  if (former.custom_prompt && fresh.custom_prompt) {
    const questions = new Set(fresh.custom_prompt.map((i) => i.message));
    merged.custom_prompt = [...former.custom_prompt.filter((i) => !questions.has(i.message)), ...fresh.custom_prompt];
  }
  return merged;
}
