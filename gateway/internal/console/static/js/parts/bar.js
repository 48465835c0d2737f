// The bar at the top of every view.

import * as api from "../lib/api.js";
import {el, icon} from "../lib/dom.js";
import {strings} from "../lib/strings.js";
import {failed} from "../lib/toast.js";
import {requestLog} from "./request-log.js";

/** bar returns the bar. signedOut is called when the person has signed out. */
export function bar(me, view, signedOut) {
  const link = (to, text, current) => el("a", {href: to, "aria-current": current ? "page" : undefined}, text);
  const t = strings.common;
  return el("header", {class: "bar"},
    el("a", {class: "brand", href: "/console", "aria-label": t.product}, el("img", {src: "/console/assets/icon.svg", alt: ""}), el("span", {}, t.product)),
    el("nav", {"aria-label": t.product},
      link("/console", t.documents, view === "documents" || view === "document"),
      link("/console/jobs", t.jobs, view === "jobs"),
      link("/docs", t.docs, false)),
    el("div", {class: "end"},
      el("span", {class: "organization", title: me.user.email}, me.organization.name),
      requestLog(),
      el("button", {type: "button", class: "quiet", onclick: () => api.signOut().then(signedOut, failed)}, icon("leave"), el("span", {}, t.signOut))));
}
