// The rules, as in binairo_cp/puzzle/rules.py: lines, limits, and what a board breaks. Tests hold both to
// the same answers. No other module of the page knows a rule.

import { OPEN } from "./puzzle.js";

const CLASSIC = { balanced: true, longest_run: 2, distinct_lines: true, odd: "either" };
const REPEATING = { ...CLASSIC, distinct_lines: false };
const PRESETS = { classic: CLASSIC, unruly: REPEATING, plus: REPEATING, tango: REPEATING };

export const opposite = (symbol) => (symbol === "0" ? "1" : "0");

// The rules of a puzzle with all their fields; a puzzle has the name of a preset, or fields.
export const rulesOf = ({ rules }) => (typeof rules === "string" ? PRESETS[rules] : { ...CLASSIC, ...rules });

// How many of a symbol a line of a length can have.
export function mostOf(symbol, length, { balanced, odd }) {
  if (!balanced) return length;
  const isMore = odd === "either" || (odd === "ones") === (symbol === "1");
  return isMore ? Math.ceil(length / 2) : Math.floor(length / 2);
}

// All rows, followed by all columns: each with the indices of its cells, and the signs along it as
// [place, relation] for the places `place` and `place + 1`.
export function linesOf({ height, width, signs = [] }) {
  const line = (direction, number, length, at) => {
    const isRow = direction === "row";
    const own = signs.filter((sign) => (sign[2] === "R") === isRow && sign[isRow ? 0 : 1] === number);
    return {
      name: `${direction} ${number + 1}`,
      direction,
      cells: Array.from({ length }, (_, place) => at(place)),
      signs: own.map((sign) => [sign[isRow ? 1 : 0], sign[3]]).sort((a, b) => a[0] - b[0]),
    };
  };
  return [
    ...Array.from({ length: height }, (_, row) => line("row", row, width, (place) => row * width + place)),
    ...Array.from({ length: width }, (_, column) => line("column", column, height, (place) => place * width + column)),
  ];
}

export const valuesOf = (line, cells) => line.cells.map((index) => cells[index]).join("");

export const placesOf = (values, symbol) => [...values].flatMap((value, place) => (value === symbol ? [place] : []));

// What a full or partial board breaks, in the order of the server: rule, indices of cells, names of lines.
export function violations(puzzle, cells) {
  const rules = rulesOf(puzzle);
  const lines = linesOf(puzzle);
  const changed = [...puzzle.clues].flatMap((clue, index) =>
    (clue !== OPEN && ![clue, OPEN].includes(cells[index]) ? [{ rule: "clue", cells: [index], lines: [] }] : []));
  return [
    ...changed,
    ...lines.flatMap((line) => lineViolations(valuesOf(line, cells), rules).map(({ rule, places, symbol }) =>
      ({ rule, cells: places.map((place) => line.cells[place]), lines: [line.name], symbol }))),
    ...(rules.distinct_lines ? repeated(lines, cells) : []),
    ...brokenSigns(puzzle, cells),
  ];
}

function lineViolations(values, rules) {
  const found = [];
  for (const symbol of "01") {
    const places = placesOf(values, symbol);
    if (places.length > mostOf(symbol, values.length, rules)) found.push({ rule: "balance", places, symbol });
  }
  for (const { 0: run, index } of values.matchAll(/0+|1+/g)) {
    if (run.length <= rules.longest_run) continue;
    found.push({ rule: "no triple", places: Array.from(run, (_, n) => index + n), symbol: run[0] });
  }
  return found;
}

function repeated(lines, cells) {
  const first = new Map();
  return lines.flatMap((line) => {
    const values = valuesOf(line, cells);
    const key = line.direction + values;
    const earlier = first.get(key);
    if (values.includes(OPEN)) return [];
    if (!earlier) first.set(key, line);
    return earlier ? [{ rule: "distinct lines", cells: [...earlier.cells, ...line.cells], lines: [earlier.name, line.name] }] : [];
  });
}

function brokenSigns({ width, signs = [] }, cells) {
  return signs.flatMap(([row, column, direction, relation]) => {
    const first = row * width + column;
    const pair = [first, direction === "R" ? first + 1 : first + width];
    const [one, two] = pair.map((index) => cells[index]);
    const isBroken = one !== OPEN && two !== OPEN && (one === two) !== (relation === "=");
    return isBroken ? [{ rule: "sign", cells: pair, lines: [], relation }] : [];
  });
}
