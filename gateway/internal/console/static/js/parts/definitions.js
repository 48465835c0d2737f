// Definitions of fields, as PUT /documents/{id}/fields takes them. Nothing here touches the page.

import {hasLength, hasOptions} from "./field-values.js";

/**
 * definitionOf returns the definition of a field that GET returned. PUT replaces all definitions,
 * so those that shall stay are sent again.
 */
export function definitionOf(field) {
  const {field_id, type, label, required, options, min, max, multiple, page_number, bounding_box: box} = field;
  const counts = type === "checkbox";
  return {
    field_id, type, label: label ?? undefined, required,
    options: hasOptions(type) && options?.length ? options : undefined,
    min: counts ? min ?? undefined : undefined,
    max: counts || hasLength(type) ? max ?? undefined : undefined,
    multiple: multiple ?? undefined,
    ...box && {page_number, bounding_box: onPage(box)},
  };
}

// Fractions are rounded, so that a box at the edge of the page may seem to leave it.
const onPage = ({left, top, width, height}) => ({left, top, width: Math.min(width, 1 - left), height: Math.min(height, 1 - top)});

const prefix = "agreementinput-";
const longest = 60; // letters of an id that is made of a label

/** slug returns a text as a part of an id, "" if nothing of it can be in one. */
export const slug = (text) => text.replace(/ß/g, "ss").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, longest).replace(/^-|-$/g, "");

/** freeID returns an id made of a name, and a number if it is taken. */
export function freeID(name, taken) {
  for (let n = 1; ; n++) {
    const id = prefix + (n === 1 ? name : `${name}-${n}`);
    if (!taken.includes(id)) return id;
  }
}
