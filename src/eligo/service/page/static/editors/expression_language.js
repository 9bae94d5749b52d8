// Which colours does an expression have? Those of its words, names, values and comments.

import { StreamLanguage } from "./editor.bundle.js";

export const CONNECTIVES = ["and", "or", "not", "xor", "xnor"];
export const OPERATORS = ["between", "in", "is", "missing", "null", "exists", "forall", "starts", "with", "under", "contains", "all", "weak", "strong", "last"];
const VALUES = ["true", "false"];
const KINDS = ["date", "timestamp"];

const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/;
const NAME = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/;

function word(text) {
  const lower = text.toLowerCase();
  if (CONNECTIVES.includes(lower)) return "controlKeyword";
  if (OPERATORS.includes(lower)) return "operatorKeyword";
  if (VALUES.includes(lower)) return "bool";
  if (KINDS.includes(lower)) return "typeName";
  return "propertyName";
}

/** The rest of something in quotes, in which two quotes stand for one; it may go on in the next line. */
function quoted(stream, state, quote, style) {
  while (!stream.eol()) {
    if (stream.next() !== quote) continue;
    if (stream.eat(quote)) continue;
    state.quote = null;
    return style;
  }
  state.quote = quote;
  return style;
}

const STYLES = { "'": "string", '"': "propertyName" };

export const expressionLanguage = StreamLanguage.define({
  name: "eligo",
  startState: () => ({ quote: null }),
  token(stream, state) {
    if (state.quote) return quoted(stream, state, state.quote, STYLES[state.quote]);
    if (stream.eatSpace()) return null;
    if (stream.match("--")) {
      stream.skipToEnd();
      return "lineComment";
    }
    const next = stream.peek();
    if (next in STYLES) return quoted(stream, state, stream.next(), STYLES[next]);
    if (stream.match(NUMBER)) return "number";
    const name = stream.match(NAME);
    if (name) return word(name[0]);
    stream.next();
    return "()".includes(next) ? "paren" : ",".includes(next) ? "separator" : "operator";
  },
  languageData: { commentTokens: { line: "--" }, closeBrackets: { brackets: ["(", "'", '"'] } },
});
