// What each type of insight shows in a row: a headline, a badge, a second line and facts.

import {number, percent, time} from "../lib/format.js";
import {strings} from "../lib/strings.js";

const t = strings.insights;

/** The types that "Read the document" asks for unless a person chooses others. */
export const usual = [
  "document_title", "document_type", "document_parties", "document_signers", "document_dates", "contract_values", "payments",
  "limit_of_liability", "renewal_term_length", "document_clauses",
];

// Each type has the kind of its marks and a function of an item. Answers are first, because a
// person waits for them. document_fields has no kind: the marks of fields are set elsewhere.
const types = {
  custom_prompt: {kind: "answer", show: answer},
  document_title: {kind: "title", show: (i) => ({headline: i.title, badge: label(t.sources, i.title_source)})},
  document_type: {kind: "title", show: (i) => ({headline: i.document_type})},
  document_parties: {kind: "party", show: party},
  document_signers: {kind: "signer", show: signer},
  document_dates: {kind: "date", show: (i) => ({headline: day(i), badge: label(t.dates, i.date_type), line: unlike(i.date_label, label(t.dates, i.date_type))})},
  contract_values: {kind: "money", show: amount},
  payments: {kind: "money", show: payment},
  limit_of_liability: {kind: "limit", show: (i) => ({headline: i.limit_value, badge: label(t.limits, i.limit_type), line: unlike(i.limit_label, label(t.limits, i.limit_type))})},
  renewal_term_length: {kind: "date", show: renewal},
  document_clauses: {kind: "clause", show: (i) => ({headline: i.clause_type, line: i.clause_description})},
  document_fields: {kind: null, show: field},
  document_fields_pages: {kind: null, show: fieldsPages},
  organization_matching_documents: {kind: null, show: (i) => ({headline: i.name, badge: t.similar(percent(i.similarity)), link: `/console/documents/${encodeURIComponent(i.document_id)}`})},
  document_ids: {kind: null, show: file},
};

/** The keys of a result, in the order in which they are shown. Other names for them are left out. */
export const keys = Object.keys(types);

/** The types that a person can choose, which are all but questions. */
export const choices = keys.filter((key) => key !== "custom_prompt");

/** kindOf returns the kind of the marks of a key, or null for none. */
export const kindOf = (key) => types[key].kind;

/** nameOf returns the name of a key for people. */
export const nameOf = (key) => t.types[key].name;

/**
 * shown returns what a row shows of an item: {headline, badge, line, question, facts, link,
 * empty}. All but headline may be missing. facts are pairs of a label and a text.
 */
export const shown = (key, item) => types[key].show(item);

/** pageOf returns the number of the page of an item, or null. */
export const pageOf = (item) => item.bounding_box?.page ?? item.page_number ?? null;

/** confidenceOf returns the confidence in an item, or null if it has none or is an absent answer. */
export function confidenceOf(key, item) {
  if (key === "custom_prompt" && item.value === null) return null;
  return item.confidence_score ?? null;
}

/** markOf returns the mark of an entry, or null if nothing is to be drawn. */
export function markOf({id, key, item}) {
  const box = item.bounding_box;
  const page = pageOf(item);
  if (!kindOf(key) || !box || page === null) return null;
  const {left, top, width, height} = box;
  return {id, kind: kindOf(key), page, box: {left, top, width, height}, label: short(shown(key, item).headline)};
}

const longestLabel = 120;
const short = (text) => text.length > longestLabel ? text.slice(0, longestLabel) + "…" : text;

function answer(i) {
  if (i.value === null) return {question: i.message, headline: t.unanswered, empty: true};
  return {question: i.message, headline: i.value};
}

function party(i) {
  const short = i.reference_name && i.reference_name !== i.party_role ? t.called(i.reference_name) : "";
  return {
    headline: i.party_name, badge: i.party_role, line: joined(short, i.jurisdiction, i.address),
    facts: facts([t.facts.kind, label(t.parties, i.party_kind)], [t.facts.short, i.reference_name], [t.facts.jurisdiction, i.jurisdiction], [t.facts.address, i.address]),
  };
}

