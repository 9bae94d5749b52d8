// How does the page begin? What the address says is shown, and from then on each part follows what changes.

import { Problem, ask, token } from "./api.js";
import { startDocuments } from "./documents.js";
import { forgetVocabulary } from "./editors/completion.js";
import { setText } from "./editors/editor_look.js";
import { MOST_EVENTS, eventEditor, eventLines, markVerdicts, showLine } from "./editors/event_editor.js";
import { expressionEditor, markNode, markProblems } from "./editors/expression_editor.js";
import { byId, plural } from "./elements.js";
import { address, change, onChange, readAddress, state } from "./state.js";
import { startTabs } from "./tabs.js";
import { startTheme } from "./theme.js";
import { startToken } from "./token_form.js";
import { chosenEvent, onTrial, tryAgain } from "./trial.js";
import { showAgainst } from "./views/against_live.js";
import { showSaid } from "./views/draft_said.js";
import { refreshRanked, startRanked } from "./views/ranked_view.js";
import { open, refreshSearch, startSearch } from "./views/search_view.js";
import { refreshService } from "./views/service_view.js";
import { refreshSubscriptions } from "./views/subscriptions_view.js";
import { showTree, startTree } from "./views/tree_view.js";
import { letterOf, showVerdicts, startVerdicts } from "./views/verdict_list.js";

const EXAMPLE = {
  draft: "age between 18 and 34\nand (state in ('CA', 'NY') or not device = 'tv')",
  sample: ['{"age": 27, "state": "NY", "device": "tv"}', '{"age": 19, "state": "TX", "device": "phone"}', '{"age": 41, "state": "CA"}', '{"age": 30, "state": "TX"}'].join("\n"),
};
const EVERY = 2000;

const expression = expressionEditor(byId("expression-editor"), (draft) => change({ draft }));
const events = eventEditor(byId("event-editor"), (sample) => change({ sample }), chooseLine);

function chooseLine(number) {
  const place = eventLines(state.sample).findIndex((line) => line.number === number);
  if (place >= 0 && place < MOST_EVENTS) change({ event: String(place + 1) });
}

function showChosenLine() {
  const line = eventLines(state.sample)[chosenEvent() ?? -1];
  if (line) showLine(events, line.number);
}

function showTrial(trial) {
  showSaid(trial);
  showVerdicts(trial);
  showTree(trial);
  showAgainst(trial);
  const { problem, findings, tried, isStale } = trial;
  const remarks = findings.map(({ message, expression_line: line, expression_column: column }) => ({ line, column, message, severity: "warning" }));
  markProblems(expression, problem ? [{ ...problem, message: problem.detail, severity: "error" }] : remarks);
  markVerdicts(events, isStale ? [] : (tried?.verdicts ?? []).map(letterOf));
}

function showFields(names) {
  if (names.includes("draft")) setText(expression, state.draft);
  if (names.includes("sample")) setText(events, state.sample);
  if (names.includes("event")) showChosenLine();
  if (names.includes("live")) byId("live-id").value = state.live;
  if (names.includes("search") && byId("search").value !== state.search) byId("search").value = state.search;
  if (names.includes("view")) showView();
  else if (names.includes("search")) refreshSearch();
  else if (names.includes("ranked")) refreshRanked();
}

function showView() {
  if (state.view === "expressions") {
    refreshSearch();
    refreshRanked();
  }
  refresh();
}

/** What changes by itself is asked for again and again, while it is seen. */
async function refresh() {
  if (document.visibilityState === "hidden") return;
  try {
    if (state.view === "service") await Promise.all([refreshService(), refreshSubscriptions()]);
    showStanding(await ask("page/activity?seconds=1"));
    notify("");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    byId("standing").textContent = "";
    notify(error.status === 401 ? "The service wants a token." : error.message, error.status === 401);
  }
}

function showStanding(found) {
  byId("standing").textContent = `${plural(found.expressions, "expression")} · ${plural(found.documents, "document")} · seq ${found.seq}`;
}

function notify(text, wantsToken = false) {
  const notice = byId("notice");
  if (notice.textContent !== text) notice.textContent = text;
  notice.hidden = !text;
  if (wantsToken && !token.get()) byId("token-form").hidden = false;
}

/** Whether a browser lets us write into its clipboard, which most do for https and this machine only. */
async function isCopied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function startButtons() {
  byId("link").addEventListener("click", async () => {
    const link = await address();
    history.replaceState(null, "", link);
    byId("link").textContent = (await isCopied(link)) ? "Copied" : "In the address bar";
    setTimeout(() => (byId("link").textContent = "Copy link"), 1500);
  });
  byId("clear-sample").addEventListener("click", () => change({ sample: "", event: "1" }));
  byId("said").addEventListener("click", (event) => event.target.id === "example" && change(EXAMPLE));
  byId("live-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const id = byId("live-id").value.trim();
    if (!id || state.draft.trim()) change({ live: id });
    else open(id).catch(() => change({ live: id }));
  });
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("main").focus();
  });
}

async function start() {
  startTheme();
  startTabs();
  startButtons();
  startSearch();
  startRanked();
  startVerdicts();
  startDocuments();
  startTree((node) => markNode(expression, node));
  startToken(() => {
    forgetVocabulary();
    tryAgain();
    showView();
  });
  onChange(showFields);
  onTrial(showTrial);
  addEventListener("hashchange", readAddress);
  await readAddress();
  tryAgain();
  showView();
  setInterval(refresh, EVERY);
  document.documentElement.dataset.ready = "";
}

start();
