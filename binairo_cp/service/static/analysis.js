// Analysis of the puzzle that is played, shown below the board.

import { post } from "./api.js";
import { BoardView } from "./board.js";
import { button, find, make, upper } from "./dom.js";
import { Explanation } from "./explain.js";
import { focusStarter } from "./menus.js";
import { clueName, gradeText, hasNoBoard, IMPOSSIBLE, inStyle } from "./names.js";
import { OPEN } from "./puzzle.js";
import { listText, n, numberText, t } from "./texts.js";

const TIME_LIMIT = 30; // seconds; the user is waiting
const MAX_LISTED = 12;

export class Analysis {
  play; openPuzzle; host;

  constructor(play, openPuzzle) {
    Object.assign(this, { play, openPuzzle, host: find("#answer"), renew: () => {} });
    play.onOpen = () => this.clear();
    for (const method of ["solution", "explain", "uniqueness", "grade", "clues"]) {
      const starter = find(`#${method}`);
      starter.addEventListener("click", () => this.analyse(starter, method));
    }
  }

  clear() {
    this.renew = () => {};
    this.host.replaceChildren();
    this.play.showInstead(null);
  }

  // Shows the result only if the puzzle has not changed in the meantime.
  analyse(starter, method, ...more) {
    const { play } = this;
    return play.message.run(starter, async () => {
      this.clear();
      play.message.clear();
      const { puzzle } = play;
      const show = await this[method](puzzle, ...more);
      if (play.puzzle !== puzzle) return;
      show();
      this.host.scrollIntoView?.({ block: "nearest" });
      if (starter) find("h2", this.host)?.focus({ preventScroll: true });
    });
  }

  card(title, ...children) {
    const close = button(t("Close"), () => {
      this.clear();
      this.play.highlight({});
      focusStarter(find("[popovertarget=analysis-menu]"));
    }, { class: "close" });
    const heading = make("h2", { tabindex: -1 }, title);
    this.host.replaceChildren(make("section", { class: "card", "aria-label": title }, heading, close, ...children));
  }

  // A card that stays in sight below the board on a phone.
  sheet(title, ...children) {
    this.card(title, ...children);
    find(".card", this.host).classList.add("sheet-card");
  }

  // Explains the solution from the current board, or from the clues.
  async explain(puzzle, isFromClues = false) {
    const { cells } = this.play.game;
    const hasBegun = cells !== puzzle.clues && cells.includes(OPEN);
    const board = hasBegun && !isFromClues ? cells : null;
    const result = await inStyle(puzzle, (style) => request("explain", puzzle, { ...style, ...(board ? { board } : {}) }));
    return () => {
      if (result.steps?.length) this.play.game.noteExplained();
      if (result.steps?.length) new Explanation(this, puzzle, result, board ?? puzzle.clues);
      else this.card(t("Step by step"), make("p", { lang: result.language }, unexplained(puzzle, result)));
      if (result.mistake) this.play.highlight({ wrong: result.mistake.cells });
      if (hasBegun) this.offer(isFromClues);
      // After another choice of steps, language, symbols or coordinates.
      this.renew = () => this.analyse(null, "explain", isFromClues);
    };
  }

  // Offers an explanation from the other board.
  offer(isFromClues) {
    const starter = button(isFromClues ? t("From my board") : t("From the start"), () => this.analyse(starter, "explain", !isFromClues));
    find(".card", this.host).append(make("div", { class: "buttons" }, starter));
  }

  async solution(puzzle) {
    const result = await this.play.checkPuzzle();
    return () => {
      this.sheet(t("Solution"), ...this.verdict(puzzle, result));
      if (result.verdict !== "unique") return;
      this.play.game.noteExplained();
      this.play.showInstead({ cells: result.solution });
    };
  }

  async uniqueness(puzzle) {
    const result = await request("check", puzzle);
    return () => {
      this.card(VERDICTS[result.verdict] ?? result.verdict, ...this.verdict(puzzle, result));
      if (result.verdict === "none") this.play.highlight({ wrong: result.contradiction ?? [] });
    };
  }

  verdict(puzzle, result) {
    if (result.verdict === "multiple") return [pairOf(puzzle, result)];
    return [make("p", {}, verdictSentence(puzzle, result))];
  }

  async grade(puzzle) {
    const result = await request("explain", puzzle);
    return () => {
      if (result.isPart) this.card(t("No grade"), make("p", {}, t("The page knows no further step without a server.")));
      else if (!result.grade) this.card(t("No grade"), make("p", {}, unexplained(puzzle, result)));
      else this.card(gradeText(result.grade), ...gradeParts(result.grade));
    };
  }

  async clues(puzzle) {
    const result = await request("clues", puzzle);
    return () => {
      if (result.needs) this.needs(puzzle, result.needs);
      else if (result.helpful) this.card(t("Several solutions: the most helpful clues"), helpList(puzzle, result.helpful));
      else this.card(VERDICTS[result.verdict] ?? t("Clues"), ...this.verdict(puzzle, result));
    };
  }

