// Requests of the console as a program sends them.

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** curl returns a request {method, path, body, form, headers} as a command for a shell. */
export function curl({method, path, body, form, headers = {}}) {
  const words = [];
  if (form) {
    words.push(`-F ${quoted("document=" + JSON.stringify(form.document))}`, ...form.files.map((name) => `-F ${quoted("files=@" + name)}`));
  } else if (method !== "GET" && !(method === "POST" && body !== undefined)) {
    words.push(`-X ${method}`);
  }
  words.push(`-H "x-api-key: $RECTO_API_KEY"`, ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`));
  if (body !== undefined) words.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body, shorten, 2))}`);
  return ["curl " + quoted(location.origin + "/v2" + path), ...words].join(" \\\n  ");
}

// Images in base64 would hide the request.
const longest = 2000;
const shorten = (_, value) => typeof value === "string" && value.length > longest ? value.slice(0, 60) + "…" : value;
