// A command that opens the puzzles with the fewest and the most clues.

import { find } from "./dom.js";
import { file } from "./stock.js";

export function installRecords(play, opening) {
  const button = find("#records");
  button.addEventListener("click", () => play.message.run(button, async () => opening.openAll(await file("records.json"))));
}
