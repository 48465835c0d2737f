// The marks of a page, as boxes over its image.

import {covers, setBox} from "../lib/box.js";
import {el} from "../lib/dom.js";
import {strings} from "../lib/strings.js";

const flashing = 2000; // milliseconds
const area = ({box}) => box.width * box.height;

/**
 * boxes returns a button for each mark, exactly on its box, in reading order. Small boxes lie
 * over large ones. On a passage with several marks of one kind, only the largest has a wash, so
 * that the text stays legible. Marks tell where a person points, and which one a person chooses.
 */
export function boxes(list, marks) {
  const bySize = [...list].sort((a, b) => area(b) - area(a));
  const level = new Map(bySize.map((mark, i) => [mark, i]));
  const inOrder = [...list].sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
  return inOrder.map((mark) => {
    const button = box(mark, marks);
    button.style.zIndex = level.get(mark);
    const larger = bySize.slice(0, level.get(mark));
    button.classList.toggle("within", larger.some((other) => other.kind === mark.kind && covers(other.box, mark.box)));
    return button;
  });
}

function box(mark, marks) {
  const kind = strings.pages.kind[mark.kind] ?? mark.kind;
  const point = (id) => () => marks.point(id);
  const button = el("button", {
    type: "button", class: "mark", "aria-label": strings.pages.mark(kind, mark.label), data: {mark: mark.id, kind: mark.kind},
    onpointerenter: point(mark.id), onpointerleave: point(null), onfocus: point(mark.id), onblur: point(null),
    onclick: () => marks.choose(mark.id, "page"),
  }, el("span", {class: sideOf(mark.box), "aria-hidden": "true"}, el("b", {}, kind), " ", el("span", {}, mark.label)));
  setBox(button, mark.box);
  button.style.setProperty("--mark", `var(--mark-${mark.kind}, var(--accent))`);
  return button;
}

// The label stays within the page.
const sideOf = (b) => `mark-label ${b.top < 0.12 ? "below" : "above"} ${b.left > 0.5 ? "end" : "start"}`;

/** flash shows a box for a moment to a person who chose it in a list. */
export function flash(button) {
  button.classList.add("flash");
  setTimeout(() => button.classList.remove("flash"), flashing);
}
