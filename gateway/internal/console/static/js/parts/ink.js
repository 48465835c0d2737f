// A pad to draw on with a pointer.

import {el} from "../lib/dom.js";

const ratio = 3;          // width to height
const ink = "#16213d";    // dark in both modes, because paper is white
const pen = 0.008;        // width of a stroke, in fractions of the width of the pad
const exported = 1200;    // pixels of the width of the pad in the image
const margin = 8;         // pixels around the ink in the image

const within = (n, most) => Math.min(Math.max(n, 0), most);

/**
 * inkPad returns a pad: its element, image(), which returns the data URL of a PNG that is trimmed
 * to the ink, "" if there is none, empty(), undo() and clear(). changed is called after each
 * stroke, undo and clear. Strokes are kept in fractions of the width, so that they survive a
 * change of the size.
 */
export function inkPad(label, changed) {
  let strokes = [];
  let current = null;
  const canvas = el("canvas", {class: "field-ink", role: "img", "aria-label": label});

  function draw() {
    const width = Math.round(canvas.clientWidth * devicePixelRatio);
    if (width === 0) return;
    canvas.width = width;
    canvas.height = Math.round(width / ratio);
    paint(canvas.getContext("2d"), strokes, width);
  }
  const at = (e) => {
    const box = canvas.getBoundingClientRect();
    return {x: within((e.clientX - box.left) / box.width, 1), y: within((e.clientY - box.top) / box.width, 1 / ratio)};
  };
  canvas.addEventListener("pointerdown", (e) => {
    if (e.button !== 0 || current) return;
    canvas.setPointerCapture(e.pointerId);
    current = {pointer: e.pointerId, points: [at(e)]};
    strokes.push(current.points);
    draw();
  });
  canvas.addEventListener("pointermove", (e) => {
    if (e.pointerId !== current?.pointer) return;
    const events = e.getCoalescedEvents?.() ?? [];
    for (const one of events.length ? events : [e]) current.points.push(at(one));
    draw();
  });
  const end = (e) => {
    if (e.pointerId !== current?.pointer) return;
    current = null;
    changed();
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  new ResizeObserver(draw).observe(canvas);
  const set = (kept) => {
    if (kept.length === strokes.length) return;
    strokes = kept;
    draw();
    changed();
  };
  return {
    element: canvas, empty: () => strokes.length === 0, image: () => picture(strokes),
    undo: () => set(strokes.slice(0, -1)), clear: () => set([]),
  };
}

// Curves through the middles of the points are smooth, however coarse the events of a pointer.
function paint(context, strokes, scale) {
  context.strokeStyle = context.fillStyle = ink;
  context.lineWidth = pen * scale;
  context.lineCap = context.lineJoin = "round";
  for (const points of strokes) {
    const [first, ...rest] = points.map((p) => ({x: p.x * scale, y: p.y * scale}));
    context.beginPath();
    if (rest.length === 0) {
      context.arc(first.x, first.y, pen * scale, 0, 2 * Math.PI);
      context.fill();
      continue;
    }
    context.moveTo(first.x, first.y);
    rest.forEach((p, i) => {
      const next = rest[i + 1] ?? p;
      context.quadraticCurveTo(p.x, p.y, (p.x + next.x) / 2, (p.y + next.y) / 2);
    });
    context.stroke();
  }
}

function picture(strokes) {
  if (strokes.length === 0) return "";
  const all = strokes.flat();
  const edge = pen * exported + margin;
  const left = Math.min(...all.map((p) => p.x)) * exported - edge;
  const top = Math.min(...all.map((p) => p.y)) * exported - edge;
  const canvas = el("canvas", {
    width: Math.ceil(Math.max(...all.map((p) => p.x)) * exported + edge - left),
    height: Math.ceil(Math.max(...all.map((p) => p.y)) * exported + edge - top),
  });
  const context = canvas.getContext("2d");
  context.translate(-left, -top);
  paint(context, strokes, exported);
  return canvas.toDataURL("image/png");
}
