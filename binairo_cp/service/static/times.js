// The player's solving times, stored in the browser only: one record per attempt, for calibrating grades.

import { forgetDays, solvedDays, streaks } from "./daily.js";
import { find, isConfirmed, save } from "./dom.js";
import { Puzzle } from "./puzzle.js";
import { table } from "./stats.js";
import { load, names, remove, store } from "./storage.js";
import { n, numberText, t } from "./texts.js";

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
    save(new Blob(lines, { type: "application/x-ndjson" }), "binairo-times.ndjson");
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
