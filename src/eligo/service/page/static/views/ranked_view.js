// Which expressions match most, and which never? Over the events since the service started, or over the sample.

import { Problem, ask } from "../api.js";
import { byId, counted, element, plural } from "../elements.js";
import { triedLines } from "../editors/event_editor.js";
import { change, state } from "../state.js";
import { expressionRow, fill, startRows } from "./search_view.js";

function overWhat(found) {
  if (!found.events) return state.ranked === "sample" ? "The sample has no events." : "Nothing was asked yet.";
  const all = plural(found.events, "event");
  return found.counted_events < found.events ? `Counted over ${counted(found.counted_events)} of ${all}.` : `Counted over ${all}.`;
}

function list(title, rows, empty) {
  const home = element("div", { class: "found" });
  fill(home, rows);
  startRows(home);
  return element("section", {}, element("h3", { text: title }), rows.length ? home : element("p", { class: "hint", text: empty }));
}

export async function refreshRanked() {
  const home = byId("ranked");
  for (const name of ["start", "sample"]) byId(`ranked-${name}`).setAttribute("aria-pressed", String(state.ranked === name));
  let found;
  try {
    found = state.ranked === "sample" ? await ask("page/sample", { body: { events: triedLines(state.sample) } }) : await ask("page/ranked");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return home.replaceChildren(element("p", { class: "wrong", text: error.message }));
  }
  const never = found.num_never === null ? "Never matched" : `Never matched: ${counted(found.num_never)}`;
  home.replaceChildren(
    element("p", { class: "hint", text: overWhat(found) }),
    list("Most matched", found.most.map(({ count, ...each }) => expressionRow(each, plural(count, "event"))), "No expression matched."),
    list(never, found.never.map((each) => expressionRow(each)), "Every expression matched."),
  );
}

export function startRanked() {
  for (const name of ["start", "sample"]) byId(`ranked-${name}`).addEventListener("click", () => change({ ranked: name }));
}
