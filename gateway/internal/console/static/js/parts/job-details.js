// What a list of jobs shows that GET /jobs does not return.

import * as api from "../lib/api.js";
import {isUnfinished} from "./job-row.js";

const most = 500;
const fresh = 60_000; // milliseconds
/** Names of documents by id, as {name, at}. The name is null if the document does not exist. */
const names = new Map();
/** Failed jobs, which do not change any more. */
const ended = new Map();
const atATime = 4;

/** withDetails calls show with each job whose document's name, progress or error has become known. */
export async function withDetails(jobs, {named, signal, show}) {
  const wanted = [];
  for (const job of jobs) if (isUnfinished(job) || job.state === "failed") wanted.push(() => detail(job, signal));
  if (named) {
    for (const id of new Set(jobs.map((j) => j.document_id))) {
      if (id !== null && isOld(names.get(id))) wanted.push(() => learn(id, jobs, signal));
    }
  }
  const worker = async () => {
    for (let ask; !signal.aborted && (ask = wanted.shift());) for (const job of await ask()) show(job);
  };
  await Promise.all(Array.from({length: atATime}, worker));
}

// A document can be renamed, but a deleted one does not come back.
const isOld = (entry) => entry === undefined || entry.name !== null && Date.now() - entry.at > fresh;

/** known adds to a job what is known of it already. */
export function known(job) {
  const id = attempt(job);
  return {...job, name: names.get(job.document_id)?.name, detail: ended.get(id)};
}

// A job that is requested again has the same id, and a new time.
const attempt = (job) => `${job.id} ${job.ended_at}`;

async function detail(job, signal) {
  if (ended.has(attempt(job))) return [];
  try {
    const now = await api.get(`/jobs/${encodeURIComponent(job.id)}`, {}, {signal, quiet: true});
    if (now.state === "failed" && job.state === "failed") keep(ended, attempt(job), now);
    // What the list said is older: the next refresh shows the end.
    return [{...known(job), detail: now}];
  } catch (error) {
    if (error instanceof api.APIError) return [];
    throw error;
  }
}

async function learn(id, jobs, signal) {
  try {
    const {name} = await api.get(`/documents/${encodeURIComponent(id)}`, {}, {signal, quiet: true});
    keep(names, id, {name, at: Date.now()});
  } catch (error) {
    if (!(error instanceof api.APIError)) throw error;
    if (error.status !== 404) return [];
    keep(names, id, {name: null, at: Date.now()});
  }
  return jobs.filter((j) => j.document_id === id).map(known);
}

function keep(map, key, value) {
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value);
}
