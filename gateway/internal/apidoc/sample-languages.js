// Writers of samples: each turns a request of samples.js into a program. A test parses or
// runs what they write.

const json = (value, indent = "  ") => JSON.stringify(value, null, indent);

// indented indents all lines after the first one.
const indented = (text, indent) => text.replaceAll("\n", "\n" + indent);

// headerLines writes each header with a function that takes its name and value. A value is
// a text, or {variable} for an environment variable.
const headerLines = (request, write) => request.headers.map(([name, value]) => write(name, value));

/** curl writes a command for a POSIX shell. */
export const curl = (request) => {
  const quoted = (text) => "'" + text.replaceAll("'", String.raw`'\''`) + "'";
  const options = [];
  const implied = request.json || request.form ? "POST" : "GET";
  if (request.method !== implied) options.push("-X " + request.method);
  options.push(...headerLines(request, (name, value) => "-H " + (value.variable ? `"${name}: $${value.variable}"` : quoted(`${name}: ${value}`))));
  if (request.json) options.push("-d " + quoted(json(request.json)));
  for (const part of request.form ?? []) {
    options.push("-F " + (part.file ? `${part.name}=@${part.file}` : quoted(`${part.name}=${JSON.stringify(part.value)}`)));
  }
  if (request.response.kind === "file") options.push("-o " + request.response.name);
  // -N shows events as they arrive; -f keeps an error out of the file.
  const flags = {json: "--fail-with-body", stream: "--fail-with-body -N", file: "-f"};
  return ["curl " + flags[request.response.kind] + " " + quoted(request.url), ...options].join(" \\\n  ") + "\n";
};

/** javascript writes a module with fetch, for Node.js 20 or later. */
export const javascript = (request) => {
  const lines = [];
  // Without quotes where JavaScript allows it.
  const literal = (value) => json(value).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
  const options = request.method === "GET" ? [] : [`method: "${request.method}",`];
  const headers = headerLines(request, (name, value) => `  ${JSON.stringify(name)}: ${value.variable ? "process.env." + value.variable : JSON.stringify(value)},`);
  if (headers.length > 0) options.push("headers: {", ...headers, "},");
  if (request.json) options.push(`body: JSON.stringify(${literal(request.json)}),`);
  if (request.form) {
    lines.push(`const { openAsBlob } = await import("node:fs");`, "", "const form = new FormData();");
    for (const {name, value, file} of request.form) {
      lines.push(file ? `form.append("${name}", await openAsBlob("${file}"), "${file}");` : `form.append("${name}", JSON.stringify(${literal(value)}));`);
    }
    options.push("body: form,");
  }
  const url = JSON.stringify(request.url);
  const call = options.length === 0 ? `fetch(${url})` : `fetch(${url}, {\n  ${indented(options.join("\n"), "  ")}\n})`;
  lines.push(`const response = await ${call};`, "if (!response.ok) throw new Error(await response.text());");
  lines.push(...{
    json: ["console.log(await response.json());"],
    stream: ["for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);"],
    file: [`const { writeFile } = await import("node:fs/promises");`, `await writeFile("${request.response.name}", response.body);`],
  }[request.response.kind]);
  return lines.join("\n") + "\n";
};

