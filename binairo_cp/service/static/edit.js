// The editor: put clues and signs on a board, with a live analysis of the puzzle.

import { analysisOf, post } from "./api.js";
import { pairOf, verdictSentence } from "./analysis.js";
import { BoardView, cycled, digitOf } from "./board.js";
import { find, make, upper } from "./dom.js";
import { History, replaced } from "./history.js";
import { load, store } from "./storage.js";
import { Message } from "./message.js";
import { cellName, clueName } from "./names.js";
import { OPEN, Puzzle } from "./puzzle.js";
import { listText, numberText, t } from "./texts.js";

const STORAGE_NAME = "editor";
const PAUSE = 300; // ms without a change before the analysis starts
const MAX_COUNT = 100_000;
const TIME_LIMIT = 30; // seconds for fewest and repair
const SIGNS = [null, "=", "x"];
const WAITING = "…";

export class Editor {
  constructor(playPuzzle) {
    this.message = new Message(find("#edit-message"));
    this.view = new BoardView(find("#edit-board"), {
      label: t("Board of the editor"),
      legend: find("#edit-legend"),
      isOpen: true,
      press: (index, options) => this.press(index, options),
      key: (event, index) => this.key(event, index),
    });
    this.view.host.classList.add("live");
    this.highlights = {};
    this.isShown = false;
    this.playPuzzle = playPuzzle;
    this.listen();
    this.history = historyOf(load(STORAGE_NAME));
    this.changed();
  }

  listen() {
    const handlers = {
      "edit-undo": () => this.step("undo"),
      "edit-redo": () => this.step("redo"),
      "edit-signs": () => this.toggleSigns(),
      "edit-clear": () => this.change({ clues: OPEN.repeat(this.puzzle.clues.length), signs: [] }),
      "edit-play": () => this.playPuzzle(this.puzzle),
      "edit-fewest": (event) => this.fewest(event.target, false),
      "edit-fewest-all": (event) => this.fewest(event.target, true),
      "edit-repair": (event) => this.repair(event.target),
    };
    for (const [id, handler] of Object.entries(handlers)) find(`#${id}`).addEventListener("click", handler);
    find("#edit-rules").addEventListener("change", (event) => this.change({ rules: event.target.value }));
    find("#edit-size").addEventListener("submit", (event) => {
      event.preventDefault();
      const [rows, columns] = [find("#edit-rows"), find("#edit-columns")].map((field) => Number(field.value));
      this.change({ ...Puzzle.empty(rows, columns, this.puzzle.rules).record, signs: [] });
    });
  }

  get puzzle() {
    return this.history.state;
  }

  // Undo restores the previous puzzle.
  open(puzzle) {
    this.history.push(puzzle.with({ id: null }));
    this.changed();
  }

  change(changes, isJoined = false) {
    this.history.push(this.puzzle.with(changes), isJoined);
    this.changed();
  }

  step(direction) {
    if (this.history[direction]()) this.changed();
  }

  changed() {
    const { puzzle } = this;
    find("#edit-rows").value = puzzle.height;
    find("#edit-columns").value = puzzle.width;
    const rules = find("#edit-rules");
    rules.value = typeof puzzle.rules === "string" ? puzzle.rules : "";
    find("#edit-undo").disabled = !this.history.past.length;
    find("#edit-redo").disabled = !this.history.future.length;
    find("#live-clues").textContent = String(puzzle.clueCount);
    this.highlights = {};
    this.show();
    find("#live-why").textContent = "";
    this.message.clear();
    store(STORAGE_NAME, this.history.serialize(({ record }) => JSON.stringify(record)));
    this.analyseSoon();
  }

  show() {
    this.view.show({ puzzle: this.puzzle, highlights: this.highlights });
  }

  press(index, { isBack, event }) {
    if (this.areSigns) {
      this.cycleSign(this.nearest(index, event), isBack);
      return null;
    }
    const value = cycled(this.puzzle.clues[index], isBack);
    this.put(index, value);
    return { at: index, paint: (other) => this.put(other, value, true) };
  }

  put(index, value, isJoined = false) {
    const { clues } = this.puzzle;
    if (clues[index] !== value) this.change({ clues: replaced(clues, index, value) }, isJoined);
  }

