// The filters of the list of documents.

import {control, el, icon, newID} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {dates, isFiltered, sortable} from "./document-query.js";

const pause = 250; // milliseconds between typing and searching

/**
 * filterBar returns {element, update}. update shows a query. changed is called with the values
 * that the person changed, and with {typing: true} if more may follow; clear, when the person
 * wants no filters.
 */
export function filterBar({changed, clear, signal}) {
  const t = strings.documents;
  const search = searchBox(changed, signal);
  const state = select(t.state, [["", t.anyState], ...Object.entries(t.states)], (value) => changed({state: value}));
  const order = select(t.sort, sortable.flatMap((f) => [`${f} ASC`, `${f} DESC`]).map((o) => [o, t.sorts[o]]), (value) => changed({order_by: value}));
  const days = dateFilters(changed);
  const clearButton = el("button", {type: "button", class: "quiet", onclick: clear}, t.clear);
  const element = el("search", {class: "filters", "aria-label": t.filters},
    el("div", {class: "line"}, search.element, state, el("div", {class: "narrow"}, order), days.toggle, clearButton), days.element);

  function update(query) {
    search.update(query.name);
    state.firstElementChild.value = query.state;
    order.firstElementChild.value = query.order_by;
    days.update(query);
    clearButton.hidden = !isFiltered(query);
  }
  return {element, update};
}

/** select returns a select without a visible label. choose is called with its value. */
export function select(label, options, choose) {
  const input = el("select", {"aria-label": label, onchange: () => choose(input.value)}, options.map(([value, text]) => el("option", {value}, text)));
  return el("div", {class: "choice"}, input);
}

function searchBox(changed, signal) {
  const t = strings.documents;
  let timer;
  let again = false;
  const send = () => {
    clearTimeout(timer);
    changed({name: input.value.trim()}, {typing: again});
    again = true;
  };
  const input = el("input", {
    type: "search", "aria-label": t.search, placeholder: t.search, autocomplete: "off", spellcheck: false, maxLength: 255,
    oninput: () => { clearTimeout(timer); timer = setTimeout(send, pause); },
    onkeydown: (e) => { if (e.key === "Enter" && !e.isComposing) send(); },
    onblur: () => { again = false; },
  });
  signal.addEventListener("abort", () => clearTimeout(timer));
  const element = el("div", {class: "search"}, icon("search"), input);
  // What is being typed stays: the query lags behind.
  const update = (name) => { if (input !== document.activeElement) input.value = name; };
  return {element, update};
}

// While a year is typed, its digits are a year already: 2, 20, 202.
const halfTyped = (date) => date !== "" && date < "1000";

function dateFilters(changed) {
  const t = strings.documents;
  const inputs = new Map();
  const error = el("p", {class: "error", role: "alert"});
  const field = (name, label, hidden) => {
    const input = el("input", {type: "date", "aria-label": hidden, onchange: () => { if (!halfTyped(input.value)) { check(); changed({[name]: input.value}); } }});
    inputs.set(name, input);
    return control(label, input);
  };
  const group = (label, kind, from, to) => el("fieldset", {}, el("legend", {}, label), field(kind + "_from", t.from, from), field(kind + "_to", t.to, to));
  const element = el("div", {class: "dates", id: newID("dates"), hidden: true}, group(t.created, "created", t.createdFrom, t.createdTo), group(t.updated, "updated", t.updatedFrom, t.updatedTo), error);
  const text = el("span", {}, t.dates);
  const toggle = el("button", {type: "button", "aria-expanded": "false", "aria-controls": element.id, onclick: () => open(element.hidden)}, icon("calendar"), text);

  function open(yes) {
    element.hidden = !yes;
    toggle.setAttribute("aria-expanded", String(yes));
  }
  function check() {
    const crossed = ["created", "updated"].some((kind) => {
      const [from, to] = [inputs.get(kind + "_from"), inputs.get(kind + "_to")];
      const wrong = from.value !== "" && to.value !== "" && from.value > to.value;
      for (const input of [from, to]) input.setAttribute("aria-invalid", String(wrong));
      return wrong;
    });
    error.textContent = crossed ? t.dateOrder : "";
  }
  function update(query) {
    for (const [name, input] of inputs) if (input.value !== query[name] && !(input === document.activeElement && input.value === "" && query[name] === "")) input.value = query[name];
    const set = dates.filter((name) => query[name] !== "").length;
    text.textContent = set ? t.datesSet(set) : t.dates;
    if (set && element.hidden) open(true);
    check();
  }
  return {element, toggle, update};
}
