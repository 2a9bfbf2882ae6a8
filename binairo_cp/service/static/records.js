// A button that opens the puzzles with the fewest and the most clues.

import { find, make } from "./dom.js";

export function installRecords(play, opening) {
  const button = make("button", { type: "button", id: "records" }, "Record puzzles");
  find("#open").before(button);
  button.addEventListener("click", () => play.message.run(button, async () => {
    const response = await fetch("static/records.json");
    if (!response.ok) throw Object.assign(new Error("The record puzzles can't be loaded."), { status: response.status });
    opening.openAll(await response.json());
  }));
}
