// The names of cells, rows and columns, as the player chose them, and of grades.

import { find, upper } from "./dom.js";
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
