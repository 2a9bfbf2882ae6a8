// What the page answers by itself if the server is away, starting or busy: is a board correct, what are the
// next steps, the grade, and which clues are redundant. The answers have the form of the server's.

import { rulesOf, linesOf, mostOf, placesOf, valuesOf, violations } from "./rules.js";
import { replaced } from "./history.js";
import { OPEN } from "./puzzle.js";
import { phrasesOf, stepSentence, Wording } from "./phrases.js";
import { file, levelOf } from "./stock.js";
import { decide, nextStep, rankOf } from "./techniques.js";

const MAX_CELLS = 256;
const FIELDS = new Set(["puzzle", "board", "language", "symbols", "coordinates", "best", "time_limit"]);
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
    if (result.verdict === "unknown") return null;
    const { solution, second_solution: second } = result;
    const differences = second && [...solution].flatMap((cell, index) => (cell === second[index] ? [] : [placeOn(puzzle)(index)]));
    return second ? { ...result, differences } : result;
  },

  async grade({ puzzle }) {
    const level = await levelOf(puzzle);
    if (level) return { verdict: "unique", grade: { level } };
    const { verdict } = verdictOf(puzzle);
    const grade = verdict === "unique" && gradeOf(puzzle, pathFrom(puzzle, puzzle.clues));
    return grade ? { verdict, grade } : null;
  },

  async hint({ puzzle, board = puzzle.clues, ...style }) {
    const { found, wording } = await begun(puzzle, board, style);
    if (!found || found.mistake) return found;
    const step = nextStep(puzzle, board);
    if (!step) return board.includes(OPEN) ? null : { ...verdictOf(puzzle), steps: [] };
    return { ...found, steps: [recordOf(puzzle, step, wording)] };
  },

  // A site without a server shows the first steps if the page does not know them all.
  async explain({ puzzle, board = puzzle.clues, ...style }) {
    const { found, wording } = await begun(puzzle, board, style);
    if (!found || found.mistake || found.verdict !== "unique") return found;
    const steps = pathFrom(puzzle, board);
    const isWhole = !steps.end.includes(OPEN);
    if (!isWhole && !IS_ALONE) return null;
    const grade = gradeOf(puzzle, board === puzzle.clues ? steps : pathFrom(puzzle, puzzle.clues));
    return { ...found, isPart: !isWhole, steps: steps.map((step) => recordOf(puzzle, step, wording)), ...(grade ? { grade } : {}) };
  },

  async clues({ puzzle }) {
    const result = await ANSWERS.check({ puzzle });
    if (result?.verdict !== "unique") return result;
    const isEnough = (clues) => decide({ ...puzzle, clues }).verdict === "unique";
    const given = [...puzzle.clues].flatMap((clue, index) => (clue === OPEN ? [] : [index]));
    const spare = given.filter((index) => isEnough(replaced(puzzle.clues, index, OPEN)));
    let irreducible = puzzle.clues;
    for (const index of spare) if (isEnough(replaced(irreducible, index, OPEN))) irreducible = replaced(irreducible, index, OPEN);
    return { ...result, needs: { spare: spare.map(placeOn(puzzle)), irreducible, sets: 1, all_found: false } };
  },
};

const IS_ALONE = globalThis.document?.documentElement.dataset.server === "none";
const placeOn = ({ width }) => (index) => [Math.floor(index / width), index % width];

// What hints and explanations have in common: the verdict, and the first mistake on the board.
async function begun(puzzle, board, style) {
  const result = verdictOf(puzzle);
  if (result.verdict === "unknown") return { found: null };
  const wording = await wordingFor({ ...USUAL, ...style }, puzzle.width);
  const mistake = mistakeOn(puzzle, board, result, wording);
  const more = mistake && { mistake: { ...mistake, cells: mistake.cells.map(placeOn(puzzle)) } };
  return { wording, found: { ...result, language: wording.language, ...more } };
}

function recordOf(puzzle, step, wording) {
  const [{ technique, level, line, cells, reason, span }, place] = [step, placeOn(puzzle)];
  return {
    technique, level, line,
    cells: cells.map(place),
    values: step.value.repeat(cells.length),
    reason: reason.map(place),
    ...(span ? { spans: [span.map(place)] } : {}),
    sentence: stepSentence({ ...step, tooMany: rulesOf(puzzle).longest_run + 1 }, wording),
  };
}

// All steps that the page knows from a board, with the board at their end.
function pathFrom(puzzle, board) {
  const steps = [];
  let end = board;
  for (let step = nextStep(puzzle, end); step; step = nextStep(puzzle, end)) {
    steps.push(step);
    for (const index of step.cells) end = replaced(end, index, step.value);
  }
  return Object.assign(steps, { end });
}

// The grade that a whole path shows; null if an easier technique might be one that the page does not know.
function gradeOf({ signs = [] }, steps) {
  const hardest = [...steps].sort((a, b) => rankOf(b.technique) - rankOf(a.technique))[0];
  if (!hardest || steps.end.includes(OPEN) || (signs.length && hardest.technique === "projection")) return null;
  const placed = {};
  for (const { technique, cells } of steps) placed[technique] = (placed[technique] ?? 0) + cells.length;
  return { level: hardest.level, hardest: hardest.technique, placed, left: 0 };
}

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
