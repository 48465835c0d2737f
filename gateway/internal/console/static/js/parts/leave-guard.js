// Asks before a person leaves a view with values that would be lost.

import {el} from "../lib/dom.js";
import {go} from "../lib/router.js";
import {strings} from "../lib/strings.js";

const t = strings.fields.leave;

/** Downloads begin as navigations, which must not ask. */
const grace = 1000; // milliseconds

/**
 * guard asks before the person leaves while count() is above 0, until the signal aborts. It
 * returns a function that runs another one, which may start a download, without asking.
 */
export function guard(count, signal) {
  let allowed = false;
  addEventListener("beforeunload", (e) => { if (!allowed && count() > 0) e.preventDefault(); }, {signal});
  // The router listens on the document too, so this has to come before it.
  document.addEventListener("click", (e) => {
    const to = target(e);
    if (!to || count() === 0) return;
    e.preventDefault();
    e.stopPropagation();
    ask(count(), () => go(to.pathname + to.search));
  }, {capture: true, signal});
  return (action) => {
    allowed = true;
    setTimeout(() => { allowed = false; }, grace);
    action();
  };
}

// Returns where a click leads if it leaves the view within the console, or null.
function target(e) {
  const link = e.target.closest?.("a[href]");
  if (!link || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || link.target || link.hasAttribute("download")) return null;
  const to = new URL(link.href, location.href);
  return to.origin === location.origin && /^\/console(\/|$)/.test(to.pathname) && to.pathname !== location.pathname ? to : null;
}

function ask(n, leave) {
  const dialog = el("dialog", {"aria-label": t.title, onclose: () => dialog.remove()},
    el("div", {class: "stack"}, el("h2", {}, t.title), el("p", {}, t.text(n)),
      el("div", {class: "actions"},
        el("button", {type: "button", onclick: () => dialog.close()}, t.stay),
        el("button", {type: "button", class: "danger", onclick: () => { dialog.close(); leave(); }}, t.go))));
  document.body.append(dialog);
  dialog.showModal();
}
