// The page that exchanges an API key for a session.

import * as api from "../lib/api.js";
import {control, el} from "../lib/dom.js";
import {strings} from "../lib/strings.js";

/** signInView returns the page with a message, "" for none. signedIn is called with the account. */
export function signInView(message, signedIn) {
  const t = strings.signIn;
  document.title = `${t.title} · ${strings.common.product}`;
  const key = el("input", {type: "password", name: "api_key", required: true, autocomplete: "off", spellcheck: false});
  const error = el("p", {class: "error", role: "alert"}, message);
  const submit = el("button", {type: "submit", class: "primary"}, t.submit);
  const form = el("form", {
    class: "card", onsubmit: async (e) => {
      e.preventDefault();
      submit.disabled = true;
      error.textContent = "";
      try {
        signedIn(await api.signIn({api_key: key.value.trim()}));
      } catch (failure) {
        error.textContent = failure.message;
        submit.disabled = false;
        key.focus();
      }
    },
  },
  el("p", {class: "brand"}, el("img", {src: "/console/assets/icon.svg", alt: ""}), strings.common.product),
  el("h1", {}, t.title), control(t.key, key, t.keyHint), error, submit, el("p", {class: "small soft"}, t.byLink));
  return el("main", {class: "sign-in"}, form);
}
