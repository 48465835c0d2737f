// Checking the values of fields, and filling them in.

import * as api from "../lib/api.js";
import {curl} from "../lib/curl.js";
import {el, fill, icon} from "../lib/dom.js";
import {time} from "../lib/format.js";
import {strings} from "../lib/strings.js";
import {copy} from "../lib/toast.js";
import {body, fileKind, shown} from "./field-values.js";
import {segmented} from "./signature-pad.js";

const t = strings.fields;

/**
 * fieldActions returns the bar below the fields:
 * - element, whose submit button shall call check()
 * - update(), to call when values have changed
 * - call(), which copies the request as a command
 * - say(text, kind), which shows a message, "good" or "warn"
 * - filled(), whether the current values have been filled in
 *
 * values() returns the changed values by field id, fields() the fields, check() shows local
 * problems and fail(error) an error of the API: both return the number of wrong values. undo()
 * undoes all changes, and leave(action) runs an action that may start a download.
 */
export function fieldActions(context, {values, fields, check, fail, undo, leave}) {
  const said = el("p", {class: "small", role: "status"});
  const result = el("div", {});
  const options = resultOptions(fileKind(context.document.files));
  const count = el("span", {class: "small soft"});
  const resetAll = el("button", {type: "button", class: "quiet", onclick: undo}, icon("undo"), t.resetAll);
  const checkButton = el("button", {type: "submit"}, icon("check"), t.check); // what Enter does in a control, because it changes nothing
  const fillButton = el("button", {type: "button", class: "primary", onclick: () => run(t.filling, options.parameters(), filled)}, t.fill);
  const busy = el("div", {hidden: true});
  let sent = null; // the values that were filled in last, as JSON

  const request = (parameters) => ({method: "POST", path: api.query(`/documents/${context.document.id}/annotate`, {version_number: context.version, ...parameters})});
  const state = () => JSON.stringify([...values()]);
  function say(text, kind = "") {
    said.textContent = text;
    said.className = `small ${kind}`;
    count.hidden = text !== "";
  }

  async function run(doing, parameters, done) {
    say("");
    const wrong = check();
    if (wrong) return say(t.wrong(wrong), "bad");
    const sending = values();
    if (sending.size === 0 && !parameters.flatten) return say(t.nothing);
    const {method, path} = request(parameters);
    const before = document.activeElement;
    const stop = wait(busy, doing, context.signal);
    for (const button of [checkButton, fillButton]) button.disabled = true;
    try {
      done(await api.send(method, path, body(sending), {signal: stop.signal, shown: shown(sending, fields())}), JSON.stringify([...sending]));
    } catch (error) {
      if (error.name === "AbortError") return say(t.stopped);
      const wrong = fail(error);
      if (wrong) say(t.wrong(wrong), "bad");
    } finally {
      stop.end();
      for (const button of [checkButton, fillButton]) button.disabled = false;
      if (document.activeElement === document.body) before?.focus();
    }
  }

  function filled(answer, values) {
    sent = values;
    fill(result, resultCard(answer, leave, () => fill(result)));
    leave(() => result.querySelector("a").click());
  }

  return {
    element: el("div", {class: "field-actions"}, result, busy, el("div", {class: "field-changes"}, said, count, resetAll),
      el("div", {class: "row spread"}, options.element, el("span", {class: "row"}, checkButton, fillButton))),
    say,
    check: () => run(t.checking, {dry_run: true}, () => say(t.valid(values().size), "good")),
    filled: () => sent === state(),
    call: () => copy(curl({...request(options.parameters()), body: body(values())})),
    update() {
      const n = values().size;
      say("");
      count.textContent = t.changes(n);
      resetAll.hidden = n === 0;
    },
  };
}

// A PDF stays one, so only a Word document has a choice of formats.
function resultOptions(kind) {
  let format = kind;
  const flatten = el("input", {type: "checkbox"});
  const flat = el("label", {class: "field-flatten", title: t.flattenHint}, flatten, t.flatten);
  const {element, select} = segmented(t.format, {word: t.word, pdf: t.pdf}, (chosen) => { format = chosen; flat.hidden = format !== "pdf"; });
  select(format);
  flat.hidden = format !== "pdf";
  return {
    element: el("div", {class: "row"}, kind === "word" && element, flat),
    parameters: () => ({format: kind === "word" && format === "pdf" ? "pdf" : undefined, flatten: format === "pdf" && flatten.checked || undefined}),
  };
}

/** wait shows what is done and for how long, with a button to cancel. Its signal aborts by that, or by outer. */
function wait(area, doing, outer) {
  const stop = new AbortController();
  const begin = performance.now();
  const seconds = el("span", {class: "small soft", "aria-hidden": "true"});
  const timer = setInterval(() => { seconds.textContent = t.seconds(Math.round((performance.now() - begin) / 1000)); }, 1000);
  fill(area, el("div", {class: "field-progress", role: "progressbar", "aria-label": doing}),
    el("div", {class: "row spread"}, el("span", {role: "status"}, doing, " ", seconds), el("button", {type: "button", onclick: () => stop.abort()}, icon("stop"), t.cancel)));
  area.hidden = false;
  return {
    signal: AbortSignal.any([stop.signal, outer]),
    end() {
      clearInterval(timer);
      area.hidden = true;
    },
  };
}

// The file is on another origin, which tells the browser to save it: the link is opened, not
// fetched.
function resultCard({download_url: url, expires_at: expires, warnings = []}, leave, close) {
  return el("div", {class: "field-result", role: "status"},
    el("div", {class: "row spread"}, el("strong", {}, t.done),
      el("button", {type: "button", class: "quiet icon", "aria-label": strings.common.dismiss, onclick: close}, icon("close"))),
    el("div", {class: "row"},
      el("a", {class: "button", href: url, download: "", rel: "noreferrer", onclick: () => leave(() => {})}, icon("download"), t.download),
      expires && el("span", {class: "small soft"}, t.expires(time(expires)))),
    warnings.map((w) => el("p", {class: "notice warn small"}, w.message)));
}
