// Which expressions are there? Those whose id or text has what is searched for; each can be opened.

import { Problem, ask, settled } from "../api.js";
import { byId, element } from "../elements.js";
import { change, state } from "../state.js";
import { moveAlong, stopAt } from "../roving.js";

const ROWS = 50;

/** Show an expression in the editor, to be compared with what is live. */
export async function open(id) {
  const live = await ask(`expressions/${encodeURIComponent(id)}`);
  change({ view: "try", live: String(id), draft: live.expression });
}

export function expressionRow({ id, expression, tenant }, note = "") {
  return element(
    "button", { class: "row", type: "button", "data-id": id, tabindex: "-1", title: "Open in the editor" },
    element("span", { class: "id", text: id }),
    tenant ? element("span", { class: "tenant", text: tenant }) : null,
    note ? element("span", { class: "note", text: note }) : null,
    expression === undefined ? null : element("code", { text: expression }),
  );
}

/** A list of rows that is one stop of the tab key. */
export function fill(home, rows) {
  home.replaceChildren(...rows);
  stopAt(rows, rows[0]);
}

export function startRows(home) {
  moveAlong(home, () => [...home.querySelectorAll(".row")]);
  home.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) open(row.dataset.id).catch(() => change({ view: "try", live: row.dataset.id })); // where it is said why
  });
}

/** Some expressions of a query; the service looks at so many for a page, and says where it goes on. */
async function some(query, signal) {
  const all = [];
  let from = {};
  do {
    const page = await ask(`expressions?${new URLSearchParams({ limit: ROWS, ...query, ...from })}`, { signal });
    all.push(...page.expressions);
    from = page.next === null ? null : { after: page.next };
  } while (from && all.length < ROWS);
  return all;
}

/** Expressions whose ids begin with a text, then those that have it in theirs. */
async function found(text, signal) {
  const queries = text ? [{ prefix: text }, { contains: text }] : [{}];
  const lists = await Promise.all(queries.map((query) => some(query, signal)));
  const all = new Map(lists.flat().map((each) => [each.id, each]));
  return [...all.values()].slice(0, ROWS);
}

export const refreshSearch = settled(120, async (signal) => {
  try {
    const all = await found(state.search, signal);
    fill(byId("found"), all.map((each) => expressionRow(each)));
    byId("found-hint").textContent = all.length === ROWS ? `The first ${ROWS}; search to see others.` : all.length ? "" : state.search ? "None has this in its id or text." : "There are no expressions yet: PUT /expressions/{id} adds one.";
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    byId("found-hint").textContent = error.message;
  }
});

export function startSearch() {
  const field = byId("search");
  field.addEventListener("input", () => change({ search: field.value }));
  byId("search-form").addEventListener("submit", (event) => event.preventDefault());
  startRows(byId("found"));
}
