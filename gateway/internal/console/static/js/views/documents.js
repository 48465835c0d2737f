// The list of documents.

import * as api from "../lib/api.js";
import {el, fill, icon} from "../lib/dom.js";
import {number} from "../lib/format.js";
import {go, note} from "../lib/router.js";
import {strings} from "../lib/strings.js";
import {failed, toast} from "../lib/toast.js";
import {confirm} from "../parts/confirm.js";
import {address, defaults, isFiltered, parse} from "../parts/document-query.js";
import {documents, forget} from "../parts/document-search.js";
import {documentTable} from "../parts/document-table.js";
import {dropTarget} from "../parts/drop.js";
import {broken, empty} from "../parts/empty.js";
import {filterBar} from "../parts/filters.js";
import {pager} from "../parts/pager.js";
import {openSample} from "../parts/sample.js";
import {uploads} from "../parts/upload.js";
import {keepTimes} from "../parts/when.js";

const t = strings.documents;

/** The latest lists by address, which are shown while they are loaded again: going back is immediate. */
const seen = new Map();
const kept = 20;

/** documentsView returns the list. Its filters, order and page are the query of the address. */
export function documentsView({me, signal}) {
  const mayWrite = me.scopes.some((s) => s === "*" || s === "documents:write");
  const list = new DocumentList(signal, mayWrite);
  if (mayWrite) dropTarget({dropped: (files) => list.upload(files), signal});
  return {title: t.title, content: list.element};
}

class DocumentList {
  #query = parse(location.search);
  #signal;
  #mayWrite;
  #loading = new AbortController();
  /** Ids of documents that were uploaded here. */
  #uploaded = new Set();
  #dialog = null;

