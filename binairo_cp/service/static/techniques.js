// The simple techniques of binairo_cp/deduction/techniques.py, in the same order, and a search that decides
// small puzzles. The page uses them without the server; tests hold them to the server's answers.

import { replaced } from "./history.js";
import { OPEN } from "./puzzle.js";
import { linesOf, mostOf, opposite, placesOf, rulesOf, valuesOf, violations } from "./rules.js";

// A line with its rules. `most` and `missing` are about how many of a symbol it can have.
class Strip {
  values; signs; rules; open;

  constructor(values, signs, rules) {
    Object.assign(this, { values, signs, rules, open: placesOf(values, OPEN) });
  }

  most(symbol) {
    return mostOf(symbol, this.values.length, this.rules);
  }

  missing(symbol) {
    return this.most(symbol) - placesOf(this.values, symbol).length;
  }

  // The first run that is too long if a symbol is in some places.
  runWith(symbol, ...places) {
    let run = [];
    for (let place = 0; place < this.values.length; place += 1) {
      const value = places.includes(place) ? symbol : this.values[place];
      run = value === symbol ? [...run, place] : [];
      if (run.length > this.rules.longest_run) return run;
    }
    return [];
  }

  // All runs of one cell too many if a symbol is in some places.
  runsWith(symbol, ...places) {
    const holds = (place) => this.values[place] === symbol || places.includes(place);
    const length = this.rules.longest_run + 1;
    const begins = Array.from({ length: Math.max(0, this.values.length - length + 1) }, (_, n) => n);
    return begins.map((begin) => Array.from({ length }, (_, n) => begin + n)).filter((run) => run.every(holds));
  }
}

const size = (number) => ({ 1: "one", 2: "two" })[number] ?? "more";

function quota(strip, symbol) {
  const most = strip.most(symbol);
  if (most < 2) return most ? "one" : "none";
  if (most + strip.most(opposite(symbol)) > strip.values.length) return "most";
  return most === 2 ? "two" : "all";
}

function* pair(strip, symbol) {
  const { values, rules: { longest_run: longest } } = strip;
  for (let begin = 0; begin + longest <= values.length; begin += 1) {
    if (values.slice(begin, begin + longest) !== symbol.repeat(longest)) continue;
    const places = [begin - 1, begin + longest].filter((place) => values[place] === OPEN);
    const reason = Array.from({ length: longest }, (_, n) => begin + n);
    if (places.length) yield { places, value: opposite(symbol), reason, template: `pair.${size(longest)}` };
  }
}

function* sandwich(strip, symbol) {
  for (const place of strip.open) {
    const run = strip.runWith(symbol, place);
    if (!run.length || run[0] >= place || run.at(-1) <= place) continue;
    const reason = run.filter((each) => each !== place);
    yield { places: [place], value: opposite(symbol), reason, template: `sandwich.${size(reason.length)}` };
  }
}

function* sign(strip, symbol) {
  for (const [first, relation] of strip.signs) {
    for (const [known, place] of [[first, first + 1], [first + 1, first]]) {
      if (strip.values[known] !== symbol || strip.values[place] !== OPEN) continue;
      const value = relation === "=" ? symbol : opposite(symbol);
      yield { places: [place], value, reason: [known], template: `sign.${relation}` };
    }
  }
}

function* count(strip, symbol) {
  if (!strip.open.length || strip.missing(symbol) !== 0 || !strip.rules.balanced) return;
  const [reason, most] = [placesOf(strip.values, symbol), strip.most(symbol)];
  yield { places: strip.open, value: opposite(symbol), reason, most, template: `count.${quota(strip, symbol)}` };
}

