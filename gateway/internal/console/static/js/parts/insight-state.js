// What the panel of insights shows while a document is read, and when that fails.

import {el, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {keys, nameOf} from "./insight-types.js";

const t = strings.insights;

/** progressLine returns {element, show}: show shows how far a Reader is. stop is called by its button. */
export function progressLine(stop) {
  const bar = el("progress", {max: 1, "aria-label": t.progress});
  const stage = el("p", {class: "small"});
  // Every stage would be too much to listen to, so only the beginning and the end are said.
  const said = el("p", {class: "hidden-text", role: "status"});
  const button = el("button", {type: "button", onclick: stop}, icon("stop"), t.stop);
  const line = el("div", {class: "insight-progress"}, el("div", {}, stage, bar), button);
  let wasRunning = false;
  const show = ({running, run, waiting, entries, error, stopped}) => {
    line.hidden = !running;
    if (running && run) {
      bar.value = run.progress;
      stage.textContent = [stageText(run.stage), waiting.length > 0 && t.waiting(waiting.length)].filter(Boolean).join(" ");
    }
    if (running !== wasRunning) said.textContent = running ? t.starting : error || stopped ? "" : t.finished(entries.length);
    wasRunning = running;
  };
  return {element: el("div", {class: "insight-progress-place"}, line, said), show};
}

function stageText(stage) {
  if (!stage) return t.starting;
  return t.stages[stage] ?? (keys.includes(stage) ? t.stage(nameOf(stage)) : t.stages.structured);
}

/** problem returns what to say about a request that failed or was stopped, or null. retry is called by its button. */
export function problem(reader, retry) {
  if (reader.stopped && !reader.running) return el("p", {class: "notice"}, t.stopped);
  const {error} = reader;
  if (!error) return null;
  return el("div", {class: "notice bad insight-problem"},
    el("p", {}, el("strong", {}, t.failed), " ", error.message),
    error.errors?.length > 0 && el("ul", {}, error.errors.map((one) => el("li", {}, t.wrong(one)))),
    el("div", {class: "row"},
      el("button", {type: "button", onclick: retry}, strings.common.retry),
      error.docs && el("a", {href: error.docs, target: "_blank", rel: "noreferrer"}, t.explain(error.code))));
}
