// How does the keyboard go through a list that is one stop of the tab key? By arrows, Home and End.

const STEPS = {
  vertical: { ArrowDown: 1, ArrowUp: -1 },
  horizontal: { ArrowRight: 1, ArrowLeft: -1 },
};

/** `items()` are the places to go to, in order; `arrive` is called with the one that was gone to. */
export function moveAlong(list, items, arrive = () => {}, direction = "vertical") {
  list.addEventListener("keydown", (event) => {
    const all = items();
    const here = all.indexOf(list.getRootNode().activeElement);
    if (here < 0) return;
    const step = STEPS[direction][event.key];
    const next = step ? here + step : event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : -1;
    if (!all[next]) return;
    event.preventDefault();
    stopAt(all, all[next]);
    all[next].focus();
    arrive(all[next]);
  });
}

/** Make one item the stop of the tab key. */
export function stopAt(items, chosen) {
  for (const item of items) item.tabIndex = item === chosen ? 0 : -1;
}
