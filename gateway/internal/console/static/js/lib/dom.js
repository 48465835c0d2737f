// Elements are built by functions, never from strings of HTML, so that no text of a
// document can become markup.

/**
 * el returns a new element. Properties that begin with "on" are event listeners, "class" and
 * names with a hyphen are attributes, "data" holds data attributes, and all others are
 * properties of the element. Children are nodes or texts; null, undefined and false are left
 * out, and arrays are flattened.
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "class" || name === "role" || name === "for" || name === "list" || name.includes("-")) setAttribute(element, name, value);
    else element[name] = value;
  }
  append(element, children);
  return element;
}

function setAttribute(element, name, value) {
  if (value === false && !name.startsWith("aria-")) return;
  element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : value);
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) parent.append(child);
  }
}

/** fill replaces the children of an element. */
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
  return parent;
}

const svgSpace = "http://www.w3.org/2000/svg";

// Paths of the icons, on a grid of 16 by 16 with strokes of 1.5.
const icons = {
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  close: "M4 4l8 8M12 4l-8 8",
  download: "M8 2.5v8M4.5 7L8 10.5 11.5 7M3 13.5h10",
  upload: "M8 10.5v-8M4.5 6L8 2.5 11.5 6M3 13.5h10",
  trash: "M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.5 9h6l.5-9",
  code: "M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5",
  leave: "M6.5 2.5h-4v11h4M6 8h7.5M10.500 5l3 3-3 3",
  left: "M10 3L5 8l5 5",
  right: "M6 3l5 5-5 5",
  chevron: "M4 6l4 4 4-4",
  width: "M2.5 3v10M13.5 3v10M5 8h6M6.5 6l-2 2 2 2M9.5 6l2 2-2 2",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  search: "M7 11.5a4.5 4.5 0 1 1 0-9 4.5 4.5 0 0 1 0 9zM10.5 10.5l3 3",
  stop: "M4 4h8v8H4z",
  check: "M3 8.5L6.5 12 13 4.5",
  pen: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3z",
  undo: "M5.5 3L2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6",
  place: "M8 2v3M8 11v3M2 8h3M11 8h3M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  up: "M8 13V3.5M4.5 7L8 3.5 11.5 7",
  down: "M8 3v9.5M4.5 9L8 12.5 11.5 9",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  calendar: "M3 4h10v9.5H3zM3 7h10M5.5 2.5v2.5M10.5 2.5v2.5",
};

/** icon returns an icon by its name. It is decoration: give its button a label. */
export function icon(name) {
  const svg = document.createElementNS(svgSpace, "svg");
  const path = document.createElementNS(svgSpace, "path");
  for (const [key, value] of Object.entries({viewBox: "0 0 16 16", width: 16, height: 16, fill: "none", stroke: "currentColor", "stroke-width": 1.5, "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true"})) {
    svg.setAttribute(key, value);
  }
  path.setAttribute("d", icons[name]);
  svg.append(path);
  return svg;
}

let ids = 0;

/** newID returns an id that no other element of the page has. */
export const newID = (prefix) => `${prefix}-${++ids}`;

/** control returns a labeled control: pass an input, select or textarea. */
export function control(label, input, hint) {
  input.id ||= newID("control");
  const said = hint && el("p", {class: "small soft", id: input.id + "-hint"}, hint);
  if (said) input.setAttribute("aria-describedby", said.id);
  return el("div", {class: "control"}, el("label", {for: input.id}, label), input, said);
}
