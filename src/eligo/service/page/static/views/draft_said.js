// What is wrong with the draft, or remarkable? Under its text: the place, the message and what to do.

import { byId, element } from "../elements.js";
import { state } from "../state.js";

/** A message in which what stands between backquotes is code. */
function worded(message) {
  return message.split("`").map((part, place) => (place % 2 ? element("code", { text: part }) : part));
}

function problemLines({ detail, line, column, excerpt, caret, help }) {
  const place = line ? `line ${line}, column ${column}` : "";
  return [
    element("p", { class: "said-what" }, element("strong", {}, ...worded(detail)), place ? element("span", { class: "place", text: place }) : null),
    excerpt ? element("pre", { class: "excerpt", text: `${excerpt}\n${caret}` }) : null,
    help ? element("p", { class: "help" }, ...worded(help)) : null,
  ];
}

function findingLine({ rule, message, help }) {
  return element("p", { class: "finding" }, element("strong", { text: rule }), " ", ...worded(message), help ? element("span", { class: "help" }, ...worded(help)) : null);
}

export function showSaid({ problem, findings, canonical, failure }) {
  const said = byId("said");
  const isWritten = Boolean(state.draft.trim());
  said.className = `said ${problem || failure ? "is-wrong" : findings.length ? "is-odd" : "is-fine"}`;
  if (!isWritten) said.replaceChildren(element("p", { class: "hint", text: "Write an expression, or open one by its id." }), exampleButton());
  else if (failure) said.replaceChildren(element("p", {}, element("strong", { text: failure.message })));
  else if (problem) said.replaceChildren(...problemLines(problem).filter(Boolean));
  else said.replaceChildren(...findings.map(findingLine), ...(canonical ? [canonicalLine(canonical)] : []));
}

function canonicalLine(canonical) {
  return element("p", { class: "canonical" }, element("span", { class: "place", text: "canonical" }), element("code", { text: canonical }));
}

function exampleButton() {
  return element("button", { id: "example", type: "button", text: "Try an example" });
}
