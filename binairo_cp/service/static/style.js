// How explanations are chosen and written: their kind, their language, and what they call symbols and cells.

import { find } from "./dom.js";
import { setOf } from "./symbols.js";

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
