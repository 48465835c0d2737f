// The API explorer over the description that this service serves.

import {contents} from "./contents.js";
import {codeBlock} from "./highlight.js";
import {samplesView} from "./sample-view.js";
import {connect, index} from "./search.js";

// errorsFolded shows the errors of an operation as one collapsed list. All of them have
// the same body, which the explorer would otherwise repeat for each.
const errorsFolded = () => ({
  wrapComponents: {
    responses: (Responses, system) => (props) => {
      const h = system.React.createElement;
      const Markdown = system.getComponent("Markdown", true);
      const isError = (_, code) => code >= "400";
      const errors = props.responses.filter(isError);
      return h("div", null,
        h(Responses, {...props, responses: props.responses.filterNot(isError)}),
        errors.size > 0 && h("details", {className: "folded"},
          h("summary", null, "Errors: " + errors.keySeq().join(", ")),
          h("p", null, "All errors have the same body. ", h("a", {href: "/docs/errors"}, "Each code has a page"), "."),
          h("dl", null, errors.entrySeq().map(([code, response]) => [
            h("dt", {key: code}, code),
            h("dd", {key: code + " means"}, h(Markdown, {source: response.get("description")})),
          ]))));
    },
  },
});

// samplesShown puts samples in several languages before the responses of an operation. It
// also colors code by classes: the explorer's own colors are inline styles for a dark
// background.
const samplesShown = (description) => (system) => {
  const h = system.React.createElement;
  const Samples = samplesView(system.React, description);
  return {
    wrapComponents: {
      responses: (Responses) => (props) => h("div", null, h(Samples, {path: props.path, method: props.method}), h(Responses, props)),
      SyntaxHighlighter: () => {
        const Code = codeBlock(h);
        return ({className, children}) => h(Code, {className}, children);
      },
    },
  };
};

// searchable shows only the operations that the search has found. The explorer calls
// opsFilter whenever the filter changes, and leaves out the operations itself.
let found;
const searchable = () => ({
  components: {FilterContainer: () => null},
  fn: {
    opsFilter: (tagged) => tagged
      .map((tag) => tag.update("operations", (operations) => operations.filter((o) => found.has(`${o.get("method")} ${o.get("path")}`))))
      .filter((tag) => tag.get("operations").size > 0),
  },
});

// alwaysTried leaves out the button that would turn the form of an operation off: it is
// always on. What remains is the button that restores an edited body.
const alwaysTried = (system) => ({
  wrapComponents: {
    TryItOutButton: () => ({hasUserEditedBody, onResetClick}) => hasUserEditedBody
      ? system.React.createElement("div", {className: "try-out"},
        system.React.createElement("button", {type: "button", className: "btn reset", onClick: onResetClick}, "Reset"))
      : null,
  },
});

// scrolledBelowBar makes links to an operation scroll as CSS says, so that the bar and the
// search do not cover it. The explorer scrolls by itself, to the top of the window.
const scrolledBelowBar = () => ({
  statePlugins: {layout: {wrapActions: {scrollToElement: () => (element) => element?.scrollIntoView()}}},
});

// Accessible names for elements that the explorer leaves unnamed, and heading levels that
// place its headings below the heading of the page.
const names = [
  ["tr[data-param-name] :is(input, select, textarea)", (e) => e.closest("tr").dataset.paramName],
  [".opblock-section-request-body .body-param__text", () => "Request body"],
  [".examples-select-element", () => "Example"],
  [".response-control-media-type select, .body-param-content-type select, .content-type", () => "Media type"],
  [".servers select", () => "Server"],
  [".auth-container input", () => "API key"],
  [".copy-to-clipboard button", () => "Copy"],
];
const levels = [["h2", 2], ["h3", 2], ["h4", 3], ["h5", 4]];

const describe = (root) => {
  for (const [selector, name] of names) {
    for (const element of root.querySelectorAll(selector)) {
      element.setAttribute("aria-label", name(element));
    }
  }
  for (const [tag, level] of levels) {
    for (const element of root.querySelectorAll(tag)) {
      element.setAttribute("role", "heading");
      element.setAttribute("aria-level", level);
    }
  }
};

const describeAlways = (root) => {
  let due = false; // run at most once for each frame
  new MutationObserver(() => {
    if (!due) {
      due = true;
      requestAnimationFrame(() => { due = false; describe(root); });
    }
  }).observe(root, {childList: true, subtree: true});
};

const start = (description) => {
  const ui = window.SwaggerUIBundle({
    spec: description,
    dom_id: "#api",
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    persistAuthorization: false, // do not leave API keys in the browser
    defaultModelsExpandDepth: 0,
    docExpansion: "list",
    syntaxHighlight: { activated: true },
    plugins: [errorsFolded, samplesShown(description), alwaysTried, searchable, scrolledBelowBar],
  });
  const {layoutActions} = ui.getSystem();
  const leave = contents(document.getElementById("contents"), description, (tag, name) => {
    layoutActions.show(["operations-tag", tag], true);
    layoutActions.show(["operations", tag, name], true);
    requestAnimationFrame(() => {
      const operation = document.getElementById(`operations-${tag}-${name}`);
      operation?.scrollIntoView();
      operation?.querySelector(".opblock-summary-control").focus({preventScroll: true});
    });
  });
  connect(document.getElementById("search"), {
    nothing: document.getElementById("nothing"),
    find: index(description),
    show: (operations) => {
      found = operations;
      leave(operations);
      // Only hits are shown, without the introduction and the schemas.
      document.body.classList.toggle("searching", Boolean(found));
      if (found) for (const {name} of description.tags) layoutActions.show(["operations-tag", name], true);
      layoutActions.updateFilter(found ? [...found].join() || "none" : false);
    },
    first: () => api.querySelector(".opblock-summary-control"),
  });
};

const api = document.getElementById("api");
describeAlways(api);
fetch("/openapi.json").then((response) => response.json()).then(start).catch((error) => {
  console.error(error);
  const message = document.createElement("p");
  message.setAttribute("role", "alert");
  message.className = "failed";
  message.textContent = "The API reference could not be shown. Reload the page to try again.";
  api.replaceChildren(message);
});
