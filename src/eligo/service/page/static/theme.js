// Light or dark? As the system has it, until a person chooses; the choice stays in this browser.

import { byId } from "./elements.js";

const KEY = "eligo-theme";
const NEXT = { system: "light", light: "dark", dark: "system" };

function show(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme").textContent = { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" }[theme];
}

export function startTheme() {
  let theme = localStorage.getItem(KEY);
  if (!(theme in NEXT)) theme = "system";
  show(theme);
  byId("theme").addEventListener("click", () => {
    theme = NEXT[theme];
    localStorage.setItem(KEY, theme);
    show(theme);
  });
}
