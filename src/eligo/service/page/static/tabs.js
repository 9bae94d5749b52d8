// Which view is seen? The one of the chosen tab; arrow keys go from tab to tab.

import { byId } from "./elements.js";
import { change, onChange, state } from "./state.js";
import { moveAlong } from "./roving.js";

const tabs = () => [...document.querySelectorAll("[role=tab]")];

function show() {
  const known = tabs().some((tab) => tab.dataset.view === state.view) ? state.view : "try";
  for (const tab of tabs()) {
    const isChosen = tab.dataset.view === known;
    tab.setAttribute("aria-selected", isChosen);
    tab.tabIndex = isChosen ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !isChosen;
  }
}

export function startTabs() {
  const list = document.querySelector("[role=tablist]");
  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) change({ view: tab.dataset.view });
  });
  moveAlong(list, tabs, (tab) => change({ view: tab.dataset.view }), "horizontal");
  onChange((names) => names.includes("view") && show());
  show();
}
