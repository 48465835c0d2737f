// Values that a person has entered, while the view changes to another version of the document.

const lasting = 10000; // milliseconds, so that nobody else who signs in later sees them

/** By document id: a Map of values by field id. */
const drafts = new Map();

/** keepDraft keeps values for the next panel of a document, if the person is still there. */
export function keepDraft(documentID, values) {
  if (values.size === 0 || location.pathname !== `/console/documents/${encodeURIComponent(documentID)}`) return;
  drafts.set(documentID, values);
  setTimeout(() => { if (drafts.get(documentID) === values) drafts.delete(documentID); }, lasting);
}

/** takeDraft returns the values that were kept for a document, and forgets them. */
export function takeDraft(documentID) {
  const values = drafts.get(documentID) ?? new Map();
  drafts.delete(documentID);
  return values;
}
