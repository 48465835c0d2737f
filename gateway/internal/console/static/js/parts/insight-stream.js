// The events of a request for insights, also if the connection breaks in between.

import * as api from "../lib/api.js";
import {strings} from "../lib/strings.js";

const attempts = 3; // how often a broken stream is continued
const pause = 700; // milliseconds before the first attempt; each later one waits twice as long

/** Broken means that the stream broke off and could not be continued. */
export class Broken extends Error {}

/**
 * events sends a request for insights and yields its events up to "done". after is the id of
 * the last event that is known, 0 for none. It throws an APIError for an event "error", and
 * Broken if the stream breaks off more than 3 times. The errors of api.stream are thrown too.
 */
export async function* events(body, {signal, after = 0}) {
  let last = after;
  for (let broken = 0; broken <= attempts; broken++) {
    if (broken > 0) await wait(pause * 2 ** (broken - 1), signal);
    try {
      for await (const event of api.stream(body, {signal, lastEventID: last})) {
        if (event.event === "error") throw Object.assign(new api.APIError(0, event), {streamed: true});
        last = event.id;
        yield event;
        if (event.event === "done") return;
      }
    } catch (error) {
      if (!isBreak(error, broken > 0)) throw error;
    }
  }
  throw new Broken(strings.insights.broken);
}

// A proxy may answer with a 5xx status while the server that broke the stream restarts.
function isBreak(error, continuing) {
  if (error.name === "AbortError" || error.streamed) return false;
  if (error instanceof api.APIError) return continuing && error.status >= 500;
  return error instanceof api.Unreachable || error instanceof TypeError;
}

const wait = (ms, signal) => new Promise((resolve, reject) => {
  const stop = () => { clearTimeout(timer); reject(new DOMException("Stopped.", "AbortError")); };
  const timer = setTimeout(() => { signal.removeEventListener("abort", stop); resolve(); }, ms);
  signal.addEventListener("abort", stop, {once: true});
});
