// What can be written where the cursor stands? An attribute, an operator of it, one of its values, or a connective.

import { ask } from "../api.js";

const ATTRIBUTE = String.raw`"(?:[^"]|"")+"|[A-Za-z_][\w.]*`;
const COMPARED = new RegExp(String.raw`(${ATTRIBUTE})\s*(?:==?|!=|<>|<=?|>=?)\s*('[^']*|[\w.-]*)$`);
const LISTED = new RegExp(String.raw`(${ATTRIBUTE})\s+(?:(?:weak|strong|not)\s+)*(?:in|contains\s+all|under)\s*\((?:[^()]*,)?\s*('[^']*|[\w.-]*)$`, "i");
const TOKEN = new RegExp(String.raw`--[^\n]*|'(?:[^']|'')*'|${ATTRIBUTE}|-?[\d.]+(?:[eE][+-]?\d+)?|[()=<>!,^]+`, "g");

const OPERATORS = [
  ["=", "equals"], ["!=", "is not"], ["in (", "one of"], ["not in (", "none of"], ["between", "and …"], ["<", ""], ["<=", ""], [">", ""], [">=", ""],
  ["starts with", "a text"], ["under", "a node"], ["contains all (", "each of"], ["exists", ""], ["is missing", ""],
];
const CONNECTIVES = ["and", "or", "xor", "xnor"];
const OPENINGS = ["not", "exists d (", "forall d (", "true", "false"];
const ENDINGS = new Set(["exists", "missing", "null", "true", "false"]);
const LEADING = new Set(["and", "or", "not", "xor", "xnor", "("]);
const FAR = 4000;

let known = null;
const valuesOf = new Map();

/** Forget what was asked before; expressions may have changed. */
export function forgetVocabulary() {
  known = null;
  valuesOf.clear();
}

async function attributes() {
  known ??= ask("page/vocabulary").then((found) => found.attributes);
  return known.catch(() => ((known = null), []));
}

async function values(name, prefix) {
  const key = `${name}\n${prefix}`;
  if (!valuesOf.has(key)) {
    const query = new URLSearchParams({ attribute: name, prefix });
    valuesOf.set(key, ask(`page/vocabulary?${query}`).then((found) => found.values));
  }
  return valuesOf.get(key).catch(() => (valuesOf.delete(key), []));
}

function bareName(text) {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
}

/** What stands before the word that is being written: "" at the start, else the last token. */
function lastToken(text) {
  const tokens = text.match(TOKEN) ?? [];
  return tokens.filter((token) => !token.startsWith("--")).at(-1) ?? "";
}

function kindBefore(token, names) {
  const lower = token.toLowerCase();
  if (!token || LEADING.has(lower) || token.endsWith("(")) return "start";
  if (ENDINGS.has(lower) || token.endsWith(")") || token.endsWith("'") || /^-?[\d.]/.test(token)) return "end";
  return names.has(bareName(token)) || /^["A-Za-z_]/.test(token) ? "attribute" : "value";
}

export async function complete(context) {
  const before = context.state.sliceDoc(Math.max(0, context.pos - FAR), context.pos);
  const compared = COMPARED.exec(before) ?? LISTED.exec(before);
  if (compared) return completeValue(context, bareName(compared[1]), compared[2]);
  const word = /[\w."]*$/.exec(before)[0];
  if (!word && !context.explicit && !/\s$/.test(before)) return null;
  if (!word && !context.explicit && !before.trim()) return null;
  const from = context.pos - word.length;
  const names = await attributes();
  const known = new Set(names.map((each) => each.name));
  const place = kindBefore(lastToken(before.slice(0, before.length - word.length)), known);
  const options = { start: openings, attribute: operators, end: connectives, value: () => [] }[place](names);
  return { from, options, validFor: /^[\w."]*$/ };
}

const openings = (names) => [
  ...names.map(({ text, kinds }) => ({ label: text, detail: kinds.join(", "), type: "property", boost: 1 })),
  ...OPENINGS.map((label) => ({ label, type: "keyword" })),
];
const operators = () => OPERATORS.map(([label, detail], place) => ({ label, detail, type: "keyword", boost: -place }));
const connectives = () => CONNECTIVES.map((label, place) => ({ label, type: "keyword", boost: -place }));

async function completeValue(context, name, typed) {
  const found = await values(name, typed);
  if (!found.length) return null;
  const closing = context.state.sliceDoc(context.pos, context.pos + 1) === "'" && typed.startsWith("'") ? 1 : 0;
  const options = found.map((label, place) => ({ label, type: "constant", boost: -place }));
  return { from: context.pos - typed.length, to: context.pos + closing, options, filter: false };
}
