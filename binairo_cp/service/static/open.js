// Open puzzles: pasted, dropped, generated, from a link, or the puzzle of the day.

import { isServerReady, isTemporary, post, read, readFile, sleep, withFallback } from "./api.js";
import { Archive, dailyPuzzle, isDay, showStreak, today } from "./daily.js";
import { button, find, findAll, make } from "./dom.js";
import { Game } from "./game.js";
import { showTab } from "./menus.js";
import { fromFragment, linkIn, Puzzle } from "./puzzle.js";
import { rulesOf } from "./rules.js";
import { file as fileOfPage, nextPuzzle, STOCK_SIZES } from "./stock.js";
import { clockText, listText, numberText, t } from "./texts.js";
import { Attempt } from "./times.js";
import { welcome } from "./welcome.js";

const TIME_LIMIT = 30; // seconds
const RETRY = 5; // seconds
const ANNOUNCE_AFTER = 300; // milliseconds
const MOST_CONTINUED = 6;
// As LinkedIn shares it, in all languages: “Tango #275 | 0:25”, “Tango n° 275 | 0:25”.
const SHARED_TIME = /\bTango\D{0,20}(\d+)\s*[|｜]\s*(\d+):(\d\d)\b/;

export class Opening {
  constructor(play) {
    this.play = play;
    find("#generate").addEventListener("submit", (event) => {
      event.preventDefault();
      play.message.run(find("#new-puzzle"), () => this.generate());
    });
    find("#generate").addEventListener("change", () => {
      find("#new-size").hidden = Boolean(new FormData(find("#generate")).get("size"));
    });
    find("#daily").addEventListener("click", (event) => play.message.run(event.target, () => this.daily()));
    find("#records").addEventListener("click", () => play.message.run(null, async () => this.openAll(await fileOfPage("records.json"))));
    find("#open").addEventListener("click", () => find("#paste").showModal());
    find("#new-menu").addEventListener("beforetoggle", () => this.listUnfinished());
    find("#paste form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.text(find("#paste-text").value, find("#paste-rules").value);
    });
    for (const input of findAll("#paste [type=file]")) input.addEventListener("change", () => this.file(input.files[0]));
    find("#paste-close").addEventListener("click", () => find("#paste").close());
    find("#several").addEventListener("change", (event) => this.open(this.puzzles[event.target.value]));
    window.addEventListener("hashchange", () => play.message.run(null, () => this.fromAddress()));
    window.addEventListener("popstate", ({ state }) => {
      if (!state) return;
      showTab("play");
      this.openNew(Puzzle.checked(state));
    });
    this.takeDrops();
    new Archive((date) => play.message.run(null, () => this.daily(date)));
  }

  open(puzzle, sent) {
    this.welcome?.remove();
    showStreak();
    const at = this.puzzles?.indexOf(puzzle) ?? -1;
    find("#several-label").hidden = at < 0;
    if (at >= 0) find("#several").value = at;
    this.remember(puzzle);
    this.play.open(puzzle, sent);
  }

  // Back goes back to a game that was begun. A fragment is removed, so that a reload continues the game.
  remember({ stored }) {
    const isSame = JSON.stringify(stored) === JSON.stringify(history.state);
    const isNew = this.play.game?.isUnfinished && !location.hash && !isSame;
    history[isNew ? "pushState" : "replaceState"](stored, "", location.pathname + location.search);
  }

  listUnfinished() {
    this.play.game?.save();
    const others = Game.unfinished().filter(({ puzzle }) => puzzle.key !== this.play.puzzle?.key).slice(0, MOST_CONTINUED);
    find("#unfinished").hidden = !others.length;
    find("#unfinished-games").replaceChildren(...others.map(({ puzzle, seconds }) => {
      const words = [puzzle.id ?? puzzle.kind, puzzle.size, clockText(seconds)];
      return button(words.join(" · "), () => this.openNew(puzzle));
    }));
  }

  // Opens the first of several puzzles and offers the others in a menu.
  openAll(records, rules) {
    const puzzles = records.map((record) => Puzzle.withRulesName(record, rules));
    if (!puzzles.length) throw Object.assign(new Error(NO_PUZZLE), { status: 0 });
    this.puzzles = puzzles.length > 1 ? puzzles : null;
    find("#several").replaceChildren(...puzzles.map((puzzle, at) => {
      const id = puzzle.id ? `: ${puzzle.id}` : "";
      return make("option", { value: at }, t("{number} of {all}", { number: at + 1, all: puzzles.length }) + id);
    }));
    this.open(puzzles[0]);
    if (this.puzzles) this.play.message.say(t("{count} puzzles opened; the first is shown.", { count: numberText(puzzles.length) }));
  }

  async generate() {
    const { rules, size, grade } = Object.fromEntries(new FormData(find("#generate")));
    const [rows, columns] = size ? [size, size] : [find("#new-rows").value, find("#new-columns").value];
    const options = { size: `${rows}x${columns}`, rules, grade };
    await this.generated(options, rows === columns && options.rules === "classic" ? Number(rows) : null);
  }

  // Generates a puzzle. If the server is away, starting or busy, takes one that comes with the page.
  async generated(options, size) {
    const ownPuzzle = () => nextPuzzle(size, options.grade === "any" ? "medium" : options.grade);
    const before = this.play.puzzle;
    const waiting = this.wait(options.size);
    try {
      const own = !(await isServerReady()) && await ownPuzzle();
      const puzzle = own || await withFallback(waiting.signal, ownPuzzle, (signal) => requestPuzzle(options, signal));
      if (this.play.puzzle === before) this.openNew(puzzle); // the user has not opened another one
    } catch (error) {
      if (error.isNotFound && options.grade !== "any") return this.offerAny(options, error);
      if (isTemporary(error) || error.status === 501) error.message += ` ${t("Without it, there are graded puzzles with rules Binairo in sizes {sizes}.", { sizes: listText(STOCK_SIZES) })}`;
      throw error;
    } finally {
      waiting.end();
    }
  }

  // Shows that a puzzle is generated, and stops the clock meanwhile. What takes no time is not announced.
  wait(size) {
    const { play } = this;
    const cancel = new AbortController();
    const { signal } = cancel;
    const text = t("Generating {size}…", { size: size.replace("x", " × ") });
    play.message.clear();
    play.isWaiting = true;
    const details = make("progress", { "aria-label": text });
    const timer = setTimeout(() => play.message.say(text, { details, actions: { [t("Cancel")]: () => cancel.abort() } }), ANNOUNCE_AFTER);
    const end = () => {
      clearTimeout(timer);
      play.isWaiting = false;
      if (details.isConnected) play.message.clear();
    };
    return { signal, end };
  }

  offerAny(options, { message }) {
    const { play } = this;
    const any = () => play.message.run(find("#new-puzzle"), () => this.generated({ ...options, grade: "any" }, null));
    play.message.say(message, { kind: "bad", actions: { [t("Any level")]: any } });
  }

  openNew(puzzle) {
    this.puzzles = null;
    this.open(puzzle);
    this.play.view.focusOn(0, false);
  }

  async daily(date = today()) {
    this.openNew(await dailyPuzzle(date));
  }

  // Another puzzle of the same kind. Those that come with the page need no waiting.
  async next({ height, width, rules }, level) {
    const isStock = height === width && rules === "classic";
    const grade = level === "beyond logic" ? "beyond-logic" : level ?? "any";
    const own = isStock && await nextPuzzle(height, grade === "any" ? "medium" : grade);
    if (own) return this.openNew(own);
    const preset = typeof rules === "string" ? rules : "classic";
    return this.generated({ size: `${height}x${width}`, rules: preset, grade }, null);
  }

  // Opens the first puzzle. Retries after temporary errors, until there is a puzzle.
  async start() {
    const { message } = this.play;
    while (!this.play.puzzle) {
      try {
        await this.first();
        return;
      } catch (error) {
        if (error.status === undefined) throw error;
        if (this.play.puzzle) return;
        message.say(isTemporary(error) ? `${error.message} ${t("Trying again…")}` : error.message, { kind: "bad" });
        if (!isTemporary(error)) return;
      }
      await sleep(RETRY);
    }
  }

  // The puzzle in the URL, the last puzzle played, or an easy one with the rules.
  async first() {
    const { message } = this.play;
    let problem = "";
    try {
      if (await this.fromAddress()) return;
    } catch (error) {
      if (error.status === undefined || isTemporary(error)) throw error;
      problem = error.message;
    }
    const latest = Game.latest();
    if (latest) {
      this.open(latest);
    } else {
      this.open(await nextPuzzle(6, "easy"));
      this.welcome = welcome(this.play.view);
    }
    if (problem) message.say(problem, { kind: "bad" });
  }

  // Opens the puzzle in the URL; returns false if there is none.
  async fromAddress() {
    const { hash } = location;
    const day = /^#daily(?:=(.*))?$/.exec(hash);
    const link = day ? { day: day[1] ?? today() } : fromFragment(hash);
    if (!link) return false;
    try {
      await this.openLink(link);
    } catch (error) {
      if (error.status === undefined || isTemporary(error)) throw error;
      if (location.hash === hash) history.replaceState(history.state, "", location.pathname + location.search);
      throw Object.assign(new Error(t("The link contains no valid puzzle: {reason}", { reason: error.message })), { status: error.status });
    }
    return true;
  }

  // Even a complete record goes through the server, which validates it, unless the server is away.
  /** @param {any} link */
  async openLink({ day, text, record, rules, board, seconds }) {
    if (day) {
      if (!isDay(day)) throw Object.assign(new Error(NO_DAY), { status: 0 });
      await this.daily(day);
      return;
    }
    const own = record && !(await isServerReady()) && isPlayable(record);
    const [found] = own ? [record] : await read(text ?? JSON.stringify(record), rules);
    if (!found) throw Object.assign(new Error(NO_PUZZLE), { status: 0 });
    this.puzzles = null;
    this.open(Puzzle.withRulesName(found, rules ?? record?.rules), board ? { board, seconds } : undefined);
  }

  // Keeps a time that LinkedIn shares for the 6x6 that is open.
  addTime(/** @type {any} */ [, number, minutes, rest]) {
    const { puzzle, game, message } = this.play;
    if (!puzzle || puzzle.height !== 6 || puzzle.width !== 6) throw Object.assign(new Error(NO_TANGO), { status: 0 });
    const seconds = 60 * Number(minutes) + Number(rest);
    const attempt = new Attempt({ grade: game.attempt?.grade, began: Date.now() - 1_000 * seconds });
    attempt.keep({ puzzle: puzzle.with({ id: `tango-${number}` }), seconds, isWon: true });
    message.say(t("{time} is in the statistics, as a time for this puzzle.", { time: clockText(seconds) }));
  }

  // A puzzle in any format, a link to one, or a time.
  text(text, rules) {
    const [link, time] = [linkIn(text), SHARED_TIME.exec(text)];
    return this.reading(async () => {
      if (time) this.addTime(time);
      else if (link) await this.openLink(fromFragment(link));
      else if (ADDRESS.test(text.trim())) throw Object.assign(new Error(SITE.test(text) ? NO_TASK : NO_LINK), { status: 0 });
      else this.openAll(await read(TASK.exec(text)?.[1] ?? text, rules), rules);
    });
  }

  file(file) {
    const rules = find("#paste-rules").value;
    if (PICTURE.test(file?.type)) return this.reading(() => this.picture(file, rules));
    return file && this.reading(async () => this.openAll(await readFile(file, rules), rules));
  }

  // Shows what the server reads from a picture, and opens the puzzle that the user confirms.
  async picture(file, rules) {
    const { openPicture } = await import("./picture.js");
    await openPicture(file, rules, (puzzle, board) => {
      this.puzzles = null;
      this.open(puzzle, board !== puzzle.clues && { board, seconds: 0 });
    });
  }

  async reading(work) {
    const note = find("#paste-note");
    note.textContent = "";
    try {
      await work();
      find("#paste").close();
    } catch (error) {
      if (error.status === undefined) throw error;
      note.textContent = error.message;
      if (!find("#paste").open) find("#paste").showModal();
    } finally {
      for (const input of findAll("#paste [type=file]")) input.value = "";
    }
  }

  // Handles files and text that are dropped on the page or pasted outside of a field.
  takeDrops() {
    const isHere = () => !find("#play").hidden;
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      if (!isHere()) return;
      const [file] = event.dataTransfer.files;
      const text = event.dataTransfer.getData("text/plain");
      if (file) this.file(file);
      else if (text) this.text(text);
    });
    document.addEventListener("paste", (/** @type {any} */ event) => {
      const isField = event.target.closest?.("input, textarea");
      if (isField || !isHere() || document.querySelector("dialog[open]")) return;
      const [file] = event.clipboardData.files;
      const text = event.clipboardData.getData("text/plain");
      if (file) this.file(file);
      else if (text.trim()) this.text(text);
    });
  }
}