  key(event, index) {
    const digit = digitOf(event);
    const { key } = event;
    if (digit) this.put(index, digit.digit);
    else if (key === " " || key === "Enter") this.put(index, cycled(this.puzzle.clues[index], event.shiftKey));
    else if (key === "Backspace" || key === "Delete") this.put(index, OPEN);
    else if ("=exEX".includes(key)) this.toggleSign(index, key);
    else return false;
    return true;
  }

  get areSigns() {
    return find("#edit-signs").ariaPressed === "true";
  }

  toggleSigns() {
    find("#edit-signs").ariaPressed = String(!this.areSigns);
    this.view.host.classList.toggle("signs", this.areSigns);
    if (this.areSigns) this.message.say(t("Click between two cells to add =, click again for ×, and again to remove it."));
    else this.message.clear();
  }

  // The place of a sign on the border of the cell that is nearest to a click.
  nearest(index, { clientX, clientY }) {
    const box = this.view.cells[index].getBoundingClientRect();
    const [row, column] = this.puzzle.place(index);
    const distances = [
      [box.right - clientX, [row, column, "R"]],
      [box.bottom - clientY, [row, column, "D"]],
      [clientX - box.left, [row, column - 1, "R"]],
      [clientY - box.top, [row - 1, column, "D"]],
    ];
    return distances.sort(([a], [b]) => Number(a) - Number(b))[0][1];
  }

  cycleSign(place, isBack) {
    const now = SIGNS.indexOf(this.signAt(place));
    this.setSign(place, SIGNS[(now + (isBack ? 2 : 1)) % 3]);
  }

  toggleSign(index, key) {
    const sign = key === "x" || key === "X" ? "x" : "=";
    const place = [...this.puzzle.place(index), key === "E" || key === "X" ? "D" : "R"];
    this.setSign(place, this.signAt(place) === sign ? null : sign);
  }

  signAt(place) {
    return this.puzzle.signs.find((sign) => isAt(sign, place))?.[3] ?? null;
  }

  setSign(place, sign) {
    const { height, width, signs } = this.puzzle;
    const [row, column, direction] = place;
    const [last, lowest] = direction === "R" ? [width - 2, height - 1] : [width - 1, height - 2];
    if (row < 0 || column < 0 || row > lowest || column > last) return;
    const others = signs.filter((each) => !isAt(each, place));
    this.change({ signs: sign ? [...others, [...place, sign]] : others });
  }

  // The analysis runs only while the editor is shown.
  setShown(isShown) {
    if (isShown === this.isShown) return;
    this.isShown = isShown;
    if (isShown) this.analyseSoon();
    else this.stopAnalysis();
  }

  stopAnalysis() {
    this.analysis?.abort();
    clearTimeout(this.timer);
    find("#live").ariaBusy = "false";
  }

  // Starts the analysis after a pause, and drops the results of an older one.
  analyseSoon() {
    this.stopAnalysis();
    if (!this.isShown) return;
    this.timer = setTimeout(() => this.analyse(), PAUSE);
    find("#live").ariaBusy = "true";
  }

  // Shows each step of the analysis as soon as it is known.
  async analyse() {
    this.analysis = new AbortController();
    const { signal } = this.analysis;
    try {
      for await (const { name, data } of analysisOf(this.puzzle.record, MAX_COUNT, signal)) {
        if (signal.aborted) return;
        this.showStep(name, data);
      }
      find("#live").ariaBusy = "false";
    } catch (error) {
      if (error.name === "AbortError" || signal.aborted) return;
      find("#live").ariaBusy = "false";
      this.message.say(error.message, { kind: "bad" });
      if (error.status === undefined) throw error;
    }
  }

  showStep(name, data) {
    const grade = find("#live-grade");
    if (name === "check") this.showVerdict(data);
    if (name === "check" || name === "count") find("#live-count").textContent = countText(data);
    else if (name === "grade" && data.grade) grade.textContent = upper(t(data.grade.level));
    else if (name === "end" && grade.textContent === WAITING) grade.textContent = upper(UNKNOWN);
  }

