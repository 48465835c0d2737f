// What a person asked the list of documents for: in the address, and in the request.

import {query as withQuery} from "../lib/api.js";
import {sizes} from "./pager.js";

/** The fields to sort by. */
export const sortable = ["name", "state", "created_at", "updated_at"];

/** The query of a list without filters. */
export const defaults = {name: "", state: "", created_from: "", created_to: "", updated_from: "", updated_to: "", order_by: "created_at DESC", page: 1, size: sizes[0]};

/** The names of the values that are filters. */
export const filters = ["name", "state", "created_from", "created_to", "updated_from", "updated_to"];

/** The names of the values that are dates, as YYYY-MM-DD. */
export const dates = filters.slice(2);

/** isFiltered reports whether a query has any filter. */
export const isFiltered = (query) => filters.some((name) => query[name] !== "");

const valid = {
  state: /^(draft|agreement)$/, created_from: day(), created_to: day(), updated_from: day(), updated_to: day(),
  order_by: new RegExp(`^(${sortable.join("|")}) (ASC|DESC)$`), page: /^[1-9]\d{0,6}$/, size: new RegExp(`^(${sizes.join("|")})$`), name: /\S/,
};

function day() { return /^\d{4}-\d\d-\d\d$/; }

/** parse returns the query in a location.search. Values that it cannot have are left out. */
export function parse(search) {
  const query = {...defaults};
  for (const [name, value] of new URLSearchParams(search)) {
    if (!Object.hasOwn(valid, name) || !valid[name].test(value)) continue;
    query[name] = typeof defaults[name] === "number" ? Number(value) : value;
  }
  return query;
}

/** address returns the path of the list with a query. */
export function address(query) {
  return withQuery("/console", Object.fromEntries(Object.entries(query).filter(([name, value]) => value !== defaults[name])));
}

/**
 * parameters returns a query for GET /documents, without the name, by which the API does not
 * filter. Dates are days of this browser's time zone.
 */
export function parameters({state, created_from, created_to, updated_from, updated_to, order_by, page, size}) {
  return {
    state, order_by, page, size,
    "created_at[gte]": start(created_from), "created_at[lt]": start(created_to, 1),
    "updated_at[gte]": start(updated_from), "updated_at[lt]": start(updated_to, 1),
  };
}

function start(date, later = 0) {
  if (date === "") return undefined;
  const [year, month, dayOfMonth] = date.split("-").map(Number);
  return new Date(year, month - 1, dayOfMonth + later).getTime();
}
