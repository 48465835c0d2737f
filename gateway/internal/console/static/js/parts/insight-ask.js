// The form that asks questions about a document.

import {el, newID} from "../lib/dom.js";
import {strings} from "../lib/strings.js";

const t = strings.insights;
const mostQuestions = 100;
const longest = 10_000;

/**
 * askForm returns {element, examples, hint}: a form whose lines are questions, and the parts of it
 * that offer examples and say how to use it. asked is called with the questions.
 */
export function askForm(asked) {
  const id = newID("ask");
  const error = el("p", {class: "error", id: id + "-error", role: "alert"});
  const text = el("textarea", {id, rows: 1, placeholder: t.questionExample, "aria-describedby": `${id}-hint ${id}-error`, oninput: () => { grow(text); complain(""); }});
  const examples = el("div", {class: "insight-chips", role: "group", "aria-label": t.examplesLabel},
    t.examples.map((example) => el("button", {type: "button", class: "insight-chip", onclick: () => asked([example])}, example)));
  const hint = el("p", {class: "small soft", id: id + "-hint"}, t.questionHint);
  const complain = (message) => { error.textContent = message; text.setAttribute("aria-invalid", String(message !== "")); };
  const submit = () => {
    const questions = [...new Set(text.value.split("\n").map((line) => line.trim()).filter(Boolean))];
    const message = wrong(questions);
    complain(message);
    if (message || !questions.length) return text.focus();
    text.value = "";
    grow(text);
    asked(questions);
  };
  text.addEventListener("keydown", (e) => {
    if (e.key !== "Enter" || e.shiftKey || e.isComposing) return;
    e.preventDefault();
    submit();
  });
  const element = el("form", {class: "insight-ask", onsubmit: (e) => { e.preventDefault(); submit(); }},
    el("label", {for: id}, t.question),
    el("div", {class: "insight-ask-row"}, text, el("button", {type: "submit"}, t.ask)),
    hint, error, examples);
  return {element, examples, hint};
}

function wrong(questions) {
  if (questions.length > mostQuestions) return t.tooManyQuestions;
  return questions.some((question) => [...question].length > longest) ? t.tooLong : "";
}

// The field is as high as its lines, up to the limit of the style.
function grow(text) {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight + 2}px`;
}
