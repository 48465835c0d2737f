// Loads the list of documents.

import * as api from "../lib/api.js";
import {parameters} from "./document-query.js";

// Documents in one request, and in one search by name.
const batch = 500;
const most = 10_000;
const fresh = 20_000; // milliseconds

/** The documents that the latest search by name went through: {key, at, items, total}. */
let searched = null;

/** forget makes the next search by name load the documents anew. Call it when they have changed. */
export const forget = () => { searched = null; };

/**
 * documents returns a page of documents: {items, total, page, size, pages}. The API does not
 * filter by name, so with a name it loads all documents that the other filters match, up to
 * 10,000. If there are more, the page has searched, how many it loaded, and all, how many there are.
 */
export async function documents(query, signal) {
  if (query.name === "") return api.get("/documents", parameters(query), {signal});
  const {items, total} = await everything(query, signal);
  const found = items.filter(matcher(query.name));
  const pages = Math.ceil(found.length / query.size);
  const first = (query.page - 1) * query.size;
  const page = {items: found.slice(first, first + query.size), total: found.length, page: query.page, size: query.size, pages};
  return total > items.length ? {...page, searched: items.length, all: total} : page;
}

async function everything(query, signal) {
  const wanted = {...parameters(query), page: 1, size: batch};
  const key = JSON.stringify(wanted);
  if (searched?.key === key && Date.now() - searched.at < fresh) return searched;
  const items = new Map();
  let total = 0;
  for (let page = 1; page <= most / batch; page++) {
    const list = await api.get("/documents", {...wanted, page}, {signal});
    for (const item of list.items) items.set(item.id, item);
    total = list.total;
    if (page >= list.pages) {
      total = items.size;
      break;
    }
  }
  searched = {key, at: Date.now(), items: [...items.values()], total};
  return searched;
}

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** matcher returns whether the name of a document has all words of a text, in any case and with or without accents. */
function matcher(text) {
  const words = plain(text).split(/\s+/).filter(Boolean);
  return (item) => {
    const name = plain(item.name);
    return words.every((word) => name.includes(word));
  };
}
