// A puzzle as the page has it, and as it stands in the address of the page.

export const OPEN = ".";

const NAMES = { classic: "Binairo", unruly: "Unruly", plus: "Binairo+", tango: "Tango" };
const A = "a".charCodeAt(0);

export class Puzzle {
  constructor({ height, width, clues, signs, rules, id }) {
    Object.assign(this, { height, width, clues });
    this.signs = signs ?? [];
    this.rules = rules ?? (this.signs.length ? "plus" : "classic");
    this.id = id == null || /^\d+$/.test(id) ? null : String(id);
  }

  static empty(height, width, rules) {
    return new Puzzle({ height, width, clues: OPEN.repeat(height * width), rules });
  }

  // A record that the browser kept; it may be broken.
  static checked(record) {
    const { height, width, clues, signs } = record;
    const isSound = height > 0 && width > 0 && clues.length === height * width && Array.isArray(signs);
    if (!isSound || !/^[01.]+$/.test(clues)) throw new RangeError("no puzzle");
    return new Puzzle(record);
  }

  get record() {
    const { height, width, clues, signs, rules, id } = this;
    return { ...(id ? { id } : {}), height, width, clues, signs, rules };
  }

  get key() {
    return JSON.stringify([this.height, this.width, this.clues, this.signs, this.rules]);
  }

  // Tango is another name of Binairo+ for the service, which forgets it. Players don't: who asked for
  // Tango gets Tango.
  static named(record, rules) {
    const isTango = rules === "tango" && ["plus", "unruly"].includes(record.rules);
    return new Puzzle(isTango ? { ...record, rules } : record);
  }

  get clueCount() {
    return [...this.clues].filter((cell) => cell !== OPEN).length;
  }

  get kind() {
    return NAMES[this.rules] ?? "Own rules";
  }

  get size() {
    return `${this.height} × ${this.width}`;
  }

  with(changes) {
    return new Puzzle({ ...this.record, ...changes });
  }

  index([row, column]) {
    return row * this.width + column;
  }

  place(index) {
    return [Math.floor(index / this.width), index % this.width];
  }
}

export const called = ([row, column]) => `r${row + 1}c${column + 1}`;

// Cells as codes of puzzle-binairo.com have them: a letter skips 1 (a) to 26 (z) open cells.
export function pack(cells) {
  return cells.replace(/\.{1,26}/g, (run) => String.fromCharCode(A + run.length - 1));
}

export function unpack(code) {
  return code.replace(/[a-z]/g, (letter) => OPEN.repeat(letter.charCodeAt(0) - A + 1));
}

// `#puzzle=6x6:b10e…&rules=classic`, and the board and the seconds of a game that goes along.
export function toFragment(puzzle, game) {
  const query = new URLSearchParams();
  query.set("puzzle", `${puzzle.height}x${puzzle.width}:${pack(puzzle.clues)}`);
  const signs = puzzle.signs.map(([row, column, way, sign]) =>
    `${row}.${column}${way}${sign === "=" ? "e" : "x"}`);
  if (signs.length) query.set("signs", signs.join("_"));
  if (game) {
    query.set("board", pack(game.cells));
    query.set("seconds", String(Math.round(game.seconds)));
  }
  const { rules } = puzzle;
  query.set("rules", typeof rules === "string" ? rules : JSON.stringify(rules));
  return `#${query}`;
}

// The part of a pasted link that `fromFragment` reads, maybe with words around it; null without one.
export function linkIn(text) {
  const line = text.trim();
  return (!line.includes("\n") && /#puzzle=[^\s<>"]+/.exec(line)?.[0]) || null;
}

// What an address says: a record, or a text in another format for the service to read.
export function fromFragment(fragment) {
  const query = new URLSearchParams(fragment.replace(/^#/, ""));
  const text = query.get("puzzle");
  if (!text) return null;
  const rules = rulesOf(query.get("rules"));
  const [, height, width, code] = /^(\d{1,3})x(\d{1,3}):([01a-z]+)$/.exec(text) ?? [];
  const clues = code && unpack(code);
  if (clues?.length !== height * width) return { text, rules };
  const signs = signsOf(query.get("signs"));
  const record = { height: +height, width: +width, clues, signs, ...(rules ? { rules } : {}) };
  const board = unpack(query.get("board") ?? "");
  const isBoard = board.length === clues.length && /^[01.]+$/.test(board);
  return { record, board: isBoard ? board : null, seconds: Number(query.get("seconds")) || 0 };
}

function rulesOf(text) {
  if (!text?.startsWith("{")) return text || undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function signsOf(text) {
  const found = [...(text ?? "").matchAll(/(\d+)\.(\d+)([RD])([ex])/g)];
  return found.map(([, row, column, way, sign]) =>
    [Number(row), Number(column), way, sign === "e" ? "=" : "x"]);
}

