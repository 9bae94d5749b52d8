// How is a part of the page made? From names, properties and children; never from text that is read as HTML.

export function byId(id) {
  return document.getElementById(id);
}

/** An element; `on` has listeners, `text` its text, all other properties are attributes (null and false for none). */
export function element(name, { on = {}, text, ...attributes } = {}, ...children) {
  const made = document.createElement(name);
  setAttributes(made, attributes);
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  if (text !== undefined) made.textContent = text;
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

export function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

function setAttributes(made, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : value);
  }
}

/** What is shown as a number: 1,234,567. */
export const counted = new Intl.NumberFormat("en").format;

export function plural(count, word) {
  return `${counted(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** A time in seconds, roughly. */
export function lasted(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
