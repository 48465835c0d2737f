// Paths of the console, and which view shows each.

/** events dispatches "navigate" when the path has changed. */
export const events = new EventTarget();

/** go opens a path of the console, such as /console/jobs. */
export function go(path, {replace = false} = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  events.dispatchEvent(new Event("navigate"));
}

/** note changes the address, but not the view: a list keeps its filters in the query of its path. */
export function note(path, {replace = false} = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
}

addEventListener("popstate", () => events.dispatchEvent(new Event("navigate")));

// Links within the console change the view, not the page, unless a person wants a new tab.
document.addEventListener("click", (e) => {
  const link = e.target.closest?.("a[href]");
  if (!link || e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || link.target || link.hasAttribute("download")) return;
  const to = new URL(link.href, location.href);
  if (to.origin !== location.origin || !(to.pathname === "/console" || to.pathname.startsWith("/console/"))) return;
  e.preventDefault();
  go(to.pathname + to.search);
});

/** match returns the view of a path and its parameters: {view, id}. */
export function match(path) {
  const parts = path.split("/").filter(Boolean).slice(1).map(decodeURIComponent);
  if (parts.length === 0 || parts.length === 1 && parts[0] === "documents") return {view: "documents"};
  if (parts.length === 2 && parts[0] === "documents") return {view: "document", id: parts[1]};
  if (parts.length === 1 && parts[0] === "jobs") return {view: "jobs"};
  return {view: "missing"};
}
