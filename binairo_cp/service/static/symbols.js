// The symbols in the cells, with their names and pictures: digits, circles, or sun and moon.

import { draw, find, findAll } from "./dom.js";
import { cellName } from "./names.js";
import { t } from "./texts.js";

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
