// The puzzles that come with the page: graded, and available without the server. `python -m docs.stock`
// writes the files. Rotations, reflections and exchanged symbols of a puzzle have the same grade.

import { pack, Puzzle, unpack } from "./puzzle.js";
import { load, store } from "./storage.js";

const SIZES = [6, 8, 10, 12, 14];
const VARIANTS = 16;

export const STOCK_SIZES = SIZES.map(String);

const files = new Map();

// A file that belongs to the page, next to this one.
export function file(name) {
  if (!files.has(name)) files.set(name, fetched(name).catch((error) => { files.delete(name); throw error; }));
  return files.get(name);
}

async function fetched(name) {
  const response = await fetch(new URL(`./${name}`, import.meta.url));
  if (!response.ok) throw Object.assign(new Error("This part of the page can’t be loaded. Reload the page."), { status: response.status });
  return response.json();
}

const stockOf = (size) => file(`stock-${size}.json`);

// One of the variants of a square board: turned, reflected, with exchanged symbols.
export function variant(clues, number) {
  const side = Math.sqrt(clues.length);
  const turned = (row, column) => {
    if (number & 1) [row, column] = [column, row];
    if (number & 2) row = side - 1 - row;
    if (number & 4) column = side - 1 - column;
    return clues[row * side + column];
  };
  const cells = Array.from(clues, (_, index) => turned(Math.floor(index / side), index % side)).join("");
  return number & 8 ? cells.replace(/[01]/g, (value) => String(1 - Number(value))) : cells;
}

// The n-th of all variants of a list of puzzles: all puzzles first, then all as another variant.
export function choose(codes, n, id) {
  const clues = variant(unpack(codes[n % codes.length]), Math.floor(n / codes.length) % VARIANTS);
  const side = Math.sqrt(clues.length);
  return new Puzzle({ height: side, width: side, clues, rules: "classic", id });
}

// The next puzzle of a size and grade, which is another one each time; null if there are none.
export async function nextPuzzle(size, grade) {
  if (!SIZES.includes(size)) return null;
  const codes = (await stockOf(size))[grade];
  if (!codes) return null;
  const name = `stock:${size}:${grade}`;
  const n = Number(load(name)) || 0;
  store(name, n + 1);
  return choose(codes, n);
}

// The grade of a puzzle from these files; null for others.
export async function levelOf({ height, width, clues, rules }) {
  if (height !== width || !SIZES.includes(height) || rules !== "classic") return null;
  const codes = new Set(Array.from({ length: VARIANTS }, (_, n) => pack(variant(clues, n))));
  const found = [await stockOf(height), ...(height === 10 ? [await file("daily.json")] : [])];
  for (const stock of found) {
    for (const [grade, puzzles] of Object.entries(stock)) if (puzzles.some((code) => codes.has(code))) return grade;
  }
  return null;
}
