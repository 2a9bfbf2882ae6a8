// The symbols in the cells: digits, circles, or sun and moon; what they look like and what they are called.

import { draw, find, findAll } from "./dom.js";
import { called } from "./puzzle.js";

const SETS = {
  digits: { names: ["0", "1"], legend: "" },
  circles: { names: ["open circle", "full circle"], legend: "An open circle is 0, a full one 1." },
  sunmoon: { names: ["sun", "moon"], legend: "A sun is 0, a moon 1." },
};

// The set that the player chose. Without a choice, Tango has sun and moon, as where it comes from.
export function setOf(puzzle) {
  const chosen = find("#symbols").value;
  if (chosen in SETS) return chosen;
  return puzzle.rules === "tango" ? "sunmoon" : "digits";
}

export const nameOf = (value, set) => SETS[set].names[value];

// A clue in words, such as r1c2 = sun.
export const named = (place, puzzle, value = puzzle.clues[puzzle.index(place)]) =>
  `${called(place)} = ${nameOf(value, setOf(puzzle))}`;

export const legendOf = (set) => SETS[set].legend;

export const picture = (value, set) =>
  draw("svg", { class: "symbol", viewBox: "0 0 100 100", "aria-hidden": "true" },
    draw("use", { href: `#${set}-${value}`, class: set }));

// Boards that are on the page follow a new choice.
export function redraw() {
  for (const host of findAll(".board")) host.view?.redraw();
}
