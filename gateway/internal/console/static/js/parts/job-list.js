// A list of jobs that keeps itself up to date.

import * as api from "../lib/api.js";
import {el, fill} from "../lib/dom.js";
import {number} from "../lib/format.js";
import {strings} from "../lib/strings.js";
import {failed, toast} from "../lib/toast.js";
import {ghost} from "./document-table.js";
import {broken, empty} from "./empty.js";
import {known, withDetails} from "./job-details.js";
import {isUnfinished, jobRow} from "./job-row.js";
import {pager, sizes} from "./pager.js";
import {showRows} from "./rows.js";
import {keepTimes} from "./when.js";

const soon = 2_000; // milliseconds, while a job is unfinished
const later = 15_000;
const t = strings.jobs;

/** jobList returns the jobs of a document, or all if there is no documentID. It refreshes itself until signal aborts. */
export function jobList({documentID, signal}) {
  let query = {page: 1, size: sizes[0], document_id: documentID};
  const list = new JobList({
    signal, withDocument: !documentID, href: () => undefined,
    changed: (values) => list.load(query = {...query, page: 1, ...values}),
    none: () => empty("file", t.emptyTitle, documentID ? t.emptyHere : t.empty),
  });
  list.load(query);
  return list.element;
}

/**
 * JobList is the list for the parameters of GET /jobs that load is given. changed is called
 * with the {page} or {size} that a person chose, href returns the address of a page, none
 * returns what to show instead of no jobs, and loaded is called with each response.
 */
export class JobList {
  #query = {};
  #signal;
  #loading = new AbortController();
  #timer;
  #items = [];
  #none;
  #loaded;
  #row;

  constructor({signal, withDocument, href, changed, none, loaded = () => {}}) {
    this.#signal = signal;
    this.#none = none;
    this.#loaded = loaded;
    this.withDocument = withDocument;
    this.#row = () => jobRow({withDocument, cancel: (job, button) => this.#cancel(job, button), download: (job, button) => this.#download(job, button)});
    this.body = el("tbody", {role: "rowgroup"});
    this.pager = pager({href, changed});
    this.other = el("div", {hidden: true});
    this.table = el("table", {class: withDocument ? "list jobs" : "list jobs of-one", role: "table", "aria-label": t.title}, heads(withDocument), this.body);
    this.element = el("div", {class: "card list-card"}, this.table, this.other, this.pager.element);
    fill(this.body, Array.from({length: 5}, () => ghost(withDocument ? 7 : 6)));
    keepTimes(this.element, signal);
    document.addEventListener("visibilitychange", () => this.#plan(0), {signal});
    signal.addEventListener("abort", () => clearTimeout(this.#timer));
  }

  /** load shows the jobs of a query. */
  load(query) {
    this.#query = query;
    this.element.setAttribute("aria-busy", "true");
    return this.#refresh();
  }

  async #refresh({quiet = false} = {}) {
    clearTimeout(this.#timer);
    this.#loading.abort();
    this.#loading = new AbortController();
    const signal = AbortSignal.any([this.#signal, this.#loading.signal]);
    try {
      const list = await api.get("/jobs", this.#query, {signal, quiet});
      if (signal.aborted) return;
      this.#show(list);
      await withDetails(list.items, {named: this.withDocument, signal, show: (job) => this.#showOne(job)});
    } catch (error) {
      if (error.name === "AbortError") return;
      // A refresh that fails leaves what is shown.
      if (!quiet || this.body.querySelector(".ghost")) this.#showOther(broken(t.failed, error, () => this.load(this.#query)));
    }
    if (signal.aborted) return;
    this.element.setAttribute("aria-busy", "false");
    this.#plan();
  }

  #plan(after = this.#items.some(isUnfinished) ? soon : later) {
    clearTimeout(this.#timer);
    if (document.visibilityState !== "visible" || this.#signal.aborted) return;
    this.#timer = setTimeout(() => this.#refresh({quiet: true}), after);
  }

  #show(list) {
    this.#items = list.items.map(known);
    for (const row of this.body.querySelectorAll(".ghost")) row.remove();
    showRows(this.body, this.#items.map((job) => this.#merged(job)), this.#row);
    this.pager.update(list);
    this.element.setAttribute("aria-busy", "false");
    this.#loaded(list);
    this.#showNone(list.items.length === 0);
  }

  /** Details from before, so that a refresh does not make progress go and come. */
  #details = new Map();

  #merged(job) {
    const before = this.#details.get(job.id);
    return {...job, detail: job.detail ?? (isUnfinished(job) ? before : undefined)};
  }

  #showOne(job) {
    if (!this.#items.some((i) => i.id === job.id)) return;
    if (job.detail) this.#details.set(job.id, job.detail);
    this.#items = this.#items.map((i) => i.id === job.id ? {...i, ...job} : i);
    showRows(this.body, this.#items.map((i) => this.#merged(i)), this.#row);
  }

  /** The query whose answer is shown to be empty. */
  #noneOf = null;

  // Shown once for each query, so that a refresh leaves the focus on its button.
  #showNone(isEmpty) {
    if (isEmpty && this.#noneOf === this.#query) return;
    this.#showOther(isEmpty ? this.#none() : null);
    this.#noneOf = isEmpty ? this.#query : null;
  }

  #showOther(content) {
    this.#noneOf = null;
    this.table.hidden = content !== null;
    this.other.hidden = content === null;
    if (content) this.pager.element.hidden = true;
    if (content || this.other.firstChild) fill(this.other, content);
  }

  // A button that is disabled would lose the focus.
  #once(button, then) {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    return then().catch(failed).finally(() => button.removeAttribute("aria-disabled"));
  }

  #cancel(job, button) {
    return this.#once(button, async () => {
      const now = await api.send("DELETE", `/jobs/${encodeURIComponent(job.id)}`, undefined, {signal: this.#signal});
      toast(now.state === "canceled" ? t.canceled : t.ranOut);
      await this.#refresh({quiet: true});
    });
  }

  // URLs of results are valid for minutes, so they are asked for when they are wanted. The
  // response is an attachment: the page stays.
  #download(job, button) {
    return this.#once(button, async () => {
      const {result} = await api.get(`/jobs/${encodeURIComponent(job.id)}`, {}, {signal: this.#signal});
      if (result?.download_url) el("a", {href: result.download_url, download: "", rel: "noopener"}).click();
      else toast(t.noResult, {bad: true});
    });
  }
}

function heads(withDocument) {
  const texts = [t.kind, withDocument && t.document, t.state, t.submitted, t.ended, t.duration].filter(Boolean);
  return el("thead", {role: "rowgroup"}, el("tr", {role: "row"},
    texts.map((text) => el("th", {role: "columnheader", scope: "col"}, text)),
    el("th", {role: "columnheader", scope: "col"}, el("span", {class: "hidden-text"}, t.actions))));
}

/** countOf returns how many jobs a response lists, for a heading. */
export const countOf = (list) => list.total === 0 ? "" : t.count(list.total, number(list.total));
