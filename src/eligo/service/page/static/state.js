// What is a person looking at? A few texts, kept in the address, so that a link shows another the same.
//
//   #view=try&draft=age+%3E+18&sample=%7B%22age%22%3A20%7D&event=1
//
// Long ones are packed, `#packed=…`: deflated, in base64url.

const FIELDS = ["view", "draft", "sample", "event", "live", "search", "ranked"];
const LONG = 1500;
const MOST = 2_000_000;

export const state = { view: "try", draft: "", sample: "", event: "1", live: "", search: "", ranked: "start" };
const initial = { ...state };
const listeners = [];

/** Be told of every change: called with the names of the fields that are different now. */
export function onChange(listener) {
  listeners.push(listener);
}

export function change(fields) {
  const names = Object.keys(fields).filter((name) => state[name] !== fields[name]);
  if (!names.length) return;
  Object.assign(state, fields);
  for (const listener of listeners) listener(names);
  write();
}

let timer = 0;

function write() {
  clearTimeout(timer);
  timer = setTimeout(async () => history.replaceState(null, "", await address()), 150);
}

/** The address of what is seen now. */
export async function address() {
  const plain = new URLSearchParams(FIELDS.filter((name) => state[name] !== initial[name]).map((name) => [name, state[name]]));
  const text = plain.toString();
  const base = location.href.split("#")[0];
  if (!text) return base;
  return text.length > LONG ? `${base}#packed=${await pack(text)}` : `${base}#${text}`;
}

/** Take what the address says. */
export async function readAddress() {
  let given = new URLSearchParams(location.hash.slice(1));
  if (given.has("packed")) given = new URLSearchParams(await unpack(given.get("packed")));
  change(Object.fromEntries(FIELDS.map((name) => [name, given.get(name) ?? initial[name]])));
}

async function pack(text) {
  const bytes = await piped(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(packed) {
  try {
    const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(await piped(bytes, new DecompressionStream("deflate-raw")));
  } catch {
    return "";
  }
}

async function piped(bytes, through) {
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  const chunks = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    size += part.value.length;
    if (size > MOST) throw new Error("the address holds too much");
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
