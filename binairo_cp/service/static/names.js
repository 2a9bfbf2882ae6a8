// What symbols, cells, lines and grades are called, as the player chose it, and how sentences are written.

import { draw, find, findAll, upper } from "./dom.js";
import { letters } from "./puzzle.js";
import { numberText, t } from "./texts.js";

// Whether the rules leave no board of a size, as the server found.
export const hasNoBoard = ({ contradiction, contradiction_reason: reason }) => Boolean(reason && !contradiction?.length);
export const IMPOSSIBLE = t("The rules allow no board of this size.");

export const LEVELS = ["beginner", "easy", "medium", "hard", "expert", "beyond logic"];

// A grade in words, such as "Hard, score 1,234". The page's own grades have no score.
export const gradeText = ({ level, score }) =>
  upper(t(level)) + (score == null ? "" : `, ${t("score {score}", { score: numberText(Math.round(score)) })}`);

const usesLetters = () => find("#coordinates")?.value === "a1";

export const columnName = (number) => (usesLetters() ? letters(number) : String(number));

// A line of a step, such as "row 3", in words.
export function lineText(name) {
  const [direction, number] = name.split(" ");
  return direction === "row" ? t("row {row}", { row: number }) : t("column {column}", { column: columnName(Number(number)) });
}

// A cell for screen readers.
export const placeText = ([row, column]) => t("row {row}, column {column}", { row: row + 1, column: column + 1 });

export const cellName = ([row, column]) =>
  (usesLetters() ? `${letters(column + 1)}${row + 1}` : `r${row + 1}c${column + 1}`);

// The symbols in the cells: digits, circles, or sun and moon.
const SETS = {
  digits: { names: ["0", "1"], legend: "" },
  circles: { names: [t("open circle"), t("full circle")], legend: t("An open circle is 0, a full circle is 1.") },
  sunmoon: { names: [t("sun"), t("moon")], legend: t("A sun is 0, a moon is 1.") },
};

const OWN = { tango: "sunmoon", unruly: "circles" };

// The set that the user chose. By default, each picture and each game has its own.
export function setOf(puzzle) {
  const chosen = find("#symbols")?.value;
  if (chosen in SETS) return chosen;
  return puzzle.look ?? OWN[puzzle.rules] ?? "digits";
}

export const nameOf = (value, set) => SETS[set].names[value];

// A clue in words, such as r1c2 = sun.
export const clueName = (place, puzzle, value = puzzle.clues[puzzle.index(place)]) =>
  `${cellName(place)} = ${nameOf(value, setOf(puzzle))}`;

export const legendOf = (set) => SETS[set].legend;

export const picture = (value, set) =>
  draw("svg", { class: "symbol", viewBox: "0 0 100 100", "aria-hidden": "true" },
    draw("use", { href: `#${set}-${value}`, class: set }));

// Redraws all boards after a new choice.
export function redraw() {
  for (const host of findAll(".board")) host.view?.redraw();
}

// How sentences are written.
export const styleFor = (puzzle) => ({
  language: find("#language").value,
  symbols: setOf(puzzle),
  coordinates: find("#coordinates").value === "auto" ? "rc" : find("#coordinates").value,
});

// The same for a sentence beside the board, which highlights the cells: by default, it has no coordinates.
export const besideBoard = (style) =>
  (find("#coordinates").value === "auto" ? { ...style, coordinates: "none" } : style);

// The options of a request for a hint or an explanation.
const optionsFor = (puzzle) => ({ ...styleFor(puzzle), best: find("#steps").value === "best" });

// The answer to a request in the style that the player wants when it comes, which may have changed on the way.
export async function inStyle(puzzle, ask) {
  for (;;) {
    const style = optionsFor(puzzle);
    const answer = await ask(style);
    if (JSON.stringify(style) === JSON.stringify(optionsFor(puzzle))) return answer;
  }
}
