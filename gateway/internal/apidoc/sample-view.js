// The samples of an operation, as a component of the explorer.

import {codeBlock} from "./highlight.js";
import {keyVariable, languages, requests} from "./samples.js";

// The chosen language is that of all operations, and lasts as long as the tab of the
// browser.
const storageKey = "recto-docs-language";
const listeners = new Set();
let chosen = languages[0].id;
try {
  const kept = sessionStorage.getItem(storageKey);
  if (languages.some(({id}) => id === kept)) chosen = kept;
} catch { /* Storage can be forbidden. The choice then lasts as long as the page. */ }

const choose = (id) => {
  chosen = id;
  try { sessionStorage.setItem(storageKey, id); } catch { /* as above */ }
  for (const listener of listeners) listener();
};
const subscribe = (listener) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

// target returns the index of the tab that a key leads to, or undefined.
const target = (key, at, count) => ({
  ArrowRight: (at + 1) % count, ArrowLeft: (at + count - 1) % count, Home: 0, End: count - 1,
})[key];

const tabs = (h, id, language) => h("div", {
  role: "tablist", "aria-label": "Language of the sample", className: "sample-tabs",
  onKeyDown: (event) => {
    const next = target(event.key, languages.findIndex((l) => l.id === language), languages.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(languages[next].id);
    event.currentTarget.children[next].focus();
  },
}, languages.map((l) => h("button", {
  key: l.id, type: "button", role: "tab", id: `${id}-${l.id}`, "aria-controls": id, className: "sample-tab",
  "aria-selected": l.id === language, tabIndex: l.id === language ? 0 : -1, onClick: () => choose(l.id),
}, l.label)));

// copyButton copies a text. If the browser does not allow that, it selects the sample, so
// that the person can copy it.
const copyButton = (React) => function CopyButton({text, panel}) {
  const h = React.createElement;
  const [said, say] = React.useState("");
  React.useEffect(() => say(""), [text]);
  const copy = () => navigator.clipboard.writeText(text).then(() => say("Copied."), () => {
    getSelection().selectAllChildren(document.getElementById(panel).querySelector("pre"));
    say("The browser does not allow copying. The sample is selected: copy it yourself.");
  });
  return h("span", {className: "sample-copy"},
    h("span", {role: "status"}, said),
    h("button", {type: "button", className: "btn sample-copy-button", onClick: copy}, "Copy"));
};

/** samplesView returns the component. Its properties are the path and method of an operation. */
export const samplesView = (React, description) => {
  const h = React.createElement;
  const Code = codeBlock(h), Copy = copyButton(React);
  return function Samples({path, method}) {
    const language = React.useSyncExternalStore(subscribe, () => chosen);
    const [selected, select] = React.useState(0);
    const offered = React.useMemo(() => requests(description, path, method), [path, method]);
    const id = `sample-${description.paths[path][method].operationId}`;
    const {request} = offered[selected];
    const text = languages.find((l) => l.id === language).write(request);
    return h("section", {className: "samples", "aria-labelledby": id + "-title"},
      h("div", {className: "opblock-section-header samples-header"},
        h("h4", {id: id + "-title"}, "Sample"),
        offered.length > 1 && h("select", {"aria-label": "Request of the sample", value: selected, onChange: (e) => select(Number(e.target.value))},
          offered.map(({label}, i) => h("option", {key: label, value: i}, label)))),
      h("div", {className: "sample-body"},
        h("div", {className: "sample-bar"}, tabs(h, id, language), h(Copy, {text, panel: id})),
        h("div", {role: "tabpanel", id, "aria-labelledby": `${id}-${language}`},
          h(Code, {className: "sample-code"}, text)),
        request.headers.some(([, value]) => value.variable) &&
          h("p", {className: "sample-note"}, "It reads the API key from the environment variable ", h("code", null, keyVariable), ".")));
  };
};
