// The puzzle of the day: the same for everyone with the same date, with or without the server, because it
// comes from a file of the page. Which days were solved is stored in the browser.

import { button, find, make, upper } from "./dom.js";
import { LEVELS } from "./names.js";
import { choose, file } from "./stock.js";
import { load, remove, store } from "./storage.js";
import { clockText, language, locale, n, numberText, t } from "./texts.js";

const DAYS = "days";
const FIRST = "2026-01-01"; // the archive begins here
const EPOCH = Date.UTC(2024, 0, 1); // a Monday
const DAY = 86_400_000; // milliseconds
// By day of the week, from Monday: the grade, and which of the puzzles of this grade in a week.
/** @type {[string, number?][]} */
const GRADES = [["beginner"], ["easy"], ["easy", 1], ["medium"], ["medium", 1], ["hard"], ["expert"]];

const pad = (number) => String(number).padStart(2, "0");
// The date on the device, since a new day begins at the player's midnight.
export const today = (now = new Date()) => `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;

const numberOf = (date) => Math.round((Date.parse(`${date}T00:00Z`) - EPOCH) / DAY);
const dateOf = (number) => new Date(EPOCH + number * DAY).toISOString().slice(0, 10);
export const gradeOf = (date) => GRADES[numberOf(date) % 7][0];

export const isDay = (date) => /^\d{4}-\d\d-\d\d$/.test(date) && dateOf(numberOf(date) || 0) === date && date >= FIRST && date <= today();

export async function dailyPuzzle(date) {
  const [week, weekday] = [Math.floor(numberOf(date) / 7), numberOf(date) % 7];
  const [grade, second = 0] = GRADES[weekday];
  const codes = (await file("daily.json"))[grade];
  const perWeek = GRADES.filter(([name]) => name === grade).length;
  return choose(codes, week * perWeek + second, `Puzzle of ${date}`);
}

// The date of a puzzle of the day; null for other puzzles.
export const dateIn = ({ id }) => /^Puzzle of (\d{4}-\d\d-\d\d)$/.exec(id ?? "")?.[1] ?? null;

export const dateText = (date) => (language === "en" ? date : inWords(date, { dateStyle: "long" }));

// What is stored about solved days, by date: the seconds, and whether it was solved on its day.
export function solvedDays() {
  const days = load(DAYS);
  const isDate = ([date, day]) => /^\d{4}-\d\d-\d\d$/.test(date) && Number.isFinite(day?.seconds);
  return Object.fromEntries(Object.entries(days && typeof days === "object" ? days : {}).filter(isDate));
}

export async function noteSolved({ puzzle, seconds }) {
  const date = dateIn(puzzle);
  const days = solvedDays();
  if (!date || !isDay(date) || days[date] || (await dailyPuzzle(date)).key !== puzzle.key) return;
  store(DAYS, { ...days, [date]: { seconds: Math.round(seconds * 10) / 10, isOnTime: date === today() } });
}

export const forgetDays = () => remove(DAYS);

// How many days in a row were solved on their day: up to now, and at most.
export function streaks(days = solvedDays(), now = today()) {
  const numbers = Object.keys(days).filter((date) => days[date].isOnTime).map(numberOf).sort((a, b) => a - b);
  let [run, longest] = [0, 0];
  numbers.forEach((number, at) => {
    run = numbers[at - 1] === number - 1 ? run + 1 : 1;
    longest = Math.max(longest, run);
  });
  const isAlive = numbers.length > 0 && numbers.at(-1) >= numberOf(now) - 1;
  return { current: isAlive ? run : 0, longest };
}

// The streak on the button of today's puzzle, and whether that is solved.
export function showStreak(days = solvedDays()) {
  const { current } = streaks(days);
  const label = n(current, "Streak: {number} day.", "Streak: {number} days.");
  const text = `${days[today()] ? "✓" : "★"} ${numberText(current)}`;
  find("#streak").replaceChildren(...(current ? [make("span", { role: "img", "aria-label": label }, text)] : []));
}

const MONTH = { month: "long", year: "numeric" };
const WEEK = Array.from({ length: 7 }, (_day, day) => dateOf(day)); // from a Monday
const inWords = (date, form) => new Date(`${date}T00:00Z`).toLocaleDateString(locale, { timeZone: "UTC", ...form });

// The calendar of all puzzles of the day. `open(date)` is called with the chosen one.
export class Archive {
  constructor(open) {
    this.open = open;
    this.title = make("h2", { id: "days-title", "aria-live": "polite" });
    this.back = button(t("Earlier"), () => this.move(-1));
    this.next = button(t("Later"), () => this.move(1));
    this.table = make("table", { class: "days", "aria-labelledby": "days-title", keydown: (event) => this.onKey(event) });
    this.note = make("p", { class: "soft" });
    const close = button(t("Close"), () => this.dialog.close());
    this.dialog = make("dialog", { id: "days", "aria-labelledby": "days-title" },
      make("div", { class: "stack" }, this.title, this.table, this.note, make("div", { class: "buttons" }, close, this.back, this.next)));
    document.body.append(this.dialog);
    find("#show-days").addEventListener("click", () => this.show());
  }

  show() {
    this.month = today().slice(0, 7);
    this.draw();
    this.dialog.showModal();
    find(`[data-date="${today()}"]`, this.table)?.focus();
  }

  move(step) {
    const [year, month] = this.month.split("-").map(Number);
    this.month = new Date(Date.UTC(year, month - 1 + step, 1)).toISOString().slice(0, 7);
    this.draw();
  }

  draw() {
    const { month } = this;
    const days = solvedDays();
    const first = numberOf(`${month}-01`);
    const start = first - (first % 7);
    const [year, number] = month.split("-").map(Number);
    const length = new Date(Date.UTC(year, number, 0)).getUTCDate();
    const weeks = Array.from({ length: Math.ceil((first - start + length) / 7) }, (_week, week) =>
      make("tr", {}, ...Array.from({ length: 7 }, (_, day) => this.day(dateOf(start + week * 7 + day), days))));
    const names = WEEK.map((date) => make("th", { scope: "col" }, inWords(date, { weekday: "short" })));
    this.title.textContent = t("Puzzles of {month}", { month: inWords(`${month}-01`, MONTH) });
    this.table.replaceChildren(make("thead", {}, make("tr", {}, ...names)), make("tbody", {}, ...weeks));
    this.back.disabled = month <= FIRST.slice(0, 7);
    this.next.disabled = month >= today().slice(0, 7);
    const { current, longest } = streaks(days);
    this.note.textContent = [
      t("More dots, harder puzzle."), n(current, "Streak: {number} day.", "Streak: {number} days."),
      t("Longest: {longest}. Only puzzles solved on their day count.", { longest }),
    ].join(" ");
  }

  day(date, days) {
    if (date.slice(0, 7) !== this.month) return make("td");
    const solved = days[date];
    const grade = gradeOf(date);
    const label = [inWords(date, { day: "numeric", month: "long" }), t(grade), solved && t("solved in {time}", { time: clockText(solved.seconds) })];
    return make("td", {}, make("button", {
      type: "button",
      class: solved ? "solved" : "",
      "aria-label": label.filter(Boolean).join(", "),
      "aria-current": date === today() && "date",
      title: upper(t(grade)),
      disabled: !isDay(date),
      "data-date": date,
      click: () => { this.dialog.close(); this.open(date); },
    }, String(Number(date.slice(8))), make("span", { "aria-hidden": "true" }, solved ? "✓" : "•".repeat(1 + LEVELS.indexOf(grade)))));
  }

  onKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
    const date = event.target.dataset?.date;
    if (!step || !date) return;
    event.preventDefault();
    const to = dateOf(numberOf(date) + step);
    if (!isDay(to)) return;
    if (to.slice(0, 7) !== this.month) this.move(Math.sign(step));
    find(`[data-date="${to}"]`, this.table)?.focus();
  }
}
