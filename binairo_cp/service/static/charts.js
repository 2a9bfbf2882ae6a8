// Bar charts as SVG.

import { draw } from "./dom.js";
import { numberText } from "./texts.js";

const TOP = 22;
const BOTTOM = 34; // two lines of text
const SIDE = 8;
const HEIGHT = 150;
const MAX_BAR = 72;
const MIN_LABEL = 26; // width of a label; if bars are narrower, only some have one

// `bars` have a number and a name, and optionally a class, a title and a click handler.
export function chart(bars, { label, width = 600 }) {
  const inner = width - 2 * SIDE;
  const step = Math.min(MAX_BAR, inner / Math.max(1, bars.length));
  const left = SIDE + (inner - step * bars.length) / 2;
  const most = Math.max(1, ...bars.map((bar) => bar.number));
  const every = Math.ceil(MIN_LABEL / step);
  const shapes = bars.flatMap((bar, n) => {
    const height = Math.max(bar.number ? 2 : 0, (bar.number / most) * HEIGHT);
    const middle = left + (n + 0.5) * step;
    const gap = Math.min(4, step / 5);
    const hasLabel = n % every === 0;
    return [
      draw("rect", {
        x: left + n * step + gap / 2, width: step - gap, y: TOP + HEIGHT - height, height, rx: 2,
        class: `bar ${bar.class ?? ""}`, click: bar.click,
      }, draw("title", {}, bar.title ?? `${bar.name}: ${bar.number}`)),
      hasLabel && bar.number > 0 && text(middle, TOP + HEIGHT - height - 5, numberText(bar.number)),
      ...(hasLabel ? String(bar.name).split(/ (?=\S*$)/).map((word, line) => text(middle, TOP + HEIGHT + 16 + 13 * line, word)) : []),
    ];
  });
  const line = draw("path", { d: `M${SIDE} ${TOP + HEIGHT}h${inner}`, class: "axis" });
  return draw("svg", {
    class: "chart", viewBox: `0 0 ${width} ${TOP + HEIGHT + BOTTOM}`, role: "img", "aria-label": label,
  }, ...shapes, line);
}

const text = (x, y, words) => draw("text", { x, y, "text-anchor": "middle" }, String(words));
