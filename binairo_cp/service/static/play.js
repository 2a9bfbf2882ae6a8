// Playing: the board of a game and the tools below it.

import { post } from "./api.js";
import { BoardView, cycled, digitOf } from "./board.js";
import { dateIn, dateText } from "./daily.js";
import { find, findAll, upper } from "./dom.js";
import { Game } from "./game.js";
import { Hints } from "./hints.js";
import * as marks from "./marks.js";
import { focusStarter } from "./menus.js";
import { Message } from "./message.js";
import { hasNoBoard, IMPOSSIBLE } from "./names.js";
import { OPEN } from "./puzzle.js";
import { load, onChange, store } from "./storage.js";
import { clockText, n, t } from "./texts.js";

const TICK = 250;
const SAVE_EVERY = 5;
const CALM = 300; // milliseconds

export class Play {
  constructor() {
    this.message = new Message(find("#message"));
    this.view = new BoardView(find("#board"), {
      label: t("Board"),
      legend: find("#legend"),
      press: (index, options) => this.press(index, options),
      key: (event, index) => this.key(event, index),
    });
    this.view.host.classList.add("live");
    this.highlights = {};
    this.hints = new Hints(this);
    this.shown = null; // the board of an explanation, shown instead of the game
    this.isWaiting = false; // for another puzzle
    this.onOpen = () => {};
    this.onChange = () => {};
    this.onWon = () => {}; // called when a board is solved, and when a solved one is opened
    this.listen();
    this.keepTime();
  }

  listen() {
    const methods = { undo: "undo", redo: "redo", pencil: "togglePencil", check: "check", restart: "restart", whatif: "whatIf" };
    for (const [id, method] of Object.entries(methods)) find(`#${id}`).addEventListener("click", () => this[method]());
    find("#hint").addEventListener("click", () => this.hints.advance());
    find("#whatif-keep").addEventListener("click", () => this.endWhatIf(true));
    find("#whatif-drop").addEventListener("click", () => this.endWhatIf(false));
    find("#board").addEventListener("focusin", ({ target }) => this.showKeysOnce(target));
    onChange((name) => { if (name === this.game?.name) this.follow(); });
    for (const id of ["marking", "counts"]) find(`#${id}`).addEventListener("change", () => this.show());
  }

  // Another tab has played this game on.
  follow() {
    const { game } = this;
    const other = Game.load(this.puzzle);
    game.seconds = other.seconds;
    if (other.cells === game.cells && other.marks === game.marks && other.isWon === game.isWon) return;
    this.game = other;
    this.message.clear();
    this.highlight({});
  }

  // Names the most important keys when the keyboard first reaches the board.
  showKeysOnce(target) {
    if (!target.matches(":focus-visible") || load(KEYS_SHOWN) || this.message.host.hasChildNodes()) return;
    store(KEYS_SHOWN, true);
    this.message.say(KEYS);
  }

  get isPencil() {
    return find("#pencil").ariaPressed === "true";
  }

  // `sent` is the board and the time from a link, if any.
  open(puzzle, sent) {
    this.game?.save();
    this.puzzle = puzzle;
    this.game = Game.load(puzzle);
    if (sent) this.game.continueFrom(sent);
    for (const tools of findAll("fieldset.of-board")) tools.disabled = false;
    this.checking = null;
    this.shown = null;
    this.view.zoom.set(); // it belongs to the puzzle before
    this.message.clear();
    this.onOpen();
    this.highlight({});
    this.showFacts();
    if (this.game.isFull) this.checkFullBoard(Boolean(sent) || puzzle.clues === this.game.cells);
  }

  async showFacts() {
    const { puzzle, game } = this;
    const [date, kind] = [dateIn(puzzle), t(puzzle.kind)];
    const name = date ? t("Puzzle of {date}", { date: dateText(date) }) : puzzle.id ?? `${kind} ${puzzle.size}`;
    const title = name.replace(/(\d)-(?=\d)/g, "$1\u2011");
    find("#title").textContent = title;
    document.title = `${title} · Binairo`;
    const known = [puzzle.id && kind, puzzle.id && puzzle.size, n(puzzle.clueCount, "{number} clue", "{number} clues")];
    const showText = (...more) => {
      if (this.puzzle === puzzle) find("#facts").textContent = [...known, ...more].filter(Boolean).join(" · ");
    };
    showText();
    try {
      const result = await post("grade", { puzzle: puzzle.record });
      if (game.attempt) game.attempt.grade = result.grade ?? null;
      showText(result.grade ? upper(t(result.grade.level)) : hasNoBoard(result) ? IMPOSSIBLE : NO_GRADE[result.verdict]);
    } catch {
      showText(); // the grade is optional
    }
  }