function* lastOne(strip, symbol) {
  if (strip.missing(symbol) !== 1 || !strip.rules.balanced) return;
  const value = opposite(symbol);
  const runs = strip.runsWith(value, ...strip.open);
  const places = strip.open.filter((place) => runs.some((run) => !run.includes(place)));
  if (!places.length) return;
  const one = runs.find((run) => !run.some((place) => places.includes(place)));
  const span = one ? [one[0], one.at(-1)] : [runs[0][0], runs.at(-1).at(-1)];
  const template = one ? "last one" : "last one.between";
  yield { places, value, reason: placesOf(strip.values, symbol), span, template };
}

const MOST_LISTED = 6;

function* projection(strip, symbol) {
  const possible = possibleIn(strip);
  const places = strip.open.filter((place) => possible[place] === symbol);
  if (!places.length) return;
  const ways = completions(strip, MOST_LISTED + 1).map((way) => strip.open.map((place) => way[place]).join(""));
  const number = { 1: "one", 2: "two", [MOST_LISTED + 1]: "many" }[ways.length] ?? "some";
  const reason = [...strip.values].flatMap((value, place) => (value === OPEN ? [] : [place]));
  yield { places, value: symbol, reason, ways, template: `projection.${number}` };
}

const TECHNIQUES = [
  { name: "pair", level: "beginner", find: pair },
  { name: "sandwich", level: "beginner", find: sandwich },
  { name: "sign", level: "beginner", find: sign },
  { name: "count", level: "easy", find: count },
  { name: "last one", level: "medium", find: lastOne },
  { name: "projection", level: "hard", find: projection },
];

// How hard a technique is, compared with the others.
export const rankOf = (name) => TECHNIQUES.findIndex((technique) => technique.name === name);

// The step of the easiest technique that finds one; null if none of them does.
export function nextStep(puzzle, cells) {
  const rules = rulesOf(puzzle);
  const lines = linesOf(puzzle).map((line) => ({ line, strip: new Strip(valuesOf(line, cells), line.signs, rules) }));
  for (const technique of TECHNIQUES) {
    for (const { line, strip } of lines) {
      for (const symbol of "01") {
        const { value: found } = technique.find(strip, symbol).next();
        if (found) return placed(technique, line, /** @type {any} */ (found));
      }
    }
  }
  return null;
}

/** @returns {any} a step */
function placed({ name, level }, line, { places, reason, span, ...found }) {
  const at = (each) => each.map((place) => line.cells[place]);
  return { ...found, technique: name, level, line: line.name, symbol: opposite(found.value), cells: at(places), reason: at(reason), span: span && at(span) };
}

// The states before each place from which a line can be completed: the number of ones, the last symbol and
// the length of its run, as one number.
const MEMORY = 20_000;
const known = new Map();

function endsOf(strip) {
  const key = JSON.stringify([strip.values, strip.signs, strip.rules]);
  const found = known.get(key);
  if (found) return found;
  const reached = [new Set([0])];
  for (let place = 0; place < strip.values.length; place += 1) {
    reached.push(new Set([...reached[place]].flatMap((state) => next(strip, place, state).map(([, after]) => after))));
  }
  const ends = [new Set([...reached.at(-1)].filter((state) => isBalanced(strip, state)))];
  for (let place = strip.values.length - 1; place >= 0; place -= 1) {
    ends.unshift(new Set([...reached[place]].filter((state) => next(strip, place, state).some(([, after]) => ends[0].has(after)))));
  }
  if (known.size > MEMORY) known.clear();
  known.set(key, ends);
  return ends;
}

const RUNS = 256; // more than the longest run
const stateOf = (ones, last, run) => (ones * 2 + last) * RUNS + run;

function next({ values, signs, rules }, place, state) {
  const [run, last] = [state % RUNS, Math.floor(state / RUNS) % 2];
  const ones = Math.floor(state / RUNS / 2);
  const relation = signs.find(([first]) => first === place - 1)?.[1];
  const found = [];
  for (const symbol of values[place] === OPEN ? "01" : values[place]) {
    const isSame = run > 0 && Number(symbol) === last;
    const length = isSame ? run + 1 : 1;
    const more = ones + Number(symbol);
    const isWrong = length > rules.longest_run || (relation && isSame !== (relation === "="));
    const isMany = more > mostOf("1", values.length, rules) || place + 1 - more > mostOf("0", values.length, rules);
    if (!isWrong && !isMany) found.push([symbol, stateOf(more, Number(symbol), length)]);
  }
  return found;
}