function signer(i) {
  const headline = i.signer_full_name || i.signer_role || i.email || t.unnamed;
  return {
    headline, badge: i.is_agreement_owner ? t.ours : null, line: joined(i.signer_full_name ? i.signer_role : t.unnamed, i.email),
    facts: facts([t.facts.role, i.signer_role], [t.facts.email, i.email], [t.facts.id, i.signer_id]),
  };
}

function amount(i) {
  const other = i.currency !== "USD" && i.contract_value_usd !== null;
  const badge = i.contract_value_type === "other" ? "" : words(i.contract_value_type);
  return {headline: money(i.contract_value, i.currency), badge, line: joined(unlike(i.contract_value_label, badge), other && t.about(money(i.contract_value_usd, "USD")))};
}

function payment(i) {
  const sum = i.payment_value_number !== null && i.payment_currency ? money(i.payment_value_number, i.payment_currency) : "";
  const other = sum && i.payment_currency !== "USD" && i.payment_value_usd !== null;
  const headline = sum || i.payment_label || i.payment_value;
  const rest = [sum && i.payment_label, i.payment_value, other && t.about(money(i.payment_value_usd, "USD"))];
  return {headline, badge: words(i.payment_type), line: joined(...rest.filter((part) => part && !headline.toLowerCase().includes(part.toLowerCase())))};
}

function renewal(i) {
  return {headline: i.term_value, badge: words(i.term_type), line: i.term_label, facts: facts([t.facts.months, i.term_months === null ? null : number(i.term_months)])};
}

function field(i) {
  return {headline: i.field_label || i.field_id, badge: label(t.fieldTypes, i.field_type), line: i.field_value || t.emptyField, facts: facts([t.facts.id, i.field_id], [t.facts.signer, i.signer_id])};
}

function fieldsPages(i) {
  const pages = Object.entries(i).sort(([a], [b]) => a - b);
  const count = pages.reduce((sum, [, ids]) => sum + ids.length, 0);
  return {headline: t.fieldCount(count), line: t.pageCount(pages.length), facts: pages.map(([page, ids]) => [t.page(page), ids.join(", ")])};
}

function file(i) {
  return {
    headline: t.files[i.mime_type] ?? i.mime_type, line: i.create_datetime ? t.created(time(i.create_datetime * 1000)) : "",
    facts: facts([t.facts.mime, i.mime_type], ["MD5", i.md5_hash], ["CRC-32C", i.crc32c], [t.facts.word, i.docx_guid], ["HBREF", i.PDF_HBREF]),
  };
}

const facts = (...pairs) => pairs.filter(([, value]) => value);
const joined = (...parts) => parts.filter(Boolean).join(" · ");
const label = (names, value) => names[value] ?? words(value);

// A line that repeats the badge, such as "Expiration date", is left out.
const unlike = (line, badge) => badge && line.toLowerCase().includes(badge.toLowerCase()) ? "" : line;

// Kinds that are no closed set are shown as words.
const words = (name) => name ? name[0].toUpperCase() + name.slice(1).replaceAll("_", " ") : "";

// The day is written in the order of the texts, which are English, and is in UTC.
const longDay = new Intl.DateTimeFormat("en-GB", {day: "numeric", month: "long", year: "numeric", timeZone: "UTC"});
const day = (i) => i.date_epochms === null ? i.date_value : longDay.format(i.date_epochms);

function money(value, currency) {
  try {
    return new Intl.NumberFormat(navigator.language, {style: "currency", currency, currencyDisplay: "code", trailingZeroDisplay: "stripIfInteger"}).format(value);
  } catch { // not a code of a currency
    return `${currency} ${number(value)}`;
  }
}
