// Which colours does a line of JSON have?

import { StreamLanguage } from "./editor.bundle.js";

const STRING = /^"(?:[^"\\]|\\.)*"?/;

export const jsonLanguage = StreamLanguage.define({
  name: "json-lines",
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(STRING)) return stream.match(/^\s*:/, false) ? "propertyName" : "string";
    if (stream.match(/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return "number";
    if (stream.match(/^(?:true|false)\b/)) return "bool";
    if (stream.match(/^null\b/)) return "null";
    stream.next();
    return "separator";
  },
});
