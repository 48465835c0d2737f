// Selecting the text of pages. Words lie at their places on the page, with nothing between
// them, and a pointer on nothing makes browsers select from the beginning of the page. So an
// empty element fills the page while a person selects, and comes right after the last word that
// is selected in the order of the document: a pointer on it changes nothing.

import {el} from "../lib/dom.js";

const layerOf = (node) => (node instanceof Element ? node : node?.parentElement)?.closest(".sheet-text");

/** steadySelection keeps the selection steady within an element that contains text layers. */
export function steadySelection(element, signal) {
  const filler = el("div", {class: "sheet-text-filler"});
  let last = null;
  element.addEventListener("pointerdown", (e) => {
    if (!layerOf(e.target)) return;
    last = null;
    element.classList.add("selecting");
  });
  const end = () => {
    element.classList.remove("selecting");
    filler.remove();
  };
  for (const type of ["pointerup", "pointercancel", "blur"]) addEventListener(type, end, {signal});
  document.addEventListener("selectionchange", () => {
    const selection = getSelection();
    if (!element.classList.contains("selecting") || selection.rangeCount === 0) return;
    const range = selection.getRangeAt(0);
    put(filler, range, startMoves(range, last));
    last = range.cloneRange();
  }, {signal});
}

// A person who selects backwards moves the start of the range.
const startMoves = (range, last) => last !== null && last.startContainer.isConnected
  && (range.compareBoundaryPoints(Range.END_TO_END, last) === 0 || range.compareBoundaryPoints(Range.START_TO_END, last) === 0);

function put(filler, range, atStart) {
  let node = wordAt(atStart ? range.startContainer : range.endContainer);
  if (node && !atStart && range.endOffset === 0) node = node.previousSibling;
  const layer = layerOf(node);
  if (!layer || node === filler) return;
  const before = atStart ? node : node.nextSibling;
  if (before !== filler && filler.nextSibling !== before || filler.parentNode !== layer) layer.insertBefore(filler, before);
}

// The child of a text layer that a boundary of the selection is in: a word, or the space between two.
function wordAt(node) {
  const layer = layerOf(node);
  if (!layer || node === layer) return null;
  while (node.parentNode !== layer) node = node.parentNode;
  return node;
}
