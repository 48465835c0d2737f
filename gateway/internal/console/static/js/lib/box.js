// Boxes in fractions of a page.

const percent = (fraction) => `${fraction * 100}%`;

/** setBox puts an element exactly on a box {left, top, width, height} of its page. */
export function setBox(element, box) {
  for (const side of ["left", "top", "width", "height"]) element.style[side] = percent(box[side]);
}

const overlap = (start, size, otherStart, otherSize) => Math.max(0, Math.min(start + size, otherStart + otherSize) - Math.max(start, otherStart));

/** covers reports whether one box covers at least nine tenths of another. */
export const covers = (outer, inner) =>
  overlap(outer.left, outer.width, inner.left, inner.width) * overlap(outer.top, outer.height, inner.top, inner.height) >= 0.9 * inner.width * inner.height;