  showVerdict(result) {
    const { verdict } = result;
    find("#live-verdict").textContent = VERDICTS[verdict] ?? verdict;
    find("#live").dataset.verdict = verdict;
    find("#live-grade").textContent = verdict === "unique" ? WAITING : "–";
    this.highlights = verdict === "none" ? { wrong: result.contradiction ?? [] } : {};
    this.show();
    const more = verdict === "multiple" ? [this.differences(result)] : [];
    find("#live-more").replaceChildren(...more);
    find("#live-why").textContent = verdict === "none" ? verdictSentence(this.puzzle, result) : "";
  }

  // Two solutions, collapsed until the user opens them.
  differences(result) {
    const { puzzle } = this;
    const details = make("details", {}, make("summary", {}, t("Where two solutions differ")));
    details.addEventListener("toggle", () => {
      if (details.open && details.children.length === 1) details.append(pairOf(puzzle, result));
      this.highlights = details.open ? { differs: result.differences } : {};
      this.show();
    });
    return details;
  }

  // Long work on the current puzzle. The result is dropped if the puzzle changes.
  work(starter, word, more, finish) {
    const { puzzle } = this;
    const stop = new AbortController();
    return this.message.run(starter, async () => {
      this.message.say(t("Working…"), { actions: { [t("Stop")]: () => { stop.abort(); this.message.say(t("Stopped.")); } } });
      const result = await post(word, { puzzle: puzzle.record, time_limit: TIME_LIMIT, ...more }, stop.signal);
      if (this.puzzle === puzzle) finish(result);
    });
  }

  fewest(starter, isAll) {
    return this.work(starter, "fewest", { all_cells: isAll }, ({ fewest, verdict }) => {
      if (!fewest) {
        this.message.say(`${t("This needs a puzzle with exactly one solution.")} ${OTHERS[verdict]}`, { kind: "bad" });
        return;
      }
      if (fewest.puzzle !== this.puzzle.clues) this.change({ clues: fewest.puzzle });
      const { at_most: most, at_least: least } = fewest;
      const enough = isAll ? t("{most} of all cells are enough.", { most }) : t("{most} of the clues are enough.", { most });
      const known = fewest.proved ? t("This is the minimum.") : t("At least {least} are needed.", { least });
      this.message.say(`${enough} ${known}`, { kind: "good" });
    });
  }

  repair(starter) {
    return this.work(starter, "repair", {}, ({ repair, verdict }) => {
      if (!repair) {
        this.message.say(verdict === "none" ? t("The rules and signs allow no solution, whatever the clues.") : t("The time limit was reached before a repair was found."), { kind: "bad" });
        return;
      }
      const { added, dropped, puzzle } = repair;
      if (!added.length && !dropped.length) {
        this.message.say(t("The puzzle is already unique."), { kind: "good" });
        return;
      }
      this.change({ clues: puzzle });
      this.highlights = { target: added };
      this.show();
      this.message.say(repairText(repair, this.puzzle), { kind: repair.verdict === "unique" ? "good" : "" });
    });
  }
}

const VERDICTS = { unique: t("Unique"), multiple: t("Several solutions"), none: t("No solution"), unknown: t("Not decided in time") };
const UNKNOWN = t("not known");
const OTHERS = {
  multiple: t("This one has several."),
  none: t("This one has none."),
  unknown: t("Uniqueness was not decided in time."),
};

// Stored data may be broken or from an older version of the page. Then the board is empty.
function historyOf(saved) {
  try {
    return History.restore(saved, (text) => Puzzle.checked(JSON.parse(text)));
  } catch {
    return new History(Puzzle.empty(6, 6, "classic"));
  }
}

const isAt = (sign, place) => place.every((part, n) => part === sign[n]);

function countText({ count, complete, stopped_by: stop }) {
  if (count == null) return UNKNOWN;
  const number = numberText(count);
  if (complete) return number;
  return stop === "limit" ? t("{number} or more", { number }) : t("at least {number}", { number });
}

function repairText({ added, dropped, verdict, proved }, puzzle) {
  const least = proved ? ` ${t("No smaller change is enough.")}` : "";
  if (added.length) {
    const cells = added.map((place) => clueName(place, puzzle));
    return t("With {cells} the puzzle is unique.", { cells: listText(cells) }) + least;
  }
  const cells = listText(dropped.map(cellName));
  const text = verdict === "unique"
    ? t("Without {cells} the puzzle is unique.", { cells })
    : t("Without {cells} the puzzle has several solutions; repeat the command.", { cells });
  return text + least;
}
