// The pages of a list.

import {el, fill, icon, newID} from "../lib/dom.js";
import {number} from "../lib/format.js";
import {strings} from "../lib/strings.js";

/** The sizes of a page that a person can choose. */
export const sizes = [25, 50, 100, 200];

/**
 * pager returns {element, update}. update takes {page, pages, size, total} of a response. href
 * returns the address of a page; changed is called with {page} or {size} that the person chose.
 */
export function pager({href, changed}) {
  const t = strings.pager;
  const range = el("p", {class: "range"});
  const links = el("ul", {class: "pages"});
  const nav = el("nav", {"aria-label": t.label}, links);
  const size = el("select", {id: newID("size"), onchange: () => changed({size: Number(size.value)})}, sizes.map((n) => el("option", {value: n}, number(n))));
  const choice = el("div", {class: "size"}, el("label", {for: size.id}, t.size), size);
  const element = el("div", {class: "pager", hidden: true}, range, nav, choice);

  function update(list) {
    element.hidden = list.total <= sizes[0];
    nav.hidden = list.pages <= 1;
    const first = (list.page - 1) * list.size + 1;
    range.textContent = t.range(number(first), number(Math.min(list.total, first + list.size - 1)), number(list.total));
    size.value = list.size;
    const focused = links.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    fill(links, entries(list, href, changed));
    if (focused) refocus(links, focused);
  }
  return {element, update};
}

// Who pages with the keyboard goes on from where they were, even at the last page.
function refocus(links, key) {
  const same = links.querySelector(`a[data-key="${key}"][href]`) ?? links.querySelector("a[aria-current]");
  same?.focus({preventScroll: true});
}

function entries({page, pages}, href, changed) {
  const t = strings.pager;
  const link = (to, key, label, content) => {
    const open = to >= 1 && to <= pages;
    return el("li", {}, el("a", {
      class: "button quiet", data: {key}, href: open ? href(to) : undefined, "aria-label": label, "aria-disabled": open ? undefined : "true",
      "aria-current": key === String(page) ? "page" : undefined, onclick: (e) => choose(e, () => changed({page: to})),
    }, content));
  };
  return [
    link(page - 1, "previous", t.previous, icon("left")),
    shown(page, pages).map((n) => n === 0 ? el("li", {class: "gap", "aria-hidden": "true"}, "…") : link(n, String(n), t.page(number(n)), number(n))),
    link(page + 1, "next", t.next, icon("right")),
  ];
}

// A plain click changes the list in place; with a modifier, the link opens as any other.
function choose(e, then) {
  if (e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
  e.preventDefault();
  if (e.currentTarget.hasAttribute("href")) then();
}

/** shown returns the numbers of the pages to show: the first, the last and those about the current one. 0 is a gap. */
export function shown(page, pages) {
  const numbers = [];
  for (let n = 1; n <= pages; n++) {
    if (n === 1 || n === pages || Math.abs(n - page) <= 1 || pages <= 7) numbers.push(n);
    else if (numbers.at(-1) !== 0) numbers.push(0);
  }
  return numbers;
}
