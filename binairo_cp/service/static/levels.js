// Difficulty levels, and the difficulty profile: how many cells follow in each round.

import { chart } from "./charts.js";
import { make, upper } from "./dom.js";
import { n, numberText, t } from "./texts.js";

export const LEVELS = ["beginner", "easy", "medium", "hard", "expert", "beyond logic"];

// A grade in words, such as "Hard, score 1,234". Records of older servers have no score.
export const gradeText = ({ level, score }) =>
  upper(t(level)) + (score == null ? "" : `, ${t("score {score}", { score: numberText(Math.round(score)) })}`);

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
  const bars = rounds.map(({ technique, level, cells, first }, at) => ({
    name: at + 1,
    number: cells,
    class: levelClass(level),
    title: n(cells, "Round {round}: {number} cell by {technique} ({level})", "Round {round}: {number} cells by {technique} ({level})",
      { round: at + 1, technique: t(technique), level: t(level) }),
    click: go && (() => go(first)),
  }));
  const narrow = Math.min(...rounds.map((round) => round.cells));
  const wide = Math.max(...rounds.map((round) => round.cells));
  const label = n(rounds.length, "Difficulty profile: {number} round, with {narrow} to {wide} cells each.",
    "Difficulty profile: {number} rounds, with {narrow} to {wide} cells each.", { narrow, wide });
  const levels = LEVELS.filter((level) => rounds.some((round) => round.level === level));
  return make("figure", { class: go && "clickable" },
    chart(bars, { label, width }),
    make("figcaption", {}, t("Cells that can be filled in each round. A round with few cells is hard to find.")),
    make("p", { class: "levels" }, ...levels.map((level) =>
      make("span", { class: levelClass(level) }, upper(t(level))))));
}
