// The divider between the pages and the details.

import {el} from "../lib/dom.js";
import {strings} from "../lib/strings.js";

const key = "recto.details"; // in localStorage: the width of the details in pixels
const [narrowest, usual, step] = [320, 448, 16];

/** divider returns a separator that sets --details, the width of the details, on an element. */
export function divider(element) {
  const line = el("div", {class: "divider", role: "separator", tabIndex: 0, "aria-orientation": "vertical", "aria-label": strings.document.divider});
  const widest = () => Math.max(narrowest, Math.round(innerWidth * 0.6));
  let width = Number(read()) || usual;
  const set = (to, keep = true) => {
    width = Math.round(Math.min(Math.max(to, narrowest), widest()));
    element.style.setProperty("--details", `${width}px`);
    for (const [name, value] of [["now", width], ["min", narrowest], ["max", widest()]]) line.setAttribute(`aria-value${name}`, value);
    if (keep) write(width);
  };
  set(width, false);
  line.addEventListener("keydown", (e) => {
    const to = {ArrowLeft: width + step, ArrowRight: width - step, Home: widest(), End: narrowest}[e.key];
    if (to === undefined) return;
    e.preventDefault();
    set(to);
  });
  line.addEventListener("dblclick", () => set(usual));
  line.addEventListener("pointerdown", (e) => {
    line.setPointerCapture(e.pointerId);
    line.classList.add("dragged");
  });
  line.addEventListener("pointermove", (e) => {
    if (line.hasPointerCapture(e.pointerId)) set(element.getBoundingClientRect().right - e.clientX);
  });
  for (const end of ["pointerup", "pointercancel"]) line.addEventListener(end, () => line.classList.remove("dragged"));
  return line;
}

// Storage can be turned off.
function read() {
  try { return localStorage.getItem(key); } catch { return null; }
}

function write(value) {
  try { localStorage.setItem(key, value); } catch { /* the width is not remembered */ }
}
