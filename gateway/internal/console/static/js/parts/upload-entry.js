// One document that is to be uploaded.

import * as api from "../lib/api.js";
import {el, fill, icon, newID} from "../lib/dom.js";
import {percent, size} from "../lib/format.js";
import {strings} from "../lib/strings.js";

const largest = 100 * 2 ** 20; // bytes
const mostFiles = 20;
const longest = 255; // characters

/** nameOf returns the name of a document from that of its file. */
export const nameOf = (file) => file.name.replace(/(.)\.[^.]*$/, "$1");

/**
 * UploadEntry is one document with its files: its element for the list, and its upload. removed
 * is called when the person takes it off the list.
 */
export class UploadEntry {
  /** "ready", "waiting", "sending", "done" or "failed". */
  status = "ready";
  /** The document, when it is done. */
  stored = null;
  #stop = new AbortController();

  constructor({files, name, state, removed}) {
    this.files = files;
    const id = newID("entry");
    this.name = el("input", {value: name, maxLength: 1000, autocomplete: "off", spellcheck: false, "aria-label": strings.documents.name, "aria-describedby": `${id}-error`, oninput: () => this.#say()});
    this.state = el("select", {"aria-label": strings.documents.state}, Object.entries(strings.documents.states).map(([value, text]) => el("option", {value}, text)));
    this.state.value = state ?? "draft";
    this.button = el("button", {type: "button", class: "quiet icon", onclick: () => this.#sends ? this.stop() : removed(this)}, icon("close"));
    this.bar = el("progress", {max: 1, value: 0, "aria-label": name});
    this.says = el("p", {class: "small soft says"});
    this.working = el("div", {class: "working", hidden: true}, this.bar, this.says);
    this.error = el("div", {class: "error", id: `${id}-error`, role: "alert"});
    const listed = files.map((file) => el("li", {}, icon("file"), el("span", {class: "file-name", title: file.name}, file.name), el("span", {class: "soft"}, size(file.size))));
    this.element = el("li", {class: "entry"},
      el("div", {class: "what"}, this.name, this.state, this.button), el("ul", {class: "files small"}, listed),
      this.working, this.error);
    this.#set("ready");
    this.check();
  }

  get #sends() { return this.status === "waiting" || this.status === "sending"; }

  /** check reports whether the entry can be sent, and says at the entry why not. */
  check() {
    const t = strings.upload;
    const name = this.name.value.trim();
    const wrongName = name === "" ? t.noName : [...name].length > longest ? t.longName : "";
    const file = this.files.find((f) => f.size === 0 || f.size > largest);
    const wrongFile = this.files.length > mostFiles ? t.manyFiles : file && (file.size === 0 ? t.emptyFile : t.largeFile)(file.name);
    this.#say(wrongName, wrongFile);
    this.name.setAttribute("aria-invalid", String(wrongName !== ""));
    return wrongName === "" && !wrongFile;
  }

  #say(...messages) {
    this.name.setAttribute("aria-invalid", "false");
    fill(this.error, messages.filter(Boolean).map((m) => el("p", {}, m)));
  }

  /** wait says that the entry is going to be sent. */
  wait() {
    this.#stop = new AbortController();
    this.#say();
    this.#set("waiting");
  }

  /** send uploads the entry, unless it was stopped. It does not throw: the entry shows what is wrong. */
  async send() {
    if (this.status !== "waiting") return;
    this.#set("sending");
    try {
      this.stored = await api.upload({name: this.name.value.trim(), state: this.state.value}, this.files, {progress: (f) => this.#progress(f), signal: this.#stop.signal});
      this.#set("done");
    } catch (error) {
      this.#fail(error);
    }
  }

  /** stop ends the upload. The entry stays on the list. */
  stop() {
    this.#stop.abort();
    if (this.status === "waiting") this.#fail(new DOMException("", "AbortError"));
  }

  #progress(fraction) {
    this.bar.value = fraction;
    this.says.textContent = fraction < 1 ? strings.upload.sending(percent(fraction)) : strings.upload.storing;
  }

  #fail(error) {
    this.#set("failed");
    if (error.name === "AbortError") return this.#say(strings.upload.stopped);
    const wrong = error.errors ?? [];
    const texts = wrong.map((e) => this.#named(`${e.message}. ${e.resolution}`, e.path));
    this.#say(...texts.length ? texts : [error.message]);
    if (error.docs) this.error.append(el("a", {href: error.docs, target: "_blank", rel: "noopener"}, strings.upload.code(error.code)));
    this.name.setAttribute("aria-invalid", String(wrong.some((e) => e.path === "name" || e.path === "document.name")));
  }

  // The API names values by their paths in the request; a person knows the files.
  #named(text, path) {
    const file = this.files[Number(path.match(/^files\.(\d+)/)?.[1])];
    return text.replaceAll(path, file ? `“${file.name}”` : path === "name" ? strings.documents.name : path);
  }

  #set(status) {
    const t = strings.upload;
    this.status = status;
    this.element.dataset.status = status;
    this.name.disabled = this.state.disabled = this.#sends || status === "done";
    this.working.hidden = !this.#sends && status !== "done";
    this.bar.value = status === "done" ? 1 : 0;
    this.says.textContent = {waiting: t.waiting, sending: t.sending(percent(0)), done: t.done}[status] ?? "";
    this.button.hidden = status === "done";
    const label = (this.#sends ? t.stopOne : t.remove)(this.name.value);
    this.button.setAttribute("aria-label", label);
    this.button.title = this.#sends ? t.stop : label;
  }
}
