// What is shown of the reason of a step: on the board its cells, and below it the rules of a smallest explanation.

import { make } from "./dom.js";

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

const between = ([[top, left], [bottom, right]]) =>
  range(top, bottom).flatMap((row) => range(left, right).map((column) => [row, column]));

// The cells of lines such as "row 3", counted from 1, in one direction.
const cellsOf = (lines, direction, { height, width }) =>
  lines.filter((name) => name.startsWith(direction)).flatMap((name) => {
    const at = Number(name.split(" ")[1]) - 1;
    return direction === "row" ? between([[at, 0], [at, width - 1]]) : between([[0, at], [height - 1, at]]);
  });

export function highlightsOf({ cells, reason, line, compared = [], spans = [] }, puzzle) {
  const lines = [line, ...compared].filter(Boolean);
  return {
    target: cells,
    reason,
    span: spans.flatMap(between),
    row: cellsOf(lines, "row", puzzle),
    column: cellsOf(lines, "column", puzzle),
  };
}

// The size and the rules that imply a step together with its reason; null if it is not a smallest one.
export function rulesOf({ support }, lang) {
  if (!support) return null;
  const rules = support.constraints.map(({ sentence }) => make("li", {}, sentence));
  return make("div", { class: "support", lang }, make("p", {}, support.sentence), make("ul", {}, ...rules));
}
