// The mode in which a person says where on a page something belongs.

import {setBox} from "../lib/box.js";
import {el} from "../lib/dom.js";
import {strings} from "../lib/strings.js";

const smallest = 0.01; // of the page, in both directions
const step = 0.01;
const usual = {left: 0.1, width: 0.35, height: 0.04};
const within = (n, low, high) => Math.min(Math.max(n, low), high);

/**
 * startPlacing lets a person draw a box on a page of the viewer, with the pointer or the keys,
 * in the pane. It calls done({page, box}), or done(null) when the person cancels, and returns a
 * function that cancels.
 */
export function startPlacing(viewer, pane, done) {
  const t = strings.pages;
  const stop = new AbortController();
  const {signal} = stop;
  let page = viewer.current;
  let box = inView(viewer, page);
  const frame = el("div", {class: "place-box", tabIndex: 0, role: "application", "aria-label": t.placingBox});
  const said = el("p", {class: "hidden-text", role: "status"});
  const finish = (result) => {
    if (signal.aborted) return;
    stop.abort();
    frame.remove();
    banner.remove();
    pane.classList.remove("placing");
    done(result);
  };
  const place = () => finish({page, box: rounded(box)});
  const cancel = () => finish(null);
  const banner = el("div", {class: "place-banner"}, el("p", {}, t.placing), said,
    el("div", {class: "row"},
      el("button", {type: "button", class: "primary", onclick: place}, t.place),
      el("button", {type: "button", onclick: cancel}, strings.common.cancel)));
  const show = () => {
    const sheet = viewer.page(page)?.element;
    if (frame.parentElement !== sheet) sheet?.append(frame);
    setBox(frame, box);
  };
  const say = () => {
    const whole = (n) => Math.round(n * 100);
    said.textContent = t.placed(page, whole(box.left), whole(box.top), whole(box.width), whole(box.height));
  };

  pane.classList.add("placing");
  pane.append(banner);
  show();
  frame.focus({preventScroll: true});
  frame.scrollIntoView({block: "nearest"});
  addEventListener("keydown", (e) => {
    if (e.key === "Escape") return cancel();
    if (e.target.closest?.("input, select, textarea")) return;
    if (e.key === "Enter" && e.target === frame) { e.preventDefault(); return place(); }
    const moved = e.shiftKey ? resized(box, e.key) : shifted(box, e.key);
    if (!moved) return;
    e.preventDefault();
    box = moved;
    show();
    frame.focus({preventScroll: true});
    frame.scrollIntoView({block: "nearest"});
    say();
  }, {signal, capture: true});
  draw(viewer, signal, (at, drawn) => { page = at; box = drawn; show(); }, place, () => { box = inView(viewer, page); show(); });
  return cancel;
}

// The usual box, in the upper half of what a person sees of the page, so that the banner does not cover it.
function inView(viewer, page) {
  const view = viewer.element.getBoundingClientRect();
  const sheet = viewer.page(page).element.getBoundingClientRect();
  return {...usual, top: within((view.top + 0.4 * view.height - sheet.top) / sheet.height, 0.02, 0.98 - usual.height)};
}

// A step of a hundredth of a pixel is precise enough, and sums of fractions are not.
const rounded = (box) => Object.fromEntries(Object.entries(box).map(([side, n]) => [side, Math.round(n * 1e5) / 1e5]));

const directions = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

function shifted(box, key) {
  const by = directions[key];
  return by && {...box, left: within(box.left + by[0] * step, 0, 1 - box.width), top: within(box.top + by[1] * step, 0, 1 - box.height)};
}

function resized(box, key) {
  const by = directions[key];
  return by && {...box, width: within(box.width + by[0] * step, smallest, 1 - box.left), height: within(box.height + by[1] * step, smallest, 1 - box.top)};
}

// draw follows the pointer. A mere click on a page, without a box, changes nothing.
function draw(viewer, signal, changed, drawn, undone) {
  let sheet = null;
  let from = null;
  let box = null;
  const fraction = (e) => {
    const r = sheet.getBoundingClientRect();
    return {x: within((e.clientX - r.left) / r.width, 0, 1), y: within((e.clientY - r.top) / r.height, 0, 1)};
  };
  viewer.element.addEventListener("pointerdown", (e) => {
    sheet = e.button === 0 ? e.target.closest(".leaf") : null;
    if (!sheet) return;
    e.preventDefault();
    viewer.element.setPointerCapture(e.pointerId);
    from = fraction(e);
    box = null;
  }, {signal});
  viewer.element.addEventListener("pointermove", (e) => {
    if (!from) return;
    const to = fraction(e);
    box = {left: Math.min(from.x, to.x), top: Math.min(from.y, to.y), width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y)};
    changed(Number(sheet.dataset.page), box);
  }, {signal});
  viewer.element.addEventListener("pointerup", () => {
    const enough = box && box.width >= smallest && box.height >= smallest / 2;
    if (enough) drawn();
    else if (box) undone();
    from = box = null;
  }, {signal});
}