  // The verdict of the puzzle, with its solution if it is unique.
  checkPuzzle() {
    this.checking ??= post("check", { puzzle: this.puzzle.record });
    this.checking.catch(() => { this.checking = null; });
    return this.checking;
  }

  show() {
    const { puzzle, game, shown, highlights } = this;
    if (!game) return;
    this.view.show(shown ? { puzzle, ...shown } : {
      puzzle,
      cells: game.cells,
      marks: game.marks,
      highlights: { ...this.lineHighlights(), ...highlights },
      counts: find("#counts").checked && marks.lineCounts(puzzle, game.cells),
    });
    find("#check").hidden = find("#marking").value === "never";
    find("#whatif").disabled = game.isWon || game.isFull;
    find("#whatif-bar").hidden = !game.whatIfs.length || Boolean(shown);
    find("#whatif-text").textContent = whatIfText(game);
    this.view.host.classList.toggle("won", game.isWon && !shown);
    if (!game.isWon) this.view.host.classList.remove("cheer");
    find("#play .tools").hidden = Boolean(shown);
    find("#undo").disabled = !game.history.past.length || game.isWon;
    find("#redo").disabled = !game.history.future.length;
    this.showTime();
  }

  // Finished lines, values of a what-if, and, if the player wants them at once, broken rules.
  lineHighlights() {
    const { puzzle, game } = this;
    if (game.isWon) return {};
    return {
      done: marks.finished(puzzle, game.cells),
      whatif: game.supposed,
      broken: (find("#marking").value === "live" && marks.broken(puzzle, game.cells)?.cells) || [],
    };
  }

  highlight(highlights) {
    this.highlights = highlights;
    this.hints.set(null);
    this.show();
  }

  showInstead(shown) {
    this.shown = shown;
    this.show();
  }

  // After each change of the board.
  changed() {
    this.message.clear();
    this.highlight({});
    this.game.save();
    this.onChange();
    this.markAtOnce();
    if (this.game.isFull) this.checkFullBoard();
    else if (!this.game.isKept && !this.hasWarned) {
      this.hasWarned = true; // the storage is full, or the browser has none
      this.message.say(NOT_KEPT, { kind: "bad" });
    }
  }

  // The sentence waits a moment: on the way from empty to 1 is a 0.
  markAtOnce() {
    const { game } = this;
    const { cells } = game;
    const found = find("#marking").value === "live" && marks.broken(this.puzzle, cells);
    const say = () => {
      const isSame = this.game === game && game.cells === cells && !this.shown;
      if (isSame && !this.message.host.hasChildNodes()) this.message.say(found.sentence, { kind: "bad" });
    };
    if (found && !game.isFull) setTimeout(say, CALM);
  }

  whatIf() {
    this.game.beginWhatIf();
    this.show();
    this.message.say(t("What if: new values have another colour. Keep or drop them together."));
  }

  endWhatIf(isKept) {
    if (this.shown || !this.game.whatIfs.length) return;
    this.game.endWhatIf(isKept);
    this.changed();
    this.message.say(isKept ? t("The values are kept.") : t("The values are dropped. Undo restores them."));
    if (find("#whatif-bar").hidden) focusStarter(find("#whatif"));
  }

  press(index, { isBack, shift }) {
    const { game } = this;
    if (this.shown) return null;
    if (game.isClue(index)) {
      const value = game.puzzle.clues[index];
      return { at: index, paint: (other) => game.set(other, value) && this.changed() };
    }
    return this.isPencil || shift ? this.pressPencil(index, isBack) : this.pressInk(index, isBack);
  }

  pressInk(index, isBack) {
    const value = cycled(this.game.cells[index], isBack);
    if (this.game.set(index, value)) this.changed();
    return { at: index, paint: (other) => this.game.set(other, value, true) && this.changed() };
  }

  pressPencil(index, isBack) {
    const now = this.game.marks[index];
    const value = cycled(now === "2" ? "1" : now, isBack);
    if (this.game.mark(index, value)) this.changed();
    return { at: index, paint: (other) => this.game.mark(other, value, true) && this.changed() };
  }

  key(event, index) {
    const digit = digitOf(event);
    const letter = event.key.toLowerCase();
    if (digit) this.write(index, digit.digit, digit.isShifted || this.isPencil);
    else if (event.key === " " || event.key === "Enter") this.press(index, { isBack: event.shiftKey, shift: false });
    else if (event.key === "Backspace" || event.key === "Delete") this.erase(index);
    else if (letter === "p") this.togglePencil();
    else if (letter === "h") this.hints.advance();
    else if (letter === "c" && !find("#check").hidden) this.check();
    else if (letter === "w" && !find("#whatif").disabled) this.whatIf();
    else if (letter === "k") this.endWhatIf(true);
    else if (letter === "d") this.endWhatIf(false);
    else if (letter === "l") this.message.say(marks.countsSentence(this.puzzle, this.game.cells, index));
    else if (letter === "?") find("#help").showModal();
    else return false;
    return true;
  }

