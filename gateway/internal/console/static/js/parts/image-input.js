// Choosing images for a field: with a dialog, by dropping files, or from JSON.

import {el, fill, icon} from "../lib/dom.js";
import {size} from "../lib/format.js";
import {strings} from "../lib/strings.js";
import {labelOf} from "./field-values.js";

const t = strings.fields.image;

/** The types and the size that annotate takes. */
const types = ["image/jpeg", "image/png"];
const largest = 10 * 1024 * 1024; // bytes

/**
 * imageControl returns the control of an image field, as fieldControl describes it. Its value is
 * a data URL, or an array of them; "" without an image.
 */
export function imageControl(field, changed) {
  const several = field.multiple !== false; // only a field that says so takes just one
  let images = [];
  let problem = "";
  const list = el("ul", {class: "field-images"});
  const input = el("input", {type: "file", accept: types.join(), multiple: several, hidden: true, "aria-label": t.choose});
  const button = el("button", {type: "button", onclick: () => input.click()});
  const drop = el("div", {class: "field-drop"}, button, el("span", {class: "small soft"}, t.drop), input);

  function show() {
    fill(list, images.map((image) => preview(image, () => {
      images = images.filter((i) => i !== image);
      update("");
      button.focus();
    })));
    list.hidden = images.length === 0;
    const action = images.length && several ? t.chooseMore : t.choose;
    fill(button, icon("upload"), action);
    button.setAttribute("aria-label", t.label(action, labelOf(field)));
  }
  function update(message) {
    problem = message;
    show();
    changed();
  }
  async function add(files) {
    const read = await Promise.allSettled([...files].map(readImage));
    const good = read.filter((r) => r.status === "fulfilled").map((r) => r.value);
    if (good.length) images = several ? [...images, ...good] : good.slice(0, 1);
    update(read.find((r) => r.status === "rejected")?.reason.message ?? "");
  }
  input.addEventListener("change", () => { add(input.files); input.value = ""; });
  takeDrops(drop, add);
  show();
  return {
    group: true, element: el("div", {class: "field-image"}, list, drop), inputs: [button], problem: () => problem, eager: true,
    get: () => images.length > 1 ? images.map((i) => i.url) : images[0]?.url ?? "",
    set(value) {
      const urls = [value].flat().filter(Boolean);
      if (!urls.every((u) => types.some((type) => u.startsWith(`data:${type};base64,`)))) return false;
      images = urls.map((url, i) => ({name: t.pasted(i + 1), bytes: null, url}));
      problem = "";
      show();
      return true;
    },
  };
}

function preview(image, remove) {
  return el("li", {}, el("img", {src: image.url, alt: ""}),
    el("span", {class: "small"}, el("span", {class: "field-image-name"}, image.name), el("span", {class: "soft"}, size(image.bytes))),
    el("button", {type: "button", class: "quiet icon", "aria-label": t.remove(image.name), onclick: remove}, icon("close")));
}

/** takeDrops calls take with the files that are dropped on an element, which has the class "over" meanwhile. */
export function takeDrops(element, take) {
  const over = (on) => (e) => { e.preventDefault(); element.classList.toggle("over", on); };
  element.addEventListener("dragover", over(true));
  element.addEventListener("dragleave", over(false));
  element.addEventListener("drop", (e) => { over(false)(e); if (e.dataTransfer.files.length) take(e.dataTransfer.files); });
}

// A file is checked before it is sent, because sending 10 MiB only to be refused takes long.
async function readImage(file) {
  if (!types.includes(file.type)) throw new Error(t.type(file.name));
  if (file.size > largest) throw new Error(t.large(file.name));
  const url = await dataURL(file);
  const image = new Image();
  image.src = url;
  await image.decode().catch(() => { throw new Error(t.broken(file.name)); });
  return {name: file.name, bytes: file.size, url};
}

function dataURL(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result));
    reader.addEventListener("error", () => reject(new Error(t.broken(file.name))));
    reader.readAsDataURL(file);
  });
}
