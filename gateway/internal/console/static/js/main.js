// The console: signs in, and shows the view that the path asks for.

import * as api from "./lib/api.js";
import {el, fill} from "./lib/dom.js";
import {events, go, match} from "./lib/router.js";
import {strings} from "./lib/strings.js";
import {bar} from "./parts/bar.js";
import {problem} from "./parts/problem.js";
import {documentView} from "./views/document.js";
import {documentsView} from "./views/documents.js";
import {jobsView} from "./views/jobs.js";
import {signInView} from "./views/sign-in.js";

const views = {document: documentView, documents: documentsView, jobs: jobsView, missing: missingView};

/** The person who is signed in, as GET /me returns it; null if nobody is. */
let me = null;
/** Ends what the current view does in the background. */
let leave = new AbortController();

async function start(link) {
  try {
    me = link ? await api.signIn({link}) : await api.get("/me", {}, {quiet: true});
    show();
  } catch (error) {
    if ([401, 403].includes(error.status)) showSignIn(link ? error.message : "");
    else fill(document.body, el("main", {class: "plain"}, el("h1", {}, strings.common.product), problem(error, {retry: () => start(link)})));
  }
}

// A link signs in by its fragment, which browsers do not send to servers and which is
// removed from the history at once.
function takeLink() {
  const found = location.hash.match(/^#sign-in=(.+)$/);
  if (found) history.replaceState(null, "", location.pathname);
  return found?.[1];
}

function showSignIn(message) {
  me = null;
  leave.abort();
  fill(document.body, signInView(message, (account) => { me = account; show(); }));
}

// A view is a function of {id, me, signal} that returns {title, content}. The signal aborts
// when the person leaves it.
function show() {
  leave.abort();
  leave = new AbortController();
  const {view, id} = match(location.pathname);
  const {title, content} = views[view]({id, me, signal: leave.signal});
  document.title = `${title} · ${strings.common.product}`;
  fill(document.body,
    el("a", {class: "skip", href: "#content", onclick: (e) => { e.preventDefault(); content.focus(); }}, strings.common.skip),
    bar(me, view, () => showSignIn("")), content);
  content.id = "content";
  content.tabIndex = -1;
}

function missingView() {
  return {title: strings.common.missing, content: el("main", {class: "page"}, el("h1", {}, strings.common.missing), el("p", {}, el("a", {href: "/console"}, strings.common.toDocuments)))};
}

events.addEventListener("navigate", () => {
  if (!me) return;
  show();
  scrollTo(0, 0);
  document.getElementById("content").focus({preventScroll: true});
});
api.requests.addEventListener("signed-out", () => { if (me) showSignIn(strings.signIn.ended); });
if (location.pathname === "/console/documents") go("/console", {replace: true});
start(takeLink());
