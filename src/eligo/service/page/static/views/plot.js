// How is a series drawn? As lines over the last minutes, in SVG, with the figures of the place that is pointed at.

import { drawn, element } from "../elements.js";

const LEAST_WIDTH = 260;
const HEIGHT = 190;
const EDGE = { left: 52, right: 10, top: 12, bottom: 26 };

/** Round numbers from 0 to beyond the most: 0, 2, 4, 6. */
function ticks(most) {
  const rough = most / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
  return Array.from({ length: Math.floor(most / step + 1.000001) + (most % step ? 1 : 0) }, (_, place) => place * step);
}

function line(values, x, y) {
  let path = "";
  values.forEach((value, place) => {
    if (value === null) return;
    const isNew = place === 0 || values[place - 1] === null;
    path += `${isNew ? "M" : "L"}${x(place).toFixed(1)} ${y(value).toFixed(1)}`;
    if (isNew && (values[place + 1] ?? null) === null) path += "h.01";
  });
  return path;
}

/** `series`: [{name, values, shape}], all as long; `shown` writes a value. */
export function plot(home, { series, label, shown, endsAt }) {
  const length = series[0].values.length;
  const most = Math.max(0, ...series.flatMap(({ values }) => values.filter((value) => value !== null)));
  if (!most) return home.replaceChildren(element("p", { class: "hint", text: "Nothing was asked in the last minutes." }));
  const width = Math.max(LEAST_WIDTH, home.clientWidth - margins(home)); // a unit is a pixel, so that its texts have their size on a phone, too
  const marks = ticks(most);
  const top = marks.at(-1);
  const x = (place) => EDGE.left + ((width - EDGE.left - EDGE.right) * place) / Math.max(1, length - 1);
  const y = (value) => HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * value) / top;
  const minutes = Math.floor(length / 60);
  const times = Array.from({ length: minutes + 1 }, (_, back) => back).filter((back) => width / minutes >= 60 || back % 2 === 0);
  const picture = drawn(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": `${label}. ${latest(series, shown)}` },
    ...marks.map((value) => drawn("path", { class: "grid", d: `M${EDGE.left} ${y(value)}H${width - EDGE.right}` })),
    ...marks.map((value) => text(EDGE.left - 8, y(value) + 4, shown(value), "end")),
    ...times.map((back) => text(x(length - 1 - back * 60), HEIGHT - 7, back ? `−${back} min` : "now", back === 0 ? "end" : "middle")),
    ...series.map(({ values, shape }) => drawn("path", { class: `line ${shape}`, d: line(values, x, y) })),
  );
  const said = element("p", { class: "legend" });
  tellAt(said, series, shown, length - 1, endsAt, length);
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    const place = Math.round(((at - EDGE.left) / (width - EDGE.left - EDGE.right)) * (length - 1));
    tellAt(said, series, shown, Math.max(0, Math.min(length - 1, place)), endsAt, length);
  });
  home.replaceChildren(said, picture);
}

function margins(home) {
  const style = getComputedStyle(home);
  return Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight);
}

function text(x, y, content, anchor) {
  const made = drawn("text", { x, y, "text-anchor": anchor });
  made.textContent = content;
  return made;
}

function lastKnown(values) {
  return values.findLast((value) => value !== null) ?? null;
}

function latest(series, shown) {
  return series.map(({ name, values }) => `${name}: ${lastKnown(values) === null ? "none" : shown(lastKnown(values))}`).join(", ");
}

function tellAt(said, series, shown, place, endsAt, length) {
  const time = new Date((endsAt - (length - 1 - place)) * 1000).toLocaleTimeString("en-GB");
  const parts = series.map(({ name, values, shape }) =>
    element("span", { class: `key ${shape}` }, element("span", { class: "swatch", "aria-hidden": "true" }), `${name} `, element("b", { text: values[place] === null ? "–" : shown(values[place]) })));
  said.replaceChildren(...parts, element("span", { class: "time", text: time }));
}
