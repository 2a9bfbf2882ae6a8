// What is shown of the reason of a step: on the board its cells, below it the rules of a smallest explanation, and the
// chain of a trial, part by part: the tried value, each consequence, and the broken rule.

import { make } from "./dom.js";
import { replaced } from "./history.js";

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

export const filled = (puzzle, cells, places, values) =>
  places.reduce((board, place, n) => replaced(board, puzzle.index(place), values[n]), cells);

// What the board shows after each part of a chain, with a text and its number. A chain within the chain
// comes before the step that it belongs to; `prefix` is the number of that step, and `supposed` has the
// cells that were supposed before.
export function framesOf(chain, puzzle, cells, prefix = "", supposed = []) {
  const tried = [chain.cell, ...(chain.others ?? [])];
  let board = filled(puzzle, cells, tried, chain.value + (chain.other_values ?? ""));
  const numbers = new Map();
  const frames = [];
  const add = (label, text, highlights) =>
    frames.push({ label, text, cells: board, highlights: { supposed: known, ...highlights }, numbers: new Map(numbers) });
  let known = supposed;
  add(prefix, chain.sentence, { tried });
  known = [...known, ...tried];
  chain.steps.forEach((step, n) => {
    const label = `${prefix}${n + 1}`;
    if (step.chain) frames.push(...framesOf(step.chain, puzzle, board, `${label}.`, known));
    board = filled(puzzle, board, step.cells, step.values);
    for (const place of step.cells) numbers.set(puzzle.index(place), n + 1);
    add(label, step.sentence, highlightsOf(step, puzzle));
    known = [...known, ...step.cells];
  });
  add(`${prefix}${chain.steps.length + 1}`, chain.broken.sentence, { wrong: chain.broken.cells });
  return frames;
}

// The texts of the frames as a list, in which `now` is marked.
export const frameList = (frames, now, lang) =>
  make("ul", { class: "chain", lang }, ...frames.map(({ label, text }, n) =>
    make("li", { "aria-current": n === now && "step" }, make("b", {}, label), make("span", {}, text))));
