// What does the service say of the draft and the sample? It is asked again whenever one of them changes.

import { Problem, ask, named, settled } from "./api.js";
import { MOST_EVENTS, eventLines, triedLines } from "./editors/event_editor.js";
import { onChange, state } from "./state.js";

const listeners = [];
const PAUSE = 120;

/** What is known: `problem` of a draft that is none, else `findings` and `canonical`; `tried` with the sample, stale when it
 * is of an earlier draft. */
export const trial = { problem: null, findings: [], canonical: "", tried: null, isStale: false, live: null, liveProblem: null, failure: null };

export function onTrial(listener) {
  listeners.push(listener);
}

function tell(fields) {
  Object.assign(trial, fields);
  for (const listener of listeners) listener(trial);
}

/** The number of the chosen event, from 0; null when there is none. */
export function chosenEvent() {
  const count = Math.min(eventLines(state.sample).length, MOST_EVENTS);
  const number = Number.parseInt(state.event, 10) - 1;
  return count && number >= 0 ? Math.min(number, count - 1) : null;
}

const run = settled(PAUSE, async (signal) => {
  if (!state.draft.trim()) return tell({ problem: null, findings: [], canonical: "", tried: null, isStale: false, failure: null });
  try {
    // As one of many, since a browser notes every answer that is no success as an error of the page.
    const checked = (await ask("check", { body: { expressions: [state.draft] }, signal })).checks[0];
    if (checked.error) throw new Problem(checked.error.status, checked.error);
    const tried = await ask("page/explain", { body: question(), signal });
    tell({ problem: null, findings: checked.findings ?? [], canonical: checked.canonical ?? tried.canonical, tried, isStale: false, failure: null });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const isDraft = error.body.line !== undefined || error.status === 422;
    tell({ problem: isDraft ? error.body : null, findings: [], isStale: trial.tried !== null, failure: isDraft ? null : error });
  }
});

function question() {
  const chosen = chosenEvent();
  return {
    expression: state.draft,
    events: triedLines(state.sample),
    ...(chosen === null ? {} : { chosen }),
    ...(trial.live ? { id: trial.live.id } : {}),
  };
}

const readLive = settled(PAUSE, async (signal) => {
  if (!state.live) {
    tell({ live: null, liveProblem: null });
    return run();
  }
  try {
    tell({ live: await ask(named("expressions", state.live), { signal }), liveProblem: null });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    tell({ live: null, liveProblem: error });
  }
  run();
});

/** Ask again, as when a token was given. */
export function tryAgain() {
  readLive();
}

onChange((names) => {
  if (names.includes("live")) readLive();
  else if (names.some((name) => ["draft", "sample", "event"].includes(name))) run();
});