/** python writes a script that uses the package requests. */
export const python = (request) => {
  const literal = (value, indent = "") => {
    const deeper = indent + "    ";
    const list = (open, items, close) => items.length === 0 ? open + close : `${open}\n${items.map((item) => deeper + item + ",\n").join("")}${indent}${close}`;
    if (Array.isArray(value)) return list("[", value.map((item) => literal(item, deeper)), "]");
    if (value === null) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    if (typeof value !== "object") return JSON.stringify(value); // strings and numbers are the same in Python
    return list("{", Object.entries(value).map(([key, item]) => JSON.stringify(key) + ": " + literal(item, deeper)), "}");
  };
  const call = [`    ${JSON.stringify(request.url)},`];
  const headers = headerLines(request, (name, value) => `${JSON.stringify(name)}: ${value.variable ? `os.environ["${value.variable}"]` : JSON.stringify(value)}`)
    .filter((line) => !(request.json && line.startsWith(`"Content-Type"`))); // json= sets it
  if (headers.length > 0) call.push(`    headers={${headers.join(", ")}},`);
  if (request.json) call.push(`    json=${literal(request.json, "    ")},`);
  const values = (request.form ?? []).filter((part) => !part.file), files = (request.form ?? []).filter((part) => part.file);
  if (values.length > 0) call.push("    data={" + values.map(({name, value}) => `"${name}": json.dumps(${literal(value, "    ")})`).join(", ") + "},");
  if (files.length > 0) call.push("    files={" + files.map(({name, file}) => `"${name}": open("${file}", "rb")`).join(", ") + "},");
  if (request.response.kind === "stream") call.push("    stream=True,");
  call.push("    timeout=90,");
  const standard = [values.length > 0 && "import json", request.headers.length > 0 && "import os"].filter(Boolean);
  return [...standard, ...(standard.length > 0 ? [""] : []), "import requests", "",
    `response = requests.${request.method.toLowerCase()}(`, ...call, ")",
    "if not response.ok:", "    raise SystemExit(response.text)",
    ...{
      json: ["print(response.json())"],
      stream: [`response.encoding = "utf-8"`, "for line in response.iter_lines(decode_unicode=True):", "    print(line)"],
      file: [`with open("${request.response.name}", "wb") as file:`, "    file.write(response.content)"],
    }[request.response.kind]].join("\n") + "\n";
};

/** go writes a program that uses the standard library, formatted as gofmt does. */
export const go = (request) => {
  const imports = new Set(["io", "log", "net/http", "os"]);
  const check = ["if err != nil {", "\tlog.Fatal(err)", "}"];
  // A raw string cannot contain a backquote.
  const raw = (text) => text.includes("`") ? JSON.stringify(text) : "`" + text + "`";
  const lines = [];
  let body = "nil";
  if (request.json) {
    imports.add("strings");
    lines.push(`body := strings.NewReader(${raw(json(request.json, "\t"))})`);
    body = "body";
  }
  if (request.form) {
    imports.add("bytes").add("mime/multipart");
    lines.push("var body bytes.Buffer", "form := multipart.NewWriter(&body)");
    for (const {name, value, file} of request.form) lines.push(...(file ? goFile(name, file, check) : goValue(name, raw(JSON.stringify(value)))));
    lines.push("if err := form.Close(); err != nil {", "\tlog.Fatal(err)", "}");
    body = "&body";
  }
  const method = "http.Method" + request.method[0] + request.method.slice(1).toLowerCase();
  lines.push(`request, err := http.NewRequest(${method}, ${JSON.stringify(request.url)}, ${body})`, ...check);
  lines.push(...headerLines(request, (name, value) => `request.Header.Set("${name}", ${value.variable ? `os.Getenv("${value.variable}")` : JSON.stringify(value)})`));
  if (request.form) lines.push(`request.Header.Set("Content-Type", form.FormDataContentType())`);
  lines.push("response, err := http.DefaultClient.Do(request)", ...check, "defer response.Body.Close()");
  let out = "os.Stdout";
  if (request.response.kind !== "file") {
    lines.push("log.Println(response.Status)");
  } else {
    lines.push("if response.StatusCode != http.StatusOK {", "\tlog.Fatal(response.Status)", "}");
    lines.push(`file, err := os.Create("${request.response.name}")`, ...check, "defer file.Close()");
    out = "file";
  }
  lines.push(`if _, err := io.Copy(${out}, response.Body); err != nil {`, "\tlog.Fatal(err)", "}");
  const sorted = [...imports].sort().map((name) => `\t"${name}"`);
  // The text of a raw string must not be indented, since that would change what is sent.
  return ["package main", "", "import (", ...sorted, ")", "", "func main() {", ...lines.map((line) => "\t" + line), "}"].join("\n") + "\n";
};

const goValue = (name, text) => [`if err := form.WriteField("${name}", ${text}); err != nil {`, "\tlog.Fatal(err)", "}"];

const goFile = (name, file, check) => [
  `content, err := os.ReadFile("${file}")`, ...check,
  `part, err := form.CreateFormFile("${name}", "${file}")`, ...check,
  "if _, err := part.Write(content); err != nil {", "\tlog.Fatal(err)", "}",
];