  needs(puzzle, { spare, irreducible, sets, all_found: isAll }) {
    this.play.highlight({ spare });
    const own = puzzle.with({ clues: irreducible, id: null });
    const host = make("div");
    const sentence = spare.length
      ? t("{spare} of {all} clues can be removed, one at a time. They are marked on the board.", { spare: spare.length, all: puzzle.clueCount })
      : t("No clue can be removed: without any one of them there are several solutions.");
    this.card(t("Redundant clues"), make("p", {}, sentence));
    if (!spare.length) return;
    const enough = { count: own.clueCount, sets: numberText(sets) };
    let known = isAll
      ? t("These {count} clues are enough; no smaller set of clues is enough.", enough)
      : t("These {count} clues are enough; this is the smallest of {sets} sets found.", enough);
    if (!isAll && sets === 1) known = t("These {count} clues are enough; there may be a smaller set.", enough);
    find(".card", this.host).append(
      make("p", {}, known),
      host,
      make("div", { class: "buttons" }, button(t("Play with these"), () => this.openPuzzle(own))));
    new BoardView(host, { label: t("Clues that are enough") }).show({ puzzle: own });
  }
}

const request = (word, puzzle, more) => post(word, { puzzle: puzzle.record, time_limit: TIME_LIMIT, ...more });

const VERDICTS = {
  unique: t("Exactly one solution"),
  multiple: t("Several solutions"),
  none: t("No solution"),
  unknown: t("Not decided in time"),
};

export function verdictSentence(puzzle, result) {
  const { verdict, contradiction, note } = result;
  if (verdict === "unique") return t("The search found exactly one solution.");
  if (verdict === "unknown") return note ?? t("The time limit was reached before this could be decided.");
  if (hasNoBoard(result)) return IMPOSSIBLE;
  if (!contradiction) return t("The clues, rules and signs allow no solution.");
  if (!contradiction.length) return t("The rules and signs allow no solution, whatever the clues.");
  const clues = contradiction.map((place) => clueName(place, puzzle));
  if (clues.length === 1) return t("The clue {clue} allows no solution. Change it.", { clue: clues[0] });
  return t("These clues contradict each other: {clues}. Change at least one of them.", { clues: listed(clues) });
}

// Lists the first items and the number of the others.
function listed(items) {
  const more = items.length - MAX_LISTED;
  const shown = more > 1 ? [...items.slice(0, MAX_LISTED), t("{number} more", { number: more })] : items;
  return listText(shown);
}

function unexplained(puzzle, result) {
  if (result.mistake) return result.mistake.sentence;
  if (!result.contradiction && result.verdict === "unique") return t("The board is already full.");
  if (result.verdict === "multiple") return t("There is no first step: the puzzle has several solutions.");
  return verdictSentence(puzzle, result);
}

// Two solutions side by side, with their differences marked.
export function pairOf(puzzle, { solution, second_solution: second, differences }) {
  const boards = [solution, second].map((cells, at) => {
    const host = make("div");
    const label = at ? t("Another solution") : t("One solution");
    new BoardView(host, { label }).show({ puzzle, cells, highlights: { differs: differences } });
    return make("figure", {}, host, make("figcaption", {}, label));
  });
  return make("div", { class: "stack" },
    make("p", {}, n(differences.length, "These solutions differ in {number} cell.", "These solutions differ in {number} cells.")),
    make("div", { class: "pair" }, ...boards));
}

function gradeParts(grade) {
  const placed = Object.entries(grade.placed).map(([technique, number]) =>
    make("tr", {}, make("th", { scope: "row" }, upper(t(technique))), make("td", {}, numberText(number))));
  const left = grade.left ? n(grade.left, "{number} cell needs nested contradictions.", "{number} cells need nested contradictions.") : "";
  const needed = grade.hardest
    ? t("The hardest technique needed is “{technique}”.", { technique: t(grade.hardest) })
    : t("The board is already full.");
  return [
    make("p", {}, `${needed} ${left}`),
    make("p", {}, t("The score estimates the time that a person needs. A typical Tango of LinkedIn has 100.")),
    make("table", {}, make("caption", {}, t("Cells by technique")), make("tbody", {}, ...placed)),
  ];
}

function helpList(puzzle, helpful) {
  const items = helpful.map(({ cell, value, leaves, follow }) => {
    const left = leaves != null && n(leaves, "leaves {number} solution", "leaves {number} solutions");
    const others = n(follow, "determines {number} other cell", "determines {number} other cells");
    return make("li", {}, `${clueName(cell, puzzle, value)}: ${[left, others].filter(Boolean).join(", ")}`);
  });
  return make("ul", {}, ...items);
}
