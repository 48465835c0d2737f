// A row of the list of insights, and its details.

import {el, icon, newID} from "../lib/dom.js";
import {percent} from "../lib/format.js";
import {strings} from "../lib/strings.js";
import {copy} from "../lib/toast.js";
import {confidenceOf, kindOf, markOf, nameOf, pageOf, shown} from "./insight-types.js";

const t = strings.insights;

/**
 * Row shows one entry. element is an item of a list; head is the button that opens it. The
 * details are built when they are first opened, because there may be 1000 rows.
 */
export class Row {
  #entry;
  #actions;
  #details = null;

  /**
   * @param {object} entry an entry of Reader
   * @param {{choose: function(Row), opened: function(Row), call: function(object): string}} actions
   * choose shows the mark of the row on its page, opened is called when a person has opened the
   * row, and call returns a request for such an insight.
   */
  constructor(entry, actions) {
    this.#entry = entry;
    this.#actions = actions;
    const {key, item} = entry;
    const what = shown(key, item);
    this.head = el("button", {type: "button", class: "quiet insight-head", "aria-expanded": "false", onclick: () => this.toggle()}, this.#text(what));
    const page = pageOf(item);
    this.page = page === null || !markOf(entry) ? null : pageButton(page, () => this.#actions.choose(this));
    this.element = el("li", {class: "insight", data: {kind: kindOf(key) ?? "none", key}},
      el("div", {class: "insight-row"}, this.head, el("div", {class: "insight-side"}, this.page ?? (page !== null && el("span", {class: "insight-page"}, t.shortPage(page))), openLink(what), meter(confidenceOf(key, item)))));
    /** The text that a search looks in, in lower case. */
    this.text = [what.question, what.headline, what.badge, what.line, item.quote, ...(what.facts ?? []).flat()].filter(Boolean).join("\n").toLowerCase();
  }

  /** The id of the mark. It may change when a result replaces what a stream brought. */
  get id() { return this.#entry.id; }

  get isOpen() { return this.head.getAttribute("aria-expanded") === "true"; }

  /** toggle opens or closes the details, as a person does. */
  toggle() {
    this.open(!this.isOpen);
    if (this.isOpen) this.#actions.opened(this);
  }

  /** open opens or closes the details. */
  open(open) {
    this.head.setAttribute("aria-expanded", String(open));
    if (open && !this.#details) {
      this.#details = this.#build();
      this.head.setAttribute("aria-controls", this.#details.id);
      this.element.append(this.#details);
    }
    if (this.#details) this.#details.hidden = !open;
  }

  /** reachable makes the row the one that Tab reaches, or not. */
  reachable(yes) {
    for (const button of [this.head, this.page]) if (button) button.tabIndex = yes ? 0 : -1;
  }

  #text({headline, badge, line, question, empty}) {
    return [
      el("span", {class: "insight-dot", "aria-hidden": "true"}),
      el("span", {class: "insight-text"},
        question && el("span", {class: "insight-question"}, question, " "),
        el("span", {class: headlineClass(headline, empty)}, headline, " "),
        el("span", {class: "insight-line"}, badge && el("span", {class: "badge"}, badge), badge && " ", line,
          el("span", {class: "insight-type"}, line ? " · " : "", nameOf(this.#entry.key)))),
    ];
  }

  #build() {
    const {key, item} = this.#entry;
    const {facts = []} = shown(key, item);
    return el("div", {class: "insight-details", id: newID("insight")},
      item.quote && el("blockquote", {}, item.quote),
      list(facts),
      item.reasoning && el("details", {}, el("summary", {}, t.why), el("p", {}, item.reasoning), item.xml_path && list([[t.facts.place, item.xml_path]])),
      el("div", {class: "row insight-actions"},
        this.page && el("button", {type: "button", class: "quiet insight-show", onclick: () => this.#actions.choose(this)}, t.showPage(pageOf(item))),
        item.quote && el("button", {type: "button", class: "quiet", onclick: () => copy(item.quote)}, icon("copy"), t.copyQuote),
        el("button", {type: "button", class: "quiet", onclick: () => copy(this.#actions.call(this.#entry))}, icon("code"), t.copyCall)));
  }
}

// A sentence in bold is hard to read.
const longestBold = 80;
const headlineClass = (headline, empty) => ["insight-headline", empty && "soft", (empty || headline.length > longestBold) && "light"].filter(Boolean).join(" ");

const list = (facts) => facts.length > 0 && el("dl", {}, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

function pageButton(page, choose) {
  return el("button", {type: "button", class: "quiet insight-page", "aria-label": t.showPage(page), title: t.showPage(page), onclick: choose}, t.shortPage(page));
}

const openLink = ({link, headline}) => link && el("a", {class: "insight-open", href: link, "aria-label": t.openNamed(headline)}, t.open);

// The number says what the bar shows.
function meter(confidence) {
  if (confidence === null) return el("span", {class: "insight-meter"});
  const text = percent(confidence);
  const fill = el("span");
  fill.style.width = `${confidence * 100}%`;
  return el("span", {class: "insight-meter", title: t.confidence(text)},
    el("span", {class: "hidden-text"}, t.confidence(text)), el("span", {"aria-hidden": "true"}, text),
    el("span", {class: confidence < 0.5 ? "insight-bar low" : "insight-bar", "aria-hidden": "true"}, fill));
}
