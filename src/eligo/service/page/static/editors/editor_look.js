// How do the editors look? By the colours of the page; they stand in a shadow root, where their styles need no <style>.

import {
  EditorView, HighlightStyle, bracketMatching, closeBrackets, closeBracketsKeymap, completionKeymap, defaultKeymap,
  drawSelection, history, historyKeymap, keymap, syntaxHighlighting, tags,
} from "./editor.bundle.js";

const colours = HighlightStyle.define([
  { tag: tags.controlKeyword, color: "var(--code-word)", fontWeight: "600" },
  { tag: tags.operatorKeyword, color: "var(--code-word)" },
  { tag: [tags.operator, tags.separator, tags.paren], color: "var(--quiet)" },
  { tag: tags.propertyName, color: "var(--code-name)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.typeName, color: "var(--code-word)" },
  { tag: tags.lineComment, color: "var(--quiet)", fontStyle: "italic" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--field)", fontSize: "var(--code-size)", height: "100%" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 12px 0 8px" },
  ".cm-gutters": { backgroundColor: "var(--field)", color: "var(--quiet)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--active-line)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-placeholder": { color: "var(--quiet)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)", outline: "none" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: "8px", boxShadow: "var(--shadow)", overflow: "hidden" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "13px", maxHeight: "16em", minWidth: "14em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "4px 10px", lineHeight: "1.5" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.75", fontStyle: "normal", marginLeft: "1em" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-diagnostic": { padding: "6px 10px", fontFamily: "var(--sans)", fontSize: "13px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--false)" },
  ".cm-diagnostic-warning": { borderLeft: "4px solid var(--unknown)" },
  ".cm-lintRange": { backgroundImage: "none", paddingBottom: "0" },
  ".cm-lintRange-error": { textDecoration: "underline wavy var(--false) 1.5px", textUnderlineOffset: "4px", textDecorationSkipInk: "none" },
  ".cm-lintRange-warning": { textDecoration: "underline wavy var(--unknown) 1.5px", textUnderlineOffset: "4px", textDecorationSkipInk: "none" },
  ".cm-lintPoint:after": { borderBottomColor: "var(--false)" },
  ".shown-node": { backgroundColor: "var(--shown-node)", borderRadius: "3px", boxShadow: "0 0 0 2px var(--shown-node)" },
  ".verdict-gutter": { width: "1.9em", textAlign: "center" },
  ".verdict-gutter .cm-gutterElement": { fontWeight: "700", padding: "0 4px" },
  ".verdict-t": { color: "var(--true)" },
  ".verdict-f": { color: "var(--false)" },
  ".verdict-u": { color: "var(--unknown)" },
  ".verdict-e": { color: "var(--false)" },
});

/** What both editors have; the tab key leaves them, as it leaves any field. */
export const everyEditor = [
  history(),
  drawSelection(),
  bracketMatching(),
  closeBrackets(),
  EditorView.lineWrapping,
  syntaxHighlighting(colours),
  look,
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
];

/** An editor inside of an element. */
export function editorIn(home, state) {
  const root = home.attachShadow({ mode: "open" });
  return new EditorView({ parent: root, root, state });
}

/** Give an editor another text, unless it has it; what can stay of its selection stays. */
export function setText(view, text) {
  if (view.state.doc.toString() === text) return;
  const head = Math.min(view.state.selection.main.head, text.length);
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: head } });
}
