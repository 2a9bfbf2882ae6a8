// A puzzle, and its representation in a URL.

export const OPEN = ".";

const NAMES = { classic: "Binairo", unruly: "Unruly", plus: "Binairo+", tango: "Tango" };
const A = "a".charCodeAt(0);

export class Puzzle {
  height; width; clues; look;

  /** @param {{ height: any, width: any, clues: string, signs?: any, rules?: any, id?: any, look?: string }} record
   * `look` is the set of symbols of the picture that the puzzle comes from. */
  constructor({ height, width, clues, signs, rules, id, look }) {
    Object.assign(this, { height, width, clues, look });
    this.signs = signs ?? [];
    this.rules = rules ?? (this.signs.length ? "plus" : "classic");
    this.id = id == null || /^\d+$/.test(id) ? null : String(id);
  }

  static empty(height, width, rules) {
    return new Puzzle({ height, width, clues: OPEN.repeat(height * width), rules });
  }

  // A record from the storage of the browser, which may be broken.
  static checked(record) {
    const { height, width, clues, signs } = record;
    const isValid = height > 0 && width > 0 && clues.length === height * width && Array.isArray(signs);
    if (!isValid || !/^[01.]+$/.test(clues)) throw new RangeError("no puzzle");
    return new Puzzle(record);
  }

  get record() {
    const { height, width, clues, signs, rules, id } = this;
    return { ...(id ? { id } : {}), height, width, clues, signs, rules };
  }

  get stored() {
    return { ...this.record, look: this.look };
  }

  get key() {
    return JSON.stringify([this.height, this.width, this.clues, this.signs, this.rules]);
  }

  // For the server, Tango is another name of Binairo+, so its records say plus. Restores the name.
  static withRulesName(record, rules) {
    const isTango = rules === "tango" && ["plus", "unruly"].includes(record.rules);
    return new Puzzle(isTango ? { ...record, rules } : record);
  }

  get clueCount() {
    return [...this.clues].filter((cell) => cell !== OPEN).length;
  }

  get kind() {
    return NAMES[this.rules] ?? "Custom rules";
  }

  get size() {
    return `${this.height} × ${this.width}`;
  }

  with(changes) {
    return new Puzzle({ ...this.stored, ...changes });
  }

  index([row, column]) {
    return row * this.width + column;
  }

  place(index) {
    return [Math.floor(index / this.width), index % this.width];
  }
}

// The letters of a column as in spreadsheets: A to Z, then AA.
export function letters(number) {
  let name = "";
  for (let rest = number; rest; rest = Math.floor((rest - 1) / 26)) name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return name;
}

// The run-length code of puzzle-binairo.com: a letter stands for 1 (a) to 26 (z) open cells.
export function pack(cells) {
  return cells.replace(/\.{1,26}/g, (run) => String.fromCharCode(A + run.length - 1));
}

export function unpack(code) {
  return code.replace(/[a-z]/g, (letter) => OPEN.repeat(letter.charCodeAt(0) - A + 1));
}

// `#puzzle=6x6:b10e…&rules=classic`, optionally with the board and the seconds of a game.
export function toFragment(puzzle, game) {
  const query = new URLSearchParams();
  query.set("puzzle", `${puzzle.height}x${puzzle.width}:${pack(puzzle.clues)}`);
  const signs = puzzle.signs.map(([row, column, direction, sign]) =>
    `${row}.${column}${direction}${sign === "=" ? "e" : "x"}`);
  if (signs.length) query.set("signs", signs.join("_"));
  if (game) {
    query.set("board", pack(game.cells));
    query.set("seconds", String(Math.round(game.seconds)));
  }
  const { rules } = puzzle;
  query.set("rules", typeof rules === "string" ? rules : JSON.stringify(rules));
  return `#${query}`;
}

// The fragment of a pasted link, which may be surrounded by other words; null if there is none.
export function linkIn(text) {
  const line = text.trim();
  return (!line.includes("\n") && /[#?]puzzle=[^\s<>"]+/.exec(line)?.[0]) || null;
}

// The puzzle in a fragment: a record, or text in another format that the server reads.
export function fromFragment(fragment) {
  const query = new URLSearchParams(fragment.replace(/^[#?]/, ""));
  const text = query.get("puzzle");
  if (!text) return null;
  const rules = rulesOf(query.get("rules"));
  const [, height, width, code] = /^(\d{1,3})x(\d{1,3}):([01a-z]+)$/.exec(text) ?? [];
  const clues = code && unpack(code);
  if (clues?.length !== Number(height) * Number(width)) return { text, rules };
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
  return found.map(([, row, column, direction, sign]) =>
    [Number(row), Number(column), direction, sign === "e" ? "=" : "x"]);
}
