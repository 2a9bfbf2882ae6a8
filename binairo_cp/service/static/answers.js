// Questions about the puzzle that is played, with their answers below the board.

import { ask } from "./api.js";
import { BoardView } from "./board.js";
import { button, find, make, plural, upper } from "./dom.js";
import { Explanation } from "./explain.js";
import { profile } from "./levels.js";
import { OPEN } from "./puzzle.js";
import { named } from "./symbols.js";

const PATIENCE = 30; // seconds; somebody waits for it
const MOST_LISTED = 12;

export class Answers {
  constructor(play, openPuzzle) {
    Object.assign(this, { play, openPuzzle, host: find("#answer") });
    play.onOpen = () => this.clear();
    for (const method of ["explain", "uniqueness", "grade", "clues"]) {
      const starter = find(`#${method}`);
      starter.addEventListener("click", () => this.question(starter, method));
    }
  }

  clear() {
    this.host.replaceChildren();
    this.play.present(null);
  }

  // An answer counts if the puzzle is still the same when it comes.
  question(starter, method, ...more) {
    const { play } = this;
    return play.message.run(starter, async () => {
      this.clear();
      play.message.clear();
      const { puzzle } = play;
      const show = await this[method](puzzle, ...more);
      if (play.puzzle !== puzzle) return;
      show();
      this.host.scrollIntoView?.({ block: "nearest" });
    });
  }

  card(title, ...children) {
    const close = button("Close", () => { this.clear(); this.play.light({}); }, { class: "close" });
    const heading = make("h2", { tabindex: -1 }, title);
    this.host.replaceChildren(make("section", { class: "card", "aria-label": title }, heading, close, ...children));
  }

  get width() {
    return Math.max(280, find("#play .side").clientWidth - 40);
  }

  // From the clues, or from the board as it stands.
  async explain(puzzle, board) {
    const told = await asked("explain", puzzle, board ? { board } : {});
    return () => {
      if (told.steps?.length) new Explanation(this, puzzle, told, board ?? puzzle.clues);
      else this.card("Step by step", make("p", {}, unexplained(puzzle, told)));
      if (told.mistake) this.play.light({ wrong: told.mistake.cells });
      if (!board) this.offerBoard();
    };
  }

  // Somebody who is on the way may want to go on from there.
  offerBoard() {
    const { cells } = this.play.game;
    if (cells === this.play.puzzle.clues || !cells.includes(OPEN)) return;
    const starter = button("From my board", () => this.question(starter, "explain", cells));
    find(".card", this.host).append(make("div", { class: "buttons" }, starter));
  }

  async uniqueness(puzzle) {
    const told = await asked("check", puzzle);
    return () => {
      this.card(VERDICTS[told.verdict] ?? told.verdict, ...this.verdict(puzzle, told));
      if (told.verdict === "none") this.play.light({ wrong: told.contradiction ?? [] });
    };
  }

  verdict(puzzle, told) {
    if (told.verdict === "multiple") return [pairOf(puzzle, told)];
    return [make("p", {}, verdictSentence(puzzle, told))];
  }

  async grade(puzzle) {
    const told = await asked("explain", puzzle);
    return () => {
      if (!told.grade) this.card("No grade", make("p", {}, unexplained(puzzle, told)));
      else this.card(upper(told.grade.level), ...gradeParts(told, this.width));
    };
  }

  async clues(puzzle) {
    const told = await asked("clues", puzzle);
    return () => {
      if (told.needs) this.needs(puzzle, told.needs);
      else if (told.helpful) this.card("Several solutions: what would help most", helpList(puzzle, told.helpful));
      else this.card("Clues", make("p", {}, verdictSentence(puzzle, told)));
    };
  }

  needs(puzzle, { spare, irreducible, sets, all_found: isAll }) {
    this.play.light({ spare });
    const own = puzzle.with({ clues: irreducible, id: null });
    const host = make("div");
    const sentence = spare.length
      ? `${spare.length} of ${plural(puzzle.clueCount, "clue")} can go, each alone; they are marked on the board.`
      : "No clue can go: without any one of them there are other solutions.";
    this.card("Which clues may go", make("p", {}, sentence));
    if (!spare.length) return;
    const known = isAll ? "no smaller set is enough" : `the fewest of ${plural(sets, "set")} that were found`;
    find(".card", this.host).append(
      make("p", {}, `These ${own.clueCount} are enough together; ${known}.`),
      host,
      make("div", { class: "buttons" }, button("Play with these", () => this.openPuzzle(own))));
    new BoardView(host, { label: "The clues that are enough" }).show({ puzzle: own });
  }
}

const asked = (word, puzzle, more) => ask(word, { puzzle: puzzle.record, time_limit: PATIENCE, ...more });

const VERDICTS = {
  unique: "Exactly one solution",
  multiple: "Several solutions",
  none: "No solution",
  unknown: "Not decided in time",
};

export function verdictSentence(puzzle, { verdict, contradiction, note }) {
  if (verdict === "unique") return "There is one solution, and no other: it was looked for.";
  if (verdict === "unknown") return note ?? "It could not be decided within the time limit.";
  if (!contradiction) return "The clues, rules and signs leave no solution.";
  if (!contradiction.length) return "The rules and signs leave no solution, whatever the clues.";
  const clues = contradiction.map((place) => named(place, puzzle));
  if (clues.length === 1) return `The clue ${clues[0]} leaves no solution. Change it.`;
  return `These clues contradict each other: ${listed(clues)}. Change at least one of them.`;
}

// The first of many, and how many more there are.
function listed(items) {
  const more = items.length - MOST_LISTED;
  const shown = more > 1 ? [...items.slice(0, MOST_LISTED), `${more} more`] : items;
  return `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

function unexplained(puzzle, told) {
  if (told.mistake) return told.mistake.sentence;
  if (!told.contradiction && told.verdict === "unique") return "Nothing is left to explain.";
  if (told.verdict === "multiple") return "Nothing follows at the start: the puzzle has several solutions.";
  return verdictSentence(puzzle, told);
}

// Two solutions side by side, and where they differ.
export function pairOf(puzzle, { solution, second_solution: second, differences }) {
  const boards = [solution, second].map((cells, n) => {
    const host = make("div");
    const label = n ? "Another solution" : "One solution";
    new BoardView(host, { label }).show({ puzzle, cells, lit: { differs: differences } });
    return make("figure", {}, host, make("figcaption", {}, label));
  });
  return make("div", { class: "stack" },
    make("p", {}, `These two differ in ${plural(differences.length, "cell")}.`),
    make("div", { class: "pair" }, ...boards));
}

function gradeParts({ grade, steps }, width) {
  const placed = Object.entries(grade.placed).map(([technique, number]) =>
    make("tr", {}, make("th", { scope: "row" }, upper(technique)), make("td", {}, String(number))));
  const left = grade.left ? `${plural(grade.left, "cell resists", "cells resist")} all but nested contradictions.` : "";
  return [
    make("p", {}, `The hardest technique needed is “${grade.hardest}”. ${left}`),
    profile(steps, width),
    make("table", {}, make("caption", {}, "Cells by technique"), make("tbody", {}, ...placed)),
  ];
}

function helpList(puzzle, helpful) {
  const items = helpful.map(({ cell, value, leaves, follow }) => {
    const left = leaves == null ? "" : `: ${plural(leaves, "solution is", "solutions are")} left`;
    return make("li", {}, `${named(cell, puzzle, value)}${left}, ${plural(follow, "other cell follows", "other cells follow")}`);
  });
  return make("ul", {}, ...items);
}