function isBalanced({ values, rules }, state) {
  const ones = Math.floor(state / RUNS / 2);
  return ones <= mostOf("1", values.length, rules) && values.length - ones <= mostOf("0", values.length, rules);
}

// For each place, the symbols of all completions of a line there, such as "0" or "01".
function possibleIn(strip) {
  const ends = endsOf(strip);
  return Array.from(strip.values, (_, place) => {
    const symbols = [...ends[place]].flatMap((state) =>
      next(strip, place, state).filter(([, after]) => ends[place + 1].has(after)).map(([symbol]) => symbol));
    return [...new Set(symbols)].sort().join("");
  });
}

// The first completions of a line, in the order of their values.
function completions(strip, limit) {
  const ends = endsOf(strip);
  const found = [];
  const extend = (text, state) => {
    if (found.length === limit) return;
    if (text.length === strip.values.length) found.push(text);
    else for (const [symbol, after] of next(strip, text.length, state)) if (ends[text.length + 1].has(after)) extend(text + symbol, after);
  };
  if (ends[0].has(0)) extend("", 0);
  return found;
}

// Decides how many solutions a puzzle has, as the server's `check`: unique, multiple or none, and `unknown`
// if that would take more than `most` tries.
export function decide(puzzle, most = 2_000) {
  const found = [];
  let tries = 0;
  const rules = rulesOf(puzzle);
  const lines = linesOf(puzzle);
  const search = (start) => {
    tries += 1;
    if (tries > most || found.length > 1) return;
    const cells = propagated(puzzle, lines, rules, start);
    if (!cells) return;
    const at = bestPlace(lines, cells);
    if (at === null) found.push(cells.join(""));
    else for (const symbol of "01") search(replaced(cells.join(""), at, symbol));
  };
  search(puzzle.clues);
  const solution = found[0];
  if (found.length > 1) return { verdict: "multiple", solution, second_solution: found[1] };
  if (tries > most) return { verdict: "unknown" };
  return solution ? { verdict: "unique", solution } : { verdict: "none" };
}

// Fills all that follows from single lines; null if a rule is broken.
function propagated(puzzle, lines, rules, start) {
  const cells = [...start];
  for (let isNew = true; isNew;) {
    isNew = false;
    for (const line of lines) {
      const strip = new Strip(valuesOf(line, cells), line.signs, rules);
      if (!strip.open.length) continue;
      const possible = possibleIn(strip);
      if (!possible[0]) return null;
      for (const place of strip.open) {
        if (possible[place].length > 1) continue;
        cells[line.cells[place]] = possible[place];
        isNew = true;
      }
    }
  }
  return violations(puzzle, cells).length || !canCount(lines, rules, cells) ? null : cells;
}

// Whether the rows and the columns allow equally many ones on the whole board.
function canCount(lines, rules, cells) {
  const least = { row: 0, column: 0 };
  const most = { row: 0, column: 0 };
  for (const line of lines) {
    const ends = endsOf(new Strip(valuesOf(line, cells), line.signs, rules)).at(-1);
    const ones = [...ends].map((state) => Math.floor(state / RUNS / 2));
    least[line.direction] += Math.min(...ones);
    most[line.direction] += Math.max(...ones);
  }
  return least.row <= most.column && least.column <= most.row;
}

// An open cell of the line with the fewest of them; null if the board is full.
function bestPlace(lines, cells) {
  const open = lines.map((line) => line.cells.filter((index) => cells[index] === OPEN)).filter((each) => each.length);
  return open.sort((a, b) => a.length - b.length)[0]?.[0] ?? null;
}
