// A board to embed in other sites: it marks broken rules, says when it is solved, and needs no server.

import { BoardView, cycled, digitOf } from "./board.js";
import { find } from "./dom.js";
import { History, replaced } from "./history.js";
import { broken } from "./marks.js";
import { Message } from "./message.js";
import { fromFragment, OPEN, Puzzle } from "./puzzle.js";
import { t } from "./texts.js";

const MAX_CELLS = 10_000;

class Embedded {
  constructor(puzzle) {
    this.puzzle = puzzle;
    this.history = new History(puzzle.clues);
    this.message = new Message(find("#message"));
    this.view = new BoardView(find("#board"), {
      label: t(puzzle.kind),
      legend: find("#legend"),
      press: (index, { isBack }) => this.press(index, isBack),
      key: (event, index) => this.key(event, index),
    });
    this.view.host.classList.add("live");
    this.show();
  }

  set(index, value, isJoined = false) {
    const cells = this.history.state;
    if (this.isWon || this.puzzle.clues[index] !== OPEN || cells[index] === value) return;
    this.history.push(replaced(cells, index, value), isJoined);
    this.show();
  }

  press(index, isBack) {
    const clue = this.puzzle.clues[index];
    const value = clue === OPEN ? cycled(this.history.state[index], isBack) : clue;
    this.set(index, value);
    return { at: index, paint: (other) => this.set(other, value, true) };
  }

  key(event, index) {
    const digit = digitOf(event);
    if (digit) this.set(index, digit.digit);
    else if (event.key === " " || event.key === "Enter") this.press(index, event.shiftKey);
    else if (event.key === "Backspace" || event.key === "Delete") this.set(index, OPEN);
    else return false;
    return true;
  }

  step(name) {
    if (!this.isWon && this.history[name]()) this.show();
  }

  show() {
    const { puzzle, history: { state: cells } } = this;
    const found = broken(puzzle, cells);
    this.isWon = !found && !cells.includes(OPEN);
    this.view.show({ puzzle, cells, highlights: { broken: found?.cells ?? [] } });
    this.view.host.classList.toggle("won", this.isWon);
    if (this.isWon) this.message.say(t("Solved. Well done!"), { kind: "good" });
    else if (found) this.message.say(found.sentence, { kind: "bad" });
    else this.message.clear();
  }
}

// The puzzle in the URL; throws if there is none.
function puzzleInAddress() {
  const { record, text } = fromFragment(location.search.slice(1)) ?? {};
  if (!record) throw new RangeError(text ? t("{text} is not in the form HEIGHTxWIDTH:code.", { text: text.slice(0, 80) }) : t("The address contains no puzzle."));
  const { height, width, rules } = record;
  if (height * width > MAX_CELLS) throw new RangeError(t("The board is too large."));
  const isInside = ([row, column, direction]) => row + (direction === "D") < height && column + (direction === "R") < width;
  if (!record.signs.every(isInside)) throw new RangeError(t("A sign is beyond the board."));
  if (rules && typeof rules === "string" && !["classic", "unruly", "plus", "tango"].includes(rules)) {
    throw new RangeError(t("{rules} is not the name of rules.", { rules: rules.slice(0, 40) }));
  }
  return new Puzzle(record);
}

find("#full").href = `./#${location.search.slice(1)}`;
try {
  const embedded = new Embedded(puzzleInAddress());
  document.title = `${t(embedded.puzzle.kind)} ${embedded.puzzle.size}`;
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    embedded.step(key === "y" || event.shiftKey ? "redo" : "undo");
  });
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  new Message(find("#message")).say(`${error.message} ${t("Expected a URL such as {url}.", { url: "embed?puzzle=6x6:b10e0a11c0d11b0c10e&rules=classic" })}`, { kind: "bad" });
}