  constructor(signal, mayWrite) {
    this.#signal = signal;
    this.#mayWrite = mayWrite;
    this.filters = filterBar({changed: (values, how) => this.#change({...values, page: 1}, how), clear: () => this.#clear(), signal});
    this.table = documentTable({sort: (order_by) => this.#change({order_by, page: 1}), remove: mayWrite ? (item, row) => this.#remove(item, row) : undefined});
    this.pager = pager({href: (page) => address({...this.#query, page}), changed: (values) => this.#turn(values)});
    this.count = el("p", {class: "soft count", role: "status"});
    this.notice = el("p", {class: "notice warn", hidden: true});
    this.other = el("div", {hidden: true});
    this.card = el("div", {class: "card list-card"}, this.table.element, this.other, this.pager.element);
    this.button = el("button", {type: "button", class: "primary", onclick: () => this.upload([])}, icon("upload"), strings.upload.open);
    this.heading = el("div", {class: "heading"}, el("h1", {}, t.title), this.count, mayWrite && this.button);
    this.element = el("main", {class: "page list-page"}, this.heading, this.filters.element, this.notice, this.card);
    this.filters.update(this.#query);
    keepTimes(this.element, signal);
    this.#first();
  }

  #first() {
    const before = seen.get(address(this.#query));
    if (before) this.#show(before);
    else this.table.skeleton();
    this.#load();
  }

  // Typing replaces its own entry of the history, so that Back undoes it as a whole.
  #change(values, {typing = false} = {}) {
    const now = {...this.#query, ...values};
    if (address(now) === address(this.#query)) return;
    this.#query = now;
    note(address(now), {replace: typing});
    this.filters.update(now);
    this.#load();
  }

  #clear() {
    this.#change({...defaults, order_by: this.#query.order_by, size: this.#query.size});
    this.filters.element.querySelector("input").focus();
  }

  #turn({page = 1, size = this.#query.size}) {
    this.#change({page, size});
    if (this.card.getBoundingClientRect().top < 0) this.card.scrollIntoView();
  }

  async #load() {
    this.#loading.abort();
    this.#loading = new AbortController();
    const stop = AbortSignal.any([this.#signal, this.#loading.signal]);
    const query = this.#query;
    this.card.setAttribute("aria-busy", "true");
    try {
      const list = await documents(query, stop);
      if (stop.aborted) return;
      if (list.items.length === 0 && list.total > 0) return this.#beyond(list.pages);
      remember(address(query), list);
      this.#show(list);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.count.textContent = "";
      this.#showOther(broken(t.failed, error, () => this.#load()));
    }
    this.card.setAttribute("aria-busy", "false");
  }

  // The last page can go while a person is on it, when documents are deleted.
  #beyond(page) {
    this.#query = {...this.#query, page};
    note(address(this.#query), {replace: true});
    this.#load();
  }

  #show(list) {
    const filtered = isFiltered(this.#query);
    this.table.update(list.items, this.#query.order_by, (id) => this.#uploaded.has(id));
    this.pager.update(list);
    this.notice.hidden = !list.searched;
    if (list.searched) this.notice.textContent = t.partly(number(list.searched), number(list.all));
    this.count.textContent = list.total === 0 ? "" : filtered ? t.found(number(list.total)) : t.count(list.total, number(list.total));
    this.filters.element.hidden = this.button.hidden = list.total === 0 && !filtered;
    if (list.total === 0) this.#showOther(filtered ? this.#none() : this.#empty());
    else this.#showOther(null);
  }

  #showOther(content) {
    this.table.element.hidden = content !== null;
    this.other.hidden = content === null;
    if (content) this.pager.element.hidden = true;
    fill(this.other, content);
  }

  #none() {
    this.count.textContent = t.found(number(0));
    return empty("search", t.noneTitle, t.none, el("button", {type: "button", onclick: () => this.#clear()}, t.clear));
  }

  #empty() {
    if (!this.#mayWrite) return empty("file", t.emptyTitle, t.empty);
    const sample = el("button", {type: "button", onclick: () => openSample(sample, this.#signal).catch(failed)}, icon("file"), t.sample);
    return empty("file", t.emptyTitle, t.empty, el("button", {type: "button", class: "primary", onclick: () => this.upload([])}, icon("upload"), strings.upload.open), sample);
  }

  async #remove(item, row) {
    const after = row.nextElementSibling ?? row.previousElementSibling;
    const text = [el("strong", {}, item.name), " ", t.deleteText];
    const run = (signal) => api.send("DELETE", `/documents/${encodeURIComponent(item.id)}`, undefined, {signal});
    if (!await confirm({title: t.deleteTitle, text, action: t.delete, run, signal: this.#signal})) return;
    this.#changed();
    toast(t.deleted(item.name));
    row.remove();
    (after?.querySelector("button") ?? this.button).focus();
    await this.#load();
    if (document.activeElement === document.body) (this.button.hidden ? this.other.querySelector("button") : this.button)?.focus();
  }

  #changed() {
    forget();
    seen.clear();
  }

  /** upload opens the dialog that uploads files, or adds them to it. */
  upload(files) {
    if (this.#dialog) return this.#dialog.add(files);
    if (document.querySelector("dialog[open]")) return;
    this.#dialog = uploads({files, signal: this.#signal, finished: (stored, alone) => this.#finished(stored, alone)});
  }

  #finished(stored, alone) {
    this.#dialog = null;
    if (stored.length === 0) return;
    this.#changed();
    // Going elsewhere closes the dialog too.
    if (this.#signal.aborted) return;
    toast(strings.upload.uploaded(stored.length));
    if (alone) return go(`/console/documents/${encodeURIComponent(stored[0].id)}`);
    for (const item of stored) this.#uploaded.add(item.id);
    const plain = {...defaults, size: this.#query.size};
    if (address(plain) === address(this.#query)) this.#load();
    else this.#change(plain);
  }
}

function remember(key, list) {
  seen.delete(key);
  seen.set(key, list);
  if (seen.size > kept) seen.delete(seen.keys().next().value);
}
