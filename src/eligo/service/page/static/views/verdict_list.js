// What does the draft say of each event? A line each; the chosen one is explained below.

import { byId, counted, element, plural } from "../elements.js";
import { MOST_EVENTS, NAMES, eventLines } from "../editors/event_editor.js";
import { moveAlong } from "../roving.js";
import { change, state } from "../state.js";
import { chosenEvent } from "../trial.js";

const MARKS = { t: "✓", f: "✗", u: "?", e: "!" };

/** The letter that a verdict is shown by. */
export function letterOf(verdict) {
  return verdict.truth === "-" ? "e" : verdict.truth;
}

export function mark(letter) {
  return element("span", { class: `mark mark-${letter}`, text: MARKS[letter], role: "img", "aria-label": NAMES[letter] });
}

function reasonOf({ summary, error, help }) {
  if (error !== undefined) return [error, help].filter(Boolean).join("; ");
  return summary.replace(/^(?:matches|does not match(?: \(unknown\))?), because /, "");
}

function option(verdict, place, chosen, live) {
  const letter = letterOf(verdict);
  const isChanged = live?.changes.includes(place);
  return element(
    "div",
    { role: "option", class: `verdict ${isChanged ? "is-changed" : ""}`, "aria-selected": String(place === chosen), tabindex: place === chosen ? "0" : "-1", "data-place": place },
    element("span", { class: "number", text: place + 1 }),
    mark(letter),
    element("span", { class: "reason", text: reasonOf(verdict) }),
    isChanged ? element("span", { class: "was" }, "live ", mark(letterOf(live.verdicts[place]))) : null,
  );
}

export function showVerdicts({ tried, isStale }) {
  const list = byId("verdicts");
  const had = list.contains(document.activeElement);
  const verdicts = tried?.verdicts ?? [];
  const chosen = chosenEvent();
  list.hidden = !verdicts.length;
  list.classList.toggle("is-stale", isStale);
  list.replaceChildren(...verdicts.map((verdict, place) => option(verdict, place, chosen, tried.live)));
  const selected = list.querySelector('[aria-selected="true"]');
  if (had) selected?.focus();
  if (selected) keepInSight(list, selected);
  byId("sample-hint").textContent = isStale ? "" : hint(verdicts);
}

/** Scroll the list, and nothing around it, to a row. */
function keepInSight(list, row) {
  const [outer, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top + 6;
  if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + 6;
}

function hint(verdicts) {
  const count = eventLines(state.sample).length;
  if (!count) return "One JSON object a line. The verdict of each is shown beside it.";
  if (!verdicts.length) return "";
  const matching = verdicts.filter((verdict) => verdict.truth === "t").length;
  const others = count > MOST_EVENTS ? ` A sample has at most ${MOST_EVENTS}: the other ${counted(count - MOST_EVENTS)} are not tried.` : "";
  return `${matching} of ${plural(verdicts.length, "event")} match.${others}`;
}

const choose = (option) => change({ event: String(Number(option.dataset.place) + 1) });

export function startVerdicts() {
  const list = byId("verdicts");
  moveAlong(list, () => [...list.children], choose);
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (!option) return;
    option.focus();
    choose(option);
  });
}
