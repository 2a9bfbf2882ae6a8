// The names of cells, rows and columns, as the player chose them.

import { find } from "./dom.js";
import { t } from "./texts.js";

// Whether the rules leave no board of a size, as the server found.
export const hasNoBoard = ({ contradiction, contradiction_reason: reason }) => Boolean(reason && !contradiction?.length);
export const IMPOSSIBLE = t("The rules allow no board of this size.");

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

// A line of a step, such as "row 3", in words.
export function lineText(name) {
  const [direction, number] = name.split(" ");
  return direction === "row" ? t("row {row}", { row: number }) : t("column {column}", { column: columnName(Number(number)) });
}

// A cell for screen readers.
export const placeText = ([row, column]) => t("row {row}, column {column}", { row: row + 1, column: column + 1 });

export const cellName = ([row, column]) =>
  (usesLetters() ? `${letters(column + 1)}${row + 1}` : `r${row + 1}c${column + 1}`);
