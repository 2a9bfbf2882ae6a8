// The player's solving times, stored in the browser only: one record per attempt, for calibrating grades. And their
// statistics: how many, the best and the median, by size, rules and grade.

import { forgetDays, solvedDays, streaks } from "./daily.js";
import { find, isConfirmed, make, save, upper } from "./dom.js";
import { LEVELS } from "./names.js";
import { Puzzle } from "./puzzle.js";
import { load, names, remove, store } from "./storage.js";
import { clockText, n, numberText, t } from "./texts.js";

const PREFIX = "time:";
const MAX_RECORDS = 1_000;
const MAX_CHARACTERS = 500_000; // a browser stores a few megabytes, and games need most of it

// An attempt at a puzzle, from the first look to the solution.
export class Attempt {
  grade; hints; checks; explained;

  constructor(saved) {
    this.began = Date.now();
    Object.assign(this, { grade: null, hints: 0, checks: 0, explained: false }, saved);
  }

  // Restores a stored attempt; null if there is none, or from an older version of the page.
  static restore(saved) {
    const isValid = [saved?.began, saved?.hints, saved?.checks].every(Number.isSafeInteger);
    return isValid ? new Attempt(saved) : null;
  }

  // Stores the record, which replaces the earlier one of this attempt.
  keep({ puzzle, seconds, isWon }) {
    const { began, grade, hints, checks, explained } = this;
    const isStored = store(PREFIX + began, {
      ...puzzle.record,
      ...(grade ? { grade: { level: grade.level, score: grade.score } } : {}),
      began: new Date(began).toISOString(),
      seconds: Math.round(seconds * 10) / 10,
      hints,
      checks,
      explained,
      finished: isWon,
    });
    if (!isStored) pruneTimes(MAX_RECORDS / 2);
  }
}

// The names of all records, the latest first.
const stored = () => names(PREFIX).sort((a, b) => Number(b.slice(PREFIX.length)) - Number(a.slice(PREFIX.length)));

// Removes the oldest records.
export function pruneTimes(limit = MAX_RECORDS) {
  let room = MAX_CHARACTERS;
  stored().forEach((name, at) => {
    room -= JSON.stringify(load(name)).length;
    if (at >= limit || room < 0) remove(name);
  });
}

// All records that can be read, the oldest first.
export function records() {
  return stored().reverse().map(load).filter((record) => {
    try {
      return Puzzle.checked(record) && Number.isFinite(record.seconds);
    } catch {
      return false;
    }
  });
}

// The dialog with the times. `current()` returns the game that is played, if any.
export function installTimes(current) {
  const show = () => {
    const all = records();
    const finished = all.filter((record) => record.finished).length;
    find("#times-count").textContent = all.length
      ? n(all.length, "{number} attempt, {finished} finished.", "{number} attempts, {finished} finished.", { finished: numberText(finished) })
      : t("There are no times yet.");
    const streak = streaks();
    const days = Object.keys(solvedDays()).length;
    find("#times-streak").textContent = days
      ? [
        n(days, "{number} puzzle of the day solved.", "{number} puzzles of the day solved."),
        n(streak.current, "Streak: {number} day, longest {longest}.", "Streak: {number} days, longest {longest}.", { longest: streak.longest }),
      ].join(" ") : "";
    find("#times-table").replaceChildren(...(finished ? [table(all)] : []));
    find("#times-save").disabled = !all.length;
    find("#times-delete").disabled = !all.length && !days;
  };
  find("#show-times").addEventListener("click", () => {
    current()?.save();
    pruneTimes();
    show();
    find("#times").showModal();
  });
  find("#times-save").addEventListener("click", () => {
    const lines = records().map((record) => `${JSON.stringify(record)}\n`);
    save({ blob: new Blob(lines, { type: "application/x-ndjson" }), name: "binairo-times.ndjson" });
  });
  find("#times-delete").addEventListener("click", async () => {
    if (!await isConfirmed(QUESTION, t("Delete"))) return;
    stored().forEach(remove);
    forgetDays();
    current()?.forgetAttempt();
    show();
    find("#times .close-dialog").focus();
  });
}

const QUESTION = t("Delete all times and all solved days from this browser? This can’t be undone.");

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
function groups(attempts) {
  const found = new Map();
  for (const record of attempts) {
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
export function groupFor(attempts, puzzle, level) {
  const [name, own] = groupOf(puzzle.record, level);
  return groups(attempts).find((group) => group.name === name && group.level === own) ?? null;
}

export const timeText = (seconds) => (seconds === null ? "–" : clockText(seconds));

function table(attempts) {
  const rows = groups(attempts).map(({ name, level, finished, best, median: middle }) => make("tr", {},
    make("th", { scope: "row" }, name), make("td", {}, upper(level === "no grade" ? t("no grade") : t(level))), make("td", {}, numberText(finished)),
    make("td", {}, timeText(best)), make("td", {}, timeText(middle))));
  const heads = [t("Puzzle"), t("Grade"), t("Solved"), t("Best"), t("Median")].map((text) => make("th", { scope: "col" }, text));
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("Times by size and grade") },
    make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
}
