// The jobs of the organization.

import {query as withQuery} from "../lib/api.js";
import {el, fill, newID} from "../lib/dom.js";
import {note} from "../lib/router.js";
import {strings} from "../lib/strings.js";
import {empty} from "../parts/empty.js";
import {select} from "../parts/filters.js";
import {known} from "../parts/job-details.js";
import {countOf, JobList} from "../parts/job-list.js";
import {sizes} from "../parts/pager.js";

const t = strings.jobs;
const defaults = {kind: "", state: "", document_id: "", page: 1, size: sizes[0]};
const isFiltered = (query) => query.kind !== "" || query.state !== "" || query.document_id !== "";
const address = (query) => withQuery("/console/jobs", Object.fromEntries(Object.entries(query).filter(([name, value]) => value !== defaults[name])));
const documentID = /doc_[0-9a-z]+/;

function parse(search) {
  const given = new URLSearchParams(search);
  const query = {...defaults};
  if (Object.hasOwn(t.kinds, given.get("kind"))) query.kind = given.get("kind");
  if (Object.hasOwn(t.states, given.get("state"))) query.state = given.get("state");
  query.document_id = given.get("document_id")?.match(documentID)?.[0] ?? "";
  query.page = Math.max(1, Number.parseInt(given.get("page") ?? "1", 10) || 1);
  if (sizes.includes(Number(given.get("size")))) query.size = Number(given.get("size"));
  return query;
}

/** jobsView returns the list. Its filters and page are the query of the address. */
export function jobsView({signal}) {
  let query = parse(location.search);
  const count = el("p", {class: "soft count", role: "status"});
  const filters = filterBar((values) => change({page: 1, ...values}), () => change(defaults));
  const list = new JobList({
    signal, withDocument: true, href: (page) => address({...query, page}),
    changed: (values) => change({page: 1, ...values}),
    none: () => none(query, () => change(defaults), (page) => change({page})),
    loaded: (response) => {
      const text = countOf(response);
      if (count.textContent !== text) count.textContent = text;
      filters.suggest(response.items);
    },
  });

  function change(values) {
    const now = {...query, ...values};
    if (address(now) === address(query)) return;
    query = now;
    note(address(query));
    filters.update(query);
    list.load(query);
    if (list.element.getBoundingClientRect().top < 0) list.element.scrollIntoView();
  }

  filters.update(query);
  list.load(query);
  return {title: t.title, content: el("main", {class: "page list-page"}, el("div", {class: "heading"}, el("h1", {}, t.title), count), filters.element, list.element)};
}

function none(query, clear, open) {
  if (isFiltered(query)) return empty("search", t.noneTitle, t.none, el("button", {type: "button", onclick: clear}, strings.documents.clear));
  if (query.page > 1) return empty("search", t.noneTitle, t.pastEnd, el("button", {type: "button", onclick: () => open(1)}, strings.pager.page(1)));
  return empty("check", t.emptyTitle, t.empty);
}

function filterBar(changed, clear) {
  const kind = select(t.kind, [["", t.anyKind], ...Object.entries(t.kinds)], (value) => changed({kind: value}));
  const state = select(t.state, [["", t.anyState], ...Object.entries(t.states)], (value) => changed({state: value}));
  const suggestions = el("datalist", {id: newID("documents")});
  const error = el("p", {class: "error", id: newID("error"), role: "alert"});
  const input = el("input", {
    type: "search", "aria-label": t.anyDocument, placeholder: t.anyDocument, list: suggestions.id, autocomplete: "off", spellcheck: false, "aria-describedby": error.id,
    onchange: () => {
      const found = input.value.match(documentID)?.[0] ?? "";
      const wrong = found === "" && input.value.trim() !== "";
      input.setAttribute("aria-invalid", String(wrong));
      error.textContent = wrong ? t.badDocument : "";
      if (!wrong) changed({document_id: found});
    },
  });
  const clearButton = el("button", {type: "button", class: "quiet", onclick: () => { clear(); kind.firstElementChild.focus(); }}, strings.documents.clear);
  const element = el("search", {class: "filters", "aria-label": strings.documents.filters}, el("div", {class: "line"}, kind, state, el("div", {class: "search plain-search"}, input), clearButton), error, suggestions);

  function update(query) {
    kind.firstElementChild.value = query.kind;
    state.firstElementChild.value = query.state;
    input.value = query.document_id;
    input.setAttribute("aria-invalid", "false");
    error.textContent = "";
    clearButton.hidden = !isFiltered(query);
  }
  const suggest = (jobs) => {
    const names = new Map(jobs.filter((j) => j.document_id).map((j) => [j.document_id, known(j).name ?? ""]));
    const text = JSON.stringify([...names]);
    if (text === suggestions.dataset.shown) return;
    suggestions.dataset.shown = text;
    fill(suggestions, [...names].map(([value, label]) => el("option", {value, label})));
  };
  return {element, update, suggest};
}