  write(index, value, isPencil) {
    if (this.shown) return;
    const { game } = this;
    const isNew = isPencil ? game.mark(index, game.toggled(index, value)) : game.set(index, value);
    if (isNew) this.changed();
  }

  erase(index) {
    if (this.shown) return;
    const { game } = this;
    if (game.cells[index] === OPEN ? game.mark(index, OPEN) : game.set(index, OPEN)) this.changed();
  }

  undo() {
    if (this.game && !this.shown && !this.game.isWon && this.game.undo()) this.changed();
  }

  redo() {
    if (this.game && !this.shown && this.game.history.redo()) this.changed();
  }

  restart() {
    this.showInstead(null);
    this.onOpen();
    this.game.restart();
    this.changed();
    this.message.say(t("Restarted. Undo restores your board."));
  }

  togglePencil() {
    find("#pencil").ariaPressed = String(!this.isPencil);
  }

  // Checks a full board, with all cells as clues. One that the player did not fill here is no win.
  async checkFullBoard(isForeign = false) {
    const { game, puzzle } = this;
    const { cells } = game;
    await this.message.run(null, async () => {
      const result = await post("check", { puzzle: puzzle.with({ clues: cells }).record });
      if (this.game !== game || game.cells !== cells) return;
      if (result.verdict !== "unique") {
        this.message.say(t("The board is full, but not correct. Check shows the mistakes."), { kind: "bad" });
        return;
      }
      if (isForeign && !game.isWon) {
        this.message.say(t("This board is already full and correct."));
        return;
      }
      const isNew = !game.isWon;
      game.isWon = true;
      game.whatIfs = [];
      this.view.host.classList.toggle("cheer", isNew);
      game.save();
      this.show();
      this.message.say(isNew ? solvedText(game) : t("You solved this in {time}. Well done!", { time: clockText(game.seconds) }), { kind: "good" });
      this.onWon();
    });
  }

  check() {
    return this.message.run(find("#check"), async () => {
      const { game } = this;
      const { cells } = game;
      const result = await this.checkPuzzle();
      const wrong = result.verdict === "unique" ? differing(cells, result.solution) : await this.cellsOfMistake();
      if (this.game !== game || game.cells !== cells) return;
      if (result.verdict === "none") {
        this.message.say(t("This puzzle has no solution."), { kind: "bad" });
        return;
      }
      game.count("checks");
      this.highlight({ wrong });
      if (wrong.length) this.message.say(n(wrong.length, "{number} cell is wrong.", "{number} cells are wrong."), { kind: "bad" });
      else this.message.say(t("No mistakes so far."), { kind: "good" });
    });
  }

  async cellsOfMistake() {
    const result = await post("hint", { puzzle: this.puzzle.record, board: this.game.cells });
    return (result.mistake?.cells ?? []).map((place) => this.puzzle.index(place));
  }

  keepTime() {
    let last = performance.now();
    let unsaved = 0;
    setInterval(() => {
      const now = performance.now();
      const passed = (now - last) / 1000;
      last = now;
      const { game } = this;
      if (!game || game.isWon || this.isWaiting || this.shown || document.hidden || find("#play").hidden) return;
      game.seconds += Math.min(passed, 1); // the device was asleep
      unsaved += passed;
      if (unsaved > SAVE_EVERY) game.save();
      if (unsaved > SAVE_EVERY) unsaved = 0;
      this.showTime();
    }, TICK);
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.game?.save(); });
  }

  showTime() {
    find("#clock").textContent = clockText(this.game.seconds);
  }
}

export const solvedText = ({ seconds }) => t("Solved in {time}. Well done!", { time: clockText(seconds) });
const NOT_KEPT = t("This browser stores no more: your board will be lost when you close the page.");
const KEYS_SHOWN = "keys-shown";
const KEYS = t("Keys: arrows move, 0 and 1 enter a symbol, H shows a hint, W begins a what-if, L reads the counts, + and - zoom, ? lists all keys.");

function whatIfText({ whatIfs, supposed }) {
  const level = whatIfs.length > 1 ? ` ${whatIfs.length}` : "";
  return n(supposed.length, "What if{level}: {number} cell", "What if{level}: {number} cells", { level });
}

const NO_GRADE = { multiple: t("Several solutions"), none: t("No solution"), unknown: t("Not decided in time") };

const differing = (cells, solution) =>
  [...cells].flatMap((cell, index) => (cell !== OPEN && cell !== solution[index] ? [index] : []));
