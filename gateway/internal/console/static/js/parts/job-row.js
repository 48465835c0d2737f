// A job in a list.

import {el, fill, icon} from "../lib/dom.js";
import {duration, percent} from "../lib/format.js";
import {strings} from "../lib/strings.js";
import {setText} from "./rows.js";
import {setWhen, when} from "./when.js";

const looks = {queued: "", running: "busy", succeeded: "good", failed: "bad", canceled: ""};

/** isUnfinished reports whether a job is queued or running. */
export const isUnfinished = (job) => job.state === "queued" || job.state === "running";

// What the results of these kinds are is a file. Insights are shown beside their document.
const hasFile = (job) => job.state === "succeeded" && (job.kind === "convert" || job.kind === "annotate");

/**
 * jobRow returns {element, update}. update takes a job of GET /jobs, to which may be added:
 * name, of its document (null if it is deleted, undefined if not known), and detail, the job as
 * GET /jobs/{id} returns it. cancel and download are called with the job. withDocument tells
 * whether to show the document.
 */
export function jobRow({cancel, download, withDocument}) {
  const t = strings.jobs;
  let job;
  const kind = el("span", {class: "kind"});
  const link = el("a", {class: "name"});
  const without = el("span", {class: "soft"});
  const state = el("span", {class: "badge"});
  const bar = el("progress", {max: 1, hidden: true});
  const [submitted, ended] = [when(), when()];
  const took = el("span", {});
  const stop = el("button", {type: "button", hidden: true, onclick: () => cancel(job, stop)}, t.cancel);
  const result = el("button", {type: "button", class: "quiet", hidden: true, onclick: () => download(job, result)}, icon("download"), t.result);
  const error = el("td", {role: "cell", class: "for-error", hidden: true});
  const cell = (name, label, ...content) => el("td", {role: "cell", class: name}, label && el("span", {class: "label"}, label), content);
  const element = el("tr", {role: "row"},
    cell("for-kind", null, kind), withDocument && cell("for-document", null, link, without), cell("for-state", null, state, bar),
    cell("for-time", t.submitted, submitted), cell("for-time for-ended", t.ended, ended), cell("for-time for-took", t.duration, took), cell("for-actions", null, stop, result), error);

  function update(now) {
    job = now;
    const label = t.kinds[now.kind] ?? now.kind;
    setText(kind, label);
    showDocument(now, link, without);
    setText(state, t.states[now.state] ?? now.state);
    state.className = `badge ${looks[now.state] ?? ""}`;
    showProgress(now, bar);
    setWhen(submitted, now.created_at);
    setWhen(ended, now.ended_at);
    element.querySelector(".for-ended").classList.toggle("blank", now.ended_at === null);
    setText(took, duration((now.ended_at ?? Date.now()) - now.created_at));
    const about = now.name || now.document_id || t.noDocument;
    show(stop, isUnfinished(now), t.cancelNamed(label, about));
    show(result, hasFile(now) && now.name !== null, t.resultNamed(label, about));
    showError(now, error);
  }
  return {element, update};
}

// A button that goes must not take the focus with it.
function show(button, visible, label) {
  if (!visible && button === document.activeElement) {
    const row = button.closest("tr");
    row.tabIndex = -1;
    row.focus({preventScroll: true});
  }
  button.hidden = !visible;
  button.setAttribute("aria-label", label);
}

function showDocument(job, link, without) {
  const t = strings.jobs;
  const exists = job.document_id !== null && job.name !== null;
  link.hidden = !exists;
  without.hidden = exists;
  setText(without, job.document_id === null ? t.noDocument : t.gone);
  without.title = job.document_id ?? "";
  if (!exists) return;
  setText(link, job.name ?? job.document_id);
  link.title = job.name ?? job.document_id;
  link.href = `/console/documents/${encodeURIComponent(job.document_id)}`;
}

function showProgress(job, bar) {
  bar.hidden = job.state !== "running" || !job.detail;
  if (bar.hidden) return;
  bar.value = job.detail.progress;
  bar.setAttribute("aria-label", strings.jobs.progress(percent(job.detail.progress)));
  bar.title = strings.jobs.progress(percent(job.detail.progress));
}

function showError(job, cell) {
  const error = job.state === "failed" ? job.detail?.error : null;
  cell.hidden = !error;
  if (!error || cell.dataset.shown === error.detail) return;
  cell.dataset.shown = error.detail;
  fill(cell, el("span", {}, error.detail), " ", el("a", {href: error.docs, target: "_blank", rel: "noopener"}, strings.jobs.code(error.code)));
}
