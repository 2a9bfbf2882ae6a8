// Reads and writes puzzles without the server: grids, lines, codes of puzzle-binairo.com, and records.
// What can be read in two ways, or is in another format, is left to the server. It imports nothing, so that
// it is a small file of its own.

const OPEN = ".";
const PRESETS = ["classic", "unruly", "plus", "tango"];
const MAX_SIDE = 100;
const MAX_PUZZLES = 1000;
const MIN_LINE = 16; // cells of a board on one line
const ROW = /^[01.\-_?\s]+$/;
const LINE = /^(?:(\d{1,3})x(\d{1,3}):)?([01.\-_?]+|[01a-z]+)(?:\s+(\S.*))?$/;

// The records of a text; null if it takes the server to read it.
export function readPuzzles(text, rules) {
  const found = fromRecords(text) ?? fromGrids(text) ?? fromLines(text);
  const records = found?.map((record) => ({ signs: [], ...record, rules: record.rules ?? (rules || "classic") }));
  return records?.length && records.length <= MAX_PUZZLES && records.every(isValid) ? records : null;
}

function isValid({ height, width, clues, signs, rules }) {
  const isInside = (/** @type {any} */ [row, column, direction, sign]) => "=x".includes(sign) && row >= 0 && column >= 0
    && row + (direction === "D") < height && column + (direction === "R") < width;
  const areSides = [height, width].every((side) => Number.isInteger(side) && side > 0 && side <= MAX_SIDE);
  return areSides && clues.length === height * width && /^[01.]+$/.test(clues) && PRESETS.includes(rules)
    && Array.isArray(signs) && signs.every((sign) => Array.isArray(sign) && isInside(sign));
}

function fromRecords(text) {
  if (!/^\s*[{[]/.test(text)) return null;
  const parsed = json(text);
  const records = parsed ? parsed.puzzles ?? [parsed].flat() : text.split("\n").filter((line) => line.trim()).map(json);
  const isOwn = (record) => typeof record?.clues === "string" && !("distinct_lines" in record);
  return records.every(isOwn) ? records : null;
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// As in puzzle.js.
const pack = (cells) => cells.replace(/\.{1,26}/g, (run) => String.fromCharCode(96 + run.length));
const unpack = (code) => code.replace(/[a-z]/g, (letter) => OPEN.repeat(letter.charCodeAt(0) - 96));
const cellsOf = (text) => text.replace(/\s/g, "").replace(/[-_?]/g, OPEN);

// Rows below each other, and above them perhaps an id and the name of the rules.
function fromGrids(text) {
  const blocks = text.replace(/\r/g, "").split(/\n(?:[ \t]*\n)+/).filter((block) => block.trim());
  const grids = blocks.map((block) => {
    const lines = block.split("\n").map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
    const [, id] = /^id: *(.+)$/m.exec(block) ?? [];
    const [, rules] = /^rules: *(classic|unruly|plus|tango)$/m.exec(block) ?? [];
    const rows = lines.filter((line) => line !== `rules: ${rules}` && !line.startsWith("id:"));
    const shapes = new Set(rows.map((row) => row.replace(/\S/g, "x")));
    const cells = rows.map(cellsOf);
    const [{ length: width }] = cells.length ? cells : [""];
    const areBoards = width >= MIN_LINE && Number.isInteger(Math.sqrt(width)) && rows.length !== width;
    if (rows.length < 2 || shapes.size > 1 || areBoards || !rows.every((row) => ROW.test(row))) return null;
    return { ...(id ? { id } : {}), height: rows.length, width, clues: cells.join(""), ...(rules ? { rules } : {}) };
  });
  return grids.length && !grids.includes(null) ? grids : null;
}

// A board a line, and after it perhaps an id.
function fromLines(text) {
  const boards = text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => {
    const [, rows, columns, code, id] = LINE.exec(line) ?? [];
    if (!code || (id && /^[01.\-_?]+(\s|$)/.test(id))) return null;
    const clues = /[a-z]/.test(code) ? unpack(code) : cellsOf(code);
    const side = Math.sqrt(clues.length);
    const [height, width] = rows ? [Number(rows), Number(columns)] : [side, side];
    return height * width === clues.length && (rows || clues.length >= MIN_LINE) ? { ...(id ? { id } : {}), height, width, clues } : null;
  });
  return boards.length && !boards.includes(null) ? boards : null;
}

// The text of a puzzle in a format; null if it takes the server to write it.
export function written(puzzle, to) {
  const isOwn = to in WRITERS && typeof puzzle.rules === "string" && (!puzzle.signs.length || WITH_SIGNS.includes(to));
  return isOwn ? WRITERS[to](puzzle) : null;
}

const prefix = ({ height, width }, isClear) => (isClear ? "" : `${height}x${width}:`);
const rowsOf = ({ clues, height, width }) => {
  const rows = clues.match(new RegExp(`.{${width}}`, "g")).join("\n");
  return prefix({ height, width }, Math.min(height, width) > 1) + rows;
};
const isSquare = ({ height, width }) => height === width && height * width >= MIN_LINE;
// What has no clue or no open cell would look like a word, or like cells.
const coded = (puzzle, code) => prefix(puzzle, isSquare(puzzle) && /[01].*[a-z]|[a-z].*[01]/.test(code) && code.length < puzzle.clues.length) + code;
const named = ({ id }, code) => `${code}${id ? ` ${id}` : ""}\n`;
const signText = ([row, column, direction, sign]) =>
  `r${row + 1}c${column + 1}${sign}r${row + 1 + (direction === "D")}c${column + 1 + (direction === "R")}`;
// Tango is Binairo+, and without signs both are Unruly.
const rulesName = ({ rules, signs }) => (rules !== "plus" && rules !== "tango" ? rules : signs.length ? "plus" : "unruly");
const record = (puzzle) => {
  const { id, height, width, clues, signs } = puzzle;
  return JSON.stringify({ ...(id ? { id } : {}), height, width, clues, ...(signs.length ? { signs } : {}), rules: rulesName(puzzle) });
};

const WITH_SIGNS = ["text", "ndjson", "json"];
const WRITERS = {
  text: (puzzle) => [
    ...(puzzle.id ? [`id: ${puzzle.id}`] : []),
    `rules: ${rulesName(puzzle)}`,
    ...(puzzle.signs.length ? [`signs: ${puzzle.signs.map(signText).join(" ")}`] : []),
    rowsOf(puzzle), "", "",
  ].join("\n"),
  line: (puzzle) => named(puzzle, prefix(puzzle, isSquare(puzzle)) + puzzle.clues),
  ndjson: (puzzle) => `${record(puzzle)}\n`,
  json: (puzzle) => `[\n${record(puzzle)}\n]\n`,
  task: (puzzle) => puzzle.clues.includes(OPEN) && named(puzzle, coded(puzzle, pack(puzzle.clues))),
};
