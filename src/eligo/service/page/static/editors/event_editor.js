// Where are sample events written? In an editor, an event a line, with the verdict beside each.

import {
  EditorState, EditorView, GutterMarker, RangeSet, StateEffect, StateField, gutter, highlightActiveLine, lineNumbers, placeholder,
} from "./editor.bundle.js";
import { editorIn, everyEditor } from "./editor_look.js";
import { jsonLanguage } from "./json_language.js";

const MARKS = { t: "✓", f: "✗", u: "?", e: "!" };
export const MOST_EVENTS = 200;
export const NAMES = { t: "matches", f: "does not match", u: "does not match: unknown", e: "is no event" };

class VerdictMark extends GutterMarker {
  constructor(letter) {
    super();
    this.letter = letter;
  }
  eq(other) {
    return other.letter === this.letter;
  }
  toDOM() {
    const mark = document.createElement("span");
    mark.className = `verdict-${this.letter}`;
    mark.textContent = MARKS[this.letter];
    mark.title = NAMES[this.letter];
    return mark;
  }
}

const marks = Object.fromEntries(Object.keys(MARKS).map((letter) => [letter, new VerdictMark(letter)]));
const showVerdicts = StateEffect.define();
const verdicts = StateField.define({
  create: () => RangeSet.empty,
  update(shown, transaction) {
    let now = shown.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(showVerdicts)) now = effect.value;
    return now;
  },
});

/** The lines of a sample that have something on them, by number from 1, with their texts. */
export function eventLines(text) {
  return text.split("\n").map((line, place) => ({ number: place + 1, text: line.trim() })).filter((line) => line.text);
}

/** The texts of the events that are tried: the first so many, as a service takes them. */
export function triedLines(text) {
  return eventLines(text).slice(0, MOST_EVENTS).map((line) => line.text);
}

/** Whether a person has written or gone somewhere, and not the page itself. */
function isByHand(transaction) {
  return ["input", "delete", "move", "select", "undo", "redo"].some((kind) => transaction.isUserEvent(kind));
}

export function eventEditor(home, onText, onLine) {
  const state = EditorState.create({
    extensions: [
      everyEditor,
      jsonLanguage,
      verdicts,
      gutter({ class: "verdict-gutter", markers: (view) => view.state.field(verdicts), initialSpacer: () => marks.t }),
      lineNumbers(),
      highlightActiveLine(),
      placeholder('{"age": 20, "state": "CA"}'),
      EditorView.contentAttributes.of({ "aria-label": "Sample events, one JSON object a line", spellcheck: "false" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onText(update.state.doc.toString());
        if (update.transactions.some(isByHand)) onLine(update.state.doc.lineAt(update.state.selection.main.head).number);
      }),
    ],
  });
  return editorIn(home, state);
}

/** Put the cursor into a line, unless it is there. */
export function showLine(view, number) {
  const { doc, selection } = view.state;
  if (number > doc.lines || doc.lineAt(selection.main.head).number === number) return;
  view.dispatch({ selection: { anchor: doc.line(number).from } });
}

/** Show a letter beside each event; `letters` are in the order of the events. */
export function markVerdicts(view, letters) {
  const lines = eventLines(view.state.doc.toString());
  const shown = lines.slice(0, letters.length).map(({ number }, place) => marks[letters[place]].range(view.state.doc.line(number).from));
  view.dispatch({ effects: showVerdicts.of(RangeSet.of(shown)) });
}
