// How is the service doing? Counters, latencies and rates of the last minutes, asked for every other second while they are seen.

import { ask } from "../api.js";
import { byId, counted, element, lasted } from "../elements.js";
import { plot } from "./plot.js";

const COUNTERS = [
  ["Expressions", (found) => counted(found.expressions)],
  ["Documents", (found) => counted(found.documents)],
  ["Events asked", (found) => counted(found.events)],
  ["Matches", (found) => counted(found.matches)],
  ["Events a second", (found) => rate(found.seconds.events)],
  ["Last write (seq)", (found) => counted(found.seq)],
  ["Published version", (found) => (found.version ? counted(found.version) : "none yet")],
  ["Running for", (found) => lasted(Date.now() / 1000 - found.started)],
];

function rate(events) {
  const last = events.slice(-10);
  const mean = last.reduce((sum, each) => sum + each, 0) / Math.max(1, last.length);
  return mean >= 10 || mean === 0 ? counted(Math.round(mean)) : mean.toFixed(1);
}

export function milliseconds(value) {
  if (value === 0) return "0";
  return value < 1 ? `${Math.round(value * 1000)} µs` : `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ms`;
}

export async function refreshService() {
  const found = await ask("page/activity");
  byId("counters").replaceChildren(...COUNTERS.map(([name, value]) => element("div", {}, element("dt", { text: name }), element("dd", { text: value(found) }))));
  const { p50, p99, events, matches, last } = found.seconds;
  plot(byId("latency"), {
    label: "Latency of questions, the last five minutes", endsAt: last, shown: milliseconds,
    series: [{ name: "p99", values: p99, shape: "second" }, { name: "p50", values: p50, shape: "first" }],
  });
  plot(byId("rate"), {
    label: "Events and matches a second, the last five minutes", endsAt: last, shown: (value) => counted(Number(value.toFixed(1))),
    series: [{ name: "matches/s", values: matches, shape: "second" }, { name: "events/s", values: events, shape: "first" }],
  });
  return found;
}
