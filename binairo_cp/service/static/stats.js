// Statistics of the player's solving times: how many, the best and the median, by size, rules and grade.

import { make, upper } from "./dom.js";
import { LEVELS } from "./names.js";
import { Puzzle } from "./puzzle.js";
import { clockText, numberText, t } from "./texts.js";

// Times with hints, or after the solution was shown, say little about the player.
const counts = ({ finished, hints, explained }) => finished && !hints && !explained;

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

const groupOf = (puzzle, level) => {
  const { kind, size } = new Puzzle(puzzle);
  return [`${t(kind)} ${size}`, level ?? "no grade"];
};

// The solved puzzles by size and grade: their name, grade, number, best and median seconds.
export function groups(records) {
  const found = new Map();
  for (const record of records) {
    const [name, level] = groupOf(record, record.grade?.level);
    const key = `${name} ${level}`;
    if (!found.has(key)) found.set(key, { name, level, area: record.height * record.width, finished: 0, seconds: [] });
    const group = found.get(key);
    if (record.finished) group.finished += 1;
    if (counts(record)) group.seconds.push(record.seconds);
  }
  return [...found.values()].filter((group) => group.finished)
    .map(({ seconds, ...group }) => ({
      ...group,
      best: seconds.length ? Math.min(...seconds) : null,
      median: seconds.length ? median(seconds) : null,
    }))
    .sort((a, b) => a.area - b.area || a.name.localeCompare(b.name) || LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
}

// The group of a puzzle; null if none was solved.
export function groupFor(records, puzzle, level) {
  const [name, own] = groupOf(puzzle.record, level);
  return groups(records).find((group) => group.name === name && group.level === own) ?? null;
}

export const timeText = (seconds) => (seconds === null ? "–" : clockText(seconds));

export function table(records) {
  const rows = groups(records).map(({ name, level, finished, best, median: middle }) => make("tr", {},
    make("th", { scope: "row" }, name), make("td", {}, upper(level === "no grade" ? t("no grade") : t(level))), make("td", {}, numberText(finished)),
    make("td", {}, timeText(best)), make("td", {}, timeText(middle))));
  const heads = [t("Puzzle"), t("Grade"), t("Solved"), t("Best"), t("Median")].map((text) => make("th", { scope: "col" }, text));
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("Times by size and grade") },
    make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
}
