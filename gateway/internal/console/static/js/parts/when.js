// Times as people say them, with the exact time on demand.

import {el} from "../lib/dom.js";
import {ago, time} from "../lib/format.js";
import {setText} from "./rows.js";

/** when returns an element for a time. Set it with setWhen. */
export const when = () => el("time");

/** setWhen shows Unix milliseconds in an element of when; null empties it. */
export function setWhen(element, ms) {
  setText(element, ms === null || ms === undefined ? "" : ago(ms));
  if (element.dataset.ms === String(ms)) return;
  element.dataset.ms = ms ?? "";
  element.dateTime = ms ? new Date(ms).toISOString() : "";
  element.title = time(ms);
}

const minute = 60_000; // milliseconds

/** keepTimes says the times below root anew each minute, until the signal aborts. */
export function keepTimes(root, signal) {
  const timer = setInterval(() => {
    for (const element of root.querySelectorAll("time[data-ms]")) if (element.dataset.ms) setText(element, ago(Number(element.dataset.ms)));
  }, minute);
  signal.addEventListener("abort", () => clearInterval(timer));
}
