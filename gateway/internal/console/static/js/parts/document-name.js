// The name of a document, which a person can change in its place.

import * as api from "../lib/api.js";
import {el, fill, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {failed, toast} from "../lib/toast.js";

const longest = 255; // characters

/** documentName returns the name as a heading with a button to rename. renamed is called with the document. */
export function documentName(document, renamed) {
  const t = strings.document;
  const place = el("div", {class: "document-name"});
  const show = (focus) => {
    const button = el("button", {type: "button", class: "quiet icon", "aria-label": t.rename, title: t.rename, onclick: edit}, icon("pen"));
    fill(place, el("h1", {title: document.name, ondblclick: edit}, document.name), button);
    if (focus) button.focus();
  };
  const edit = () => {
    const input = el("input", {type: "text", value: document.name, required: true, maxLength: longest, "aria-label": t.name, autocomplete: "off"});
    const save = el("button", {type: "submit", class: "primary"}, t.save);
    const submit = async (e) => {
      e.preventDefault();
      const name = input.value.trim();
      if (name === "" || name === document.name) return show(true);
      save.disabled = true;
      try {
        document = {...document, ...await api.send("PATCH", `/documents/${encodeURIComponent(document.id)}`, {name})};
        show(true);
        toast(t.renamed);
        renamed(document);
      } catch (error) {
        save.disabled = false;
        input.focus();
        failed(error.errors?.[0] ? new Error(error.errors[0].message, {cause: error}) : error);
      }
    };
    fill(place, el("form", {class: "rename", onsubmit: submit, onkeydown: (e) => { if (e.key === "Escape") { e.stopPropagation(); show(true); } }},
      input, save, el("button", {type: "button", onclick: () => show(true)}, strings.common.cancel)));
    input.select();
  };
  show(false);
  return place;
}
