// What the page answers by itself if the server is away, starting or busy: is a board correct, what is the
// next step, and which grade has a puzzle of the stock. The answers have the form of the server's.

import { rulesOf, linesOf, mostOf, placesOf, valuesOf, violations } from "./rules.js";
import { OPEN } from "./puzzle.js";
import { phrasesOf, stepSentence, Wording } from "./phrases.js";
import { file, levelOf } from "./stock.js";
import { decide, nextStep } from "./techniques.js";

const MAX_CELLS = 256;
const FIELDS = new Set(["puzzle", "board", "language", "symbols", "coordinates", "best"]);
const USUAL = { language: "en", symbols: "digits", coordinates: "rc" };

// The answer to a request; null if only the server knows it.
export async function answer(word, body) {
  const { puzzle, board } = body;
  const isOwn = word in ANSWERS && isKnown(puzzle, board) && Object.keys(body).every((name) => FIELDS.has(name));
  return isOwn ? ANSWERS[word](body) : null;
}

const isKnown = (puzzle, board) => Boolean(puzzle?.clues && rulesOf(puzzle)) && puzzle.clues.length <= MAX_CELLS
  && (board === undefined || board.length === puzzle.clues.length);

// The last verdict, since every hint and check of a game needs it.
let last = {};
function verdictOf(puzzle) {
  const key = JSON.stringify(puzzle);
  if (last.key !== key) last = { key, result: decide(puzzle) };
  return last.result;
}

const ANSWERS = {
  async check({ puzzle }) {
    const result = verdictOf(puzzle);
    return result.verdict === "unknown" ? null : result;
  },

  async grade({ puzzle }) {
    const level = await levelOf(puzzle);
    return level && { verdict: "unique", grade: { level } };
  },

  async hint({ puzzle, board = puzzle.clues, ...style }) {
    const result = verdictOf(puzzle);
    if (result.verdict === "unknown") return null;
    const wording = await wordingFor({ ...USUAL, ...style }, puzzle.width);
    const place = (index) => [Math.floor(index / puzzle.width), index % puzzle.width];
    const mistake = mistakeOn(puzzle, board, result, wording);
    if (mistake) return { ...result, language: wording.language, mistake: { ...mistake, cells: mistake.cells.map(place) } };
    const step = nextStep(puzzle, board);
    if (!step) return board.includes(OPEN) ? null : { ...result, steps: [] };
    step.tooMany = rulesOf(puzzle).longest_run + 1;
    const { technique, level, line, cells, reason, span } = step;
    const record = {
      technique, level, line,
      cells: cells.map(place),
      values: step.value.repeat(cells.length),
      reason: reason.map(place),
      ...(span ? { spans: [span.map(place)] } : {}),
      sentence: stepSentence(step, wording),
    };
    return { ...result, language: wording.language, steps: [record] };
  },
};

async function wordingFor(style, width) {
  return new Wording(phrasesOf(await file("phrases.json"), style.language), style, width);
}

// The first mistake on a board: a rule that it breaks, or else a cell that is not as in the only solution.
function mistakeOn(puzzle, board, { verdict, solution }, wording) {
  const broken = violations(puzzle, board);
  if (broken[0]?.rule === "clue") return changedClue(puzzle, board, broken[0].cells[0], wording);
  if (broken.length) return fault(puzzle, board, wording);
  if (verdict !== "unique") return null;
  const wrong = [...board].flatMap((cell, index) => (cell !== OPEN && cell !== solution[index] ? [index] : []));
  if (!wrong.length) return null;
  const others = wrong.length - 1;
  const fields = { mistaken: wording.cells(wrong.slice(0, 1)), others: wording.number(others) };
  return { cells: wrong.slice(0, 1), sentence: wording.sentence(others ? "wrong.more" : "wrong", fields, others) };
}

function changedClue(puzzle, board, index, wording) {
  const fields = { mistaken: wording.cells([index]), found: wording.symbol(board[index]), clue: wording.symbol(puzzle.clues[index]) };
  return { cells: [index], sentence: wording.sentence("mistake.clue", fields) };
}

// The broken rule that is the easiest to see.
function fault(puzzle, board, wording) {
  const [found] = faults(puzzle, board);
  const { kind, cells, lines, symbol, most } = found;
  const fields = {
    line: wording.lines(lines.slice(0, 1), "broken"),
    lines: wording.lines(lines, "lines"),
    number: wording.number(cells.length),
    broken: "01".includes(symbol) && wording.symbol(symbol),
    relation: { words: symbol === "x" ? "×" : symbol },
    most: wording.number(most),
    broken_cells: wording.cells(cells),
  };
  return { cells, sentence: wording.sentence(`mistake.${kind}`, fields, kind === "count" ? cells.length : 1) };
}

function* faults(puzzle, board) {
  const rules = rulesOf(puzzle);
  const lines = linesOf(puzzle);
  for (const line of lines) {
    const values = valuesOf(line, board);
    const at = (places) => places.map((place) => line.cells[place]);
    for (const symbol of "01") {
      const start = values.indexOf(symbol.repeat(rules.longest_run + 1));
      const run = Array.from({ length: rules.longest_run + 1 }, (_, n) => start + n);
      if (start >= 0) yield { kind: "run", lines: [line.name], cells: at(run), symbol, most: rules.longest_run };
      const [places, most] = [placesOf(values, symbol), mostOf(symbol, values.length, rules)];
      if (places.length > most) yield { kind: "count", lines: [line.name], cells: at(places), symbol, most };
    }
    for (const [first, relation] of line.signs) {
      const [one, two] = [values[first], values[first + 1]];
      const isBroken = one !== OPEN && two !== OPEN && (one === two) !== (relation === "=");
      if (isBroken) yield { kind: "sign", lines: [line.name], cells: at([first, first + 1]), symbol: relation, most: 0 };
    }
  }
  for (const { rule, ...same } of violations(puzzle, board)) {
    if (rule === "distinct lines") yield { ...same, kind: "identical", symbol: "", most: 0 };
  }
}
