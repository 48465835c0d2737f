// The contract that a person can try the console with.

import * as api from "../lib/api.js";
import {go} from "../lib/router.js";
import {strings} from "../lib/strings.js";

const type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** openSample uploads the sample contract as a document and opens it. The button is disabled meanwhile. */
export async function openSample(button, signal) {
  button.disabled = true;
  try {
    const content = await api.asset("sample/contract.docx", {signal});
    const created = await api.upload({name: strings.documents.sampleName}, [new File([content], "contract.docx", {type})], {signal});
    go(`/console/documents/${encodeURIComponent(created.id)}`);
  } finally {
    button.disabled = false;
  }
}
