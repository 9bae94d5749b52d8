// What would change if the draft took the place of what is live? Which events of the sample get another answer.

import { byId, element, plural } from "../elements.js";
import { change } from "../state.js";

function sentence({ is_same: isSame, changes, verdicts }, tried) {
  if (isSame) return "The draft says what is live.";
  if (!tried.verdicts.length) return "Add sample events to see what would change.";
  if (!changes.length) return `No answer would change for ${plural(tried.verdicts.length, "sample event")}.`;
  const gained = changes.filter((place) => tried.verdicts[place].truth === "t").length;
  const parts = [[gained, "would match"], [changes.length - gained, "would no longer match"]].filter(([count]) => count);
  const numbers = changes.slice(0, 12).map((place) => place + 1).join(", ");
  return `${changes.length} of ${plural(verdicts.length, "event")} would change: ${parts.map(([count, what]) => `${count} ${what}`).join(", ")} (${numbers}${changes.length > 12 ? ", …" : ""}).`;
}

export function showAgainst({ tried, live, liveProblem, isStale }) {
  const against = byId("against");
  against.hidden = !live && !liveProblem;
  if (liveProblem) return against.replaceChildren(element("p", { class: "wrong", text: liveProblem.message }));
  if (!live) return against.replaceChildren();
  const compared = isStale ? null : tried?.live;
  const back = element("button", { type: "button", text: "Take the live text", on: { click: () => change({ draft: live.expression }) } });
  against.replaceChildren(
    element("p", { role: "status", class: compared?.changes.length ? "changes" : "" }, element("strong", { text: "Draft against live " }), compared ? sentence(compared, tried) : "waits for a draft that can be read."),
    ...(compared?.is_same ? [] : [element("div", { class: "live-text" }, element("code", { text: live.expression }), back)]),
  );
}
