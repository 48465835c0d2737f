// The panel of the insights of a document.

import * as api from "../lib/api.js";
import {el, fill, icon} from "../lib/dom.js";
import {number} from "../lib/format.js";
import {strings} from "../lib/strings.js";
import {askForm} from "./insight-ask.js";
import {callFor, request, saveCSV, saveJSON} from "./insight-export.js";
import {Filter} from "./insight-filter.js";
import {List} from "./insight-list.js";
import {Reader} from "./insight-reader.js";
import {setup} from "./insight-setup.js";
import {progressLine, problem} from "./insight-state.js";
import {keys, nameOf} from "./insight-types.js";

const t = strings.insights;
const fewest = 6; // insights that are worth a filter

/**
 * insightsPanel returns the panel. Its context is that of fieldsPanel. When a result is
 * complete, it dispatches "insights" on context.marks, with the result as detail.
 */
export function insightsPanel(context) {
  const panel = new Panel(context);
  return panel.element;
}

class Panel {
  #context;
  #parts = {};
  #reader;
  #list;
  #filter;
  #setup;
  #problem = false;

  constructor(context) {
    const {document: stored, marks, signal} = context;
    this.#context = context;
    this.#reader = new Reader(signal);
    this.#setup = setup(() => this.#read(this.#setup.insights()));
    this.#list = new List({marks, signal, call: (entry) => callFor(stored.id, entry, this.#setup.context())});
    this.#filter = new Filter(() => this.#show(), (entry) => this.#list.rowOf(entry).text);
    this.#reader.addEventListener("change", () => this.#show());
    this.#reader.addEventListener("done", () => marks.dispatchEvent(new CustomEvent("insights", {detail: this.#reader.result})));
    this.#build();
    this.#show();
  }

  #build() {
    this.#parts.again = el("button", {type: "button", "aria-expanded": "false", onclick: () => this.#unfold(this.#setup.element.hidden)}, t.read);
    this.#parts.files = el("div", {class: "row", role: "group", "aria-label": t.export},
      el("button", {type: "button", onclick: () => saveJSON(this.#context.document.name, this.#reader.result)}, icon("download"), t.json),
      el("button", {type: "button", onclick: () => saveCSV(this.#context.document.name, this.#reader.entries)}, icon("download"), t.csv));
    this.#parts.intro = el("p", {class: "soft"}, t.intro);
    this.#parts.latest = el("p", {class: "notice", hidden: true});
    this.#parts.ask = askForm((questions) => this.#ask(questions));
    this.#parts.progress = progressLine(() => this.#stop());
    this.#parts.problem = el("div", {class: "insight-problem-place", role: "alert"});
    this.#parts.count = el("p", {class: "insight-count", "aria-live": "polite"});
    this.#parts.top = el("div", {class: "row spread"}, this.#parts.count, el("div", {class: "row"}, this.#parts.again, this.#parts.files));
    this.#parts.found = el("div", {class: "insight-found"}, this.#filter.element, this.#list.hint, this.#list.element);
    this.#parts.none = el("div", {class: "insight-none"});
    this.#parts.end = el("div", {class: "insight-end small soft"});
    this.element = el("div", {class: "insights"},
      el("h2", {class: "hidden-text"}, t.title), this.#parts.intro, this.#parts.top, this.#parts.latest, this.#setup.element, this.#parts.ask.element,
      this.#parts.progress.element, this.#parts.problem, this.#parts.found, this.#parts.none, this.#parts.end);
  }

  #ask(questions) {
    this.#read(questions.map((message) => ({type: "custom_prompt", message})));
  }

  #read(insights) {
    const focused = this.#setup.element.contains(document.activeElement);
    if (insights.some(({type}) => type !== "custom_prompt")) this.#parts.again.textContent = t.readAgain;
    this.#unfold(false);
    this.#filter.clear(); // what is asked for now is not to be hidden
    this.#reader.read(request(this.#context.document.id, insights, this.#setup.context()));
    if (focused) this.#parts.again.focus();
    this.#compareVersion().catch(() => {}); // if the document is unreachable, so are its insights
  }

  // The API reads the latest version. On the pages of another one, marks would be in the wrong places.
  async #compareVersion() {
    const {version_number: latest} = await api.get(`/documents/${encodeURIComponent(this.#context.document.id)}`, {}, {signal: this.#context.signal, quiet: true});
    this.#list.draws = latest === this.#context.version;
    this.#parts.latest.hidden = this.#list.draws;
    this.#parts.latest.textContent = t.latest(latest);
    this.#show();
  }

  // The button that stops goes as soon as it was used.
  #stop() {
    this.#reader.stop();
    this.#parts.again.focus();
  }

  #retry() {
    this.#reader.retry();
    this.#parts.again.focus();
  }

  // The setup is folded once something was read.
  #unfold(open) {
    this.#setup.element.hidden = !open;
    this.#parts.again.setAttribute("aria-expanded", String(open));
    if (open) this.#setup.element.querySelector(".primary").focus();
  }

  #show() {
    const {entries, result, running, stopped, error} = this.#reader;
    const started = Boolean(running || result || stopped || error || entries.length);
    this.#parts.top.hidden = !started;
    this.#parts.intro.hidden = started;
    this.#parts.ask.examples.hidden = started;
    this.#parts.ask.hint.classList.toggle("hidden-text", started);
    this.#parts.files.hidden = !result;
    this.#parts.found.hidden = entries.length === 0;
    this.#parts.progress.show(this.#reader);
    this.#showProblem();
    this.#filter.count(entries);
    const matching = this.#list.show(entries, (entry) => this.#filter.matches(entry), this.#filter.by);
    this.#filter.element.hidden = entries.length < fewest && matching === entries.length;
    this.#parts.count.setAttribute("aria-live", running ? "off" : "polite");
    this.#parts.count.textContent = entries.length || (result && !running) ? t.count(matching, entries.length) : "";
    this.#showEnd(matching);
  }

  // It is built again only if it changed, so that its button keeps the focus.
  #showProblem() {
    const {error, stopped, running} = this.#reader;
    const what = error ?? (stopped && !running);
    if (what === this.#problem) return;
    this.#problem = what;
    fill(this.#parts.problem, problem(this.#reader, () => this.#retry()));
  }

  #showEnd(matching) {
    const {entries, result, running} = this.#reader;
    const nothing = result && !running && entries.length === 0;
    fill(this.#parts.none, nothing && [el("p", {}, t.nothing), el("p", {class: "small soft"}, t.nothingHint)],
      entries.length > 0 && matching === 0 && [el("p", {}, t.noMatch), el("button", {type: "button", onclick: () => { this.#filter.clear(); this.#filter.search.focus(); }}, t.clear)]);
    const empty = Object.entries(result ?? {}).filter(([key, value]) => keys.includes(key) && Array.isArray(value) && value.length === 0).map(([key]) => nameOf(key));
    fill(this.#parts.end, empty.length > 0 && entries.length > 0 && el("p", {}, t.nothingOf(empty.join(", "))), entries.length > 0 && el("p", {}, t.check), result?.usage && el("p", {}, used(result.usage)));
  }
}

// What was used of a language model, in one line.
function used({engine, provider, model, input_tokens: sent, output_tokens: written, cost_usd: cost}) {
  const price = cost === null ? "" : new Intl.NumberFormat(navigator.language, {style: "currency", currency: "USD", maximumSignificantDigits: 3}).format(cost);
  return t.usage({engine: t.engines[engine] ?? engine, provider, model, tokens: number(sent + written), cost: price});
}
