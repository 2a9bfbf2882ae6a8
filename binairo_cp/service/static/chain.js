// The chain of a trial, played on the board: the tried value, each consequence, and the broken rule.

import { make } from "./dom.js";
import { replaced } from "./history.js";
import { highlightsOf } from "./reasons.js";

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
