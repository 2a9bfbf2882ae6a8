// Difficulty levels, and the difficulty profile: how many cells each step fills.

import { chart } from "./charts.js";
import { make, upper } from "./dom.js";
import { numberText, t } from "./texts.js";

export const LEVELS = ["beginner", "easy", "medium", "hard", "expert", "beyond logic"];

// A grade in words, such as "Hard, score 1,234". Records of older servers have no score.
export const gradeText = ({ level, score }) =>
  upper(t(level)) + (score == null ? "" : `, ${t("score {score}", { score: numberText(Math.round(score)) })}`);

export const levelClass = (level) => `level-${LEVELS.indexOf(level)}`;

// A bar for each step: how many cells it fills, in the colour of its level.
export function profile(steps, width, go) {
  const bars = steps.map(({ technique, level, cells }, at) => ({
    name: at + 1,
    number: cells.length,
    class: levelClass(level),
    title: `${t("Step")} ${at + 1}: ${t(technique)} (${t(level)})`,
    click: go && (() => go(at + 1)),
  }));
  const levels = LEVELS.filter((level) => steps.some((step) => step.level === level));
  return make("figure", { class: go && "clickable" },
    chart(bars, { label: t("Step by step"), width }),
    make("p", { class: "levels" }, ...levels.map((level) =>
      make("span", { class: levelClass(level) }, upper(t(level))))));
}
