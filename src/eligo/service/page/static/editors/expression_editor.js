// Where is an expression written? In an editor with our colours, completion, and marks where something is wrong.

import {
  Decoration, EditorState, EditorView, StateEffect, StateField, autocompletion, placeholder, setDiagnostics,
} from "./editor.bundle.js";
import { complete } from "./completion.js";
import { editorIn, everyEditor } from "./editor_look.js";
import { expressionLanguage } from "./expression_language.js";

const showNode = StateEffect.define();

/** The part of the text that a node of the tree stands for. */
const shownNode = StateField.define({
  create: () => Decoration.none,
  update(shown, transaction) {
    let now = transaction.docChanged ? Decoration.none : shown;
    for (const effect of transaction.effects) {
      if (!effect.is(showNode)) continue;
      const length = transaction.newDoc.length;
      const { start, end } = effect.value ?? { start: 0, end: 0 };
      now = end > start && end <= length ? Decoration.set(Decoration.mark({ class: "shown-node" }).range(start, end)) : Decoration.none;
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export function expressionEditor(home, onText) {
  const state = EditorState.create({
    extensions: [
      EditorView.theme({ ".cm-content": { padding: "10px 8px" } }),
      everyEditor,
      expressionLanguage,
      autocompletion({ override: [complete], icons: false, activateOnTypingDelay: 60 }),
      shownNode,
      placeholder("age between 18 and 24 and state in ('CA', 'NY')"),
      EditorView.contentAttributes.of({ "aria-label": "Expression", "aria-describedby": "said", spellcheck: "false" }),
      EditorView.updateListener.of((update) => update.docChanged && onText(update.state.doc.toString())),
    ],
  });
  return editorIn(home, state);
}

/** Show where a node stands, or with null none. */
export function markNode(view, node) {
  view.dispatch({ effects: showNode.of(node) });
}

/** The place of a line and column, which count characters from 1; an editor counts units of UTF-16. */
function placeOf(doc, line, column) {
  if (line > doc.lines) return doc.length;
  const at = doc.line(line);
  const before = [...at.text].slice(0, column - 1).join("");
  return Math.min(at.from + before.length, at.to);
}

/** Mark what is wrong: each a message with the line and column of its place, where it has one. */
export function markProblems(view, problems) {
  const doc = view.state.doc;
  const found = problems.filter(({ line }) => line).map(({ line, column, message, severity }) => {
    const from = placeOf(doc, line, column);
    const rest = /^(?:\w+|\S)/u.exec(doc.sliceString(from, doc.lineAt(from).to));
    const to = from + (rest ? rest[0].length : 0);
    return to > from ? { from, to, message, severity } : { from: Math.max(doc.lineAt(from).from, from - 1), to: from, message, severity };
  });
  view.dispatch(setDiagnostics(view.state, found));
}
