// Why does the chosen event match, or not? The expression as a tree: the truth of each node, and how many events pass it.

import { byId, counted, element, plural } from "../elements.js";
import { stopAt } from "../roving.js";
import { chosenEvent } from "../trial.js";
import { mark } from "./verdict_list.js";

const DRAWN = 14;
const collapsed = new Set();
let rows = [];
let onNode = () => {};

/** A tree's node as a row, with what is needed to walk from node to node. */
function rowOf(node, place, nodes, numEvents) {
  const hasChildren = nodes[place + 1]?.depth > node.depth;
  const key = `${node.start}-${node.end}-${node.depth}`;
  const total = node.passes + node.fails + node.unknown;
  const line = element(
    "div",
    {
      role: "treeitem", class: `node ${hasChildren ? "is-connective" : ""}`, "aria-level": node.depth + 1, tabindex: "-1",
      "aria-expanded": hasChildren ? String(!collapsed.has(key)) : null,
      "aria-label": spoken(node, total),
    },
    element("span", { class: "what" }, ...guides(node.depth), hasChildren ? element("span", { class: "fold", "aria-hidden": "true" }) : null,
      node.truth ? mark(node.truth) : null,
      element("span", { class: "text" }, element("code", { text: node.text }), node.reason ? element("span", { class: "reason", text: node.reason }) : null)),
    numEvents ? share(node, total) : null,
  );
  return { node, line, key, hasChildren };
}

function spoken(node, total) {
  const truth = { t: "true", f: "false", u: "unknown" }[node.truth];
  return [`${node.text}${truth ? ` is ${truth}` : ""}`, node.reason, total ? `${node.passes} of ${plural(total, "event")} pass` : ""].filter(Boolean).join(", ");
}

function guides(depth) {
  const drawn = Array.from({ length: Math.min(depth, DRAWN) }, () => element("span", { class: "guide" }));
  return depth > DRAWN ? [...drawn, element("span", { class: "level", text: `[${depth}]` })] : drawn;
}

/** How many events pass: a bar of those that do, are unknown, and do not; and the number. */
function share(node, total) {
  const parts = [["t", node.passes], ["u", node.unknown], ["f", node.fails]].filter(([, count]) => count);
  const bar = element("span", { class: "parts", "aria-hidden": "true" }, ...parts.map(([letter, count]) => {
    const part = element("span", { class: `part-${letter}` });
    part.style.flexGrow = count;
    return part;
  }));
  const title = `${counted(node.passes)} true, ${counted(node.fails)} false, ${counted(node.unknown)} unknown`;
  return element("span", { class: "share", title }, bar, element("span", { class: "count", text: `${counted(node.passes)} of ${counted(total)}` }));
}

export function showTree({ tried, problem, failure, isStale }) {
  const tree = byId("tree");
  const had = tree.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const nodes = tried?.nodes ?? [];
  const numEvents = tried?.verdicts.length ?? 0;
  rows = nodes.map((node, place) => rowOf(node, place, nodes, numEvents));
  for (const row of rows) row.line.dataset.key = row.key;
  tree.replaceChildren(...rows.map((row) => row.line));
  tree.hidden = !rows.length;
  tree.classList.toggle("is-stale", isStale);
  fold();
  const stop = rows.find((row) => row.key === had) ?? rows[0];
  if (stop) stopAt(rows.map((row) => row.line), stop.line);
  if (had !== null) stop?.line.focus();
  showChosen(tried);
  byId("tree-hint").textContent = isStale ? "Of the last draft that could be read." : treeHint(tried, problem, failure);
}

function showChosen(tried) {
  const chosen = chosenEvent();
  const verdict = chosen === null ? null : tried?.verdicts[chosen];
  byId("chosen").replaceChildren(...(verdict ? [`Event ${chosen + 1} `, verdict.summary ?? verdict.error] : []));
}

function treeHint(tried, problem, failure) {
  if (tried && tried.num_nodes > tried.most_nodes) return `The first ${counted(tried.most_nodes)} of ${counted(tried.num_nodes)} nodes.`;
  if (tried && !tried.verdicts.length) return "Add sample events to see the truth of every node and how many events pass it.";
  if (tried) return "The bar counts the sample's events at each node: true, unknown, false.";
  return problem || failure ? "There is no tree of an expression that cannot be read." : "The tree of the expression is shown here.";
}

/** Hide what stands below nodes that are folded. */
function fold() {
  let hiddenBelow = Infinity;
  for (const { node, line, key, hasChildren } of rows) {
    const isHidden = node.depth > hiddenBelow;
    line.hidden = isHidden;
    if (!isHidden) hiddenBelow = hasChildren && collapsed.has(key) ? node.depth : Infinity;
    if (hasChildren) line.setAttribute("aria-expanded", String(!collapsed.has(key)));
  }
}

function toggle(row, isOpen) {
  if (isOpen) collapsed.delete(row.key);
  else collapsed.add(row.key);
  fold();
}

function parentOf(row) {
  const place = rows.indexOf(row);
  return rows.slice(0, place).findLast((other) => other.node.depth < row.node.depth);
}

function go(row) {
  if (!row) return;
  stopAt(rows.map((each) => each.line), row.line);
  row.line.focus();
}

const KEYS = {
  ArrowDown: (row, seen) => go(seen[seen.indexOf(row) + 1]),
  ArrowUp: (row, seen) => go(seen[seen.indexOf(row) - 1]),
  Home: (row, seen) => go(seen[0]),
  End: (row, seen) => go(seen.at(-1)),
  ArrowRight: (row, seen) => {
    if (row.hasChildren && collapsed.has(row.key)) toggle(row, true);
    else if (row.hasChildren) go(seen[seen.indexOf(row) + 1]);
  },
  ArrowLeft: (row) => {
    if (row.hasChildren && !collapsed.has(row.key)) toggle(row, false);
    else go(parentOf(row));
  },
  Enter: (row) => row.hasChildren && toggle(row, collapsed.has(row.key)),
};

/** `shows` is called with the node that has the focus, or null. */
export function startTree(shows) {
  onNode = shows;
  const tree = byId("tree");
  const rowAt = (target) => rows.find((row) => row.line === target.closest?.("[role=treeitem]"));
  tree.addEventListener("keydown", (event) => {
    const row = rowAt(event.target);
    if (!row || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key](row, rows.filter((each) => !each.line.hidden));
  });
  tree.addEventListener("click", (event) => {
    const row = rowAt(event.target);
    if (!row) return;
    go(row);
    if (event.target.closest(".fold")) toggle(row, collapsed.has(row.key));
  });
  tree.addEventListener("focusin", (event) => onNode(rowAt(event.target)?.node ?? null));
  tree.addEventListener("focusout", () => onNode(null));
}
