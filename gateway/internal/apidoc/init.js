// The API explorer over the description that this service serves.

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

// Accessible names for elements that the explorer leaves unnamed, and heading levels that
// place its headings below the heading of the page.
const names = [
  ["tr[data-param-name] :is(input, select, textarea)", (e) => e.closest("tr").dataset.paramName],
  [".opblock-section-request-body .body-param__text", () => "Request body"],
  [".examples-select-element", () => "Example"],
  [".response-control-media-type select, .body-param-content-type select, .content-type", () => "Media type"],
  [".servers select", () => "Server"],
  [".auth-container input", () => "API key"],
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

const api = document.getElementById("api");
let due = false; // run at most once for each frame
new MutationObserver(() => {
  if (!due) {
    due = true;
    requestAnimationFrame(() => { due = false; describe(api); });
  }
}).observe(api, {childList: true, subtree: true});

window.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  persistAuthorization: false, // do not leave API keys in the browser
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  syntaxHighlight: { activated: true },
  plugins: [errorsFolded],
});
