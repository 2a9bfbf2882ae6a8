// A puzzle that is being played: the board, pencil marks, time; kept in the browser.

import { History, replaced } from "./history.js";
import { drop, keep, load, names } from "./kept.js";
import { OPEN } from "./puzzle.js";

const PREFIX = "game:";
const LATEST = "latest";
const KEPT = 100;
const BOTH = "2"; // of pencil marks: a 0 and a 1

export class Game {
  constructor(puzzle, saved) {
    this.puzzle = puzzle;
    const begun = { cells: puzzle.clues, marks: OPEN.repeat(puzzle.clues.length) };
    this.history = new History({ ...begun, ...pick(saved, puzzle) });
    this.seconds = saved?.seconds ?? 0;
    this.isWon = Boolean(saved?.isWon);
  }

  get cells() {
    return this.history.state.cells;
  }

  get marks() {
    return this.history.state.marks;
  }

  get isFull() {
    return !this.cells.includes(OPEN);
  }

  isClue(index) {
    return this.puzzle.clues[index] !== OPEN;
  }

  set(index, value, isJoined = false) {
    if (this.isClue(index) || this.isWon || this.cells[index] === value) return false;
    const { cells, marks } = this.history.state;
    this.history.push({ cells: replaced(cells, index, value), marks }, isJoined);
    return true;
  }

  setAll(places, values) {
    let cells = this.cells;
    places.forEach((index, n) => { cells = replaced(cells, index, values[n]); });
    this.history.push({ cells, marks: this.marks });
  }

  // Puts a mark, or takes it away; one cell may have both.
  mark(index, value, isJoined = false) {
    if (this.isClue(index) || this.isWon || this.cells[index] !== OPEN) return false;
    const { cells, marks } = this.history.state;
    this.history.push({ cells, marks: replaced(marks, index, value) }, isJoined);
    return true;
  }

  toggled(index, value) {
    const now = this.marks[index];
    if (now === OPEN) return value;
    if (now === value) return OPEN;
    return now === BOTH ? String(1 - Number(value)) : BOTH;
  }

  restart() {
    this.history.push({ cells: this.puzzle.clues, marks: OPEN.repeat(this.puzzle.clues.length) });
    this.isWon = false;
    this.seconds = 0;
  }

  save() {
    const { cells, marks, seconds, isWon } = this;
    const kept = { cells, marks, seconds, isWon, when: Date.now() };
    const isKept = keep(PREFIX + this.puzzle.key, kept) && keep(LATEST, this.puzzle.record);
    if (!isKept) prune(KEPT / 2); // the browser's room is full
  }

  static begun(puzzle) {
    return new Game(puzzle, load(PREFIX + puzzle.key));
  }

  static latest() {
    return load(LATEST);
  }
}

// What was kept may be of another time, or broken.
function pick(saved, { clues }) {
  const fits = (text, symbols) =>
    typeof text === "string" && text.length === clues.length && symbols.test(text);
  const isOurs = saved && fits(saved.cells, /^[01.]*$/)
    && [...clues].every((clue, index) => clue === OPEN || clue === saved.cells[index]);
  if (!isOurs) return {};
  return { cells: saved.cells, ...(fits(saved.marks, /^[012.]*$/) ? { marks: saved.marks } : {}) };
}

export function prune(kept = KEPT) {
  const byTime = names(PREFIX).map((name) => [load(name)?.when ?? 0, name]).sort((a, b) => b[0] - a[0]);
  for (const [, name] of byTime.slice(kept)) drop(name);
}

export function clockText(seconds) {
  const whole = Math.floor(seconds);
  const pad = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return `${hours ? `${hours}:${pad(minutes)}` : minutes}:${pad(whole % 60)}`;
}
