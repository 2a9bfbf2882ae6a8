// What the board shows about the lines while a player fills it: counts, finished lines, broken rules.

import { upper } from "./dom.js";
import { lineText, nameOf, setOf } from "./names.js";
import { OPEN } from "./puzzle.js";
import { linesOf, placesOf, valuesOf, violations } from "./rules.js";
import { listText, n, t } from "./texts.js";

const countsOf = (line, cells) => {
  const values = valuesOf(line, cells);
  return [...`01${OPEN}`].map((symbol) => placesOf(values, symbol).length);
};

// The counts of 0, 1 and open cells of all rows and all columns.
export function lineCounts(puzzle, cells) {
  const of = (direction) =>
    linesOf(puzzle).filter((line) => line.direction === direction).map((line) => countsOf(line, cells));
  return { rows: of("row"), columns: of("column") };
}

// The cells of full rows and columns that break no rule.
export function finished(puzzle, cells) {
  const wrong = new Set(violations(puzzle, cells).flatMap((each) => each.lines));
  const isDone = (line) => !wrong.has(line.name) && line.cells.every((index) => cells[index] !== OPEN);
  return linesOf(puzzle).filter(isDone).flatMap((line) => line.cells);
}

// The counts of the row and the column of a cell, as a sentence.
export function countsSentence(puzzle, cells, index) {
  const set = setOf(puzzle);
  return linesOf(puzzle).filter((line) => line.cells.includes(index)).map((line) => {
    const [zeros, ones, open] = countsOf(line, cells);
    const fields = { line: upper(lineText(line.name)), zeros, zero: nameOf("0", set), ones, one: nameOf("1", set), open };
    return t("{line}: {zeros} × {zero}, {ones} × {one}, {open} open.", fields);
  }).join(" ");
}

const MOST_OBVIOUS = ["no triple", "sign", "balance", "distinct lines", "clue"];

// The cells that break rules, and a sentence about the most obvious fault; null if none is broken.
export function broken(puzzle, cells) {
  const found = violations(puzzle, cells);
  if (!found.length) return null;
  const more = found.length - 1;
  const [worst] = [...found].sort((a, b) => MOST_OBVIOUS.indexOf(a.rule) - MOST_OBVIOUS.indexOf(b.rule));
  const sentence = sentenceOf(worst, nameOf(worst.symbol, setOf(puzzle)));
  return {
    cells: [...new Set(found.flatMap((each) => each.cells))],
    sentence: more ? `${sentence} ${n(more, "{number} other rule is broken.", "{number} other rules are broken.")}` : sentence,
  };
}

function sentenceOf({ rule, lines, relation }, symbol) {
  const line = listText(lines.map(lineText));
  if (rule === "balance") return t("Too many of {symbol} in {line}.", { symbol, line });
  if (rule === "no triple") return t("Too many equal symbols ({symbol}) next to each other in {line}.", { symbol, line });
  if (rule === "distinct lines") return t("Equal lines: {lines}.", { lines: line });
  if (rule === "sign") return relation === "=" ? t("Two cells with = between them differ.") : t("Two cells with × between them are equal.");
  return t("A clue was changed.");
}
