// Colors for code. One expression serves JSON and all languages of the samples: their
// strings and numbers look alike. No string spans lines, so that the JSON in a string of a
// shell or of Go is colored, too.

const tokens = new RegExp([
  String.raw`(?<key>"(?:\\.|[^"\\\n])*"(?=\s*:))`,
  String.raw`(?<text>"(?:\\.|[^"\\\n])*"|'[^'\n]*'|${"`[^`\\n]*`"})`,
  String.raw`(?<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)`,
  String.raw`(?<word>(?<![-\w.])(?:package|import|func|var|const|if|else|for|of|in|as|with|not|await|new|throw|defer|return|raise|true|false|null|nil|True|False|None|curl)(?![-\w]))`,
].join("|"), "g");

// More text than this is shown without colors, because each token becomes an element.
const limit = 50_000;

/** highlighted returns the text of code as a list of strings and [kind, string] pairs. */
export const highlighted = (code) => {
  if (code.length > limit) return [code];
  const parts = [];
  let end = 0;
  for (const match of code.matchAll(tokens)) {
    if (match.index > end) parts.push(code.slice(end, match.index));
    parts.push([Object.keys(match.groups).find((kind) => match.groups[kind] !== undefined), match[0]]);
    end = match.index + match[0].length;
  }
  if (end < code.length) parts.push(code.slice(end));
  return parts;
};

/** codeBlock returns a component that shows its text as code, for the explorer's React. */
export const codeBlock = (h) => ({className, children, ...rest}) =>
  h("pre", {className, tabIndex: 0, ...rest}, h("code", null, highlighted(String(children ?? "")).map((part, i) =>
    typeof part === "string" ? part : h("span", {key: i, className: "code-" + part[0]}, part[1]))));
