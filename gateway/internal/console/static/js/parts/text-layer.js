// The text of a page: words over its image, which people can select, and lines for screen readers.

import {setBox} from "../lib/box.js";
import {el} from "../lib/dom.js";

const measuredAt = 100; // pixels
const canvas = document.createElement("canvas").getContext("2d");

/**
 * textLayer returns the words of a page, a response to GET …/words, as transparent text. Each
 * word fills the width of its box, and the white space between words is that of the page's text.
 */
export function textLayer({text, words, width, height}) {
  canvas.font = `${measuredAt}px sans-serif`;
  const parts = [];
  let end = 0;
  words.forEach((word, i) => {
    const at = text.indexOf(word.text, end);
    if (i > 0) parts.push(space(at < 0 ? " " : text.slice(end, at), words[i - 1].bounding_box, word.bounding_box, width, height));
    if (at >= 0) end = at + word.text.length;
    parts.push(over(word.text, word.bounding_box, width, height));
  });
  return el("div", {class: "sheet-text", "aria-hidden": "true"}, parts);
}

/** readText returns the text of a page for screen readers, which would read single words one by one. */
export const readText = ({text}) => el("p", {class: "hidden-text sheet-read"}, text);

// over returns text that is stretched to its box. Its size follows that of the page, without scripts.
function over(text, box, width, height) {
  const span = el("span", {}, text);
  setBox(span, box);
  span.style.removeProperty("width");
  span.style.fontSize = `${box.height * 100}cqh`;
  const natural = canvas.measureText(text).width / measuredAt * box.height * height;
  if (natural > 0) span.style.transform = `scaleX(${box.width * width / natural})`;
  return span;
}

// A space fills the gap between two words of a line, so that the selection has no holes.
function space(text, before, after, width, height) {
  const left = before.left + before.width;
  const sameLine = after.left > left && Math.abs(after.top - before.top) < Math.max(after.height, before.height) / 2;
  if (text.includes("\n") || !sameLine) return text || "";
  const gap = {left, top: before.top, width: after.left - left, height: before.height};
  return text === " " ? over(text, gap, width, height) : text;
}
