// A puzzle being played: the board, pencil marks and time, stored in the browser.

import { History, replaced } from "./history.js";
import { load, names, remove, store } from "./storage.js";
import { OPEN, Puzzle } from "./puzzle.js";
import { Attempt, pruneTimes } from "./times.js";

const PREFIX = "game:";
const LATEST = "latest";
const MAX_GAMES = 100;
const BOTH = "2"; // both pencil marks, 0 and 1

export class Game {
  constructor(puzzle, saved) {
    this.puzzle = puzzle;
    this.history = historyOf(puzzle, saved);
    this.seconds = saved?.seconds ?? 0;
    this.before = saved?.before ?? 0; // the seconds before a restart, which undo brings back
    this.isWon = Boolean(saved?.isWon);
    this.whatIfs = whatIfsOf(puzzle, saved); // boards to return to
    // Null if the time would mean nothing: part of the board was known from elsewhere.
    this.attempt = saved ? Attempt.restore(saved.attempt) : new Attempt();
  }

  // Continues from a board in a link. Undo restores the user's own board.
  continueFrom({ board, seconds }) {
    const isFit = fits(board, this.puzzle.clues) && keepsClues(board, this.puzzle.clues);
    if (!isFit || board === this.cells) return;
    this.history.push({ cells: board, marks: OPEN.repeat(board.length) });
    this.whatIfs = [];
    this.seconds = seconds;
    this.isWon = false;
    this.attempt = null;
  }

  // Where it is stored.
  get name() {
    return PREFIX + this.puzzle.key;
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

  get isUnfinished() {
    return !this.isWon && this.cells !== this.puzzle.clues;
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

  // Sets the pencil marks of a cell.
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

  // What undoes a restart also brings back the time that the board took.
  undo() {
    const isAtStart = this.cells === this.puzzle.clues;
    if (!this.history.undo()) return false;
    if (isAtStart && this.cells !== this.puzzle.clues) {
      this.seconds += this.before;
      this.before = 0;
      this.forgetAttempt();
    }
    return true;
  }

  // Begins a what-if: values placed from now on can be kept or dropped together.
  beginWhatIf() {
    if (!this.isWon) this.whatIfs.push(this.cells);
    this.save();
  }

  endWhatIf(isKept) {
    const cells = this.whatIfs.pop();
    if (!isKept && cells !== this.cells) this.history.push({ cells, marks: this.marks });
    this.save();
  }

  // The cells that were changed since the what-if began.
  get supposed() {
    const start = this.whatIfs.at(-1);
    return start ? [...this.cells].flatMap((cell, index) => (cell === start[index] ? [] : [index])) : [];
  }

  // Counts a hint or a check of the attempt, until the puzzle is solved.
  count(name) {
    if (this.attempt && !this.isWon) this.attempt[name] += 1;
  }

  noteExplained() {
    if (this.attempt && !this.isWon) this.attempt.explained = true;
  }

  forgetAttempt() {
    this.attempt = null;
    this.save();
  }

  restart() {
    this.save();
    this.history.push({ cells: this.puzzle.clues, marks: OPEN.repeat(this.puzzle.clues.length) });
    this.isWon = false;
    this.whatIfs = [];
    this.before += this.seconds;
    this.seconds = 0;
    this.attempt = new Attempt();
  }

  save() {
    const { seconds, before, isWon, attempt, whatIfs } = this;
    const history = this.history.serialize(({ cells, marks }) => cells + marks);
    const record = this.cells === this.puzzle.clues ? null : this.puzzle.stored; // nothing to continue
    const saved = { history, seconds, before, isWon, attempt, whatIfs, record, when: Date.now() };
    const keep = () => store(this.name, saved) && store(LATEST, this.puzzle.stored);
    this.isKept = keep();
    if (!this.isKept) {
      prune(MAX_GAMES / 2); // the storage of the browser is full
      this.isKept = keep();
    }
    if (this.cells !== this.puzzle.clues) attempt?.keep(this);
  }

  static load(puzzle) {
    return new Game(puzzle, load(PREFIX + puzzle.key));
  }

  // The puzzles of games that were begun and not finished, the latest first, with their seconds.
  static unfinished() {
    const games = names(PREFIX).map(load).filter((saved) => saved?.record && !saved.isWon);
    return games.sort((a, b) => b.when - a.when).flatMap(({ record, seconds }) => {
      try {
        return [{ puzzle: Puzzle.checked(record), seconds }];
      } catch {
        return [];
      }
    });
  }

  // The last puzzle played, or null.
  static latest() {
    try {
      return Puzzle.checked(load(LATEST));
    } catch {
      return null;
    }
  }
}

// Stored data may be broken or from an older version of the page. Then the game starts again.
function historyOf({ clues }, saved) {
  const read = (text) => {
    const [cells, marks] = [text.slice(0, clues.length), text.slice(clues.length)];
    if (!fits(cells, clues) || !keepsClues(cells, clues)) throw new RangeError("another board");
    return { cells, marks: fits(marks, clues, MARKS) ? marks : OPEN.repeat(clues.length) };
  };
  try {
    return History.restore(saved.history, read);
  } catch {
    return new History({ cells: clues, marks: OPEN.repeat(clues.length) });
  }
}

function whatIfsOf({ clues }, saved) {
  const boards = Array.isArray(saved?.whatIfs) ? saved.whatIfs : [];
  return boards.filter((cells) => typeof cells === "string" && fits(cells, clues) && keepsClues(cells, clues));
}

const CELLS = /^[01.]*$/;
const MARKS = /^[012.]*$/;

const fits = (text, clues, symbols = CELLS) => text.length === clues.length && symbols.test(text);

const keepsClues = (cells, clues) =>
  [...clues].every((clue, index) => clue === OPEN || clue === cells[index]);

export function prune(limit = MAX_GAMES) {
  const byTime = names(PREFIX).map((name) => [load(name)?.when ?? 0, name]).sort((a, b) => b[0] - a[0]);
  for (const [, name] of byTime.slice(limit)) remove(name);
  pruneTimes();
}
