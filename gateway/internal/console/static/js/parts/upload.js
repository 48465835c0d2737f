// The dialog that uploads documents.

import {el, icon, newID} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {nameOf, UploadEntry} from "./upload-entry.js";

const atATime = 3;

/**
 * uploads opens the dialog with files, and returns {add}, which adds more. When the dialog is
 * closed, finished is called with the documents that were stored, and whether the person
 * uploaded just one. The dialog goes when signal aborts.
 */
export function uploads({files, signal, finished}) {
  const dialog = new UploadDialog(finished);
  const close = () => dialog.element.close();
  signal.addEventListener("abort", close);
  dialog.element.addEventListener("close", () => signal.removeEventListener("abort", close));
  document.body.append(dialog.element);
  dialog.element.showModal();
  dialog.add(files);
  return {add: (more) => dialog.add(more)};
}

class UploadDialog {
  #entries = [];
  #grouped = false;
  #running = false;
  #finished;

  constructor(finished) {
    const t = strings.upload;
    this.#finished = finished;
    this.input = el("input", {type: "file", multiple: true, class: "hidden-text", tabIndex: -1, "aria-hidden": "true", onchange: () => { this.add([...this.input.files]); this.input.value = ""; }});
    this.choose = el("button", {type: "button", onclick: () => this.input.click()}, icon("plus"), t.choose);
    this.zone = el("div", {class: "zone"}, this.choose, el("p", {class: "soft small"}, t.orDrop), this.input);
    this.list = el("ul", {class: "entries"});
    this.grouping = this.#radios();
    this.status = el("p", {class: "small soft", role: "status"});
    this.cancel = el("button", {type: "button", onclick: () => this.#running ? this.#stopAll() : this.element.close()});
    this.submit = el("button", {type: "submit", class: "primary"});
    const title = el("h2", {id: newID("upload")}, t.title);
    this.element = el("dialog", {class: "upload", "aria-labelledby": title.id, oncancel: (e) => { if (this.#running && e.target === this.element) e.preventDefault(); }, onclose: () => this.#closed()},
      el("form", {novalidate: true, onsubmit: (e) => { e.preventDefault(); this.#send(); }},
        title, this.zone, this.grouping, this.list,
        el("div", {class: "actions"}, this.status, this.cancel, this.submit)));
    this.#update();
  }

  #radios() {
    const t = strings.upload;
    const name = newID("grouping");
    const radio = (grouped, text) => el("label", {}, el("input", {type: "radio", name, checked: !grouped, onchange: () => this.#group(grouped)}), text);
    return el("fieldset", {class: "grouping", hidden: true}, el("legend", {class: "hidden-text"}, t.grouping), radio(false, t.each), radio(true, t.one));
  }

  /** add adds files, unless they are being uploaded. */
  add(files) {
    if (this.#running || files.length === 0) return this.#update();
    if (this.#grouped) return this.#rebuild([...this.#files(), ...files]);
    for (const file of files) this.#append([file], nameOf(file));
    this.#update();
    this.submit.focus();
  }

  #files() { return this.#entries.filter((e) => e.status !== "done").flatMap((e) => e.files); }

  #append(files, name, state) {
    const entry = new UploadEntry({files, name, state, removed: (e) => this.#remove(e)});
    this.#entries.push(entry);
    this.list.append(entry.element);
  }

  #remove(entry) {
    const after = entry.element.nextElementSibling ?? entry.element.previousElementSibling;
    entry.element.remove();
    this.#entries = this.#entries.filter((e) => e !== entry);
    this.#update();
    (after?.querySelector("button:not([hidden])") ?? this.choose).focus();
  }

  #group(grouped) {
    this.#grouped = grouped;
    this.#rebuild(this.#files());
  }

  // What is stored already stays.
  #rebuild(files) {
    const [first] = this.#entries.filter((e) => e.status !== "done");
    const state = first?.state.value;
    for (const entry of this.#entries) if (entry.status !== "done") entry.element.remove();
    this.#entries = this.#entries.filter((e) => e.status === "done");
    if (this.#grouped) this.#append(files, first?.files.length > 1 ? first.name.value : nameOf(files[0]), state);
    else for (const file of files) this.#append([file], nameOf(file), state);
    this.#update();
  }

  async #send() {
    const left = this.#entries.filter((e) => e.status !== "done");
    const wrong = left.filter((e) => !e.check());
    if (wrong.length > 0) return wrong[0].name.focus();
    this.#running = true;
    for (const entry of left) entry.wait();
    this.#update();
    this.cancel.focus();
    const worker = async () => {
      for (let entry; (entry = left.find((e) => e.status === "waiting"));) {
        await entry.send();
        this.#update();
      }
    };
    await Promise.all(Array.from({length: atATime}, worker));
    this.#running = false;
    this.#update();
    if (this.#entries.every((e) => e.status === "done")) this.element.close();
    else if (this.element.open) this.submit.focus();
  }

  #stopAll() {
    for (const entry of this.#entries) entry.stop();
  }

  #update() {
    const t = strings.upload;
    const done = this.#entries.filter((e) => e.status === "done").length;
    const left = this.#entries.length - done;
    const again = this.#entries.some((e) => e.status === "failed") && this.#entries.every((e) => e.status === "failed" || e.status === "done");
    this.grouping.hidden = this.#running || this.#files().length < 2;
    this.zone.hidden = this.#running;
    this.zone.classList.toggle("large", this.#entries.length === 0);
    this.submit.hidden = this.#running || left === 0;
    this.submit.textContent = (again ? t.again : t.submit)(left);
    this.cancel.textContent = this.#running ? t.stopAll : done > 0 ? strings.common.close : strings.common.cancel;
    this.status.textContent = this.#running || done > 0 ? t.progress(done, this.#entries.length) : "";
  }

  #closed() {
    this.#stopAll();
    this.element.remove();
    const stored = this.#entries.filter((e) => e.status === "done").map((e) => e.stored);
    this.#finished(stored, stored.length === 1 && this.#entries.length === 1);
  }
}
