// Who waits for documents, and how far behind are they?

import { Problem, ask } from "../api.js";
import { byId, counted, element, lasted } from "../elements.js";

const ROWS = 500;
const COLUMNS = [
  ["Name", (each) => element("strong", { text: each.name })],
  ["Delivery", (each) => each.delivery?.kind ?? "pull"],
  ["Expression", (each) => element("code", { text: each.expression })],
  ["Lag", (each) => lasted(each.lag)],
  ["Pending", (each) => number(each.pending)],
  ["In flight", (each) => number(each.in_flight)],
  ["Dropped", (each) => number(each.dropped, true)],
  ["Dead", (each) => number(each.dead, true)],
];

function number(value, isBad = false) {
  const known = value ?? 0;
  return element("span", { class: isBad && known ? "wrong" : "", text: counted(known) });
}

export async function refreshSubscriptions() {
  const home = byId("subscriptions");
  let found;
  try {
    found = await ask(`subscriptions?limit=${ROWS}`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return home.replaceChildren(element("p", { class: "hint", text: error.message }));
  }
  const all = found.subscriptions ?? [];
  if (!all.length) return home.replaceChildren(element("p", { class: "hint", text: "Nobody has subscribed yet." }));
  const head = element("tr", {}, ...COLUMNS.map(([name], place) => element("th", { scope: "col", class: place > 2 ? "figure" : null, text: name })));
  const rows = all.map((each) => element("tr", {}, ...COLUMNS.map(([name, cell], place) =>
    element(place ? "td" : "th", { class: place > 2 ? "figure" : null, scope: place ? null : "row", "data-name": name }, cell(each)))));
  const more = !found.next ? null : element("p", { class: "hint", text: `The first ${ROWS} by name; GET /subscriptions has the others.` });
  home.replaceChildren(...[more, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))].filter(Boolean));
}
