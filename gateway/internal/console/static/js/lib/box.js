// Boxes in fractions of a page.

const percent = (fraction) => `${fraction * 100}%`;

/** setBox puts an element exactly on a box {left, top, width, height} of its page. */
export function setBox(element, box) {
  for (const side of ["left", "top", "width", "height"]) element.style[side] = percent(box[side]);
}
