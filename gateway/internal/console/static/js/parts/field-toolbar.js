// Buttons that are one stop of the Tab key, so that it leads from field to field.

import {el} from "../lib/dom.js";

const steps = {ArrowLeft: -1, ArrowRight: 1};

/**
 * toolbar returns a toolbar with buttons. Tab leads to the first that is not hidden at first, and
 * arrows between those that are not hidden.
 */
export function toolbar(label, buttons) {
  const main = buttons.find((b) => !b.hidden);
  const stop = (button) => { for (const b of buttons) b.tabIndex = b === button ? 0 : -1; };
  const move = (e) => {
    const shown = buttons.filter((b) => !b.hidden);
    const next = shown[shown.indexOf(e.target) + steps[e.key]];
    if (!next) return;
    e.preventDefault();
    next.focus();
  };
  stop(main);
  return el("span", {
    class: "field-tools-row", role: "toolbar", "aria-label": label, onkeydown: move, onfocusin: (e) => stop(e.target),
    onfocusout: () => stop(main),
  }, buttons);
}