async function requestPuzzle(options, signal) {
  const { results: [record] } = await post("generate", { time_limit: TIME_LIMIT, ...options }, signal);
  if (!record) throw notFound(options);
  return Puzzle.withRulesName({ ...record, id: undefined }, options.rules);
}

const notFound = ({ size, grade }) => {
  const fields = { size: size.replace("x", " × "), level: t(grade.replace("-", " ")) };
  const text = grade === "any"
    ? t("No puzzle {size} was found. Choose another size or level.", fields)
    : t("No puzzle {size} of level {level} was found. Choose another size or level.", fields);
  return Object.assign(new Error(text), { status: 0, isNotFound: true });
};

// Whether the page can open a record by itself.
const isPlayable = ({ height, width, signs, rules }) =>
  Math.max(height, width) <= MAX_SIDE && !signs.length && Boolean(rulesOf({ rules: rules ?? "classic" }));

const MAX_SIDE = 100;
const PICTURE = /^image\/(?!svg)/;
const NO_DAY = t("There is no puzzle of this day.");
const NO_PUZZLE = t("This contains no puzzle.");
const NO_TANGO = t("This is a time of a Tango. Open that puzzle first, such as from a picture.");
const SITE = /^\s*https?:\/\/(www\.)?puzzle-binairo\.com/i;
const NO_TASK = t("Links of puzzle-binairo.com contain only the number of a puzzle. Paste the source of that page, or the code after “var task”.");
// In the source of a page of puzzle-binairo.com.
const TASK = /\btask\s*=\s*['"]([0-9a-z]+)['"]/;
const ADDRESS = /^https?:\/\/\S+$/i;
const NO_LINK = t("This looks like a URL. Paste the puzzle itself, or a link created with “Share link”.");
