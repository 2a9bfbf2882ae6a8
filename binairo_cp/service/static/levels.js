// Difficulty levels, and the difficulty profile: how many cells follow in each round.

import { chart } from "./charts.js";
import { make, plural, upper } from "./dom.js";

export const LEVELS = ["beginner", "easy", "medium", "hard", "expert", "beyond logic"];

// A grade in words, such as "Hard, score 1,234". Records of older servers have no score.
export const gradeText = ({ level, score }) =>
  upper(level) + (score == null ? "" : `, score ${Math.round(score).toLocaleString("en")}`);

export const levelClass = (level) => `level-${LEVELS.indexOf(level)}`;

// Groups steps into rounds. A round has all cells that one technique finds on the same board.
export function roundsOf(steps) {
  const rounds = [];
  steps.forEach((step, n) => {
    rounds[step.round - 1] ??= { technique: step.technique, level: step.level, cells: 0, first: n + 1 };
    rounds[step.round - 1].cells += step.cells.length;
  });
  return rounds;
}

export function profile(steps, width, go) {
  const rounds = roundsOf(steps);
  const bars = rounds.map(({ technique, level, cells, first }, n) => ({
    name: n + 1,
    number: cells,
    class: levelClass(level),
    title: `Round ${n + 1}: ${plural(cells, "cell")} by ${technique} (${level})`,
    click: go && (() => go(first)),
  }));
  const narrow = Math.min(...rounds.map((round) => round.cells));
  const wide = Math.max(...rounds.map((round) => round.cells));
  const label = `Difficulty profile: ${plural(rounds.length, "round")}, with ${narrow} to ${wide} cells each.`;
  const levels = LEVELS.filter((level) => rounds.some((round) => round.level === level));
  return make("figure", { class: go && "clickable" },
    chart(bars, { label, width }),
    make("figcaption", {}, "Cells that can be filled in each round. A round with few cells is hard to find."),
    make("p", { class: "levels" }, ...levels.map((level) =>
      make("span", { class: levelClass(level) }, upper(level)))));
}
