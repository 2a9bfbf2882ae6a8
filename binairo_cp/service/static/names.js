// The names of cells, rows and columns, as the player chose them.

import { find } from "./dom.js";

const usesLetters = () => find("#coordinates")?.value === "a1";

// The letters of a column as in spreadsheets: A to Z, then AA.
function letters(number) {
  let name = "";
  for (let rest = number; rest; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode("A".charCodeAt(0) + ((rest - 1) % 26)) + name;
  }
  return name;
}

export const columnName = (number) => (usesLetters() ? letters(number) : String(number));

export const cellName = ([row, column]) =>
  (usesLetters() ? `${letters(column + 1)}${row + 1}` : `r${row + 1}c${column + 1}`);
